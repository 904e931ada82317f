#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "agent/prompt/text_cut.h"
#include "base/text.h"
#include "lifecycle/actions/all_actions.h"
#include "lifecycle/actions/inject.h"

namespace rouse::actions {
namespace {

constexpr std::string_view kInjected = "_injected_memories";
constexpr std::size_t kRemembered = 200;    // notes that the session was told
constexpr std::size_t kCharacters = 2'000;  // of all that is told at once
constexpr std::size_t kOfOneNote = 500;
constexpr std::int64_t kMostNotes = 50;

// 0 … 1 as workflows say it, 1 … 5 as notes have it: 0.7 are the two highest.
std::int64_t least_importance(double wanted) {
  const double steps = static_cast<double>(kMostImportance - kLeastImportance);
  return kLeastImportance +
         static_cast<std::int64_t>(std::ceil(std::clamp(wanted, 0.0, 1.0) * steps - 1e-9));
}

// The words of an untrusted note reach a turn only if it is tainted already; else it is named, and
// whoever looks it up is tainted by the tool.
std::string line_of(const Note& note, bool tainted) {
  if (note.untrusted() && !tainted) {
    return fmt::format("- (an untrusted note; search_memory shows it) [{}, untrusted]\n",
                       note.id.str());
  }
  std::string text(first_characters(note.text, kOfOneNote));
  if (text.size() < note.text.size()) text += "…";
  std::ranges::replace(text, '\n', ' ');
  return fmt::format("- {} [{}{}]\n", text, note.id.str(), note.untrusted() ? ", untrusted" : "");
}

void remember(ActionCall& call, const std::vector<std::string>& told) {
  boost::json::array all;
  if (const auto* now = call.variables.find(kInjected); now != nullptr && now->is_array()) {
    all = now->as_array();
  }
  for (const std::string& id : told) all.emplace_back(id);
  if (all.size() > kRemembered) {
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() - kRemembered));
  }
  call.variables.set(kInjected, std::move(all));
}

// Most have nothing to recall: no turn waits for that.
bool has_no_notes(const ActionCall& call) {
  if (call.hands.memory == nullptr) return false;
  const auto kept = call.hands.memory->counts({call.event.turn.workspace, call.event.turn.agent});
  return kept && kept->notes == 0;
}

Task<Result<void>> run(ActionCall& call) {
  CO_TRY(MemoryRecall * recall, need(call.hands.recall, "the memory"));
  const auto limit = static_cast<std::size_t>(
      std::clamp<std::int64_t>(call.arguments.number("limit", 5), 0, kMostNotes));
  const std::int64_t least = least_importance(call.arguments.decimal("min_importance", 0.7));
  const std::string asked(trim(utf8_prefix(trim(call.event.prompt), kQuestionBytes)));
  if (asked.empty() || limit == 0) co_return Result<void>{};
  const TurnContext& turn = call.event.turn;
  // More than are told: some were told before, some matter too little.
  CO_TRY(const std::vector<Note> found,
         co_await recall->find({{turn.workspace, turn.agent}, asked, kRecalledNotes}));
  std::string list;
  std::vector<std::string> told;
  for (const Note& note : found) {
    if (told.size() == limit) break;
    if (note.importance < least || call.variables.has(kInjected, note.id.str())) continue;
    const std::string line = line_of(note, turn.tainted);
    if (characters_in(list) + characters_in(line) + 30 > kCharacters) break;
    list += line;
    told.push_back(note.id.str());
  }
  if (told.empty()) co_return Result<void>{};
  inject(call, "Relevant memories:\n" + list);
  remember(call, told);
  call.end.detail = fmt::format("{} recalled", told.size());
  co_return Result<void>{};
}

}  // namespace

ActionKind memory_recall_relevant() {
  return {.name = "memory_recall_relevant",
          .help =
              "Tells the model which notes fit what was said, each once in a session "
              "(on_before_agent).",
          .arguments = {{"limit", ArgumentKind::kNumber, false,
                         "How many at most; 5 if it is not said."},
                        {"min_importance", ArgumentKind::kDecimal, false,
                         "How much a note must matter, from 0 to 1: 0 takes all, 1 only those of "
                         "importance 5; 0.7 if it is not said."}},
          .pure = false,
          .only_looks = true,
          .has_nothing_to_do = has_no_notes,
          .run = run};
}

}  // namespace rouse::actions
