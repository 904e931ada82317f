#include "app/cli/automations_reading.h"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/readable.h"
#include "schedule/time/schedule.h"

namespace rouse::cli {
namespace {

constexpr std::size_t kCellCharacters = 48;
constexpr std::size_t kNameWidth = 11;

const boost::json::value* find_at(const boost::json::value& document, std::string_view path) {
  const boost::json::value* at = &document;
  while (at != nullptr && !path.empty()) {
    const std::size_t dot = path.find('.');
    at = at->is_object() ? at->get_object().if_contains(path.substr(0, dot)) : nullptr;
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return at;
}

std::string text_of(const boost::json::value& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return std::string(value.get_string());
  if (value.is_bool()) return value.get_bool() ? "yes" : "no";
  if (!value.is_array()) return boost::json::serialize(value);
  std::string out;
  for (const auto& one : value.get_array()) out += (out.empty() ? "" : ", ") + text_of(one);
  return out;
}

const boost::json::array& items_of(const boost::json::value& document, std::string_view name) {
  static const boost::json::array kNone;
  const auto* found = find_at(document, name);
  return found != nullptr && found->is_array() ? found->get_array() : kNone;
}

std::string cell_of(const boost::json::value& item, const Column& column, WallTime now) {
  const std::string text = text_at(item, column.path);
  if (text.empty()) return "-";
  if (column.cell == Cell::kTime) return short_time(text);
  if (column.cell == Cell::kAgo) return ago(text, now);
  return one_line(text, kCellCharacters);
}

// A line of a card; nothing is said about what is not there.
void put_line(std::string& card, std::string_view name, const std::string& text) {
  if (text.empty()) return;
  card += fmt::format("  {:<{}} {}\n", name, kNameWidth, hanging(safe_text(text), kNameWidth + 3));
}

void put_time(std::string& card, std::string_view name, const std::string& iso) {
  if (!iso.empty()) put_line(card, name, short_time(iso) + " UTC");
}

// "ok", "error (model_rate_limited)"
std::string with_reason(const std::string& word, const std::string& reason) {
  return reason.empty() || word.empty() ? word : fmt::format("{} ({})", word, reason);
}

std::string state_of(const boost::json::value& automation) {
  const std::string by = text_at(automation, "state_by");
  std::string out = text_at(automation, "state");
  if (out != "active" && !by.empty()) out += " by " + by;
  const std::string reason = text_at(automation, "state_reason");
  return reason.empty() ? out : out + ": " + reason;
}

// The next fire as the server says it, or why there is none.
std::string next_of(const boost::json::value& automation) {
  const std::string state = text_at(automation, "state");
  const std::string next = text_at(automation, "next_words");
  return state == "active" && !next.empty() ? next : state;
}

}  // namespace

std::string text_at(const boost::json::value& document, std::string_view path) {
  const auto* found = find_at(document, path);
  return found == nullptr ? "" : text_of(*found);
}

std::string items_table(const boost::json::value& page, std::string_view list,
                        const std::vector<Column>& columns, std::string_view nothing,
                        WallTime now) {
  std::vector<std::vector<std::string>> rows(1);
  for (const Column& column : columns) rows[0].emplace_back(column.head);
  for (const auto& item : items_of(page, list)) {
    auto& row = rows.emplace_back();
    for (const Column& column : columns) row.push_back(cell_of(item, column, now));
  }
  if (rows.size() == 1) return fmt::format("{}\n", nothing);
  return to_table(rows);
}

std::string next_fires(const boost::json::value& automation, WallTime now) {
  const std::string zone = text_at(automation, "zone");
  std::string out;
  for (const auto& one : items_of(automation, "next")) {
    const auto due = from_iso(text_of(one));
    if (!due) continue;
    out += fmt::format("{:<5} {}\n", out.empty() ? "next:" : "", due_words(*due, zone, now));
  }
  return out;
}

std::string forecast_text(const boost::json::value& preview, WallTime now) {
  std::string out = safe_text(text_at(preview, "estimate.words")) + "\n";
  const std::string zone = text_at(preview, "zone");
  for (const auto& one : items_of(preview, "overlaps")) {
    const auto at = from_iso(text_at(one, "at"));
    out += fmt::format("meets: {} \"{}\", {}\n", safe_text(text_at(one, "automation_id")),
                       one_line(text_at(one, "name"), 60), at ? due_words(*at, zone, now) : "");
  }
  return out;
}

std::string automation_list(const boost::json::value& page) {
  std::vector<std::vector<std::string>> rows{{"ID", "NAME", "WHEN", "NEXT", "LAST", "SESSION"}};
  for (const auto& one : items_of(page, "items")) {
    const std::string session = text_at(one, "session_key");
    const std::string last = with_reason(text_at(one, "last.status"), text_at(one, "last.reason"));
    rows.push_back({safe_text(text_at(one, "id")), one_line(text_at(one, "name"), 30),
                    one_line(text_at(one, "words"), 40), safe_text(next_of(one)),
                    last.empty() ? "-" : one_line(last, 30),
                    one_line(session.empty() ? text_at(one, "kind") : session, 30)});
  }
  if (rows.size() > 1) return to_table(rows);
  return "No automations. Make one: rouse automations add --session ID --cron \"0 8 * * 1-5\" "
         "\"report what is new\"\n";
}

std::string automation_card(const boost::json::value& one, WallTime now) {
  std::string card =
      fmt::format("{}  {}\n", safe_text(text_at(one, "id")), one_line(text_at(one, "name"), 100));
  put_line(card, "message", text_at(one, "message"));
  put_line(card, "when", text_at(one, "words"));
  put_line(card, "zone", text_at(one, "zone"));
  put_line(card, "state", state_of(one));
  put_line(card, "kind", text_at(one, "kind"));
  put_line(card, "session", text_at(one, "session_key"));
  put_line(card, "last", with_reason(text_at(one, "last.status"), text_at(one, "last.reason")));
  put_time(card, "last due", text_at(one, "last.scheduled_for"));
  if (const std::string failed = text_at(one, "failures"); failed != "0") {
    put_line(card, "failures", failed);
  }
  put_time(card, "not before", text_at(one, "backoff_until"));
  put_line(card, "catch-up", text_at(one, "catch_up"));
  put_line(card, "gate", text_at(one, "gate.command"));
  put_line(card, "output", text_at(one, "output"));
  put_line(card, "tools", text_at(one, "tools"));
  put_line(card, "made by", with_reason(text_at(one, "source"), text_at(one, "provenance")));
  put_time(card, "made", text_at(one, "created_at"));
  return card + next_fires(one, now);
}

std::string run_card(const boost::json::value& run) {
  const std::string end = with_reason(text_at(run, "status"), text_at(run, "reason"));
  std::string card = fmt::format("{}  {}\n", safe_text(text_at(run, "id")), one_line(end, 100));
  put_line(card, "automation", text_at(run, "automation_name"));
  put_time(card, "due", text_at(run, "scheduled_for"));
  put_line(card, "late", text_at(run, "late"));
  put_line(card, "try", text_at(run, "attempt"));
  put_time(card, "queued", text_at(run, "queued_at"));
  put_time(card, "ended", text_at(run, "ended_at"));
  put_line(card, "session", text_at(run, "session_key"));
  put_line(card, "turn", text_at(run, "turn_id"));
  put_line(card, "model", text_at(run, "model"));
  put_line(card, "tokens",
           fmt::format("{} in, {} out", text_at(run, "tokens_in"), text_at(run, "tokens_out")));
  put_line(card, "routed", text_at(run, "routed"));
  put_line(card, "error", text_at(run, "error"));
  put_line(card, "prompt", text_at(run, "prompt"));
  return card;
}

std::string ledger_text(const boost::json::value& ledger, WallTime now) {
  std::string out = items_table(ledger, "items",
                                {{"DUE", "scheduled_for", Cell::kTime},
                                 {"UNTIL", "until", Cell::kTime},
                                 {"COUNT", "count"},
                                 {"STATUS", "status"},
                                 {"REASON", "reason"},
                                 {"TRY", "attempt"},
                                 {"ENDED", "ended_at", Cell::kAgo}},
                                "Nothing was due yet.", now);
  if (items_of(ledger, "days").empty()) return out;
  return out + "\nSummed up by day:\n" +
         items_table(ledger, "days",
                     {{"DAY", "day"},
                      {"STATUS", "status"},
                      {"COUNT", "count"},
                      {"FIRST", "first", Cell::kTime},
                      {"LAST", "last", Cell::kTime}},
                     "", now);
}

std::string import_text(const boost::json::value& report) {
  std::string out =
      fmt::format("{} added, {} were there already, {} left out\n", text_at(report, "added"),
                  text_at(report, "existed"), text_at(report, "skipped"));
  for (const auto& note : items_of(report, "notes")) out += safe_text(text_of(note)) + "\n";
  return out;
}

}  // namespace rouse::cli
