#include "net/connection.h"

#include <algorithm>
#include <cerrno>
#include <sys/socket.h>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <fmt/format.h>

#include "net/chunked.h"
#include "net/response_head.h"
#include "net/websocket.h"

namespace rouse {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr std::size_t kDrainBytes = 8 << 20;
constexpr std::size_t kScratchBytes = 16 * 1024;
constexpr std::size_t kBodyStep = 64 * 1024;  // memory runs at most this or 2x ahead of what came

auto to_buffers(const std::array<std::string_view, 3>& part) {
  return std::array{asio::const_buffer(part[0].data(), part[0].size()),
                    asio::const_buffer(part[1].data(), part[1].size()),
                    asio::const_buffer(part[2].data(), part[2].size())};
}

}  // namespace

Task<void> drain(ServerCore& core, NetStream& stream) {
  if (core.scratch.empty()) core.scratch.resize(kScratchBytes);
  error_code ec;
  for (std::size_t total = 0; !ec && total < kDrainBytes;) {
    total += co_await stream.socket().async_read_some(asio::buffer(core.scratch),
                                                      asio::redirect_error(use_task, ec));
  }
}

// The stream of a chunked or close-delimited response.
class Connection::Chunks final : public ResponseStream {
 public:
  Chunks(Connection& connection, bool chunked) : connection_(connection), chunked_(chunked) {}

  Task<Result<void>> write(std::string chunk) override {
    if (failed_ || connection_.stream_stop_->stop_requested()) {
      co_return fail(Errc::kCancelled, "the client is gone or the server stops");
    }
    if (chunk.empty()) co_return Result<void>();
    const std::string prefix = chunked_ ? chunk_prefix(chunk.size()) : std::string();
    co_return co_await put({{prefix, chunk, chunked_ ? "\r\n" : ""}});
  }
  Task<Result<void>> put(Pieces pieces) {
    connection_.enter(Phase::kWrite);
    failed_ = !connection_.write_now(pieces) ||
              (!pieces.empty() && !co_await connection_.write_rest(pieces));
    if (failed_) {
      connection_.stream_stop_->request_stop();
      co_return fail(Errc::kCancelled, "the client is gone");
    }
    connection_.enter(Phase::kHandler);
    co_return Result<void>();
  }
  [[nodiscard]] std::stop_token stop() const override {
    return connection_.stream_stop_->get_token();
  }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  Connection& connection_;
  bool chunked_;
  bool failed_ = false;
};

void Connection::Pieces::consume(std::size_t size) {
  for (std::string_view& piece : part) {
    const std::size_t used = std::min(size, piece.size());
    piece.remove_prefix(used);
    size -= used;
  }
}

Connection::Connection(std::shared_ptr<ServerCore> core, TcpSocket socket, Ticket ticket,
                       std::shared_ptr<asio::ssl::context> tls)
    : core_(std::move(core)),
      stream_(std::move(socket)),
      ticket_(std::move(ticket)),
      tls_context_(std::move(tls)) {
  error_code ignored;
  stream_.socket().non_blocking(true, ignored);
  stream_.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
  core_->enter(*this);
}

Connection::~Connection() {
  stream_.close();
  core_->leave(*this);
}

void Connection::enter(Phase phase, Millis deadline) {
  phase_ = phase;
  core_->deadlines.set(*this, deadline);
}

void Connection::enter(Phase phase) {
  phase_ = phase;
  core_->deadlines.clear(*this);
}

void Connection::on_deadline(MonoTime) {
  timed_out_ = true;
  if (phase_ == Phase::kWrite || phase_ == Phase::kHead || phase_ == Phase::kBody ||
      phase_ == Phase::kHandshake) {
    ++core_->stats.slow_dropped;
  }
  if (phase_ == Phase::kLinger) {
    stream_.close();  // a cancel could fall between two reads and be missed
    return;
  }
  stream_.cancel();
}

void Connection::begin_shutdown() {
  if (stream_stop_) stream_stop_->request_stop();
  // Half a head is no running work: nobody waits for its sender.
  if (phase_ == Phase::kIdle || phase_ == Phase::kHandshake || phase_ == Phase::kHead) {
    stream_.cancel();
  }
}

void Connection::abort() {
  if (stream_stop_) stream_stop_->request_stop();
  stream_.close();
}

