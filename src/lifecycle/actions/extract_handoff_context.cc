#include <algorithm>

#include <fmt/format.h>

#include "agent/prompt/text_cut.h"
#include "lifecycle/actions/all_actions.h"
#include "lifecycle/actions/handoff_words.h"
#include "lifecycle/actions/task_words.h"

namespace rouse::actions {
namespace {

constexpr std::size_t kMessages = 200;

// What git can't tell is left out: a handoff is better without a section than not there.
Task<void> add_git(ActionCall& call, Handoff& out, WallTime since) {
  const std::string& folder = call.event.turn.project_folder;
  GitView* git = call.hands.git;
  if (folder.empty() || git == nullptr || !git->is_repository(folder)) co_return;
  const auto branch = co_await git->branch(folder);
  out.worktree = branch ? fmt::format("{} on {}", folder, *branch) : folder;
  if (auto commits = co_await git->commits_since(folder, since)) out.commits = std::move(*commits);
  if (auto dirty = co_await git->dirty_files(folder)) out.uncommitted = std::move(*dirty);
}

Task<Result<void>> run(ActionCall& call) {
  CO_TRY(SessionKernel * kernel, need(call.hands.kernel, "the conversation"));
  const TurnContext& turn = call.event.turn;
  CO_TRY(const Session session, kernel->sessions().get(turn.session));
  CO_TRY(std::vector<Message> messages,
         co_await kernel->messages().before(turn.conversation, {}, kMessages));
  std::ranges::reverse(messages);
  const bool has_beginning =
      messages.empty() || messages.front().seq == 1 || messages.front().session != turn.session;
  std::erase_if(messages, [&](const Message& one) { return one.session != turn.session; });
  Handoff out;
  if (const auto claimed = claimed_task(call); claimed && *claimed) out.task = task_line(**claimed);
  co_await add_git(call, out, session.created);
  out.tainted = turn.tainted;
  if (!has_beginning) out.goal = goal_in_summary(session.context_summary);
  add_transcript(out, messages);
  rouse::set_variable(call, "compact_markdown", boost::json::value(write_handoff(out)));
  co_return Result<void>{};
}

}  // namespace

ActionKind extract_handoff_context() {
  return {.name = "extract_handoff_context",
          .help =
              "Puts what matters of the session into compact_markdown, as Markdown: the "
              "claimed task, the project's branch, commits and uncommitted files, the goal and "
              "what happened last (on_pre_compact). inject_context with source compact_handoff "
              "tells it once.",
          .arguments = {},
          .pure = false,
          .run = run};
}

}  // namespace rouse::actions
