#include "tool/mcp/mcp_client.h"

#include <utility>

#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include "base/text.h"

namespace rouse {
namespace json = boost::json;
namespace {

constexpr std::int64_t kMethodNotFound = -32601;
constexpr int kPages = 100;
constexpr Millis kNoteDeadline = seconds(10);  // of a message that nobody answers

bool nobody_waits(const Error& error) {
  return error.is(McpErrc::kTimeout) || error.is(Errc::kCancelled);
}

}  // namespace

// A request under way: the answer, the deadline, a stop and the end of the connection race for it.
struct McpClient::Waiting {
  std::optional<Completer<Result<json::value>>> done;
  std::stop_source over;

  void settle(Result<json::value> outcome) {
    if (!done) return;
    Completer<Result<json::value>> tell = std::move(*done);
    done.reset();
    tell(std::move(outcome));
    over.request_stop();
  }
};

McpClient::McpClient(Loop& loop, Clock& clock, std::unique_ptr<McpTransport> transport, Ears ears)
    : loop_(loop), clock_(clock), transport_(std::move(transport)), ears_(std::move(ears)) {}

// What a server wrote to its log often says why.
Error McpClient::explained(Error error) const {
  if (const std::string words = transport_->last_words(); !words.empty()) {
    error.message += "; it said: " + words;
  }
  return error;
}

Task<Result<McpGreeting>> McpClient::open(MonoTime until, std::stop_token stop) {
  const std::weak_ptr<McpClient> weak = weak_from_this();
  CO_TRY_VOID(co_await transport_->open({.heard = [weak](std::string_view text) -> Result<void> {
                                           const auto self = weak.lock();
                                           return self ? self->heard(text) : Result<void>();
                                         },
                                         .ended =
                                             [weak](const Error& why) {
                                               if (const auto self = weak.lock()) self->end(why);
                                             }}));
  json::object hello{{"protocolVersion", kMcpVersion},
                     {"capabilities", json::object{}},
                     {"clientInfo", {{"name", "rouse"}, {"version", ROUSE_VERSION}}}};
  auto answer = co_await request("initialize", std::move(hello), until, stop);
  if (!answer) co_return fail(explained(std::move(answer).error()));
  CO_TRY(greeting_, read_mcp_greeting(*answer));
  transport_->use_version(greeting_.version);
  CO_TRY_VOID(co_await transport_->send(mcp_notification("notifications/initialized", nullptr),
                                        kNoteDeadline, stop));
  co_return greeting_;
}

Task<Result<McpToolList>> McpClient::list_tools(MonoTime until, std::stop_token stop) {
  McpToolList out;
  if (!greeting_.has_tools) co_return out;
  std::string cursor;
  for (int page = 0; page < kPages; ++page) {
    json::value params;
    if (!cursor.empty()) params = json::object{{"cursor", cursor}};
    CO_TRY(const json::value answer,
           co_await request("tools/list", std::move(params), until, stop));
    CO_TRY(McpToolPage got, read_mcp_tools(answer));
    out.left_out += got.left_out;
    for (McpTool& tool : got.tools) {
      if (out.tools.size() < kMcpTools) {
        out.tools.push_back(std::move(tool));
      } else {
        ++out.left_out;
      }
    }
    if (got.next_cursor.empty() || got.next_cursor == cursor || out.tools.size() >= kMcpTools) {
      break;
    }
    cursor = std::move(got.next_cursor);
  }
  co_return out;
}

Task<Result<McpCallResult>> McpClient::call_tool(std::string tool, json::object arguments,
                                                 MonoTime until, std::stop_token stop) {
  json::object params{{"name", tool}, {"arguments", std::move(arguments)}};
  CO_TRY(const json::value answer, co_await request("tools/call", std::move(params), until, stop));
  co_return read_mcp_call_result(answer);
}

Task<Result<json::value>> McpClient::request(std::string method, json::value params, MonoTime until,
                                             std::stop_token stop) {
  if (ended_) co_return fail(*ended_);
  if (stop.stop_requested()) co_return fail(Errc::kCancelled, "it was stopped");
  const std::int64_t id = ++last_id_;
  const Millis time_left = until - clock_.mono_now();
  std::string text = mcp_request(id, method, params);
  if (text.size() > kMcpMessageBytes) {
    co_return fail(Errc::kTooLarge, "the arguments are larger than 8 MB; send less at a time");
  }
  const auto waiting = std::make_shared<Waiting>();
  waiting_[id] = waiting;
  // The stop may be asked for on another thread: it only posts.
  const std::stop_callback on_stop(stop, [executor = loop_.executor(), waiting] {
    boost::asio::post(executor,
                      [waiting] { waiting->settle(fail(Errc::kCancelled, "it was stopped")); });
  });
  auto answer =
      co_await complete_later<Result<json::value>>([&](Completer<Result<json::value>> done) {
        waiting->done = std::move(done);
        loop_.spawn("mcp request", carry(shared_from_this(), waiting, std::move(text), time_left));
        loop_.spawn("mcp deadline", watch(clock_, waiting, until));
      });
  waiting_.erase(id);
  // The spec wants initialize to be left alone: whoever gives it up closes the connection.
  if (!answer && nobody_waits(answer.error()) && method != "initialize") {
    post(mcp_notification(
        "notifications/cancelled",
        json::object{{"requestId", id},
                     {"reason", answer.error().is(McpErrc::kTimeout) ? "its time was over"
                                                                     : "it was stopped"}}));
  }
  co_return answer;
}

Task<void> McpClient::carry(std::shared_ptr<McpClient> self, std::shared_ptr<Waiting> waiting,
                            std::string message, Millis time_left) {
  const auto sent =
      co_await self->transport_->send(std::move(message), time_left, waiting->over.get_token());
  if (!sent) {
    waiting->settle(fail(sent.error()));
  } else if (self->transport_->answers_with_send()) {
    waiting->settle(fail(McpErrc::kBroken, "it took the request and gave no answer to it"));
  }
}

Task<void> McpClient::watch(Clock& clock, std::shared_ptr<Waiting> waiting, MonoTime until) {
  const Millis length = until - clock.mono_now();
  if (!co_await clock.wait_until(until, waiting->over.get_token())) co_return;
  waiting->settle(
      fail(McpErrc::kTimeout, fmt::format("it did not answer within {}", to_words(length))));
}

Task<void> McpClient::deliver(std::shared_ptr<McpClient> self, std::string message) {
  // Nobody waits for it: if it doesn't arrive, the server is gone, and others notice.
  (void)co_await self->transport_->send(std::move(message), kNoteDeadline, std::stop_token());
}

void McpClient::post(std::string message) {
  if (!ended_) loop_.spawn("mcp note", deliver(shared_from_this(), std::move(message)));
}

Result<void> McpClient::heard(std::string_view text) {
  TRY(const std::vector<McpMessage> messages, parse_mcp_messages(text));
  for (const McpMessage& message : messages) take(message);
  return {};
}

void McpClient::take(const McpMessage& message) {
  switch (message.kind) {
    case McpMessage::Kind::kAnswer:
      return answer(message);
    case McpMessage::Kind::kRequest:
      // We promised nothing in initialize: no roots, no sampling, no questions to the person.
      post(message.method == "ping" ? mcp_answer(message.id, json::object{})
                                    : mcp_refusal(message.id, kMethodNotFound,
                                                  fmt::format("rouse does not know {}",
                                                              utf8_prefix(message.method, 100))));
      return;
    case McpMessage::Kind::kNotification:
      if (message.method == "notifications/tools/list_changed") ears_.tools_changed();
      return;
  }
}

void McpClient::answer(const McpMessage& message) {
  if (!message.id.is_int64()) return;
  const auto found = waiting_.find(message.id.get_int64());
  if (found == waiting_.end()) return;  // too late, or to nothing we asked
  if (message.fault) {
    found->second->settle(
        fail(McpErrc::kRefused, fmt::format("it answered with an error: {} ({})",
                                            message.fault->message, message.fault->code)));
  } else {
    found->second->settle(message.result);
  }
}

void McpClient::end(const Error& why) {
  if (ended_) return;
  ended_ = explained(why);
  const auto waiting = waiting_;  // whoever is told may take itself out
  for (const auto& [id, one] : waiting) one->settle(fail(*ended_));
  ears_.ended(*ended_);
}

Task<void> McpClient::close() {
  const auto self = shared_from_this();
  if (!ended_) ended_ = Error(McpErrc::kEnded, "it was stopped");
  const auto waiting = waiting_;
  for (const auto& [id, one] : waiting) one->settle(fail(*ended_));
  co_await transport_->close();
}

}  // namespace rouse
