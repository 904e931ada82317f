// The route table: one row a route, from which routing, the auth requirement, request validation
// and the OpenAPI document are all made. A route is described where its handler lives (routes/…),
// with the typed structs it takes and gives:
//
//   table.add(exchange<NewToken, MadeToken>(
//       {.method = "POST", .pattern = "/api/tokens", .access = Access::kAdmin, .summary = "Make a
//       token"}, [this](Call& call, NewToken wanted) { return create(call, std::move(wanted)); }));
//
// A handler returns Result<T> when it answers at once, Task<Result<T>> when it has to wait.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <boost/json/object.hpp>

#include "base/json.h"
#include "gateway/principal.h"
#include "gateway/request_guard.h"
#include "gateway/responses.h"
#include "net/http.h"

namespace rouse {

enum class Access : std::uint8_t {
  kPublic,  // anybody; keep what it tells bare
  kUser,    // any token or signed-in browser
  kAdmin,
  kBridge,  // the secret of the bridge named in the route
};

struct QueryParameter {
  std::string name;
  std::string doc;
};

struct RouteInfo {
  std::string method = "GET";
  std::string pattern;  // "/api/tokens/{id}"
  Access access = Access::kUser;
  std::string summary;
  std::string tag = "server";
  int success = 200;
  std::vector<QueryParameter> query = {};
  std::optional<std::uint64_t> max_body = {};  // else limits.body_bytes of the config
  bool answers_head = true;                    // false: the GET does something, so HEAD may not
  std::string bridge = {};                     // for Access::kBridge
  std::string produces = "application/json";
  std::string consumes = "application/json";  // "*/*": the body is taken as it is, whatever it is
};

// One request on its way through a handler.
struct Call {
  const RequestHead& head;
  const Client& client;
  const Principal& principal;           // nobody in particular on public routes
  std::vector<std::string> parameters;  // in the order of the pattern, decoded
  std::string body;

  [[nodiscard]] std::optional<std::string> query(std::string_view name) const;
  // ?limit=, within 1 … kPageItems.
  [[nodiscard]] Result<std::size_t> limit() const;
};

using Handler = std::function<Task<Result<Response>>(Call&)>;
using QuickHandler = std::function<Result<Response>(Call&)>;  // needs no wait: costs no coroutine

struct RouteStats {
  std::uint64_t by_class[6] = {};  // [2] is 2xx
};

struct Route {
  RouteInfo info;
  const JsonType *request_type = nullptr, *response_type = nullptr;  // for /openapi.json
  Handler handler;
  QuickHandler quick;
  bool takes_body = false;
  mutable RouteStats stats = {};
};

// --- typed handlers ------------------------------------------------------------------------------

template <class T>
Result<Response> to_response(Result<T> result, int success) {
  if (!result) return std::unexpected(std::move(result).error());
  if constexpr (std::same_as<T, Response>) {
    return std::move(*result);
  } else {
    return json_text(success, encode_json(*result));
  }
}

template <class T>
struct TaskValue {
  using type = void;
  static constexpr bool waits = false;
};
template <class T>
struct TaskValue<Task<T>> {
  using type = T;
  static constexpr bool waits = true;
};

template <class T>
Task<Result<Response>> await_response(Task<Result<T>> task, int success) {
  auto result = co_await std::move(task);
  co_return to_response(std::move(result), success);
}

inline Task<Result<Response>> at_once(Result<Response> response) { co_return std::move(response); }

template <class Res>
void describe_response(Route& route) {
  if constexpr (!std::same_as<Res, Response>) route.response_type = &kJsonType<Res>;
}

// A route without a request body.
template <class Res, class Fn>
Route answer(RouteInfo info, Fn fn) {
  Route route{.info = std::move(info),
              .request_type = nullptr,
              .response_type = nullptr,
              .handler = {},
              .quick = {}};
  describe_response<Res>(route);
  const int success = route.info.success;
  if constexpr (TaskValue<std::invoke_result_t<Fn, Call&>>::waits) {
    route.handler = [fn, success](Call& call) { return await_response<Res>(fn(call), success); };
  } else {
    route.quick = [fn, success](Call& call) { return to_response<Res>(fn(call), success); };
  }
  return route;
}

// A route with a JSON body of type Req.
template <class Req, class Res, class Fn>
Route exchange(RouteInfo info, Fn fn) {
  Route route{.info = std::move(info),
              .request_type = nullptr,
              .response_type = nullptr,
              .handler = {},
              .quick = {}};
  route.takes_body = true;
  route.request_type = &kJsonType<Req>;
  describe_response<Res>(route);
  const int success = route.info.success;
  if constexpr (TaskValue<std::invoke_result_t<Fn, Call&, Req>>::waits) {
    route.handler = [fn, success](Call& call) -> Task<Result<Response>> {
      auto request = decode_json<Req>(call.body);
      if (!request) return at_once(std::unexpected(std::move(request).error()));
      return await_response<Res>(fn(call, std::move(*request)), success);
    };
  } else {
    route.quick = [fn, success](Call& call) -> Result<Response> {
      TRY(auto request, decode_json<Req>(call.body));
      return to_response<Res>(fn(call, std::move(request)), success);
    };
  }
  return route;
}

// A route that takes any bytes as its body: they are in call.body.
template <class Res, class Fn>
Route upload(RouteInfo info, Fn fn) {
  info.consumes = "*/*";
  Route route = answer<Res>(std::move(info), std::move(fn));
  route.takes_body = true;
  return route;
}

// --- the table
// -------------------------------------------------------------------------------------

class RouteTable {
 public:
  void add(Route route);

  struct Match {
    const Route* route = nullptr;  // null: no such path, or no such method on it
    std::vector<std::string> parameters = {};
    std::string allowed = {};  // "GET, POST" when only the method is wrong
  };
  [[nodiscard]] Match find(std::string_view method, std::string_view path) const;
  [[nodiscard]] std::vector<const Route*> all() const;  // in the order they were added

 private:
  struct Node {  // one step of the path
    std::map<std::string, std::unique_ptr<Node>, std::less<>> fixed;
    std::unique_ptr<Node> parameter;
    std::map<std::string, const Route*, std::less<>> by_method;
  };
  std::vector<std::unique_ptr<Route>> routes_;
  Node root_;
};

}  // namespace rouse
