#include "tool/mcp/http_transport.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "net/sse.h"
#include "tool/mcp/mcp_message.h"
#include "tool/visible_text.h"

namespace rouse {
namespace {

constexpr std::size_t kStreamBytes = 64 << 20;  // all events of one answer
constexpr std::size_t kErrorBytes = 4096;
constexpr std::size_t kErrorWords = 300;
constexpr std::size_t kSessionBytes = 1024;
constexpr Millis kGoodbye = seconds(2);

bool is_success(int status) { return status >= 200 && status < 300; }

}  // namespace

struct HttpTransport::Exchange {
  explicit Exchange(const Ears& to) : ears(to) {}

  const Ears& ears;
  int status = 0;
  std::string type, session;
  std::string body;
  SseParser events{kMcpMessageBytes};

  [[nodiscard]] bool is_stream() const { return type.starts_with("text/event-stream"); }

  void on_head(const ClientResponse& head) {
    status = head.status;
    type = lower_ascii(head.header("content-type").value_or(""));
    const auto given = head.header("mcp-session-id").value_or("");
    if (given.size() <= kSessionBytes) session = given;
  }

  Result<void> on_chunk(std::string_view chunk) {
    if (is_success(status) && is_stream()) {
      return events.feed(chunk, [this](const SseEvent& event) -> Result<void> {
        if (!event.event.empty() && event.event != "message") return {};
        return ears.heard(event.data);
      });
    }
    const std::size_t most = is_success(status) ? kMcpMessageBytes : kErrorBytes;
    if (body.size() + chunk.size() > most && is_success(status)) {
      return fail(McpErrc::kBroken,
                  fmt::format("it sent a message larger than {} MB", kMcpMessageBytes >> 20));
    }
    body += chunk.substr(0, most - std::min(most, body.size()));
    return {};
  }
};

Task<Result<void>> HttpTransport::open(Ears ears) {
  ears_ = std::move(ears);
  co_return Result<void>();
}

ClientRequest HttpTransport::request(std::string method, Millis time_left) const {
  ClientRequest out;
  out.method = std::move(method);
  out.url = place_.url;
  out.headers = place_.headers;
  out.headers.emplace_back("User-Agent", "rouse/" ROUSE_VERSION);
  if (!session_.empty()) out.headers.emplace_back("Mcp-Session-Id", session_);
  if (!version_.empty()) out.headers.emplace_back("MCP-Protocol-Version", version_);
  out.deadline = time_left;
  out.idle_deadline = time_left;
  out.max_body_bytes = kStreamBytes;
  return out;
}

Task<Result<void>> HttpTransport::send(std::string message, Millis time_left,
                                       std::stop_token stop) {
  Exchange exchange(ears_);
  ClientRequest post = request("POST", time_left);
  post.headers.emplace_back("Content-Type", "application/json");
  post.headers.emplace_back("Accept", "application/json, text/event-stream");
  post.body = std::move(message);
  const auto result = co_await http_.stream(
      std::move(post),
      [this, &exchange](const ClientResponse& head) {
        exchange.on_head(head);
        // At once: with a stream the answer is heard, and used, before the exchange is over.
        if (is_success(exchange.status) && !exchange.session.empty()) session_ = exchange.session;
        return Result<void>();
      },
      [&exchange](std::string_view chunk) { return exchange.on_chunk(chunk); }, std::move(stop));
  co_return conclude(exchange, result);
}

Result<void> HttpTransport::conclude(Exchange& exchange, const Result<ClientResponse>& result) {
  const int status = exchange.status;
  if (status == 404 && !session_.empty()) {
    session_.clear();
    return fail(McpErrc::kSessionGone, "it does not know our session any more");
  }
  if (status != 0 && !is_success(status)) {
    const std::string words = visible_text(trim(exchange.body), kErrorWords);
    const bool key = status == 401 || status == 403;
    return fail(McpErrc::kRefused,
                fmt::format("it answered with HTTP {}{}{}{}", status, words.empty() ? "" : ": ",
                            words, key ? " (the owner should look at its headers)" : ""));
  }
  if (!result) {
    const Error& error = result.error();
    if (error.is(ClientErrc::kTimeout)) return fail(McpErrc::kTimeout, error.message);
    if (error.is(McpErrc::kBroken)) return fail(error);
    return fail(McpErrc::kEnded, error.message);
  }
  if (exchange.is_stream() || trim(exchange.body).empty()) return {};
  if (!exchange.type.starts_with("application/json")) {
    return fail(McpErrc::kBroken, fmt::format("it answered with '{}' in place of JSON",
                                              utf8_prefix(exchange.type, 100)));
  }
  return ears_.heard(exchange.body);
}

Task<void> HttpTransport::close() {
  if (session_.empty()) co_return;
  ClientRequest goodbye = request("DELETE", kGoodbye);
  session_.clear();
  // It may not want to be told (405) or be gone already.
  (void)co_await http_.send(std::move(goodbye), std::stop_token());
}

}  // namespace rouse
