#include <algorithm>
#include <optional>
#include <vector>

#include <boost/json/serialize.hpp>

#include "base/json.h"
#include "base/text.h"
#include "model/answer_draft.h"
#include "model/openai/openai_format.h"
#include "model/wire_error.h"
#include "model/wire_json.h"

namespace rouse {
namespace json = boost::json;
namespace {

constexpr std::size_t kWholeAnswerBytes = 16 << 20;

StopReason openai_stop(std::string_view reason) {
  if (reason == "stop" || reason == "eos" || reason == "end_turn") return StopReason::kEnd;
  if (reason == "tool_calls" || reason == "function_call") return StopReason::kToolUse;
  if (reason == "length" || reason == "max_tokens") return StopReason::kMaxTokens;
  if (reason == "content_filter") return StopReason::kRefusal;
  return StopReason::kOther;
}

// Which call a delta belongs to. By the book it says so with an index; servers leave it out, or
// use 0 for all and tell calls apart by id, or send neither and begin a new one with a name.
class CallTable {
 public:
  explicit CallTable(AnswerDraft& draft) : draft_(draft) {}

  Result<void> take(const json::value& delta) {
    const json::value* function = wire::member_of(delta, "function");
    const json::value& what = function != nullptr ? *function : delta;
    const std::string_view id = wire::text_of(delta, "id");
    const std::string_view name = wire::text_of(what, "name");
    const json::value* arguments = wire::member_of(what, "arguments");
    std::optional<std::int64_t> index;
    if (wire::member_of(delta, "index") != nullptr) index = wire::count_of(delta, "index");

    Open* open = find(index, id, name, arguments);
    if (open == nullptr) {
      TRY(const std::size_t at, draft_.open_call(std::string(id), std::string(name)));
      open = &calls_.emplace_back(index, at);
    }
    PromptBlock& call = draft_.call(open->at);
    if (call.call_id.empty()) call.call_id = id;
    if (call.tool.empty()) call.tool = name;
    if (arguments == nullptr) return {};
    if (const auto* text = arguments->if_string()) {
      call.arguments.append(text->data(), text->size());
    } else if (arguments->is_object()) {
      call.arguments = json::serialize(*arguments);
    }
    return {};
  }

 private:
  struct Open {
    std::optional<std::int64_t> index;
    std::size_t at = 0;
  };

  Open* find(std::optional<std::int64_t> index, std::string_view id, std::string_view name,
             const json::value* arguments) {
    for (auto open = calls_.rbegin(); open != calls_.rend(); ++open) {
      const PromptBlock& call = draft_.call(open->at);
      if (index && open->index != index) continue;
      if (!id.empty()) {
        // An id may come late, but a second one is another call.
        if (call.call_id == id) return repeats(call, name, arguments) ? nullptr : &*open;
        if (index && call.call_id.empty()) return &*open;
        continue;
      }
      if (name.empty()) return &*open;
      if (index) return repeats(call, name, arguments) ? nullptr : &*open;
      return nullptr;
    }
    return nullptr;
  }

  // A name together with arguments, after a call that is complete: the next one, whatever its
  // index or id says. Some servers repeat the name in every delta, with nothing or with a piece.
  static bool repeats(const PromptBlock& call, std::string_view name,
                      const json::value* arguments) {
    const bool has_more =
        arguments != nullptr &&
        (arguments->is_object() ||
         (arguments->is_string() && !trim(std::string_view(arguments->get_string())).empty()));
    return !name.empty() && has_more && !call.arguments.empty() &&
           parse_json(call.arguments).has_value();
  }

  AnswerDraft& draft_;
  std::vector<Open> calls_;
};

class OpenAiReader final : public AnswerReader {
 public:
  OpenAiReader(ModelStream& stream, Random& random) : draft_(stream, random), calls_(draft_) {}

  Result<void> feed(std::string_view bytes) override {
    if (shape_ == Shape::kUnknown) {
      const std::size_t start = bytes.find_first_not_of(" \t\r\n");
      if (start == std::string_view::npos) return {};
      bytes.remove_prefix(start);
      shape_ = bytes.front() == '{' ? Shape::kWhole : Shape::kStream;
    }
    if (shape_ == Shape::kStream) {
      return wire::feed_events(parser_, bytes,
                               [this](const SseEvent& event) { return on_event(event); });
    }
    if (whole_.size() + bytes.size() > kWholeAnswerBytes) {
      return fail(ModelErrc::kBroken, "the answer is larger than any should be");
    }
    whole_.append(bytes);
    return {};
  }

