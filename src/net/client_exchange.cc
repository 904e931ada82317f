#include "net/client_exchange.h"

#include <algorithm>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

#include "base/text.h"
#include "net/chunked.h"

namespace rouse {
namespace {

bool may_repeat(std::string_view method) {
  return method == "GET" || method == "HEAD" || method == "PUT" || method == "DELETE" ||
         method == "OPTIONS";
}

namespace asio = boost::asio;
using boost::system::error_code;

constexpr std::size_t kMaxHeadBytes = 64 * 1024;
constexpr int kMaxInterimAnswers = 8;

bool is_ours(std::string_view name) {
  return iequals_ascii(name, "host") || iequals_ascii(name, "content-length") ||
         iequals_ascii(name, "transfer-encoding") || iequals_ascii(name, "connection") ||
         iequals_ascii(name, "proxy-authorization");
}

bool is_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

bool is_value(std::string_view text) {
  return std::ranges::all_of(text,
                             [](unsigned char c) { return c == '\t' || (c >= 0x20 && c != 0x7f); });
}

}  // namespace

ClientExchange::ClientExchange(std::shared_ptr<ClientCore> core, ClientRequest request,
                               HttpClient::OnHead on_head, HttpClient::OnChunk on_chunk)
    : core_(std::move(core)),
      request_(std::move(request)),
      on_head_(std::move(on_head)),
      on_chunk_(std::move(on_chunk)),
      whole_at_(core_->deadlines.now() + request_.deadline) {
  core_->running.insert(this);
  core_->deadlines.add(*this);
}

ClientExchange::~ClientExchange() {
  core_->deadlines.remove(*this);
  core_->running.erase(this);
}

Task<Result<ClientResponse>> ClientExchange::run(std::shared_ptr<ClientCore> core,
                                                 ClientRequest request, HttpClient::OnHead on_head,
                                                 HttpClient::OnChunk on_chunk,
                                                 std::stop_token stop) {
  auto self = std::make_shared<ClientExchange>(std::move(core), std::move(request),
                                               std::move(on_head), std::move(on_chunk));
  if (stop.stop_requested()) self->cause_ = Cause::kCancelled;
  // Asked for on any thread, done on the loop.
  const std::stop_callback on_stop(
      stop, [loop = &self->core_->loop, weak = std::weak_ptr<ClientExchange>(self)] {
        loop->post([weak] {
          if (const auto exchange = weak.lock()) exchange->stop(Cause::kCancelled);
        });
      });
  co_return co_await self->perform();
}

void ClientExchange::stop(Cause cause) {
  if (cause_ != Cause::kNone) return;
  cause_ = cause;
  if (connection_) connection_->stream.close();
  if (abandon_) std::exchange(abandon_, {})();
}

Millis ClientExchange::time_left() const {
  return std::max(millis(1), whole_at_ - core_->deadlines.now());
}

void ClientExchange::set_deadline(Phase phase, Millis at_most) {
  phase_ = phase;
  core_->deadlines.set(*this, std::min(at_most, time_left()));
}

void ClientExchange::on_deadline(MonoTime now) {
  if (now >= whole_at_) return stop(Cause::kDeadline);
  if (phase_ == Phase::kBody) return stop(Cause::kIdle);
  if (phase_ == Phase::kConnect) {
    attempt_over_ = true;
    if (connection_) connection_->stream.close();
    return;
  }
  set_deadline(phase_, time_left());
}

std::unexpected<Error> ClientExchange::failure(ClientErrc code, std::string message) const {
  switch (cause_) {
    case Cause::kNone:
      return fail(code, std::move(message));
    case Cause::kCancelled:
      return fail(ClientErrc::kCancelled, "the request was cancelled");
    case Cause::kDeadline:
      return fail(ClientErrc::kTimeout, fmt::format("{} gave no complete answer within {}",
                                                    url_.authority(), to_words(request_.deadline)));
    case Cause::kIdle:
      break;
  }
  return fail(ClientErrc::kTimeout,
              fmt::format("{} sent nothing for {} in the middle of its answer", url_.authority(),
                          to_words(request_.idle_deadline)));
}

Result<void> ClientExchange::prepare() {
  auto url = parse_url(request_.url);
  if (!url) return fail(ClientErrc::kBadUrl, url.error().message);
  url_ = *std::move(url);
  if (!is_token(request_.method)) {
    return fail(ClientErrc::kBadUrl, fmt::format("'{}' is not an HTTP method", request_.method));
  }
  for (const auto& [name, value] : request_.headers) {
    if (!is_token(name) || !is_value(value)) {
      // The value may be a secret, so only the name is shown (SC-10).
      return fail(
          ClientErrc::kBadUrl,
          fmt::format("the header '{}' has a line break or another character it must not have",
                      name.substr(0, 100)));
    }
  }
  auto proxy = core_->proxy_for(url_);
  if (!proxy) return fail(ClientErrc::kBadUrl, proxy.error().message);
  proxy_ = *std::move(proxy);
  return {};
}

// A proxied or pinned connection must never serve a request that has other needs.
std::string ClientExchange::pool_key() const {
  return fmt::format("{}|{}|{}|{}", url_.https ? "https" : "http", url_.authority(),
                     proxy_ ? proxy_->authority() : "", request_.allow_address ? "pinned" : "");
}

Task<Result<ClientResponse>> ClientExchange::perform() {
  if (cause_ != Cause::kNone) co_return failure(ClientErrc::kCancelled, "");
  CO_TRY_VOID(prepare());
  set_deadline(Phase::kWhole, request_.deadline);
  connection_ = core_->pool.take(pool_key(), request_.allow_address);
  while (true) {
    if (!connection_) CO_TRY_VOID(co_await connect());
    set_deadline(Phase::kWhole, request_.deadline);
    auto result = co_await read_response();
    // The server may close a connection it kept for us just as we use it again: not its fault, not
    // the caller's. A second time it would be.
    // A POST may have been done before the server went, so it is not sent twice.
    const bool was_stale = !result && connection_->reused && !got_bytes_ &&
                           cause_ == Cause::kNone && may_repeat(request_.method);
    if (was_stale) {
      connection_.reset();
      continue;
    }
    if (result && keep_) core_->pool.give(pool_key(), std::move(connection_));
    co_return result;
  }
}

std::string ClientExchange::compose() const {
  std::string out;
  out.reserve(512);
  out.append(request_.method).append(" ");
  if (connection_->through_proxy) out.append("http://").append(url_.host_header());
  out.append(url_.target).append(" HTTP/1.1\r\nHost: ").append(url_.host_header()).append("\r\n");
  bool has_agent = false;
  for (const auto& [name, value] : request_.headers) {
    if (is_ours(name)) continue;
    has_agent = has_agent || iequals_ascii(name, "user-agent");
    out.append(name).append(": ").append(value).append("\r\n");
  }
  if (!has_agent) out.append("User-Agent: rouse/" ROUSE_VERSION "\r\n");
  if (connection_->through_proxy && !proxy_->authorization.empty()) {
    out.append("Proxy-Authorization: ").append(proxy_->authorization).append("\r\n");
  }
  const bool bodiless =
      request_.body.empty() && (request_.method == "GET" || request_.method == "HEAD" ||
                                request_.method == "DELETE" || request_.method == "OPTIONS");
  if (!bodiless)
    out.append("Content-Length: ").append(std::to_string(request_.body.size())).append("\r\n");
  return out.append("\r\n");
}

Task<Result<void>> ClientExchange::write(std::string_view head, std::string_view body) {
  error_code ec;
  const std::array buffers{asio::const_buffer(head.data(), head.size()),
                           asio::const_buffer(body.data(), body.size())};
  co_await asio::async_write(connection_->stream, buffers, asio::redirect_error(use_task, ec));
  if (ec) {
    co_return failure(ClientErrc::kClosed,
                      fmt::format("{} closed the connection while the request was sent: {}",
                                  url_.authority(), ec.message()));
  }
  co_return Result<void>();
}

Task<Result<bool>> ClientExchange::read_some() {
  if (phase_ == Phase::kBody) set_deadline(Phase::kBody, request_.idle_deadline);
  const std::span<char> room = buffer_.room();
  error_code ec;
  const std::size_t size = co_await connection_->stream.async_read_some(
      asio::buffer(room.data(), room.size()), asio::redirect_error(use_task, ec));
  buffer_.commit(size);
  got_bytes_ = got_bytes_ || size > 0;
  if (!ec && cause_ == Cause::kNone) co_return true;
  if (ec == asio::error::eof && cause_ == Cause::kNone) co_return false;
  co_return failure(ClientErrc::kClosed,
                    fmt::format("the connection to {} broke: {}", url_.authority(), ec.message()));
}

Task<Result<ResponseHead>> ClientExchange::read_head() {
  HeadScanner scanner;
  while (true) {
    const HeadScanner::State state = scanner.scan(buffer_.bytes());
    if (state == HeadScanner::State::kComplete) break;
    if (state == HeadScanner::State::kBareLineFeed || buffer_.size() > kMaxHeadBytes) {
      co_return failure(
          ClientErrc::kProtocol,
          fmt::format("{} did not answer in HTTP, or with too many headers", url_.authority()));
    }
    CO_TRY(const bool more, co_await read_some());
    if (!more) {
      co_return failure(
          ClientErrc::kClosed,
          fmt::format("{} closed the connection without an answer", url_.authority()));
    }
  }
  auto head = parse_response_head(buffer_.bytes().substr(0, scanner.head_size()));
  buffer_.consume(scanner.head_size());
  if (!head) {
    co_return failure(ClientErrc::kProtocol,
                      fmt::format("{} did not answer in valid HTTP", url_.authority()));
  }
  co_return *std::move(head);
}

Task<Result<ClientResponse>> ClientExchange::read_response() {
  const std::string request_head = compose();
  const auto written = co_await write(request_head, request_.body);
  // A server may answer and close before it has read everything; its answer counts.
  if (!written && cause_ != Cause::kNone) co_return fail(written.error());
  Result<ResponseHead> head = co_await read_head();
  for (int interim = 0; head && head->status < 200; ++interim) {
    if (interim == kMaxInterimAnswers || head->status == 101) {
      co_return failure(ClientErrc::kProtocol,
                        fmt::format("{} answered {} without end", url_.authority(), head->status));
    }
    head = co_await read_head();
  }
  if (!head) co_return fail(written || cause_ != Cause::kNone ? head.error() : written.error());

  ClientResponse out;
  out.status = head->status;
  out.headers = std::move(head->headers);
  if (on_head_) CO_TRY_VOID(on_head_(out));
  if (request_.method != "HEAD" && out.status != 204 && out.status != 304) {
    phase_ = Phase::kBody;
    CO_TRY_VOID(co_await read_body(*head, out));
  } else {
    keep_ = true;
  }
  keep_ = keep_ && head->keep_alive && written.has_value() && buffer_.empty();
  co_return out;
}

Task<Result<void>> ClientExchange::read_body(const ResponseHead& head, ClientResponse& out) {
  ChunkedDecoder decoder;
  std::uint64_t left = head.content_length.value_or(0);
  while (true) {
    if (head.chunked) {
      const ChunkedDecoder::Step step = decoder.next(buffer_.bytes());
      if (step.status == ChunkedDecoder::Status::kBad) {
        co_return failure(ClientErrc::kProtocol,
                          fmt::format("{} sent a broken chunk", url_.authority()));
      }
      if (!step.data.empty()) CO_TRY_VOID(deliver(step.data, out));
      buffer_.consume(step.consumed);
      if (step.status == ChunkedDecoder::Status::kData) continue;
      if (step.status == ChunkedDecoder::Status::kDone) break;
    } else {
      const std::string_view bytes = buffer_.bytes();
      const std::size_t size =
          head.content_length
              ? static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), left))
              : bytes.size();
      if (size > 0) CO_TRY_VOID(deliver(bytes.substr(0, size), out));
      buffer_.consume(size);
      left -= head.content_length ? size : 0;
      if (head.content_length && left == 0) break;
    }
    CO_TRY(const bool more, co_await read_some());
    if (more) continue;
    // Without a length the end of the connection is the end of the body; keep_ stays false.
    if (!head.chunked && !head.content_length) co_return Result<void>();
    co_return failure(
        ClientErrc::kClosed,
        fmt::format("{} closed the connection in the middle of its answer", url_.authority()));
  }
  keep_ = true;
  co_return Result<void>();
}

Result<void> ClientExchange::deliver(std::string_view data, ClientResponse& out) {
  body_bytes_ += data.size();
  if (body_bytes_ > request_.max_body_bytes) {
    return failure(ClientErrc::kTooLarge, fmt::format("the answer of {} is larger than {} bytes",
                                                      url_.authority(), request_.max_body_bytes));
  }
  if (on_chunk_) return on_chunk_(data);
  out.body.append(data);
  return {};
}

}  // namespace rouse
