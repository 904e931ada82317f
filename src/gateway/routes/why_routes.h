// "Why?", answered from what was recorded (UX-1): for now the story of a session's decisions. The
// session is named as people meet it: sess_…, or by its conversation (conv_…, whatsapp:+1555…, an
// external id), then the newest one of it is meant. Nobody learns here that a session of somebody
// else exists.
#pragma once

#include <map>

#include <boost/json/value.hpp>

#include "gateway/route.h"
#include "gateway/routes/kernel_routes.h"
#include "session/story/why.h"

namespace rouse {

struct StoryEntryView {
  std::string at, what;
  std::optional<std::string> decision, reason;
  std::optional<std::map<std::string, boost::json::value>> facts;
  std::string sentence;
};
inline auto shape(const StoryEntryView*) {
  return fields(
      field("at", &StoryEntryView::at, "When"),
      field("what", &StoryEntryView::what, "What kind of entry this is")
          .one_of({"opened", "earlier", "continued", "asked", "turns", "closed", "active"}),
      field("decision", &StoryEntryView::decision, "new or continue, for a decision").or_null(),
      field("reason", &StoryEntryView::reason, "Of the decision, or why it was closed").or_null(),
      field("facts", &StoryEntryView::facts, "What it was based on, for programs").or_null(),
      field("sentence", &StoryEntryView::sentence, "The same in plain words"));
}

struct StoryView {
  SessionView session;
  std::string conversation_id, session_key;
  std::vector<StoryEntryView> story;
  std::optional<std::string> next_cursor;
};
inline auto shape(const StoryView*) {
  return fields(
      field("session", &StoryView::session, "The session as it is now"),
      field("conversation_id", &StoryView::conversation_id, "The conversation it is part of"),
      field("session_key", &StoryView::session_key, "<channel>:<peer>"),
      field("story", &StoryView::story, "Oldest first; at most 200 entries"),
      field("next_cursor", &StoryView::next_cursor, "Leads to the part before; null at the start")
          .or_null());
}

class WhyRoutes {
 public:
  WhyRoutes(SessionKernel& kernel, SessionStory& story) : kernel_(kernel), story_(story) {}
  void add_to(RouteTable& table);

 private:
  Task<Result<StoryView>> why_session(Call& call);
  Result<Session> named_session(Call& call);

  SessionKernel& kernel_;
  SessionStory& story_;
};

}  // namespace rouse
