#include "proactive/checks.h"

#include <algorithm>
#include <bit>
#include <map>

#include <fmt/format.h>

#include "base/text.h"

namespace rouse {
namespace {

constexpr std::size_t kRunsLookedAt = 500;
constexpr std::size_t kConversationsLookedAt = 50;
constexpr Millis kQuestionForgotten = days(7);  // nobody waits for an answer any more
constexpr std::size_t kQuotedBytes = 160;
constexpr std::size_t kNameBytes = 100;

// Not of those whose last run went well: another try, or the next instant, made up for it.
constexpr std::string_view kFailedRuns =
    "SELECT job_id, job_name, state, reason FROM runs WHERE workspace_id = $1 AND ended_ms >= $2 "
    "AND state IN ('error', 'timeout') AND (SELECT n.state FROM runs n WHERE n.job = runs.job AND "
    "n.ended_ms IS NOT NULL ORDER BY n.number DESC LIMIT 1) NOT IN ('ok', 'empty') "
    "ORDER BY ended_ms DESC LIMIT 500";
// Of the newest automations only: a workspace may have a million. A range of instants counts by its
// last one, and so may have begun before. For one that is superseded a newer one was made up for.
constexpr std::string_view kMissedOnes =
    "SELECT j.job_id, j.name, o.last_ms FROM (SELECT number, job_id, name FROM jobs "
    "WHERE workspace_id = $1 AND state <> 'removed' AND kind <> 'system' ORDER BY number DESC "
    "LIMIT 500) j JOIN occurrences o ON o.job = j.number AND o.due_ms >= COALESCE((SELECT "
    "MAX(b.due_ms) FROM occurrences b WHERE b.job = j.number AND b.due_ms < $2), $2) "
    "WHERE o.state = 'missed' AND o.reason <> 'superseded' AND o.last_ms >= $2 "
    "ORDER BY o.last_ms DESC LIMIT 100";
constexpr std::string_view kOpenTasks =
    "SELECT number, title, created_ms, project, provenance FROM tasks WHERE workspace_id = $1 AND "
    "state IN ('open', 'claimed') AND created_ms <= $2 ORDER BY state, number LIMIT 500";
constexpr std::string_view kTalks =
    "SELECT conversation_id, title, last_active_ms, project_key, session_key FROM conversations "
    "WHERE workspace_id = $1 AND last_active_ms >= $2 AND last_active_ms <= $3 "
    "ORDER BY last_active_ms DESC LIMIT 50";
// Those that wait are few; all that a workspace ever had are not: the index of the first is to be
// used.
constexpr std::string_view kPending =
    "SELECT approval_id, summary, created_ms, tainted FROM approvals WHERE state = 'pending' AND "
    "workspace_id || '' = $1 AND created_ms <= $2 ORDER BY expires_ms, approval_id LIMIT 100";

// Worse when it has doubled: a number that grows by one each time would nag each time.
std::int64_t doublings(std::int64_t count) {
  return std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0)));
}

std::string_view named(const std::string& text) { return utf8_prefix(text, kNameBytes); }

std::string times(std::int64_t count) {
  return count == 1 ? "once" : count == 2 ? "twice" : fmt::format("{} times", count);
}

// A hundred open tasks are one sentence, not a hundred.
void keep_few(std::vector<Finding>& findings, CheckKind kind, std::string_view what) {
  if (findings.size() <= kFindingsOfCheck) return;
  const std::size_t more = findings.size() - kFindingsOfCheck;
  findings.resize(kFindingsOfCheck);
  findings.push_back({fmt::format("{}:more", check_name(kind)),
                      doublings(static_cast<std::int64_t>(more)),
                      fmt::format("And {} more {}.", more, what)});
}

std::string key_of(CheckKind kind, std::string_view what) {
  return fmt::format("{}:{}", check_name(kind), what);
}