Task<void> Connection::run(std::shared_ptr<Connection> self) {
  Next next = Next::kClose;
  try {
    if (!self->tls_context_ || co_await self->handshake()) next = co_await self->serve();
    if (next == Next::kLinger) {
      co_await self->linger();
    } else if (next == Next::kClose && self->stream_.tls() != nullptr) {
      co_await self->close_tls();
    }
  } catch (const std::bad_alloc&) {
    // Out of memory while serving one client: this client is given up, the others are not.
  }
}

Task<void> Connection::turn_away(std::shared_ptr<Connection> self, std::string message) {
  // Under TLS an answer would cost a handshake, which is what an overloaded server has not got.
  if (self->tls_context_) co_return;
  ++self->core_->refusing;
  co_await self->refuse(503, "overloaded", message);
  co_await self->linger();
  --self->core_->refusing;
}

Task<bool> Connection::handshake() {
  stream_.start_tls(*tls_context_);
  enter(Phase::kHandshake, core_->limits.handshake_deadline);
  error_code ec;
  co_await stream_.tls()->async_handshake(asio::ssl::stream_base::server,
                                          asio::redirect_error(use_task, ec));
  co_return !ec && !timed_out_ && !core_->stopping;
}

Task<Connection::Next> Connection::serve() {
  while (true) {
    enter(Phase::kIdle, core_->limits.idle_deadline);
    Next next = co_await read_head();
    if (next == Next::kKeep) next = co_await exchange();
    if (next != Next::kKeep) co_return next;
    if (core_->stopping) co_return Next::kLinger;
  }
}

Task<Connection::Next> Connection::read_head() {
  while (true) {
    while (buffer_.bytes().starts_with("\r\n")) {
      buffer_.consume(2);  // some clients end a body with a line break too many
      scanner_.reset();
    }
    const HeadScanner::State scanned = scanner_.scan(buffer_.bytes());
    const std::size_t size =
        scanned == HeadScanner::State::kComplete ? scanner_.head_size() : buffer_.size();
    if (scanned == HeadScanner::State::kBareLineFeed) {
      co_return co_await refuse(400, "bad_request", "lines must end with CR LF");
    }
    if (size > core_->limits.header_bytes) {
      co_return co_await refuse(431, "headers_too_large", "the request head is too large");
    }
    if (scanned == HeadScanner::State::kComplete) co_return Next::kKeep;

    if (phase_ == Phase::kIdle && !buffer_.empty()) {
      enter(Phase::kHead, core_->limits.head_deadline);
    }
    const std::span<char> room = buffer_.room();
    error_code ec;
    buffer_.commit(co_await stream_.async_read_some(asio::buffer(room.data(), room.size()),
                                                    asio::redirect_error(use_task, ec)));
    if (timed_out_ && phase_ == Phase::kHead) {
      co_return co_await refuse(408, "timeout", "the request head did not arrive in time");
    }
    if (ec || timed_out_) co_return Next::kClose;
  }
}

// One request whose head is complete in the buffer: asks, reads the body, answers.
Task<Connection::Next> Connection::exchange() {
  const std::size_t head_size = scanner_.head_size();
  const auto problem = parse_request_head(buffer_.bytes().substr(0, head_size),
                                          core_->limits.header_fields, head_, framing_);
  if (problem) co_return co_await refuse(problem->status, problem->error, problem->message);
  head_.peer = &ticket_.peer();
  head_.notes.reset();
  enter(Phase::kHandler);

  std::size_t used = head_size;
  Response response;
  Admission admission = core_->handler.admit(head_);
  const bool refused = admission.refusal.has_value();
  if (refused) {
    response = std::move(*admission.refusal);
  } else if (head_.websocket_upgrade) {
    co_return co_await upgrade();
  } else {
    std::string body;
    if (has_body()) {
      const Next next = co_await read_body(admission.max_body_bytes, body);
      if (next != Next::kKeep) co_return next;
      used = framing_.chunked ? buffer_.size()
                              : head_size + std::min(buffer_.size() - head_size, body.size());
    }
    enter(Phase::kHandler);
    std::string bug;
    try {
      response = co_await core_->handler.handle(head_, std::move(body));
    } catch (const std::exception& e) {
      bug = fmt::format("handler of {} {}: {}", head_.method, head_.path, e.what());
    }
    if (!bug.empty()) {
      core_->handler.on_bug(bug);
      co_return co_await refuse(500, "internal", "the request could not be served; this is a bug");
    }
  }

  // After a refusal the body is still on its way and nobody will read it, so the connection ends.
  const bool keep_alive = framing_.keep_alive && !core_->stopping &&
                          !(refused && (has_body() || head_.websocket_upgrade));
  if (response.stream) {
    const Next next = co_await respond_streamed(std::move(response), keep_alive);
    if (next != Next::kKeep) co_return next;
  } else {
    Pieces pieces = compose(response, keep_alive);
    if (!write_now(pieces)) co_return Next::kClose;
    if (!pieces.empty() && !co_await write_rest(pieces)) co_return Next::kClose;
    if (!keep_alive) co_return Next::kLinger;
  }
  finish_request(used);
  co_return Next::kKeep;
}

