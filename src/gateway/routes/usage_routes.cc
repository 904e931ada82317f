#include "gateway/routes/usage_routes.h"

#include <algorithm>

#include "gateway/routes/asked_workspace.h"

namespace rouse {
namespace {

constexpr std::size_t kDaysOfAMonth = 31;

double dollars_of(std::int64_t micros) { return static_cast<double>(micros) / 1e6; }
std::optional<double> dollars_of(const std::optional<std::int64_t>& micros) {
  return micros ? std::optional(dollars_of(*micros)) : std::nullopt;
}

UsageView view_of(const Spent& spent) {
  UsageView view{.day = {},
                 .turns = spent.turns,
                 .tokens_in = spent.usage.in,
                 .tokens_out = spent.usage.out,
                 .cache_read = spent.usage.cache_read,
                 .cache_write = spent.usage.cache_write,
                 .usd = dollars_of(spent.micros),
                 .price_unknown = spent.price_unknown};
  if (!spent.day.empty()) view.day = spent.day;
  return view;
}

// The days of the month of `today`, as one.
Spent sum_of_month(const std::vector<Spent>& days, std::string_view today) {
  const std::string_view month = today.substr(0, today.rfind('-') + 1);
  Spent sum;
  for (const Spent& one : days) {
    if (!one.day.starts_with(month)) continue;
    sum.turns += one.turns;
    sum.usage += one.usage;
    sum.micros += one.micros;
    sum.price_unknown = sum.price_unknown || one.price_unknown;
  }
  return sum;
}

Result<std::string> cursor_of(const Call& call) {
  const std::string cursor = call.query("cursor").value_or("");
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const bool fine =
      cursor.empty() || (cursor.size() == 10 && cursor[4] == '-' && cursor[7] == '-' &&
                         std::ranges::count_if(cursor, digit) == 8);
  if (!fine) return fail(Errc::kInvalid, "'cursor' must be the next_cursor of the page before");
  return cursor;
}

}  // namespace

void UsageRoutes::add_to(RouteTable& table) {
  table.add(answer<WorkspaceUsage>(
      {.pattern = "/api/usage",
       .summary = "What a workspace spends on models: today, this month, each day, and the caps",
       .tag = "usage",
       .query = {workspace_parameter(),
                 {"limit", "How many days, 1 to 200"},
                 {"cursor", "next_cursor of the page before"}}},
      [this](Call& call) { return of_workspace(call); }));
  table.add(answer<ConversationUsage>({.pattern = "/api/conversations/{id}/usage",
                                       .summary = "What a conversation has cost",
                                       .tag = "usage",
                                       .query = {workspace_parameter()}},
                                      [this](Call& call) { return of_conversation(call); }));
}

Task<Result<WorkspaceUsage>> UsageRoutes::of_workspace(Call& call) {
  CO_TRY(const WorkspaceId id, asked_workspace(call, workspaces_));
  CO_TRY(const std::size_t limit, call.limit());
  CO_TRY(const std::string cursor, cursor_of(call));
  CO_TRY(const Workspace workspace, workspaces_.get(id));
  WorkspaceUsage out;
  out.workspace_id = id.str();
  out.timezone = zone_of_(workspace);
  const std::string today = day_in_zone(clock_.wall_now(), out.timezone);
  CO_TRY(const Spent spent_today, book_.of_day(id, today));
  CO_TRY(const auto newest, co_await book_.days(id, "", kDaysOfAMonth));
  CO_TRY(auto page, co_await book_.days(id, cursor, limit + 1));
  CO_TRY(out.paused_reason, book_.paused(id, out.timezone));
  out.today = view_of(spent_today);
  out.month = view_of(sum_of_month(newest, today));
  out.caps = {.day_usd = dollars_of(book_.caps().day_micros),
              .conversation_usd = dollars_of(book_.caps().conversation_micros),
              .day_tokens = book_.caps().day_tokens};
  out.paused = out.paused_reason.has_value();
  if (page.size() > limit) {
    page.pop_back();
    out.next_cursor = page.back().day;
  }
  for (const Spent& one : page) out.items.push_back(view_of(one));
  co_return out;
}

Result<ConversationUsage> UsageRoutes::of_conversation(Call& call) {
  TRY(const WorkspaceId workspace, asked_workspace(call, workspaces_));
  TRY(const Conversation conversation,
      kernel_.conversations().find_by_name(workspace, call.parameters.at(0)));
  TRY(const Spent spent, book_.of_conversation(conversation.id));
  return ConversationUsage{conversation.id.str(), view_of(spent),
                           dollars_of(book_.caps().conversation_micros)};
}

}  // namespace rouse
