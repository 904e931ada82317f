// Heartbeats as the API shows them. The names of these fields are a contract with the web app, the
// command line and other programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "proactive/heartbeat.h"

namespace rouse {

// One beat, carried out or not.
struct BeatView {
  std::string name, at;
  std::optional<std::string> scheduled_for = {};  // none: somebody asked for it
  std::optional<std::string> until = {};
  std::int64_t count = 1;
  std::string status;
  bool skipped = false;
  std::string verdict, outcome, reason, text;
  std::int64_t calls = 0, tokens_in = 0, tokens_out = 0;
  std::optional<std::int64_t> cost_micros = {};
  bool late = false;
  std::optional<std::string> turn_id = {};
};
inline auto shape(const BeatView*) {
  return fields(
      field("name", &BeatView::name, "Of which heartbeat; empty: the one without a name"),
      field("at", &BeatView::at, "When it was over; of a skip, when it was due"),
      field("scheduled_for", &BeatView::scheduled_for, "When it was due; null: it was asked for")
          .or_null(),
      field("until", &BeatView::until, "Of several skipped in a row the last"),
      field("count", &BeatView::count, "How many in a row share this"),
      field("status", &BeatView::status,
            "ok, empty (nothing to report), error, skipped, missed or interrupted"),
      field("skipped", &BeatView::skipped, "It was not carried out; reason says why"),
      field("verdict", &BeatView::verdict, "nothing, notify or wake; empty: none"),
      field("outcome", &BeatView::outcome, "spoke, silent_token, silent_dedup, skipped …"),
      field("reason", &BeatView::reason, "Why so, in a word, or empty"),
      field("text", &BeatView::text, "What it came to, or why it was skipped, in words"),
      field("calls", &BeatView::calls, "How often a model was asked"),
      field("tokens_in", &BeatView::tokens_in, "Tokens read"),
      field("tokens_out", &BeatView::tokens_out, "Tokens written"),
      field("cost_micros", &BeatView::cost_micros, "In millionths; null if no price is known")
          .or_null(),
      field("late", &BeatView::late, "It made up for an instant that was missed"),
      field("turn_id", &BeatView::turn_id, "The turn it woke"));
}

struct BeatPage {
  std::vector<BeatView> items;
  std::optional<std::string> next_cursor;
};
inline auto shape(const BeatPage*) {
  return fields(field("items", &BeatPage::items, "One page, the newest first"),
                field("next_cursor", &BeatPage::next_cursor, "Null on the last page").or_null());
}

struct BeatDayView {
  std::int64_t beats = 0, calls = 0, tokens_in = 0, tokens_out = 0, cost_micros = 0;
  std::optional<std::int64_t> cap_micros = {}, cap_calls = {};
};
inline auto shape(const BeatDayView*) {
  return fields(field("beats", &BeatDayView::beats, "Carried out today"),
                field("calls", &BeatDayView::calls, "How often a model was asked"),
                field("tokens_in", &BeatDayView::tokens_in, "Tokens read"),
                field("tokens_out", &BeatDayView::tokens_out, "Tokens written"),
                field("cost_micros", &BeatDayView::cost_micros, "In millionths"),
                field("cap_micros", &BeatDayView::cap_micros, "What a day may cost").or_null(),
                field("cap_calls", &BeatDayView::cap_calls, "How often a day").or_null());
}

struct StandingOrderView {
  std::string kind, text;
};
inline auto shape(const StandingOrderView*) {
  return fields(
      field("kind", &StandingOrderView::kind,
            "What it costs: a check nothing, on_change a call if something happened, always a "
            "call each beat")
          .one_of({"check", "on_change", "always"}),
      field("text", &StandingOrderView::text, "As it was written"));
}

struct HeartbeatView {
  std::string name, job_id;
  bool enabled = false;
  std::string words, zone;
  std::int64_t interval_minutes = 0;
  std::optional<std::string> active_hours = {}, project = {}, conversation = {}, agent = {};
  std::string model;
  std::optional<std::string> next_run_at = {}, next_words = {}, waits_for = {};
  std::optional<BeatView> last = {}, last_skip = {};
  BeatDayView today = {};
  std::string orders_file;
  std::vector<StandingOrderView> orders = {};
  std::optional<std::string> problem = {};
};
inline auto shape(const HeartbeatView*) {
  return fields(
      field("name", &HeartbeatView::name, "Empty: the one without a name"),
      field("job_id", &HeartbeatView::job_id, "Its automation: rouse why automation tells more"),
      field("enabled", &HeartbeatView::enabled, "Whether it beats"),
      field("words", &HeartbeatView::words, "When, in words"),
      field("zone", &HeartbeatView::zone, "The zone of its hours and its day"),
      field("interval_minutes", &HeartbeatView::interval_minutes, "Between two beats"),
      field("active_hours", &HeartbeatView::active_hours, "07:00-23:00; null: the whole day")
          .or_null(),
      field("project", &HeartbeatView::project, "Only what happened there").or_null(),
      field("conversation", &HeartbeatView::conversation, "What a wake wakes").or_null(),
      field("agent", &HeartbeatView::agent, "Who looks").or_null(),
      field("model", &HeartbeatView::model, "The model's role in rouse.yaml"),
      field("next_run_at", &HeartbeatView::next_run_at, "Null: it is off").or_null(),
      field("next_words", &HeartbeatView::next_words, "The same in its zone and in UTC").or_null(),
      field("waits_for", &HeartbeatView::waits_for, "What the beat that is due waits for")
          .or_null(),
      field("last", &HeartbeatView::last, "The last that was carried out").or_null(),
      field("last_skip", &HeartbeatView::last_skip, "The last that was not").or_null(),
      field("today", &HeartbeatView::today, "What today cost"),
      field("orders_file", &HeartbeatView::orders_file, "The file of its standing orders"),
      field("orders", &HeartbeatView::orders, "The standing orders"),
      field("problem", &HeartbeatView::problem, "What a person should mend").or_null());
}

// A file a person edits; to save it again, say which version you changed.
struct HeartbeatFileView {
  std::string name, kind;
  std::optional<std::string> heartbeat = {};
  bool exists = false;
  std::string text, etag;
};
inline auto shape(const HeartbeatFileView*) {
  return fields(
      field("name", &HeartbeatFileView::name, "heartbeat.json, or a file of standing orders"),
      field("kind", &HeartbeatFileView::kind, "Which of both").one_of({"settings", "orders"}),
      field("heartbeat", &HeartbeatFileView::heartbeat, "orders: the first that follows them"),
      field("exists", &HeartbeatFileView::exists, "False: what is shown holds all the same"),
      field("text", &HeartbeatFileView::text, "What is in it, or would be"),
      field("etag", &HeartbeatFileView::etag, "Its version, for if_match"));
}

struct HeartbeatsView {
  std::vector<HeartbeatView> heartbeats;
  std::optional<std::string> problem = {};
  std::optional<std::vector<HeartbeatFileView>> files = {};
};
inline auto shape(const HeartbeatsView*) {
  return fields(
      field("heartbeats", &HeartbeatsView::heartbeats, "In the order of the file"),
      field("problem", &HeartbeatsView::problem, "With heartbeat.json as a whole").or_null(),
      field("files", &HeartbeatsView::files, "What a person edits; for admins only"));
}

// --- what a client sends -------------------------------------------------------------------------

struct HeartbeatSave {
  std::string text, if_match;
  std::optional<std::string> file = {};
};
inline auto shape(const HeartbeatSave*) {
  return fields(
      field("text", &HeartbeatSave::text, "All of the file, as the person wrote it"),
      field("if_match", &HeartbeatSave::if_match, "The etag of what was changed"),
      field("file", &HeartbeatSave::file, "orders: which file; heartbeat-prompt.md if left out"));
}

struct BeatAsk {
  std::optional<std::string> name = {};
};
inline auto shape(const BeatAsk*) {
  return fields(field("name", &BeatAsk::name, "Of several heartbeats this one"));
}

// Why a beat was skipped, as a person would say it.
std::string skip_words(std::string_view state, std::string_view reason);

HeartbeatView view_of(const HeartbeatStatus& status, WallTime now);
// With its standing orders, and what is wrong with them.
void put_orders(HeartbeatView& view, std::string_view text);
BeatView view_of(const Beat& beat);
BeatView skip_view(const std::string& name, const Occurrence& skipped);

}  // namespace rouse
