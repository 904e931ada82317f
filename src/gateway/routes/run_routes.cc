#include "gateway/routes/run_routes.h"

#include <charconv>
#include <limits>

#include "base/text.h"
#include "gateway/routes/asked_workspace.h"

namespace rouse {
namespace {

Result<std::int64_t> before_of(const Call& call) {
  const auto text = call.query("cursor");
  if (!text) return std::numeric_limits<std::int64_t>::max();
  std::int64_t number = 0;
  const char* end = text->data() + text->size();
  const auto [at, failed] = std::from_chars(text->data(), end, number);
  if (failed == std::errc{} && at == end && number > 0) return number;
  return fail(Errc::kInvalid, "'cursor' must be the next_cursor of the page before");
}

RouteInfo about(std::string pattern, std::string summary) {
  return {.pattern = std::move(pattern),
          .summary = std::move(summary),
          .tag = "automations",
          .query = {workspace_parameter(),
                    {"limit", "How many, 1 to 200"},
                    {"cursor", "next_cursor of the page before"}}};
}

}  // namespace

void RunRoutes::add_to(RouteTable& table) {
  RouteInfo all = about("/api/runs", "What automations did");
  all.query.push_back({"automation", "Only of this one; removed ones are known, too"});
  table.add(answer<RunPage>(std::move(all),
                            [this](Call& call) { return list(call, call.query("automation")); }));
  table.add(answer<RunPage>(about("/api/automations/{id}/runs", "What an automation did"),
                            [this](Call& call) { return list(call, call.parameters.at(0)); }));
  table.add(answer<RunView>({.pattern = "/api/runs/{id}",
                             .summary = "One run, with what the agent was told",
                             .tag = "automations",
                             .query = {workspace_parameter()}},
                            [this](Call& call) { return get(call); }));
}

Task<Result<RunPage>> RunRoutes::list(Call& call, std::optional<std::string> automation) {
  CO_TRY(const auto workspace, asked_workspace(call, workspaces_));
  CO_TRY(const std::size_t limit, call.limit());
  CO_TRY(const std::int64_t before, before_of(call));
  std::int64_t job = 0;
  if (automation) {
    CO_TRY(const Job found, book_.get(workspace, *automation));
    job = found.number;
  }
  CO_TRY(auto found, co_await ledger_.runs(workspace, job, before, limit + 1));
  RunPage out;
  const bool more = found.size() > limit;
  if (more) found.pop_back();
  if (more) out.next_cursor = std::to_string(found.back().number);
  for (Run& run : found) out.items.push_back(view_of(std::move(run)));
  co_return out;
}

Result<RunView> RunRoutes::get(Call& call) {
  TRY(const auto workspace, asked_workspace(call, workspaces_));
  const std::string& id = call.parameters.at(0);
  TRY(auto run, ledger_.run(workspace, id));
  if (!run) {
    return fail(Errc::kNotFound, fmt::format("there is no run {}; old ones are only kept as sums "
                                             "(see the automation's occurrences)",
                                             utf8_prefix(id, 120)));
  }
  return whole_view_of(std::move(*run));
}

}  // namespace rouse
