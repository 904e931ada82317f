// What turns cost, for people and programs: today, this month, day by day, the caps, and whether
// the workspace is paused at one (UX-6). Days are those of the workspace's zone.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/spend.h"
#include "gateway/route.h"
#include "session/session_kernel.h"
#include "session/workspaces.h"

namespace rouse {

struct UsageView {
  std::optional<std::string> day;
  std::int64_t turns = 0, tokens_in = 0, tokens_out = 0, cache_read = 0, cache_write = 0;
  double usd = 0;
  bool price_unknown = false;
};
inline auto shape(const UsageView*) {
  return fields(
      field("day", &UsageView::day, "YYYY-MM-DD in the workspace's zone; absent for a sum"),
      field("turns", &UsageView::turns, "Turns that asked a model which costs something"),
      field("tokens_in", &UsageView::tokens_in, "Tokens read, without what a cache gave or took"),
      field("tokens_out", &UsageView::tokens_out, "Tokens written"),
      field("cache_read", &UsageView::cache_read, "Tokens read from the provider's cache"),
      field("cache_write", &UsageView::cache_write, "Tokens written to the provider's cache"),
      field("usd", &UsageView::usd, "What it cost, in dollars"),
      field("price_unknown", &UsageView::price_unknown,
            "Some of it had no known price: the money is a lower bound"));
}

struct CapsView {
  std::optional<double> day_usd, conversation_usd;
  std::optional<std::int64_t> day_tokens;
};
inline auto shape(const CapsView*) {
  return fields(
      field("day_usd", &CapsView::day_usd, "Of a workspace a day, in dollars").or_null(),
      field("day_tokens", &CapsView::day_tokens, "Of a workspace a day, in tokens").or_null(),
      field("conversation_usd", &CapsView::conversation_usd, "Of one conversation, in dollars")
          .or_null());
}

struct WorkspaceUsage {
  std::string workspace_id, timezone;
  UsageView today, month;
  CapsView caps;
  bool paused = false;
  std::optional<std::string> paused_reason;
  std::vector<UsageView> items;
  std::optional<std::string> next_cursor;
};
inline auto shape(const WorkspaceUsage*) {
  return fields(
      field("workspace_id", &WorkspaceUsage::workspace_id, "Whose"),
      field("timezone", &WorkspaceUsage::timezone, "Where its days begin and end"),
      field("today", &WorkspaceUsage::today, "Since midnight"),
      field("month", &WorkspaceUsage::month, "Since the first of the month"),
      field("caps", &WorkspaceUsage::caps, "What may be spent; null is no cap"),
      field("paused", &WorkspaceUsage::paused, "At a cap: models that cost something wait"),
      field("paused_reason", &WorkspaceUsage::paused_reason, "Why and until when, in words")
          .or_null(),
      field("items", &WorkspaceUsage::items, "Days on which something was spent, newest first"),
      field("next_cursor", &WorkspaceUsage::next_cursor, "Null on the last page").or_null());
}

struct ConversationUsage {
  std::string conversation_id;
  UsageView total;
  std::optional<double> cap_usd;
};
inline auto shape(const ConversationUsage*) {
  return fields(
      field("conversation_id", &ConversationUsage::conversation_id, "Which"),
      field("total", &ConversationUsage::total, "Since it began"),
      field("cap_usd", &ConversationUsage::cap_usd, "What it may cost; null is no cap").or_null());
}

class UsageRoutes {
 public:
  // The zone in which a workspace lives, with whatever stands in for one that has none.
  using ZoneOf = std::function<std::string(const Workspace&)>;
  UsageRoutes(SpendBook& book, SessionKernel& kernel, Workspaces& workspaces, Clock& clock,
              ZoneOf zone_of)
      : book_(book),
        kernel_(kernel),
        workspaces_(workspaces),
        clock_(clock),
        zone_of_(std::move(zone_of)) {}
  void add_to(RouteTable& table);

 private:
  Task<Result<WorkspaceUsage>> of_workspace(Call& call);
  Result<ConversationUsage> of_conversation(Call& call);

  SpendBook& book_;
  SessionKernel& kernel_;
  Workspaces& workspaces_;
  Clock& clock_;
  ZoneOf zone_of_;
};

}  // namespace rouse
