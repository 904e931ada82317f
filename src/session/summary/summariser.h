// Summaries: what a conversation was about, short enough to carry along. One service, four profiles
// (U4): the five lines that every turn of a session carries (context), the line of the activity log
// (punchline), what stays of a conversation that is cleared (clear), and the handoff when a long
// one is compacted (compact).
//
// A model writes them if there is one, and its answer is checked: what breaks the format is
// repaired, what can't be repaired is replaced by the template. The template needs no model: plain
// rules over what was said, merged into the summary so far. So a summary never fails, never
// exceeds its profile's limit, is always valid UTF-8, and nothing a person writes can forge a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/task.h"
#include "session/one_shot.h"

namespace rouse {

enum class SummaryProfile : std::uint8_t { kContext, kPunchline, kClear, kCompact };

inline constexpr std::size_t kContextSummaryChars = 1000;  // S1-21; counted in bytes

struct TurnText {  // one turn; each part may be empty
  std::string user, assistant;
  std::string action_type;  // what the agent did, as a word ("create_task"); small talk counts not
};

struct SummaryInput {
  std::string previous;  // the summary so far, of the same profile; may be empty or foreign text
  std::vector<TurnText> exchanges;            // what was said since
  std::int64_t turn_count = 0;                // after these exchanges
  std::optional<WorkspaceId> workspace = {};  // that pays for a model's words
};

struct Summary {
  std::string text;
  bool by_model = false;
  std::string note;  // why the model's answer was not used or was repaired, for the log; else ""
};

// The summary by plain rules: pure, the same for the same input, never fails.
std::string template_summary(SummaryProfile profile, const SummaryInput& input);

// The template's context summary of one more exchange, begun before its answer is there.
class ContextAhead {
 public:
  ContextAhead(std::string previous, std::string asked);
  ContextAhead(ContextAhead&&) noexcept;
  ~ContextAhead();
  // The same as template_summary(); none if the input goes on from something else.
  std::optional<std::string> finish(const SummaryInput& input) &&;

 private:
  struct Heard;
  std::unique_ptr<Heard> heard_;
};

class Summariser {
 public:
  explicit Summariser(OneShot* model = nullptr) : model_(model) {}  // null: templates only
  [[nodiscard]] bool has_model() const { return model_ != nullptr; }
  void use_model(OneShot* model) { model_ = model; }  // must outlive the questions asked of it

  // Asks the model once; its answer, else its answer repaired, else the template.
  Task<Summary> summarise(SummaryProfile profile, SummaryInput input);

 private:
  OneShot* model_;
};

// What a new session inherits over a soft boundary: the same five lines with TURNS: 0. "" stays "".
std::string carried_over(std::string_view context_summary);

}  // namespace rouse
