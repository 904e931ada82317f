#include <fmt/format.h>

#include "lifecycle/actions/all_actions.h"
#include "lifecycle/actions/inject.h"
#include "lifecycle/actions/task_words.h"

namespace rouse::actions {
namespace {

constexpr std::string_view kHandoff = "compact_markdown";

// The texts of skills that always apply stand in every prompt; here it is said that they do.
Result<std::string> skills_list(ActionCall& call) {
  TRY(PersonFiles * files, need(call.hands.files, "the person's files"));
  const bool only_always = call.arguments.text("filter") == "always_apply";
  std::string out;
  for (const Skill& skill : files->of(call.event.turn.workspace).skills) {
    if (only_always && !skill.always_apply) continue;
    out += fmt::format("- {}: {}\n", skill.name, skill.description);
  }
  if (out.empty()) return out;
  return (only_always ? "These skills always apply here:\n" : "Skills:\n") + out;
}

// What a source has to say, and the name by which a template finds it.
struct Lent {
  std::string_view name;
  Result<std::string> text = std::string();
};

Task<Lent> lent_by(ActionCall& call, std::string source) {
  if (source == "skills") co_return Lent{"skills_list", skills_list(call)};
  if (source == "task_context") co_return Lent{"task_context", co_await task_context(call)};
  if (source == "compact_handoff") {
    co_return Lent{"compact_handoff", call.variables.text(kHandoff)};
  }
  co_return Lent{};
}

Task<Result<void>> run(ActionCall& call) {
  const std::string source = call.arguments.text("source");
  const Lent lent = co_await lent_by(call, source);
  // A source that can't be asked has nothing to say: a turn does not stop for that.
  if (!lent.text) call.end.detail = lent.text.error().message;
  const std::string own = lent.text.value_or("");
  for (const std::string_view name : {"skills_list", "task_context", "compact_handoff"}) {
    call.scope.lend(name, boost::json::value(name == lent.name ? own : std::string()));
  }
  std::string text = own;
  if (const TextTemplate* words = call.arguments.words("template")) {
    CO_TRY(text, co_await render(call, *words));
  }
  if (!inject(call, text)) co_return Result<void>{};
  if (source == "compact_handoff") rouse::set_variable(call, kHandoff, "");
  co_return Result<void>{};
}

}  // namespace

ActionKind inject_context() {
  return {.name = "inject_context",
          .help = "Tells the model something that it sees next.",
          .arguments = {{"template",
                         ArgumentKind::kTemplate,
                         false,
                         "What it is told; what the source has to say if it is left out. Blank "
                         "text is not told. A source lends it a name: skills_list, task_context or "
                         "compact_handoff.",
                         {"skills_list", "task_context", "compact_handoff"}},
                        {"source",
                         ArgumentKind::kText,
                         false,
                         "Where the words come from: the person's skills, the claimed and open "
                         "tasks, or the handoff that a compaction left (told once).",
                         {"skills", "task_context", "compact_handoff"}},
                        {"filter",
                         ArgumentKind::kText,
                         false,
                         "Of skills: only those that always apply.",
                         {"always_apply"}}},
          .run = run};
}

}  // namespace rouse::actions