// The last line of an answer, if that is a question.
std::optional<std::string> question_in(const std::string& text) {
  std::string_view rest = trim(text);
  while (!rest.empty() && std::string_view("*_`\"')").contains(rest.back())) rest.remove_suffix(1);
  if (!rest.ends_with('?')) return std::nullopt;
  const std::size_t line = rest.rfind('\n');
  if (line != std::string_view::npos) rest = trim(rest.substr(line));
  if (rest.size() > kQuotedBytes) {
    const std::size_t stop = rest.find_last_of(".!?", rest.size() - 2);
    if (stop != std::string_view::npos) rest = trim(rest.substr(stop + 1));
  }
  return std::string(utf8_prefix(rest, kQuotedBytes));
}

bool is_foreign(const Content& content) {
  return std::ranges::any_of(
      content, [](const ContentBlock& block) { return block.from == kFromUntrusted; });
}

}  // namespace

Task<Result<std::vector<Finding>>> Checks::failed_runs(WorkspaceId workspace, Millis span) {
  const std::int64_t since = (clock_.wall_now() - span).unix_ms;
  CO_TRY(const Rows rows,
         co_await database_.read_page({kFailedRuns, {workspace.str(), since}, kRunsLookedAt}));
  struct Failed {
    std::string name, reason;
    std::int64_t count = 0;
  };
  std::map<std::string, Failed> failed;
  for (const Row& row : rows) {
    Failed& one = failed[row.text(0)];
    if (one.count++ == 0)
      one = {row.text(1), row.text(2) == "timeout" ? "timeout" : row.text(3), 1};
  }
  std::vector<Finding> out;
  for (const auto& [id, one] : failed) {
    out.push_back({key_of(CheckKind::kFailedRuns, id), doublings(one.count),
                   fmt::format("The automation \"{}\" failed {} in the last {} ({}).",
                               named(one.name), times(one.count), to_words(span), one.reason)});
  }
  keep_few(out, CheckKind::kFailedRuns, "automations failed");
  co_return out;
}

Task<Result<std::vector<Finding>>> Checks::overdue_reminders(WorkspaceId workspace, Millis span) {
  const WallTime now = clock_.wall_now();
  CO_TRY(const Rows rows,
         co_await database_.read_page({kMissedOnes, {workspace.str(), (now - span).unix_ms}}));
  std::vector<Finding> out;
  for (const Row& row : rows) {
    const std::string key = key_of(CheckKind::kOverdueReminders, row.text(0));
    if (std::ranges::find(out, key, &Finding::key) != out.end()) continue;
    out.push_back({key, 1,
                   fmt::format("\"{}\" was due {} ago and was missed.", named(row.text(1)),
                               to_words(now - WallTime{row.integer(2)}))});
  }
  keep_few(out, CheckKind::kOverdueReminders, "were missed");
  co_return out;
}

// Worse when it has waited twice as long.
Task<Result<std::vector<Finding>>> Checks::overdue_tasks(WorkspaceId workspace,
                                                         std::optional<std::string> project,
                                                         Millis age) {
  const WallTime now = clock_.wall_now();
  CO_TRY(const Rows rows,
         co_await database_.read_page({kOpenTasks, {workspace.str(), (now - age).unix_ms}}));
  std::vector<Finding> out;
  for (const Row& row : rows) {
    if (project && (row.is_null(3) || row.text(3) != *project)) continue;
    const Millis waits = now - WallTime{row.integer(2)};
    out.push_back({key_of(CheckKind::kOverdueTasks, std::to_string(row.integer(0))),
                   doublings(waits.count / std::max<std::int64_t>(age.count, 1)),
                   fmt::format("Task #{} \"{}\" has been open for {}.", row.integer(0),
                               named(row.text(1)), to_words(waits)),
                   row.text(4) == kFromUntrusted});
  }
  keep_few(out, CheckKind::kOverdueTasks, "tasks are overdue");
  co_return out;
}

