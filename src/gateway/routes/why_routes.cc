#include "gateway/routes/why_routes.h"

#include <charconv>

#include "base/text.h"
#include "gateway/routes/asked_workspace.h"

namespace rouse {
namespace {

Result<std::optional<std::int64_t>> cursor_of(const Call& call) {
  const auto text = call.query("cursor");
  if (!text) return std::optional<std::int64_t>();
  std::int64_t value = 0;
  const auto read = std::from_chars(text->data(), text->data() + text->size(), value);
  if (read.ec != std::errc() || read.ptr != text->data() + text->size()) {
    return fail(Errc::kInvalid, "'cursor' must be the next_cursor of the page before");
  }
  return std::optional(value);
}

Error no_session(std::string_view name) {
  return Error(SessionErrc::kNotFound,
               fmt::format("there is no session {}; it takes sess_…, conv_… or a key like "
                           "whatsapp:+15550001234",
                           utf8_prefix(name, 120)));
}

Result<StoryEntryView> entry_view(StoryEntry entry) {
  StoryEntryView out{to_iso(entry.at),
                     std::string(entry.what),
                     std::move(entry.decision),
                     std::move(entry.reason),
                     {},
                     std::move(entry.sentence)};
  if (entry.facts) {
    TRY(out.facts, (decode_json<std::map<std::string, boost::json::value>>(*entry.facts)));
  }
  return out;
}

}  // namespace

void WhyRoutes::add_to(RouteTable& table) {
  table.add(answer<StoryView>(
      {.pattern = "/api/sessions/{id}/why",
       .summary = "The story of a session: why it was opened, went on and ended",
       .tag = "conversations",
       .query = {workspace_parameter(), {"cursor", "next_cursor of the page before"}}},
      [this](Call& call) { return why_session(call); }));
}

Result<Session> WhyRoutes::named_session(Call& call) {
  const std::string& name = call.parameters.at(0);
  const auto asked = call.query("workspace_id");
  TRY(const WorkspaceId workspace, choose_workspace(call.principal, asked));
  if (const auto id = SessionId::parse(name)) {
    auto session = kernel_.get(*id);
    const bool anywhere = call.principal.is_admin() && !asked;
    if (session && (anywhere || session->workspace == workspace)) {
      // A session may outlive its deleted conversation by moments; nobody hears of it any more.
      const auto whole = kernel_.conversations().get(session->workspace, session->conversation);
      return whole ? std::move(session) : std::unexpected(no_session(name));
    }
    if (!session && !session.error().is(SessionErrc::kNotFound)) return session;
  }
  const auto conversation = kernel_.conversations().find_by_name(workspace, name);
  if (!conversation && conversation.error().is(ConversationErrc::kNotFound)) {
    return fail(no_session(name));
  }
  if (!conversation) return std::unexpected(conversation.error());
  TRY(auto latest, kernel_.sessions().latest_of(conversation->id));
  if (!latest) return fail(no_session(name));
  return std::move(*latest);
}

Task<Result<StoryView>> WhyRoutes::why_session(Call& call) {
  CO_TRY(const auto cursor, cursor_of(call));
  CO_TRY(const Session session, named_session(call));
  CO_TRY(Story story, co_await story_.tell(session, cursor));
  StoryView out{.session = view_of(session),
                .conversation_id = session.conversation.str(),
                .session_key = session.key.str(),
                .story = {},
                .next_cursor = {}};
  for (StoryEntry& entry : story.entries) {
    CO_TRY(auto view, entry_view(std::move(entry)));
    out.story.push_back(std::move(view));
  }
  if (story.next_cursor) out.next_cursor = std::to_string(*story.next_cursor);
  co_return out;
}

}  // namespace rouse
