#include "model/http_provider.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "model/watchdog.h"
#include "model/wire_error.h"

namespace rouse {
namespace {

constexpr std::size_t kAnswerBytes = 64 << 20;
constexpr std::size_t kErrorBytes = 64 << 10;  // read
constexpr std::size_t kErrorWords = 400;       // told

bool is_success(int status) { return status >= 200 && status < 300; }

// Only then can the connection be used again, and the end of the body be seen.
bool has_framed_body(const ClientResponse& head) {
  return head.header("content-length") || head.header("transfer-encoding");
}

TryFailure to_failure(const Error& error, bool had_head) {
  if (error.is(ClientErrc::kTimeout)) return Error(ModelErrc::kTimeout, error.message);
  if (error.is(ClientErrc::kBadUrl)) {
    return Error(ModelErrc::kNotConfigured, error.message + "; check base_url and the key");
  }
  if (error.is(ClientErrc::kProtocol) || error.is(ClientErrc::kTooLarge) || had_head) {
    return Error(ModelErrc::kBroken, "the answer was cut off: " + error.message);
  }
  TryFailure failure(Error(ModelErrc::kUnreachable, error.message));
  // A kept connection that the server closed just then: a new one will do.
  if (error.is(ClientErrc::kClosed)) failure.retry_after = millis(0);
  return failure;
}

}  // namespace

// What is known of an exchange while it runs. Its callbacks are called on the loop.
struct HttpProvider::Exchange {
  Exchange(Clock& clock, Executor executor, std::stop_token caller)
      : stop(caller), first_byte(clock, std::move(executor), std::move(caller)) {}

  std::unique_ptr<AnswerReader> reader;
  std::stop_token stop;
  Watchdog first_byte;
  WallTime now;
  Millis first_byte_limit;
  int status = 0;
  bool framed = false;
  std::optional<Millis> retry_after;
  std::string error_body;
  std::optional<Error> unreadable;

  Result<void> on_head(const ClientResponse& head) {
    first_byte.disarm();
    status = head.status;
    framed = has_framed_body(head);
    if (!is_success(status)) retry_after = read_retry_after(head, now);
    return {};
  }

  Result<void> on_chunk(std::string_view chunk) {
    if (!is_success(status)) {
      error_body.append(chunk.substr(0, kErrorBytes - std::min(kErrorBytes, error_body.size())));
      return {};
    }
    if (reader->done()) return {};
    if (auto fed = reader->feed(chunk); !fed) {
      unreadable = fed.error();
      return fed;
    }
    if (reader->done() && !framed) return fail(Errc::kCancelled, "the answer is complete");
    return {};
  }
};

HttpProvider::HttpProvider(ModelInfo info, std::unique_ptr<WireFormat> format,
                           const std::string& api_key, HttpClient& http, Clock& clock,
                           Random& random, const Redactor* known)
    : info_(std::move(info)),
      format_(std::move(format)),
      known_(known),
      http_(http),
      clock_(clock),
      random_(random) {
  redactor_.set_secrets({api_key});
}

TryFailure HttpProvider::explain(TryFailure failure) const {
  std::string words =
      redactor_.redact(fmt::format("{}: {}", info_.full_name(), failure.error.message));
  if (known_ != nullptr) words = known_->redact(words);
  failure.error.message = utf8_prefix(words, kErrorWords);
  return failure;
}

TryResult HttpProvider::conclude(Exchange& exchange, const Result<ClientResponse>& result) const {
  if (exchange.reader->done()) return exchange.reader->finish();
  if (exchange.stop.stop_requested()) return fail(ModelErrc::kCancelled, "the call was cancelled");
  if (exchange.unreadable) return fail(*exchange.unreadable);
  if (exchange.first_byte.fired()) {
    return fail(ModelErrc::kTimeout,
                fmt::format("no first byte within {}", to_words(exchange.first_byte_limit)));
  }
  if (exchange.status != 0 && !is_success(exchange.status)) {
    TryFailure failure(to_error(exchange.status, read_wire_error(exchange.error_body)));
    failure.retry_after = exchange.retry_after;
    return std::unexpected(std::move(failure));
  }
  if (!result) return std::unexpected(to_failure(result.error(), exchange.status != 0));
  return exchange.reader->finish();
}

Task<TryResult> HttpProvider::ask(const ModelRequest& request, ModelStream& stream,
                                  Millis time_left, std::stop_token stop) {
  const auto executor = co_await boost::asio::this_coro::executor;
  Exchange exchange(clock_, executor, std::move(stop));
  exchange.reader = format_->reader(stream, random_);
  exchange.now = clock_.wall_now();
  exchange.first_byte_limit = std::min(request.first_byte, time_left);
  ClientRequest http = format_->encode(request, info_);
  http.method = "POST";
  http.deadline = time_left;
  http.idle_deadline = request.stall;
  http.max_body_bytes = kAnswerBytes;
  exchange.first_byte.arm(exchange.first_byte_limit);
  const auto result = co_await http_.stream(
      std::move(http), [&exchange](const ClientResponse& head) { return exchange.on_head(head); },
      [&exchange, &stream](std::string_view chunk) {
        stream.expect_quiet(millis(0));
        return exchange.on_chunk(chunk);
      },
      exchange.first_byte.token());
  exchange.first_byte.disarm();
  TryResult answer = conclude(exchange, result);
  if (!answer) co_return std::unexpected(explain(std::move(answer).error()));
  answer->model = info_.full_name();
  if (answer->usage.estimated) answer->usage.in = estimate_tokens(request);
  co_return answer;
}

}  // namespace rouse