Task<Result<std::vector<Finding>>> Checks::unanswered_questions(WorkspaceId workspace,
                                                                std::optional<std::string> project,
                                                                Millis age) {
  const WallTime now = clock_.wall_now();
  CO_TRY(const Rows rows,
         co_await database_.read_page(
             {kTalks,
              {workspace.str(), (now - kQuestionForgotten).unix_ms, (now - age).unix_ms},
              kConversationsLookedAt}));
  std::vector<Finding> out;
  for (const Row& row : rows) {
    if (project && (row.is_null(3) || row.text(3) != *project)) continue;
    const auto id = ConversationId::parse(row.text(0));
    if (!id) continue;
    CO_TRY(const auto last, kernel_.messages().tail(*id, {}, 1));
    if (last.empty() || last.front().role != "assistant") continue;
    const auto question = question_in(readable_text(last.front().content));
    if (!question) continue;
    out.push_back(
        {key_of(CheckKind::kUnansweredQuestions, fmt::format("{}:{}", id->str(), last.front().seq)),
         1,
         fmt::format("A question in \"{}\" has waited for an answer for {}: \"{}\"",
                     named(row.text(1)), to_words(now - last.front().created), *question),
         is_foreign(last.front().content)});
  }
  keep_few(out, CheckKind::kUnansweredQuestions, "questions wait");
  co_return out;
}

Task<Result<std::vector<Finding>>> Checks::idle_approvals(WorkspaceId workspace, Millis age) {
  const WallTime now = clock_.wall_now();
  CO_TRY(const Rows rows,
         co_await database_.read_page({kPending, {workspace.str(), (now - age).unix_ms}}));
  std::vector<Finding> out;
  for (const Row& row : rows) {
    out.push_back({key_of(CheckKind::kIdleApprovals, row.text(0)), 1,
                   fmt::format("A yes or no has been waited for since {} ago: {}",
                               to_words(now - WallTime{row.integer(2)}), named(row.text(1))),
                   row.integer(3) != 0});
  }
  keep_few(out, CheckKind::kIdleApprovals, "approvals wait");
  co_return out;
}

// A command that can't run is worth a word as well: somebody relies on it.
Task<Result<std::vector<Finding>>> Checks::command(WorkspaceId workspace, std::string command,
                                                   std::stop_token stop) {
  const std::string key = key_of(CheckKind::kCommand, to_hex(sha256(command)).substr(0, 12));
  const std::string shown(named(command));
  Result<bool> fine = fail(Errc::kUnavailable, "commands can't be run here");
  if (run_command_) {
    Job job;
    job.workspace = std::move(workspace);
    job.kind = JobKind::kSystem;
    job.source = "system";
    job.extra.gate = ScriptGate{std::move(command), kCommandTimeoutMs};
    fine = co_await run_command_(std::move(job), std::move(stop));
  }
  std::vector<Finding> out;
  if (!fine) {
    out.push_back({key + ":unable", 1,
                   fmt::format("The check `{}` could not be run: {}", shown,
                               utf8_prefix(fine.error().message, 300))});
  } else if (!*fine) {
    out.push_back({key, 1, fmt::format("The check `{}` is not fine.", shown)});
  }
  co_return out;
}

Task<Result<std::vector<Finding>>> Checks::run(WorkspaceId workspace,
                                               std::optional<std::string> project,
                                               std::vector<CheckOrder> orders,
                                               std::stop_token stop) {
  std::vector<Finding> out;
  for (const CheckOrder& order : orders) {
    if (stop.stop_requested()) break;
    Result<std::vector<Finding>> found;
    switch (order.kind) {
      case CheckKind::kFailedRuns:
        found = co_await failed_runs(workspace, order.age);
        break;
      case CheckKind::kOverdueReminders:
        found = co_await overdue_reminders(workspace, order.age);
        break;
      case CheckKind::kOverdueTasks:
        found = co_await overdue_tasks(workspace, project, order.age);
        break;
      case CheckKind::kUnansweredQuestions:
        found = co_await unanswered_questions(workspace, project, order.age);
        break;
      case CheckKind::kIdleApprovals:
        found = co_await idle_approvals(workspace, order.age);
        break;
      case CheckKind::kCommand:
        found = co_await command(workspace, order.command, stop);
        break;
    }
    if (!found) co_return std::unexpected(std::move(found).error());
    for (Finding& one : *found) {
      if (std::ranges::find(out, one.key, &Finding::key) == out.end())
        out.push_back(std::move(one));
    }
  }
  co_return out;
}

}  // namespace rouse
