// One request and its answer: finds or makes a connection, writes, reads, and gives up when a
// deadline passes or somebody asks. Inside this room only.
//
// Giving up closes the socket; whatever waits on it ends with an error, and the cause that was
// noted first becomes the result. That keeps every path free of special cases for cancellation.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "net/client_core.h"
#include "net/head_parser.h"
#include "net/read_buffer.h"

namespace rouse {

class ClientExchange final : public Deadlines::Entry,
                             public std::enable_shared_from_this<ClientExchange> {
 public:
  enum class Cause : std::uint8_t { kNone, kDeadline, kIdle, kCancelled };

  ClientExchange(std::shared_ptr<ClientCore> core, ClientRequest request,
                 HttpClient::OnHead on_head, HttpClient::OnChunk on_chunk);
  ~ClientExchange() override;

  static Task<Result<ClientResponse>> run(std::shared_ptr<ClientCore> core, ClientRequest request,
                                          HttpClient::OnHead on_head, HttpClient::OnChunk on_chunk,
                                          std::stop_token stop);
  void stop(Cause cause);

 private:
  using Addresses = std::vector<std::string>;
  enum class Phase : std::uint8_t { kWhole, kConnect, kBody };

  void on_deadline(MonoTime now) override;
  void set_deadline(Phase phase, Millis at_most);
  [[nodiscard]] Millis time_left() const;

  Task<Result<ClientResponse>> perform();
  Result<void> prepare();
  [[nodiscard]] std::string pool_key() const;

  // client_connect.cc
  Task<Result<void>> connect();
  Task<Result<Addresses>> resolve(std::string host);
  Task<Result<void>> connect_tcp(std::string host, std::uint16_t port, Addresses addresses);
  Task<Result<void>> open_tunnel(std::string authority);
  Task<Result<void>> start_tls();
  Result<void> check_allowed(const Addresses& addresses) const;

  [[nodiscard]] std::string compose() const;
  Task<Result<void>> write(std::string_view head, std::string_view body);
  Task<Result<ResponseHead>> read_head();
  Task<Result<ClientResponse>> read_response();
  Task<Result<void>> read_body(const ResponseHead& head, ClientResponse& out);
  Task<Result<bool>> read_some();  // false at the end of the stream
  Result<void> deliver(std::string_view data, ClientResponse& out);

  // The cause if the exchange was given up, else the given error.
  [[nodiscard]] std::unexpected<Error> failure(ClientErrc code, std::string message) const;

  std::shared_ptr<ClientCore> core_;
  ClientRequest request_;
  HttpClient::OnHead on_head_;
  HttpClient::OnChunk on_chunk_;
  Url url_;
  std::optional<Proxy> proxy_;
  std::unique_ptr<ClientConnection> connection_;
  std::function<void()> abandon_;  // while a name is looked up: lets go of waiting for it
  ReadBuffer buffer_;
  MonoTime whole_at_;
  std::uint64_t body_bytes_ = 0;
  Phase phase_ = Phase::kWhole;
  Cause cause_ = Cause::kNone;
  bool attempt_over_ = false;  // one address took too long, the next is tried
  bool got_bytes_ = false;
  bool keep_ = false;
};

}  // namespace rouse
