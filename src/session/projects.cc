#include "session/projects.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "session/workspaces.h"

namespace rouse {
namespace {

constexpr std::size_t kNameBytes = 64;
constexpr std::size_t kAliasBytes = 200;
constexpr std::size_t kPathBytes = 4096;

constexpr std::string_view kByKey =
    "SELECT project_key, alias, path FROM projects WHERE workspace_id = $1 AND project_key = $2";
constexpr std::string_view kAfter =
    "SELECT project_key, alias, path FROM projects WHERE workspace_id = $1 AND project_key > $2 "
    "ORDER BY project_key LIMIT $3";
// Nothing is inserted beyond the bound; what is there already can always be changed.
constexpr std::string_view kPut =
    "INSERT INTO projects (workspace_id, project_key, alias, path, created_ms) "
    "SELECT $1, $2, $3, $4, $5 WHERE (SELECT COUNT(*) FROM projects WHERE workspace_id = $1 "
    "AND project_key <> $2) < $6 "
    "ON CONFLICT (workspace_id, project_key) DO UPDATE SET alias = excluded.alias, "
    "path = excluded.path";
constexpr std::string_view kRemove =
    "DELETE FROM projects WHERE workspace_id = $1 AND project_key = $2";

bool is_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

Project from_row(const Row& row) { return {row.text(0), row.text(1), row.text(2)}; }

Error not_found(std::string_view key) {
  return Error(ProjectErrc::kNotFound, fmt::format("there is no project {}", utf8_prefix(key, 80)));
}
Error in_config(std::string_view key) {
  return Error(ProjectErrc::kConfigured,
               fmt::format("project {} stands in rouse.yaml; change or remove it there", key));
}

Result<void> check_path(std::string_view path) {
  if (!path.starts_with('/')) {
    return fail(Errc::kInvalid, fmt::format("'path' must be absolute, like /home/me/project, not "
                                            "'{}'",
                                            utf8_prefix(path, 80)));
  }
  if (path.size() > kPathBytes || std::ranges::any_of(path, is_control)) {
    return fail(Errc::kInvalid,
                fmt::format("'path' must be one line of at most {} bytes", kPathBytes));
  }
  for (const std::string_view step : split(path, '/')) {
    if (step == "..") return fail(Errc::kInvalid, "'path' must not contain '..'; write it out");
  }
  return {};
}

}  // namespace

ErrorInfo error_info(ProjectErrc code) {
  if (code == ProjectErrc::kNotFound) return {Kind::kNotFound, "project_not_found"};
  return {Kind::kConflict, "project_in_config"};
}

Result<void> check_short_name(std::string_view field, std::string_view name) {
  if (!name.empty() && name.size() <= kNameBytes && std::ranges::all_of(name, is_name_letter)) {
    return {};
  }
  return fail(Errc::kInvalid, fmt::format("'{}' must be 1 to {} of a-z, 0-9, '_' and '-', not '{}'",
                                          field, kNameBytes, utf8_prefix(name, 80)));
}

Result<Project> check_project(Project project) {
  TRY_VOID(check_short_name("key", project.key));
  project.alias = trim(project.alias);
  if (project.alias.empty()) project.alias = project.key;
  if (project.alias.size() > kAliasBytes || std::ranges::any_of(project.alias, is_control)) {
    return fail(Errc::kInvalid,
                fmt::format("'alias' must be one line of at most {} bytes", kAliasBytes));
  }
  TRY_VOID(check_path(project.path));
  while (project.path.size() > 1 && project.path.ends_with('/')) project.path.pop_back();
  return project;
}

void Projects::configure(std::vector<Project> from_config) {
  configured_.clear();
  for (Project& one : from_config) {
    std::string key = one.key;
    configured_.emplace(std::move(key), std::move(one));
  }
}

const Project* Projects::configured(const WorkspaceId& workspace, const std::string& key) const {
  if (workspace != Workspaces::default_id()) return nullptr;
  const auto found = configured_.find(key);
  return found == configured_.end() ? nullptr : &found->second;
}

Result<std::optional<Project>> Projects::stored(const WorkspaceId& workspace,
                                                const std::string& key) {
  TRY(const Rows rows, database_.read({kByKey, {workspace.str(), key}}));
  if (rows.empty()) return std::optional<Project>();
  return std::optional(from_row(rows.front()));
}

Result<Projects::Listed> Projects::get(const WorkspaceId& workspace, const std::string& key) {
  TRY(auto kept, stored(workspace, key));
  if (const Project* from_file = configured(workspace, key)) {
    return Listed{*from_file, true, kept ? std::optional(kept->path) : std::nullopt};
  }
  if (!kept) return fail(not_found(key));
  return Listed{std::move(*kept), false, {}};
}

Task<Result<Project>> Projects::put(WorkspaceId workspace, Project project) {
  CO_TRY(project, check_project(std::move(project)));
  if (configured(workspace, project.key) != nullptr) co_return fail(in_config(project.key));
  const auto written = co_await database_.write(
      one(kPut,
          {workspace.str(), project.key, project.alias, project.path, clock_.wall_now().unix_ms,
           static_cast<std::int64_t>(kProjectsPerWorkspace)},
          1));
  if (!written && written.error().is(StoreErrc::kConflict)) {
    co_return fail(Errc::kTooLarge, fmt::format("a workspace has at most {} projects; delete one "
                                                "first",
                                                kProjectsPerWorkspace));
  }
  if (!written) co_return std::unexpected(written.error());
  co_return project;
}

Task<Result<void>> Projects::remove(WorkspaceId workspace, std::string key) {
  CO_TRY(const Written written, co_await database_.write(one(kRemove, {workspace.str(), key})));
  if (written.rows_changed.front() > 0) co_return Result<void>{};
  if (configured(workspace, key) != nullptr) co_return fail(in_config(key));
  co_return fail(not_found(key));
}

Task<Result<std::vector<Projects::Listed>>> Projects::list(WorkspaceId workspace, std::string after,
                                                           std::size_t limit) {
  CO_TRY(const Rows rows,
         co_await database_.read_page(
             {kAfter, {workspace.str(), after, static_cast<std::int64_t>(limit)}, limit}));
  std::map<std::string, Listed> merged;
  for (const Row& row : rows) merged[row.text(0)] = {from_row(row), false, {}};
  if (workspace == Workspaces::default_id()) {
    for (auto one = configured_.upper_bound(after); one != configured_.end(); ++one) {
      Listed& entry = merged[one->first];
      if (!entry.project.key.empty()) entry.hidden_path = entry.project.path;
      entry.project = one->second;
      entry.from_config = true;
    }
  }
  std::vector<Listed> out;
  for (auto& [key, entry] : merged) {
    if (out.size() == limit) break;
    out.push_back(std::move(entry));
  }
  co_return out;
}

}  // namespace rouse
