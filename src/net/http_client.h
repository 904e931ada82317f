// An HTTP/1.1 client: verified TLS, proxy variables, deadlines, cancellation, and bodies that can
// be read as they arrive. Connections are reused per origin within a small bound.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/loop.h"
#include "base/time.h"
#include "net/http.h"

namespace rouse {

enum class ClientErrc : std::uint8_t {
  kBadUrl,
  kResolve,  // the name does not resolve
  kConnect,  // refused or unreachable
  kTls,      // certificate not trusted, expired, wrong host
  kTimeout,  // the deadline passed
  kCancelled,
  kProtocol,  // the server broke HTTP
  kTooLarge,  // the body passed the bound
  kClosed,    // the server closed early
  kBlocked,   // the address is not allowed
};
ErrorInfo error_info(ClientErrc code);

struct ClientRequest {
  std::string method = "GET";
  std::string url;  // http:// or https://
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  Millis deadline = seconds(30);       // for the whole exchange, connect to last byte
  Millis idle_deadline = seconds(30);  // without a byte while the body streams
  std::size_t max_body_bytes = 8 << 20;
  // When set, each resolved address must pass, and the connection goes to exactly that address.
  std::function<bool(std::string_view address)> allow_address;
};

struct ClientResponse {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const;
};

class HttpClient {
 public:
  virtual ~HttpClient() = default;

  virtual Task<Result<ClientResponse>> send(ClientRequest request, std::stop_token stop) = 0;

  // The body goes to on_chunk as it arrives (body of the answer stays empty). on_head is called
  // once before; either returns an error to stop reading, which is then the result.
  using OnHead = std::function<Result<void>(const ClientResponse& head)>;
  using OnChunk = std::function<Result<void>(std::string_view chunk)>;
  virtual Task<Result<ClientResponse>> stream(ClientRequest request, OnHead on_head,
                                              OnChunk on_chunk, std::stop_token stop) = 0;
};

struct ClientOptions {
  std::string ca_file;  // extra trust, for tests and private CAs; system store always
  std::optional<std::string> http_proxy, https_proxy,
      no_proxy;  // taken from the environment by wiring
  std::size_t idle_connections = 8;
};

std::unique_ptr<HttpClient> make_http_client(Loop& loop, ClientOptions options);

}  // namespace rouse
