#include "gateway/live/event_frames.h"

#include <algorithm>
#include <array>

#include "gateway/routes/turn_question.h"

namespace rouse {
namespace {

// Names of the frame's own fields: a body can't take their place.
constexpr std::array<std::string_view, 10> kOwn{"type",    "seq", "conversation_id", "session_id",
                                                "turn_id", "at",  "message",         "messages",
                                                "more",    "gone"};

void add_field(std::string& out, std::string_view name, const auto& value) {
  out += ',';
  append_json(out, name);
  out += ':';
  append_json(out, value);
}

void add_id(std::string& out, std::string_view name, const std::string& id) {
  if (!id.empty()) add_field(out, name, id);
}

void add_body(std::string& out, const std::string& body) {
  const auto parsed = parse_json(body);
  if (!parsed || !parsed->is_object()) return;
  for (const auto& [key, value] : parsed->get_object()) {
    const std::string_view name(key.data(), key.size());
    if (std::ranges::find(kOwn, name) == kOwn.end()) add_field(out, name, value);
  }
}

}  // namespace

LiveFrame EventFrames::frame(const Event& event) {
  std::string out = R"({"type":)";
  append_json(out, std::string_view(event.type));
  add_field(out, "seq", event.seq);
  add_id(out, "conversation_id", event.conversation);
  add_id(out, "session_id", event.session);
  add_id(out, "turn_id", event.turn);
  add_field(out, "at", to_iso(event.created));
  add_body(out, event.body);
  Result<bool> there = true;
  if (event.type == "turn_queued") there = add_question(out, event);
  if (event.type == "turn_ended") there = add_messages(out, event);
  // The event itself must go out, or those behind it would wait for ever. Only what is known to be
  // gone is told as gone: what can't be read at the moment is fetched later.
  const bool gone = there ? !*there : there.error().kind == Kind::kNotFound;
  if (gone) add_field(out, "gone", true);
  if (!there && !gone) add_field(out, "more", 0);
  out += '}';
  return live_frame(std::move(out));
}

Result<bool> EventFrames::add_question(std::string& out, const Event& event) {
  TRY(const TurnId id, TurnId::parse(event.turn));
  TRY(const Turn turn, ledger_.get(id));
  TRY(const auto message, question_of(kernel_, ledger_, turn));
  if (!message) return true;
  add_field(out, "message", *message);
  add_id(out, "automation_id", message->automation_id.value_or(""));
  add_id(out, "automation_name", message->automation_name.value_or(""));
  add_id(out, "scheduled_for", message->scheduled_for.value_or(""));
  return true;
}

Result<bool> EventFrames::add_messages(std::string& out, const Event& event) {
  if (!event.first_seq || !event.last_seq) {
    out += R"(,"messages":[])";
    return true;
  }
  TRY(const auto conversation, ConversationId::parse(event.conversation));
  const auto turns = kernel_.turns().of_messages(conversation, *event.first_seq, *event.last_seq);
  std::string list;
  for (std::int64_t seq = *event.first_seq; seq <= *event.last_seq; ++seq) {
    auto message = kernel_.messages().at(conversation, seq);
    if (message && !*message) return false;
    std::string one;
    if (message) {
      MessageView view = view_of(std::move(**message));
      if (turns) add_turn(view, *turns);
      one = encode_json(view);
    }
    const bool full = !list.empty() && list.size() + one.size() > kEventFrameBytes;
    if (!message || full) {
      add_field(out, "more", seq - 1);
      break;
    }
    if (!list.empty()) list += ',';
    list += one;
  }
  out += R"(,"messages":[)" + list + "]";
  return true;
}

}  // namespace rouse