  [[nodiscard]] bool done() const override { return done_; }

  TryResult finish() override {
    if (shape_ == Shape::kWhole) {
      if (auto read = read_whole(); !read) return fail(std::move(read).error());
    }
    if (!stop_ && !(done_ && heard_)) return std::unexpected(draft_.broken_off());
    return draft_.whole(refused_ ? StopReason::kRefusal : stop_.value_or(StopReason::kEnd));
  }

 private:
  // A server that ignores stream:true sends one document.
  enum class Shape : std::uint8_t { kUnknown, kStream, kWhole };

  Result<void> read_whole() {
    const auto value = wire::parse(whole_);
    if (!value) return fail(ModelErrc::kBroken, "the answer was cut off in the middle");
    done_ = true;
    return on_document(*value);
  }

  Result<void> on_event(const SseEvent& event) {
    if (done_) return {};
    const std::string_view data = trim(event.data);
    if (data == "[DONE]") {
      done_ = true;
      return {};
    }
    if (data.empty()) return {};
    wire::EventRoom room;
    TRY(const json::value value, wire::parse(data, room.memory()));
    return on_document(value);
  }

  Result<void> on_document(const json::value& value) {
    if (wire::member_of(value, "error") != nullptr || wire::text_of(value, "object") == "error") {
      const WireError error = read_wire_error(value);
      return fail(to_error(status_in_stream(error), error));
    }
    on_usage(value);
    const json::value* choices = wire::member_of(value, "choices");
    if (choices == nullptr || !choices->is_array()) return {};
    for (const json::value& choice : choices->get_array()) {
      if (wire::count_of(choice, "index") == 0) TRY_VOID(on_choice(choice));
    }
    return {};
  }

  Result<void> on_choice(const json::value& choice) {
    heard_ = true;
    if (const auto* delta = wire::member_of(choice, "delta")) TRY_VOID(on_delta(*delta));
    if (const auto* message = wire::member_of(choice, "message")) TRY_VOID(on_delta(*message));
    const std::string_view reason = wire::text_of(choice, "finish_reason");
    if (reason == "error") return fail(ModelErrc::kBroken, "the provider broke the answer off");
    if (!reason.empty()) stop_ = openai_stop(reason);
    return {};
  }

  Result<void> on_delta(const json::value& delta) {
    if (const auto* content = wire::member_of(delta, "content")) on_content(*content);
    const std::string_view refusal = wire::text_of(delta, "refusal");
    refused_ = refused_ || !refusal.empty();
    draft_.say(refusal);
    const json::value* calls = wire::member_of(delta, "tool_calls");
    if (calls != nullptr && calls->is_array()) {
      for (const json::value& call : calls->get_array()) TRY_VOID(calls_.take(call));
    }
    if (const auto* call = wire::member_of(delta, "function_call")) TRY_VOID(calls_.take(*call));
    return {};
  }

  void on_content(const json::value& content) {
    if (const auto* text = content.if_string()) return draft_.say({text->data(), text->size()});
    if (!content.is_array()) return;
    for (const json::value& part : content.get_array()) {
      if (wire::text_of(part, "type") == "text") draft_.say(wire::text_of(part, "text"));
    }
  }

  void on_usage(const json::value& value) {
    const json::value* usage = wire::member_of(value, "usage");
    if (usage == nullptr || !usage->is_object()) return;
    const json::value* details = wire::member_of(*usage, "prompt_tokens_details");
    const std::int64_t cached = details == nullptr ? 0 : wire::count_of(*details, "cached_tokens");
    const std::int64_t prompt = wire::count_of(*usage, "prompt_tokens");
    draft_.usage.cache_read = std::min(cached, prompt);
    draft_.usage.in = prompt - draft_.usage.cache_read;
    draft_.usage.out = wire::count_of(*usage, "completion_tokens");
    draft_.has_usage = draft_.usage.total() > 0;
  }

  SseParser parser_;
  AnswerDraft draft_;
  CallTable calls_;
  std::string whole_;
  std::optional<StopReason> stop_;
  Shape shape_ = Shape::kUnknown;
  bool heard_ = false;  // of a choice
  bool refused_ = false;
  bool done_ = false;
};

}  // namespace

std::unique_ptr<AnswerReader> make_openai_reader(ModelStream& stream, Random& random) {
  return std::make_unique<OpenAiReader>(stream, random);
}

}  // namespace rouse
