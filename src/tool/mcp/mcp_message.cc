#include "tool/mcp/mcp_message.h"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"

namespace rouse {
namespace json = boost::json;
namespace {

constexpr std::size_t kBatch = 1000;
constexpr std::size_t kShown = 120;  // bytes of a wrong message, in words
constexpr std::size_t kFaultWords = 2000;

std::unexpected<Error> broken(std::string_view why, std::string_view text) {
  return fail(McpErrc::kBroken, fmt::format("it sent something that is no MCP message ({}): {}",
                                            why, utf8_prefix(text, kShown)));
}

std::string text_at(const json::object& object, std::string_view key) {
  const json::value* found = object.if_contains(key);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

McpMessage::Fault fault_of(const json::value& error) {
  McpMessage::Fault out{0, "without a reason"};
  if (!error.is_object()) return out;
  const json::value* code = error.get_object().if_contains("code");
  if (code != nullptr && code->is_int64()) out.code = code->get_int64();
  const std::string words = text_at(error.get_object(), "message");
  if (!words.empty()) out.message = utf8_prefix(words, kFaultWords);
  return out;
}

Result<McpMessage> read_one(json::value& value, std::string_view text) {
  if (!value.is_object()) return broken("no object", text);
  json::object& object = value.get_object();
  if (text_at(object, "jsonrpc") != "2.0") return broken("no \"jsonrpc\": \"2.0\"", text);
  McpMessage out;
  out.method = text_at(object, "method");
  if (json::value* id = object.if_contains("id")) out.id = std::move(*id);
  if (!out.method.empty()) {
    out.kind = out.id.is_null() ? McpMessage::Kind::kNotification : McpMessage::Kind::kRequest;
    if (json::value* params = object.if_contains("params")) out.params = std::move(*params);
    return out;
  }
  out.kind = McpMessage::Kind::kAnswer;
  if (const json::value* error = object.if_contains("error")) {
    out.fault = fault_of(*error);
  } else if (json::value* result = object.if_contains("result")) {
    out.result = std::move(*result);
  } else {
    return broken("neither a method nor a result nor an error", text);
  }
  return out;
}

json::object envelope() { return {{"jsonrpc", "2.0"}}; }

}  // namespace

ErrorInfo error_info(McpErrc code) {
  switch (code) {
    case McpErrc::kEnded:
      return {Kind::kUnavailable, "mcp_ended"};
    case McpErrc::kBroken:
      return {Kind::kUnavailable, "mcp_broken"};
    case McpErrc::kTimeout:
      return {Kind::kTimeout, "mcp_timeout"};
    case McpErrc::kSessionGone:
      return {Kind::kUnavailable, "mcp_session_gone"};
    case McpErrc::kRefused:
      return {Kind::kInvalid, "mcp_refused"};
    case McpErrc::kResting:
      return {Kind::kUnavailable, "mcp_resting"};
  }
  return {Kind::kInternal, "mcp"};
}

Result<std::vector<McpMessage>> parse_mcp_messages(std::string_view text) {
  auto value = parse_json(text, kMcpJsonDepth);
  if (!value) return broken(value.error().message, text);
  std::vector<McpMessage> out;
  if (!value->is_array()) {
    TRY(McpMessage one, read_one(*value, text));
    out.push_back(std::move(one));
    return out;
  }
  if (value->get_array().size() > kBatch) return broken("too many at once", text);
  for (json::value& item : value->get_array()) {
    TRY(McpMessage one, read_one(item, text));
    out.push_back(std::move(one));
  }
  return out;
}

std::string mcp_request(std::int64_t id, std::string_view method, const json::value& params) {
  json::object out = envelope();
  out["id"] = id;
  out["method"] = method;
  if (!params.is_null()) out["params"] = params;
  return json::serialize(out);
}

std::string mcp_notification(std::string_view method, const json::value& params) {
  json::object out = envelope();
  out["method"] = method;
  if (!params.is_null()) out["params"] = params;
  return json::serialize(out);
}

std::string mcp_answer(const json::value& id, const json::value& result) {
  json::object out = envelope();
  out["id"] = id;
  out["result"] = result;
  return json::serialize(out);
}

std::string mcp_refusal(const json::value& id, std::int64_t code, std::string_view message) {
  json::object out = envelope();
  out["id"] = id;
  out["error"] = json::object{{"code", code}, {"message", message}};
  return json::serialize(out);
}

}  // namespace rouse
