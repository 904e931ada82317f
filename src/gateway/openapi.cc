#include "gateway/openapi.h"

#include <set>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "base/text.h"

namespace rouse {
namespace json = boost::json;
namespace {

// "GET /api/tokens/{id}" -> "getApiTokensById"
std::string operation_id(const RouteInfo& info) {
  std::string id = lower_ascii(info.method);
  for (const std::string_view step : split(std::string_view(info.pattern).substr(1), '/')) {
    std::string word(step);
    if (word.starts_with('{')) word = "By_" + word.substr(1, word.size() - 2);
    bool upper = true;
    for (const char c : word) {
      if (!std::isalnum(static_cast<unsigned char>(c))) {
        upper = true;
        continue;
      }
      id += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
      upper = false;
    }
  }
  return id;
}

json::object json_content(json::value schema) {
  return {{"application/json", json::object{{"schema", std::move(schema)}}}};
}

json::array parameters(const RouteInfo& info) {
  json::array out;
  for (const std::string_view step : split(info.pattern, '/')) {
    if (!step.starts_with('{')) continue;
    out.push_back({{"name", step.substr(1, step.size() - 2)},
                   {"in", "path"},
                   {"required", true},
                   {"schema", {{"type", "string"}}}});
  }
  for (const QueryParameter& one : info.query) {
    out.push_back({{"name", one.name},
                   {"in", "query"},
                   {"required", false},
                   {"description", one.doc},
                   {"schema", {{"type", "string"}}}});
  }
  return out;
}

json::array security(const RouteInfo& info) {
  switch (info.access) {
    case Access::kPublic:
      return json::array{};
    case Access::kBridge:
      return {json::object{{"bridgeSecret", json::array{}}}};
    case Access::kUser:
    case Access::kAdmin:
      break;
  }
  return {json::object{{"bearer", json::array{}}}, json::object{{"cookie", json::array{}}}};
}

// An upgrade (/ws) or a page for browsers (/signin) is no operation that a client library could
// call; docs/websocket.md and docs/http.md describe them.
bool is_operation(const RouteInfo& info) { return info.success / 100 == 2; }

json::object operation(const Route& route) {
  const RouteInfo& info = route.info;
  json::object op{{"operationId", operation_id(info)},
                  {"summary", info.summary},
                  {"tags", json::array{json::value(info.tag)}},
                  {"security", security(info)}};
  if (auto list = parameters(info); !list.empty()) op["parameters"] = std::move(list);
  if (route.request_type != nullptr) {
    op["requestBody"] = {{"required", info.consumes != "*/*"},
                         {"content", json_content(describe_json(*route.request_type))}};
  } else if (info.consumes == "*/*") {
    op["requestBody"] = {
        {"required", true},
        {"content",
         {{"*/*", {{"schema", json::object{{"type", "string"}, {"format", "binary"}}}}}}}};
  }
  json::object success{{"description", "Done"}};
  if (route.response_type != nullptr) {
    success["content"] = json_content(describe_json(*route.response_type));
  } else {
    success["content"] = {
        {info.produces, json::object{{"schema", json::object{{"type", "string"}}}}}};
  }
  const json::value error{{"$ref", "#/components/responses/Error"}};
  op["responses"] = {
      {std::to_string(info.success), std::move(success)}, {"4XX", error}, {"5XX", error}};
  return op;
}

}  // namespace

std::string openapi_document(const RouteTable& table, std::string_view version,
                             std::string_view server_url) {
  json::object paths;
  std::set<std::string> tag_names;
  bool has_bridge = false;
  for (const Route* route : table.all()) {
    if (!is_operation(route->info)) continue;
    has_bridge = has_bridge || route->info.access == Access::kBridge;
    tag_names.insert(route->info.tag);
    auto& path = paths[route->info.pattern];
    if (!path.is_object()) path = json::object{};
    path.get_object()[lower_ascii(route->info.method)] = operation(*route);
  }
  json::array tags;
  for (const std::string& name : tag_names) {
    tags.push_back({{"name", name}, {"description", "Everything about " + name + "."}});
  }
  json::object schemes{{"bearer", {{"type", "http"}, {"scheme", "bearer"}}},
                       {"cookie",
                        {{"type", "apiKey"},
                         {"in", "cookie"},
                         {"name", "rouse_18888"},
                         {"description", "Set by signing in; the number is the port."}}}};
  if (has_bridge) {
    schemes["bridgeSecret"] = {{"type", "apiKey"}, {"in", "header"}, {"name", "x-bridge-secret"}};
  }
  const json::object document{
      {"openapi", "3.1.0"},
      {"info",
       {{"title", "rouse"},
        {"version", version},
        {"summary", "Durable agent conversations that wake up on their own."},
        {"description",
         "Every route but the public ones wants a bearer token or a signed-in browser. Errors have "
         "one shape; lists take limit and cursor and give items and next_cursor."},
        {"license", {{"name", "Apache-2.0"}, {"identifier", "Apache-2.0"}}}}},
      {"servers", json::array{json::object{{"url", server_url}}}},
      {"tags", std::move(tags)},
      {"paths", std::move(paths)},
      {"components",
       {{"securitySchemes", std::move(schemes)},
        {"responses",
         {{"Error",
           {{"description", "What went wrong and what to do"},
            {"content", json_content(json_schema<ErrorBody>())}}}}}}}};
  return json::serialize(document);
}

}  // namespace rouse
