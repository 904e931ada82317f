#include "model/offline/offline_model.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "model/offline/act.h"
#include "model/offline/hand_steps.h"
#include "model/offline/phrase.h"
#include "model/offline/scene.h"
#include "model/offline/schedule_steps.h"
#include "model/offline/steps.h"
#include "model/offline/talk.h"
#include "model/offline/welcome.h"
#include "model/prompt_past.h"

namespace rouse {
namespace offline {
namespace {

constexpr std::string_view kSilent = "WAKEUP_SILENT";
constexpr std::size_t kShortestDelta = 24, kDeltas = 6;
constexpr std::int64_t kAwayLongMinutes = 30;

// --- turns that no person began
// -------------------------------------------------------------------

bool is_new_user(const Scene& scene) {
  if (scene.message().contains("First session")) return true;
  if (scene.message().contains("User returned")) return false;
  return scene.instructions_say("first time you are meeting") ||
         (scene.is_first_message() && !scene.instructions_say(kSilent));
}

// By the sentence with which the prompt says it (S0-C6).
bool was_away_long(const Scene& scene) {
  const std::string minutes = scene.words_between("Your last interaction was ", " minutes ago.");
  std::int64_t count = 0;
  const auto read = std::from_chars(minutes.data(), minutes.data() + minutes.size(), count);
  if (read.ec == std::errc() && read.ptr != minutes.data()) return count >= kAwayLongMinutes;
  return !scene.words_between("Your last interaction was ", " ago.").empty() && minutes.empty();
}

// Somebody came back: what was gathered for them is worth a word, and nothing else is.
Step session_open(const Scene& scene) {
  if (is_new_user(scene)) return say(first_meeting(scene));
  std::string name = scene.known().name;
  if (name.empty()) name = scene.words_between("The user's name is ", ".");
  std::string words =
      welcome_back(read_news(scene.section("Session Open")), name, was_away_long(scene));
  return say(words.empty() ? std::string(kSilent) : std::move(words));
}

Step automation(const Scene& scene) {
  const std::string_view order = scheduled_order(scene.message());
  Phrase reminder{order};
  if (reminder.eat({"remind the user to", "remind the user that", "remind the user of",
                    "remind the user about", "remind the user", "remind me to", "remind me that",
                    "remind me of", "remind me about", "remind me", "reminder", "tell me to",
                    "tell me that", "tell the user to", "tell the user that"}) &&
      !reminder.empty()) {
    return say(std::string(kReminder) + to_second_person(reminder.text()));
  }
  const Intent intent = understand(order);
  if (intent.wish == Wish::kNothing) return say("It is time, but there is nothing to do.");
  if (intent.wish != Wish::kUnknown) return act(intent, scene);
  return say(
      fmt::format("It is time for this: {}. Without a real language model I can't do it "
                  "myself. {}",
                  quoted(order), how_to_connect(scene)));
}

Step next_step(const Scene& scene) {
  const std::string& kind = scene.facts().turn_kind;
  if (kind == "heartbeat") return say("HEARTBEAT_OK");
  if (kind == "session_open") return session_open(scene);
  if (kind == "approval") return approval_told(scene);
  if (kind == "automation" || kind == "isolated" || kind == "heartbeat_wake") {
    return automation(scene);
  }
  return act(intent_of(scene), scene);
}

// --- the model -----------------------------------------------------------------------------------

// A few pieces, cut between words, so that clients see a stream as they would from any provider.
void stream_text(std::string_view text, ModelStream& stream) {
  const std::size_t piece = std::max(kShortestDelta, text.size() / kDeltas);
  while (!text.empty()) {
    std::size_t end = text.size() <= piece ? text.size() : text.find(' ', piece);
    end = end == std::string_view::npos ? text.size() : std::min(end + 1, text.size());
    stream.text(0, text.substr(0, end));
    text.remove_prefix(end);
  }
}

class OfflineModel final : public Model {
 public:
  OfflineModel() {
    info_.provider = "offline";
    info_.built_in = true;
    info_.name = "rouse-offline";
    info_.context_window = 32'000;
    info_.price = ModelPrice{};
  }
  [[nodiscard]] const ModelInfo& info() const override { return info_; }

  Task<Result<ModelAnswer>> answer(const ModelRequest& request, ModelStream& stream,
                                   std::stop_token stop) override {
    if (stop.stop_requested()) co_return fail(ModelErrc::kCancelled, "the call was cancelled");
    std::optional<ModelRequest> whole;
    if (request.past) whole = without_past(request);
    const Scene scene(whole ? *whole : request);
    Step step = next_step(scene);
    ModelAnswer answer;
    answer.model = info_.full_name();
    if (step.calls.empty()) {
      stream_text(step.text, stream);
      PromptBlock block;
      block.text = std::move(step.text);
      answer.blocks.push_back(std::move(block));
      co_return answer;
    }
    answer.stop = StopReason::kToolUse;
    std::size_t number = scene.calls_so_far();
    for (PromptBlock& block : step.calls) {
      block.call_id = fmt::format("call_{}", ++number);
      answer.blocks.push_back(std::move(block));
    }
    co_return answer;
  }

 private:
  ModelInfo info_;
};

}  // namespace
}  // namespace offline

std::unique_ptr<Model> make_offline_model() { return std::make_unique<offline::OfflineModel>(); }

}  // namespace rouse
