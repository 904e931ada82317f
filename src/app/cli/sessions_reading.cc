// rouse sessions show and search: what was said, for people to read.
#include <algorithm>

#include <boost/json/array.hpp>

#include "app/cli/readable.h"
#include "app/cli/sessions_command.h"
#include "base/text.h"
#include "gateway/routes/kernel_routes.h"
#include "gateway/routes/search_routes.h"

namespace rouse::cli {
namespace {

constexpr std::int64_t kShown = 20;  // messages
constexpr std::int64_t kFound = 20;  // hits, unless told
constexpr std::int64_t kHitsAPage = 100;
constexpr Millis kSearchDeadline = seconds(30);

struct ShownView {  // the server's own words, put together
  boost::json::value session, conversation, messages;
};
auto shape(const ShownView*) {
  return fields(field("session", &ShownView::session, ""),
                field("conversation", &ShownView::conversation, ""),
                field("messages", &ShownView::messages, ""));
}

Result<boost::json::value> part(const boost::json::value& answer, std::string_view name) {
  const auto* found = answer.is_object() ? answer.get_object().if_contains(name) : nullptr;
  if (found != nullptr) return *found;
  return fail(Errc::kInternal, fmt::format("the server's answer has no '{}'", name));
}

Result<ShownView> fetch_session(ApiClient& api, const SessionOptions& options) {
  ShownView out;
  TRY(out.conversation, api.get<boost::json::value>(conversation_path(options)));
  TRY(const auto brief, from_json<ConversationView>(out.conversation));
  const std::string id = session_id_of(options, brief);
  TRY(const auto session,
      api.get<boost::json::value>(fmt::format("/kernel/sessions/{}", percent_encode(id))));
  TRY(out.session, part(session, "session"));
  TRY(const auto messages, api.get<boost::json::value>(conversation_path(
                               options, "/messages", fmt::format("limit={}", kShown))));
  TRY(out.messages, part(messages, "items"));
  return out;
}

void print_session(const SessionView& session, const ConversationView& conversation) {
  const WallTime at = now();
  fmt::print("{}  {}\n", session.session_id, session.status);
  fmt::print("  conversation  {}  {}\n", conversation.conversation_id,
             one_line(conversation.title, 60));
  fmt::print("  who           {}\n", safe_text(conversation.session_key));
  if (conversation.project) fmt::print("  project       {}\n", safe_text(*conversation.project));
  if (conversation.agent) fmt::print("  agent         {}\n", safe_text(*conversation.agent));
  fmt::print("  opened        {} UTC ({})\n", short_time(session.created_at),
             ago(session.created_at, at));
  fmt::print("  last message  {} UTC ({})\n", short_time(session.last_message_at),
             ago(session.last_message_at, at));
  fmt::print("  turns         {}\n", session.turn_count);
  const std::string summary = safe_text(session.context_summary.value_or(""));
  if (!summary.empty()) fmt::print("  summary       {}\n", hanging(summary, 16));
}

void print_message(const MessageView& message) {
  const std::string head = fmt::format("{}  {}: ", short_time(message.created_at), message.role);
  fmt::print("{}{}\n", head, hanging(safe_text(readable_text(message.content)), head.size()));
}

Result<void> print_shown(const ShownView& shown) {
  TRY(const auto session, from_json<SessionView>(shown.session));
  TRY(const auto conversation, from_json<ConversationView>(shown.conversation));
  TRY(const auto messages, from_json<std::vector<MessageView>>(shown.messages));
  print_session(session, conversation);
  if (messages.empty()) {
    fmt::print("\nNothing was answered here yet.\n");
    return {};
  }
  fmt::print("\n");
  for (auto one = messages.rbegin(); one != messages.rend(); ++one) print_message(*one);
  if (static_cast<std::int64_t>(messages.size()) == kShown) {
    fmt::print("\nAll of it: rouse sessions export {} --format markdown\n",
               conversation.conversation_id);
  }
  return {};
}

struct HitPage {
  std::vector<boost::json::value> items;
  std::optional<std::string> next_cursor;
};
auto shape(const HitPage*) {
  return fields(field("items", &HitPage::items, ""),
                field("next_cursor", &HitPage::next_cursor, "").or_null());
}

std::string search_path(const SessionOptions& options) {
  std::string path = "/api/search?q=" + percent_encode(options.text);
  if (!options.workspace.empty()) path += "&workspace_id=" + percent_encode(options.workspace);
  if (!options.in.empty()) path += "&conversation=" + percent_encode(options.in);
  return path;
}

// The server ends a page when it has looked at enough, also with few hits: the next one goes on.
Result<HitPage> fetch_hits(ApiClient& api, const SessionOptions& options) {
  const auto wanted = static_cast<std::size_t>(options.limit > 0 ? options.limit : kFound);
  const std::string base = search_path(options);
  HitPage out;
  do {
    const auto missing = static_cast<std::int64_t>(wanted - out.items.size());
    std::string path = fmt::format("{}&limit={}", base, std::min(missing, kHitsAPage));
    if (out.next_cursor) path += "&cursor=" + percent_encode(*out.next_cursor);
    TRY(HitPage page, api.get<HitPage>(path));
    for (auto& one : page.items) out.items.push_back(std::move(one));
    out.next_cursor = std::move(page.next_cursor);
  } while (out.next_cursor && out.items.size() < wanted);
  return out;
}

void print_hit(const HitView& hit) {
  fmt::print("{}  {}  {}\n", short_time(hit.created_at), hit.conversation_id,
             one_line(hit.title, 60));
  const std::string snippet =
      stdout_is_terminal() ? highlighted(hit.snippet, hit.matches) : safe_text(hit.snippet);
  fmt::print("  {}: {}\n", hit.role, hanging(snippet, 4));
}

}  // namespace

Result<void> show_session(const SessionOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  TRY(const ShownView shown, fetch_session(api, options));
  if (!options.json) return print_shown(shown);
  print_json(shown);
  return {};
}

Result<void> search_sessions(const SessionOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  api.set_deadline(kSearchDeadline);
  TRY(const HitPage page, fetch_hits(api, options));
  if (options.json) {
    print_json(page);
    return {};
  }
  if (page.items.empty()) fmt::print("Nothing found for \"{}\".\n", safe_text(options.text));
  for (const auto& item : page.items) {
    TRY(const HitView hit, from_json<HitView>(item));
    print_hit(hit);
  }
  if (page.next_cursor) fmt::print("There is more; ask for it with a larger --limit\n");
  return {};
}

}  // namespace rouse::cli