void Connection::finish_request(std::size_t used) {
  head_.method = {};  // the views end here; refusals of a broken next head must not look at them
  head_.notes.reset();
  buffer_.consume(used);
  if (!ahead_.empty()) buffer_.append(std::exchange(ahead_, {}));
  buffer_.shrink();
  scanner_.reset();
}

Task<Connection::Next> Connection::read_body(std::uint64_t max_bytes, std::string& body) {
  const std::uint64_t size = head_.content_length.value_or(0);
  if (size > max_bytes) {
    co_return co_await refuse(413, "too_large", "the body is larger than this route takes");
  }
  const std::size_t here = buffer_.size() - scanner_.head_size();
  if (framing_.expects_continue && here == 0) {
    Pieces go{{"HTTP/1.1 100 Continue\r\n\r\n", "", ""}};
    if (!write_now(go)) co_return Next::kClose;
    if (!go.empty() && !co_await write_rest(go)) co_return Next::kClose;
  }
  if (framing_.chunked) co_return co_await read_chunked_body(max_bytes, body);
  if (here >= size) {
    body.assign(buffer_.bytes().substr(scanner_.head_size(), static_cast<std::size_t>(size)));
    co_return Next::kKeep;
  }
  co_return co_await read_sized_body(size, body);
}

Task<Connection::Next> Connection::read_sized_body(std::uint64_t size, std::string& body) {
  body.assign(buffer_.bytes().substr(scanner_.head_size()));
  enter(Phase::kBody, core_->limits.body_deadline);
  error_code ec;
  while (body.size() < size) {
    // A client that only announces a large body gets no memory for it.
    const std::size_t old = body.size();
    const auto step =
        static_cast<std::size_t>(std::min<std::uint64_t>(size - old, std::max(kBodyStep, old)));
    body.resize(old + step);
    const std::size_t got = co_await stream_.async_read_some(asio::buffer(body.data() + old, step),
                                                             asio::redirect_error(use_task, ec));
    body.resize(old + got);
    if (ec || timed_out_) co_return co_await body_failed();
  }
  co_return Next::kKeep;
}

Task<Connection::Next> Connection::read_chunked_body(std::uint64_t max_bytes, std::string& body) {
  ChunkedDecoder decoder;
  std::string input(buffer_.bytes().substr(scanner_.head_size()));
  std::string_view rest = input;
  if (rest.empty()) enter(Phase::kBody, core_->limits.body_deadline);
  while (true) {
    const ChunkedDecoder::Step step = decoder.next(rest);
    rest.remove_prefix(step.consumed);
    switch (step.status) {
      case ChunkedDecoder::Status::kData:
        if (body.size() + step.data.size() + decoder.remaining() > max_bytes) {
          co_return co_await refuse(413, "too_large", "the body is larger than this route takes");
        }
        body.append(step.data);
        break;
      case ChunkedDecoder::Status::kDone:
        ahead_ = rest;
        co_return Next::kKeep;
      case ChunkedDecoder::Status::kBad:
        co_return co_await refuse(400, "bad_request", "the chunked body is broken");
      case ChunkedDecoder::Status::kNeedMore: {
        if (phase_ != Phase::kBody) enter(Phase::kBody, core_->limits.body_deadline);
        input.resize(kScratchBytes);
        error_code ec;
        const std::size_t got = co_await stream_.async_read_some(
            asio::buffer(input), asio::redirect_error(use_task, ec));
        if (ec || timed_out_) co_return co_await body_failed();
        rest = std::string_view(input).substr(0, got);
      }
    }
  }
}

Task<Connection::Next> Connection::body_failed() {
  if (!timed_out_) co_return Next::kClose;
  co_return co_await refuse(408, "timeout", "the body did not arrive in time");
}

