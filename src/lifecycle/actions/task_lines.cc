#include "lifecycle/actions/task_lines.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "base/json.h"
#include "base/text_check.h"
#include "session/content.h"
#include "session/projects.h"

namespace rouse {
namespace {

struct TaskJson {
  std::string id, title;
  std::optional<std::string> detail;
  std::string state;
  std::optional<std::string> claimed_by, reason;
  std::optional<std::vector<std::string>> commits;
  std::optional<std::string> project;
  std::string provenance, created_at, updated_at;
  std::optional<std::string> ended_at;
};
auto shape(const TaskJson*) {
  using J = TaskJson;
  return fields(field("id", &J::id, ""), field("title", &J::title, ""),
                field("detail", &J::detail, ""),
                field("state", &J::state, "").one_of({"open", "claimed", "done", "closed"}),
                field("claimed_by", &J::claimed_by, ""), field("reason", &J::reason, ""),
                field("commits", &J::commits, ""), field("project", &J::project, ""),
                field("provenance", &J::provenance, ""), field("created_at", &J::created_at, ""),
                field("updated_at", &J::updated_at, ""), field("ended_at", &J::ended_at, ""));
}

constexpr std::size_t kNameBytes = 100;  // of who claimed it, and of a commit

bool has_ended(const TaskLine& task) { return task.state == "done" || task.state == "closed"; }

std::string trusted_name(const std::string& provenance) {
  constexpr std::array kKnown{kFromOwner, kFromSender, kFromAgent};
  const bool known = std::ranges::find(kKnown, provenance) != kKnown.end();
  return known ? provenance : std::string(kFromUntrusted);
}

bool is_commit(std::string_view text) {
  return !text.empty() && text.size() <= kNameBytes &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c != '\x7f'; });
}

Result<void> check(const TaskLine& task) {
  TRY_VOID(TaskId::parse(task.id));
  if (trim(task.title).empty() || task.title.find('\n') != std::string::npos) {
    return fail(Errc::kInvalid, "'title' must be one line");
  }
  TRY_VOID(check_text("title", task.title, kTaskTitleBytes));
  TRY_VOID(check_text("detail", task.detail, kTaskDetailBytes));
  TRY_VOID(check_text("claimed_by", task.claimed_by.value_or(""), kNameBytes));
  TRY_VOID(check_text("reason", task.reason.value_or(""), kTaskReasonBytes));
  if (task.project) TRY_VOID(check_short_name("project", *task.project));
  if (task.commits.size() > kTaskCommits || !std::ranges::all_of(task.commits, is_commit)) {
    return fail(Errc::kInvalid, "'commits' must be ids of commits");
  }
  return {};
}

// All that a file can bring but for what is always our own to say.
auto words_of(const TaskLine& task) {
  return std::tie(task.title, task.detail, task.claimed_by, task.reason, task.commits);
}
bool says_the_same(const TaskLine& a, const TaskLine& b) {
  return words_of(a) == words_of(b) && a.state == b.state;
}

bool is_untrusted(const TaskLine& task) { return task.provenance == kFromUntrusted; }

using TitleAndTime = std::pair<std::string, std::int64_t>;
TitleAndTime name_of(const TaskLine& task) { return {task.title, task.created.unix_ms}; }

}  // namespace

std::string second_task_id(const WorkspaceId& workspace, const std::string& id) {
  return std::string(TaskTag::prefix) + to_hex(sha256(workspace.str() + " " + id)).substr(0, 24);
}

Result<TaskLine> TaskLine::read(std::string_view line) {
  TRY(TaskJson json, decode_json<TaskJson>(line));
  TaskLine out{.id = std::move(json.id),
               .title = std::string(trim(json.title)),
               .detail = json.detail.value_or(""),
               .state = std::move(json.state),
               .claimed_by = std::move(json.claimed_by),
               .reason = std::move(json.reason),
               .commits = json.commits.value_or(std::vector<std::string>{}),
               .project = std::move(json.project),
               .provenance = trusted_name(json.provenance),
               .created = {},
               .updated = {}};
  TRY(out.created, from_iso(json.created_at));
  TRY(out.updated, from_iso(json.updated_at));
  if (has_ended(out)) {
    out.ended = out.updated;
    if (json.ended_at) {
      TRY(out.ended, from_iso(*json.ended_at));
    }
  }
  TRY_VOID(check(out));
  return out;
}

TaskLine TaskLine::of(std::string id, const TaskItem& task) {
  return {.id = std::move(id),
          .title = task.title,
          .detail = task.detail,
          .state = task.state,
          .claimed_by = task.claimed_by,
          .reason = task.reason,
          .commits = task.commits,
          .project = task.project,
          .provenance = task.provenance,
          .created = task.created,
          .updated = task.updated,
          .ended = task.ended};
}

