// MCP servers that exist only in a test: what they answer, when they crash and what they were sent
// is in the test's hands.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <boost/json/serialize.hpp>

#include "base/json.h"
#include "tool/mcp/mcp_servers.h"

namespace rouse {

class FakeTransport;

// The far side. One for all connections of a test.
struct FakeFarSide {
  std::vector<FakeTransport*> open;   // connections, in the order of their start
  std::vector<std::string> received;  // "tools/call {…}", and the bodies of answers
  int starts = 0, closes = 0;
  bool refuses_to_start = false;
  bool silent_start = false;
  bool answers_at_once = true;  // to tools/call
  bool over_http = false;
  int forgets = 0;  // so many calls find their session gone
  std::string version = "2025-06-18";
  std::string words;  // of its error stream
  boost::json::array tools{
      {{"name", "add"},
       {"description", "Adds two numbers. Slowly."},
       {"inputSchema",
        {{"type", "object"},
         {"properties", {{"a", {{"type", "integer"}}}, {"b", {{"type", "integer"}}}}},
         {"required", {"a", "b"}}}}},
      {{"name", "remove_all"}, {"description", "Removes all"}}};
  int page_size = 100;
};

class FakeTransport final : public McpTransport {
 public:
  explicit FakeTransport(FakeFarSide& far) : far_(far) {}
  ~FakeTransport() override { std::erase(far_.open, this); }

  Task<Result<void>> open(Ears ears) override {
    ears_ = std::move(ears);
    ++far_.starts;
    if (far_.refuses_to_start) co_return fail(Errc::kNotFound, "there is no program 'x'");
    far_.open.push_back(this);
    co_return Result<void>();
  }
  Task<Result<void>> send(std::string message, Millis time_left, std::stop_token stop) override {
    const auto parsed = parse_mcp_messages(message).value();
    for (const McpMessage& one : parsed) {
      far_.received.push_back(
          one.method.empty() ? message : one.method + " " + boost::json::serialize(one.params));
      if (one.method == "tools/call" && far_.forgets > 0) {
        --far_.forgets;
        co_return fail(McpErrc::kSessionGone, "gone");
      }
      respond(one);
    }
    co_return Result<void>();
  }
  [[nodiscard]] bool answers_with_send() const override { return far_.over_http; }
  [[nodiscard]] std::string last_words() const override { return far_.words; }
  Task<void> close() override {
    ++far_.closes;
    co_return;
  }

  Result<void> say(std::string_view text) { return ears_.heard(text); }
  void crash(std::string why) { ears_.ended(Error(McpErrc::kEnded, std::move(why))); }
  boost::json::value call_id;  // of the last tools/call

 private:
  void respond(const McpMessage& one) {
    if (one.method == "initialize" && !far_.silent_start) {
      answer(one, {{"protocolVersion", far_.version},
                   {"capabilities", {{"tools", boost::json::object{}}}},
                   {"serverInfo", {{"name", "fake"}, {"version", "1"}}},
                   {"instructions", "Be kind to me."}});
    } else if (one.method == "tools/list") {
      list(one);
    } else if (one.method == "tools/call") {
      call_id = one.id;
      if (far_.answers_at_once) {
        answer(one, {{"content", {{{"type", "text"}, {"text", "done"}}}}});
      }
    }
  }
  void list(const McpMessage& one) {
    std::size_t from = 0;
    if (one.params.is_object()) from = std::stoul(std::string(one.params.at("cursor").as_string()));
    boost::json::object page;
    boost::json::array& tools = page["tools"].emplace_array();
    std::size_t at = from;
    for (; at < far_.tools.size() && at < from + static_cast<std::size_t>(far_.page_size); ++at) {
      tools.push_back(far_.tools[at]);
    }
    if (at < far_.tools.size()) page["nextCursor"] = std::to_string(at);
    answer(one, page);
  }
  void answer(const McpMessage& to, const boost::json::value& result) {
    (void)ears_.heard(mcp_answer(to.id, result));
  }

  FakeFarSide& far_;
  Ears ears_;
};

// Servers on a virtual clock.
class FakeMcpHouse {
 public:
  static McpServerSettings named(std::string name) {
    McpServerSettings out;
    out.name = std::move(name);
    out.place.command = {"/bin/server", out.name};
    return out;
  }
  void settle() {
    while (loop.poll() > 0) {
    }
  }
  void pass(Millis length) {
    clock.advance(length);
    settle();
  }
  template <class T>
  T wait(Task<T> task) {
    std::optional<T> out;
    loop.spawn("test", keep(std::move(task), out));
    settle();
    return std::move(out.value());
  }
  template <class T>
  static Task<void> keep(Task<T> task, std::optional<T>& out) {
    out.emplace(co_await std::move(task));
  }

  FakeFarSide far;  // outlives what the loop still holds at its end
  Loop loop;
  VirtualClock clock;
  Redactor redactor;
  std::vector<std::string> logged;
  Log log{[this] { return clock.wall_now(); }, redactor,
          [this](std::string_view line) { logged.emplace_back(line); }};
  McpServers servers{{loop, clock, log, redactor, [this](const McpServerSettings::Place&) {
                        return std::make_unique<FakeTransport>(far);
                      }}};
};

}  // namespace rouse