Task<Connection::Next> Connection::refuse(int status, std::string_view error,
                                          std::string_view message) {
  timed_out_ = false;
  ++core_->stats.bad_requests;
  Response response = core_->handler.refuse(status, error, message);
  if (status == 503) response.headers.emplace_back("Retry-After", "5");
  if (status == 426) response.headers.emplace_back("Sec-WebSocket-Version", "13");
  response.stream = nullptr;
  Pieces pieces = compose(response, false);
  if (!write_now(pieces)) co_return Next::kClose;
  if (!pieces.empty() && !co_await write_rest(pieces)) co_return Next::kClose;
  co_return Next::kLinger;
}

Connection::Pieces Connection::compose(const Response& response, bool keep_alive) {
  const std::string_view body =
      response.static_body.empty() ? std::string_view(response.body) : response.static_body;
  out_.clear();
  append_response_head(out_, response, BodyFraming::kLength, body.size(), keep_alive);
  const bool send_body = status_has_body(response.status) && head_.method != "HEAD";
  return {{out_, send_body ? body : std::string_view(), ""}};
}

Task<Connection::Next> Connection::respond_streamed(Response response, bool keep_alive) {
  const bool chunked = framing_.http11;
  if (!chunked) keep_alive = false;
  out_.clear();
  append_response_head(out_, response, chunked ? BodyFraming::kChunked : BodyFraming::kUntilClose,
                       0, keep_alive);
  stream_stop_ = std::make_shared<std::stop_source>();
  Chunks chunks(*this, chunked);
  bool broken = !co_await chunks.put({{out_, "", ""}});
  if (!broken && head_.method != "HEAD" && status_has_body(response.status)) {
    watch_for_hangup();
    try {
      co_await response.stream(chunks);
    } catch (const std::exception& e) {
      broken = true;  // the missing last chunk tells the client that this is not all
      core_->handler.on_bug(e.what());
    }
    stream_.cancel();  // the watch for a hang-up; nothing else waits on the socket now
    broken = broken || chunks.failed();
    if (!broken && chunked) broken = !co_await chunks.put({{kLastChunk, "", ""}});
  }
  stream_stop_.reset();
  if (broken) co_return Next::kClose;
  co_return keep_alive ? Next::kKeep : Next::kLinger;
}

// A stream may have nothing to write for minutes; without this nobody would notice that its reader
// has left.
void Connection::watch_for_hangup() {
  stream_.socket().async_wait(
      TcpSocket::wait_read, [weak = weak_from_this(), stop = stream_stop_](error_code ec) {
        const auto self = weak.lock();
        if (ec || !self || self->stream_stop_ != stop) return;
        char byte = 0;
        const ssize_t size =
            ::recv(self->stream_.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
        // With bytes there (the next request, a TLS record) only a write will tell.
        if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) stop->request_stop();
      });
}

bool Connection::write_now(Pieces& pieces) {
  phase_ = Phase::kWrite;
  if (stream_.tls() != nullptr) return true;  // TLS writes go the long way
  error_code ec;
  const std::size_t size = stream_.socket().write_some(to_buffers(pieces.part), ec);
  if (ec && ec != asio::error::would_block && ec != asio::error::try_again) return false;
  pieces.consume(size);
  return true;
}

Task<bool> Connection::write_rest(Pieces pieces) {
  error_code ec;
  while (!pieces.empty()) {
    enter(Phase::kWrite, core_->limits.write_deadline);
    pieces.consume(co_await stream_.async_write_some(to_buffers(pieces.part),
                                                     asio::redirect_error(use_task, ec)));
    if (ec || timed_out_) {
      stream_.close();  // half an answer is out: nothing more can be said
      co_return false;
    }
  }
  core_->deadlines.clear(*this);
  co_return true;
}

Task<Connection::Next> Connection::upgrade() {
  if (core_->stopping) co_return co_await refuse(503, "unavailable", "the server is stopping");
  start_websocket(core_, std::move(stream_), std::move(ticket_), head_, framing_,
                  buffer_.bytes().substr(scanner_.head_size()));
  co_return Next::kUpgraded;
}

Task<void> Connection::close_tls() {
  timed_out_ = false;
  enter(Phase::kLinger, kLingerDeadline);
  error_code ec;
  co_await stream_.tls()->async_shutdown(asio::redirect_error(use_task, ec));
}

Task<void> Connection::linger() {
  if (stream_.tls() != nullptr) co_await close_tls();
  error_code ec;
  stream_.socket().shutdown(asio::socket_base::shutdown_send, ec);
  if (ec || timed_out_) co_return;
  enter(Phase::kLinger, kLingerDeadline);
  co_await drain(*core_, stream_);
}

}  // namespace rouse
