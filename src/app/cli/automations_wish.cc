#include "app/cli/automations_wish.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "schedule/job.h"
#include "schedule/said_time.h"

namespace rouse::cli {
namespace {

void put(boost::json::object& body, std::string_view name, const std::string& text) {
  if (!text.empty()) body[name] = text;
}

Result<void> put_length(boost::json::object& body, std::string_view name, const std::string& text) {
  if (text.empty()) return {};
  TRY(const Millis length, parse_said_length(text));
  body[name] = length.count;
  return {};
}

// "+20m" is from now on; anything else is the server's to read.
Result<std::string> moment_of(const std::string& text, WallTime now) {
  if (!text.starts_with('+')) return text;
  TRY(const Millis length, parse_said_length(std::string_view(text).substr(1)));
  return to_iso(now + length);
}

Result<void> put_schedule(boost::json::object& body, const AutomationWords& words, WallTime now) {
  const int said =
      (words.cron.empty() ? 0 : 1) + (words.every.empty() ? 0 : 1) + (words.at.empty() ? 0 : 1);
  if (said > 1) return fail(Errc::kInvalid, "say one of --cron, --every and --at");
  if (said == 0) {
    if (words.zone.empty()) return {};
    return fail(Errc::kInvalid, "--zone goes with --cron, --every or --at");
  }
  boost::json::object schedule;
  if (!words.cron.empty()) {
    schedule["kind"] = "cron";
    schedule["expr"] = words.cron;
  } else if (!words.every.empty()) {
    schedule["kind"] = "every";
    TRY_VOID(put_length(schedule, "every_ms", words.every));
  } else {
    schedule["kind"] = "at";
    TRY(const std::string at, moment_of(words.at, now));
    schedule["at"] = at;
  }
  put(schedule, "tz", words.zone);
  body["schedule"] = std::move(schedule);
  return {};
}

void put_output(boost::json::object& body, const AutomationWords& words) {
  boost::json::object output;
  put(output, "file", words.output_file);
  put(output, "session_key", words.output_session);
  if (words.notify) output["notify"] = true;
  if (!output.empty()) body["output"] = std::move(output);
}

// What a creation and an edit have in common.
Result<boost::json::object> body_of(const AutomationWords& words, WallTime now) {
  boost::json::object body;
  put(body, "name", words.name);
  put(body, "message", words.message);
  put(body, "session_key", words.session);
  TRY_VOID(put_schedule(body, words, now));
  put(body, "catch_up", words.catch_up);
  if (words.catch_up_max) body["catch_up_max"] = *words.catch_up_max;
  TRY_VOID(put_length(body, "timeout_ms", words.timeout));
  TRY_VOID(put_length(body, "window_ms", words.window));
  if (!words.gate.empty()) {
    body["gate"] = {{"command", words.gate}, {"timeout_ms", ScriptGate{}.timeout_ms}};
  }
  put_output(body, words);
  put(body, "project_path", words.project_path);
  if (!words.tools.empty()) {
    body["tools"] = boost::json::array(words.tools.begin(), words.tools.end());
  }
  return body;
}

}  // namespace

Result<std::string> creation_body(const AutomationWords& words, WallTime now) {
  TRY(boost::json::object body, body_of(words, now));
  if (!body.contains("schedule")) {
    return fail(Errc::kInvalid, "say when: --cron \"0 8 * * 1-5\", --every 2h or --at +20m");
  }
  put(body, "key", words.key);
  if (words.isolated) body["isolated"] = true;
  if (words.paused) body["enabled"] = false;
  return boost::json::serialize(body);
}

Result<std::string> edit_body(const AutomationWords& words, WallTime now) {
  TRY(const boost::json::object body, body_of(words, now));
  if (body.empty()) return fail(Errc::kInvalid, "say what is to be different");
  return boost::json::serialize(body);
}

}  // namespace rouse::cli