std::string TaskLine::write() const {
  TaskJson json{.id = id,
                .title = title,
                .detail = {},
                .state = state,
                .claimed_by = claimed_by,
                .reason = reason,
                .commits = {},
                .project = project,
                .provenance = provenance,
                .created_at = to_iso(created),
                .updated_at = to_iso(updated),
                .ended_at = {}};
  if (!detail.empty()) json.detail = detail;
  if (!commits.empty()) json.commits = commits;
  if (ended) json.ended_at = to_iso(*ended);
  return encode_json(json);
}

bool TaskLine::beats(const TaskLine& other) const {
  const auto rank = [](const TaskLine& line) {
    return std::tuple(has_ended(line), line.updated, line.state, words_of(line),
                      std::tie(line.provenance, line.project, line.created, line.ended));
  };
  return rank(*this) > rank(other);
}

TaskExport export_tasks(std::string_view file, const std::vector<StoredTask>& tasks, WallTime now) {
  auto lines = read_sync_lines<TaskLine>(file, now);
  TaskExport out{.text = {}, .troubles = troubles_of(lines)};
  // Whoever can't read all of a file must not write it.
  if (lines.left_out > 0) {
    out.text = file;
    out.without_room = tasks.size();
    return out;
  }
  std::map<TitleAndTime, std::string> ids;
  for (const auto& [id, line] : lines.by_key) ids.emplace(name_of(line.record), id);
  std::size_t bytes = lines.text().size();
  for (const StoredTask& stored : tasks) {
    TaskLine line = stored.task;
    if (!lines.by_key.contains(line.id)) {
      if (const auto named = ids.find(name_of(line)); named != ids.end()) line.id = named->second;
    }
    const auto known = lines.by_key.find(line.id);
    if (known == lines.by_key.end()) {
      std::string text = line.write();
      const bool has_room = lines.by_key.size() + lines.broken.size() < kSyncFileLines &&
                            bytes + text.size() + 1 <= kSyncFileBytes;
      if (!has_room) {
        ++out.without_room;
        continue;
      }
      bytes += text.size() + 1;
      lines.take(std::move(line), std::move(text));
      ++out.added;
      continue;
    }
    const TaskLine& there = known->second.record;
    if (says_the_same(line, there)) {
      // The line stays, unless it claims more than we know.
      if (!is_untrusted(line) || is_untrusted(there)) continue;
      TaskLine doubted = there;
      doubted.provenance = kFromUntrusted;
      std::string text = doubted.write();
      known->second = {std::move(doubted), std::move(text)};
      ++out.renewed;
      continue;
    }
    std::string text = line.write();
    if (lines.take(std::move(line), std::move(text))) ++out.renewed;
  }
  out.text = lines.text();
  return out;
}

TaskImport import_tasks(std::string_view file, const std::vector<StoredTask>& known,
                        const TaskPlace& place, WallTime now) {
  const auto lines = read_sync_lines<TaskLine>(file, now);
  TaskImport out{.added = {}, .troubles = troubles_of(lines)};
  std::map<std::string_view, const StoredTask*> by_id;
  std::map<TitleAndTime, const StoredTask*> by_name;
  std::int64_t active = 0;
  for (const StoredTask& one : known) {
    by_id.emplace(one.task.id, &one);
    by_name.emplace(name_of(one.task), &one);
    if (!has_ended(one.task)) ++active;
  }
  const auto find = [&](const TaskLine& line) -> const StoredTask* {
    if (const auto found = by_id.find(line.id); found != by_id.end()) return found->second;
    if (const auto found = by_id.find(second_task_id(place.workspace, line.id));
        found != by_id.end()) {
      return found->second;
    }
    const auto found = by_name.find(name_of(line));
    return found == by_name.end() ? nullptr : found->second;
  };
  for (const auto& [id, line] : lines.by_key) {
    TaskLine after = line.record;
    after.updated = std::min(after.updated, now);
    const StoredTask* here = find(after);
    if (here == nullptr) {
      if (!has_ended(after) && ++active > kTasksActive) {
        ++out.without_room;
        continue;
      }
      // A project is called as it is called here.
      after.project = after.project ? place.project : std::nullopt;
      after.provenance = kFromUntrusted;
      out.added.push_back(std::move(after));
      continue;
    }
    const TaskLine& before = here->task;
    after.id = before.id;
    after.project = before.project;
    after.created = before.created;
    after.provenance = before.provenance;
    if (says_the_same(after, before) || !after.beats(before)) continue;
    if (words_of(after) != words_of(before)) after.provenance = kFromUntrusted;
    out.renewed.push_back({*here, std::move(after)});
  }
  std::ranges::sort(out.added, {},
                    [](const TaskLine& task) { return std::pair(task.created, task.id); });
  return out;
}

}  // namespace rouse
