// One HTTP/1.1 connection of the server: reads requests one after the other, asks the handler,
// writes the answers in the same order. Inside this room only.
//
// Guarantees: a body is read only after the handler admitted the head, and never beyond the
// admitted size; a request that could be read in two ways is refused and the connection closed;
// every wait on the client has a deadline.
#pragma once

#include <array>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "net/head_parser.h"
#include "net/read_buffer.h"
#include "net/server_core.h"

namespace rouse {

class Connection final : public Member, public std::enable_shared_from_this<Connection> {
 public:
  Connection(std::shared_ptr<ServerCore> core, TcpSocket socket, Ticket ticket,
             std::shared_ptr<boost::asio::ssl::context> tls);
  ~Connection() override;

  // Serves until the connection ends. The task keeps the connection alive.
  static Task<void> run(std::shared_ptr<Connection> self);
  // Tells a client over the connection limit so, and closes.
  static Task<void> turn_away(std::shared_ptr<Connection> self, std::string message);

  void begin_shutdown() override;
  void abort() override;

 private:
  class Chunks;

  // What the connection is waiting for; decides what a passed deadline means.
  enum class Phase : std::uint8_t { kHandshake, kIdle, kHead, kBody, kHandler, kWrite, kLinger };
  enum class Next : std::uint8_t { kKeep, kClose, kLinger, kUpgraded };

  // Up to three pieces of bytes written as one.
  struct Pieces {
    std::array<std::string_view, 3> part;
    [[nodiscard]] bool empty() const {
      return part[0].empty() && part[1].empty() && part[2].empty();
    }
    void consume(std::size_t size);
  };

  void on_deadline(MonoTime now) override;
  void enter(Phase phase, Millis deadline);
  void enter(Phase phase);  // without a deadline

  Task<bool> handshake();
  Task<Next> serve();
  Task<Next> read_head();  // until one is complete in buffer_
  Task<Next> exchange();
  void finish_request(std::size_t used);
  Task<Next> read_body(std::uint64_t max_bytes, std::string& body);
  Task<Next> read_sized_body(std::uint64_t size, std::string& body);
  Task<Next> read_chunked_body(std::uint64_t max_bytes, std::string& body);
  Task<Next> refuse(int status, std::string_view error, std::string_view message);
  Task<Next> body_failed();
  Task<Next> respond_streamed(Response response, bool keep_alive);
  Pieces compose(const Response& response, bool keep_alive);  // views into out_ and response

  // Writes what the socket takes at once. False if the socket is broken.
  bool write_now(Pieces& pieces);
  Task<bool> write_rest(Pieces pieces);
  void watch_for_hangup();
  Task<Next> upgrade();
  Task<void> linger();
  Task<void> close_tls();

  [[nodiscard]] bool has_body() const {
    return framing_.chunked || head_.content_length.value_or(0) > 0;
  }

  std::shared_ptr<ServerCore> core_;
  NetStream stream_;
  Ticket ticket_;
  std::shared_ptr<boost::asio::ssl::context> tls_context_;
  ReadBuffer buffer_;
  HeadScanner scanner_;
  RequestHead head_;
  RequestFraming framing_;
  std::string out_;    // response heads; keeps its memory from request to request
  std::string ahead_;  // bytes of the next request that came with a chunked body
  std::shared_ptr<std::stop_source> stream_stop_;  // while a response is streamed
  Phase phase_ = Phase::kIdle;
  bool timed_out_ = false;
};

}  // namespace rouse
