#define OPENSSL_SUPPRESS_DEPRECATED
#include "net/net_for_tests.h"

#include <arpa/inet.h>
#include <cstdlib>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>

namespace rouse {

Admission ScriptedHandler::admit(const RequestHead& head) {
  if (on_admit) return on_admit(head);
  Admission admission;
  admission.max_body_bytes = 1 << 20;
  return admission;
}

Task<Response> ScriptedHandler::handle(const RequestHead& head, std::string body) {
  if (on_handle) co_return co_await on_handle(head, std::move(body));
  Response response;
  response.body = "ok";
  co_return response;
}

Task<void> ScriptedHandler::websocket(const RequestHead& head, std::shared_ptr<WebSocket> socket) {
  if (on_websocket) co_await on_websocket(head, std::move(socket));
}

Response ScriptedHandler::refuse(int status, std::string_view error, std::string_view message) {
  Response response;
  response.status = status;
  response.body = fmt::format("{}: {}", error, message);
  return response;
}

RunningServer::RunningServer(ServerLimits limits, std::optional<TlsFiles> tls, std::string host)
    : server(make_http_server(loop, handler, std::move(limits))) {
  const auto bound = server->listen(std::move(host), 0, tls);
  EXPECT_TRUE(bound.has_value()) << (bound ? Error() : bound.error());
  port = bound.value_or(0);
  thread_ = std::thread([this] { loop.run(); });
}

RunningServer::~RunningServer() {
  loop.stop();
  thread_.join();
  server.reset();
}

std::future<void> RunningServer::shutdown(Millis deadline) {
  auto done = std::make_shared<std::promise<void>>();
  auto future = done->get_future();
  loop.post([this, deadline, done] {
    loop.spawn("shutdown",
               [](HttpServer& to_stop, Millis longest,
                  std::shared_ptr<std::promise<void>> promise) -> Task<void> {
                 co_await to_stop.shutdown(longest);
                 promise->set_value();
               }(*server, deadline, done));
  });
  return future;
}

RawClient::RawClient(std::uint16_t port, int receive_buffer, const std::string& host) {
  const bool v6 = host.find(':') != std::string::npos;
  fd_ = ::socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (receive_buffer > 0) {
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  }
  const timeval patience{20, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  const int on = 1;
  ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  int result = -1;
  if (v6) {
    sockaddr_in6 to{};
    to.sin6_family = AF_INET6;
    to.sin6_port = htons(port);
    ::inet_pton(AF_INET6, host.c_str(), &to.sin6_addr);
    result = ::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to);
  } else {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    ::inet_pton(AF_INET, host.c_str(), &to.sin_addr);
    result = ::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to);
  }
  EXPECT_EQ(result, 0) << "cannot connect to port " << port;
}

RawClient::RawClient(RawClient&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), buffer_(std::move(other.buffer_)) {}

RawClient::~RawClient() {
  if (fd_ >= 0) ::close(fd_);
}

bool RawClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t size = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

void RawClient::finish_sending() { ::shutdown(fd_, SHUT_WR); }

void RawClient::reset() {
  const linger hard{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  ::close(std::exchange(fd_, -1));
}

std::string RawClient::read_some() {
  if (!buffer_.empty()) return std::exchange(buffer_, {});
  std::string out(65536, '\0');
  const ssize_t size = ::recv(fd_, out.data(), out.size(), 0);
  EXPECT_FALSE(size < 0 && errno == EAGAIN) << "the server sent nothing for 20 s";
  out.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return out;
}

std::string RawClient::read_until(std::string_view mark) {
  std::string all;
  while (all.find(mark) == std::string::npos) {
    const std::string more = read_some();
    if (more.empty()) return all;
    all += more;
  }
  const std::size_t end = all.find(mark) + mark.size();
  buffer_ = all.substr(end);
  return all.substr(0, end);
}

std::string RawClient::read_exactly(std::size_t size) {
  std::string all;
  while (all.size() < size) {
    const std::string more = read_some();
    if (more.empty()) return all;
    all += more;
  }
  buffer_ = all.substr(size);
  return all.substr(0, size);
}

std::string RawClient::read_to_end() {
  std::string all;
  for (std::string more = read_some(); !more.empty(); more = read_some()) all += more;
  return all;
}

std::string RawClient::read_response() {
  std::string head = read_until("\r\n\r\n");
  const std::size_t at = head.find("Content-Length: ");
  if (at == std::string::npos) return head;
  return head + read_exactly(std::strtoul(head.c_str() + at + 16, nullptr, 10));
}

bool RawClient::closed_by_server() {
  buffer_.clear();
  char bytes[4096];
  ssize_t size = 1;
  while (size > 0) size = ::recv(fd_, bytes, sizeof bytes, 0);
  return size == 0 || errno == ECONNRESET;
}

bool RawClient::upgrade(std::string_view path) {
  send(fmt::format(
      "GET {} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
      path));
  const std::string head = read_until("\r\n\r\n");
  return status_of(head) == 101 && head.find("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=") != std::string::npos;
}

bool RawClient::send_frame(int opcode, std::string_view payload, bool fin) {
  std::string frame;
  frame.push_back(static_cast<char>((fin ? 0x80 : 0) | opcode));
  if (payload.size() < 126) {
    frame.push_back(static_cast<char>(0x80 | payload.size()));
  } else if (payload.size() < 65536) {
    frame.push_back(static_cast<char>(0x80 | 126));
    frame.push_back(static_cast<char>(payload.size() >> 8));
    frame.push_back(static_cast<char>(payload.size()));
  } else {
    frame.push_back(static_cast<char>(0x80 | 127));
    for (int shift = 56; shift >= 0; shift -= 8)
      frame.push_back(static_cast<char>(payload.size() >> shift));
  }
  constexpr std::string_view kMask = "abcd";
  frame += kMask;
  for (std::size_t i = 0; i < payload.size(); ++i)
    frame.push_back(static_cast<char>(payload[i] ^ kMask[i % 4]));
  return send(frame);
}

int RawClient::Frame::close_code() const {
  if (opcode != 8 || payload.size() < 2) return -1;
  return static_cast<unsigned char>(payload[0]) * 256 + static_cast<unsigned char>(payload[1]);
}

RawClient::Frame RawClient::read_frame() {
  const std::string head = read_exactly(2);
  if (head.size() < 2) return {};
  std::uint64_t size = static_cast<unsigned char>(head[1]) & 0x7f;
  if (size >= 126) {
    const std::string longer = read_exactly(size == 126 ? 2 : 8);
    size = 0;
    for (const char c : longer) size = size * 256 + static_cast<unsigned char>(c);
  }
  Frame frame{head[0] & 0x0f, read_exactly(size)};
  return frame;
}

std::string get(std::string_view path, std::string_view more_headers) {
  return fmt::format("GET {} HTTP/1.1\r\nHost: x\r\n{}\r\n", path, more_headers);
}

std::string post(std::string_view path, std::string_view body) {
  return fmt::format("POST {} HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{}", path,
                     body.size(), body);
}

int status_of(std::string_view response) {
  return response.size() < 12 ? 0 : std::atoi(std::string(response.substr(9, 3)).c_str());
}

std::string body_of(std::string_view response) {
  const std::size_t at = response.find("\r\n\r\n");
  return at == std::string_view::npos ? "" : std::string(response.substr(at + 4));
}

TlsFiles make_certificate(const ScratchDir& dir, std::string_view stem,
                          const CertificateRequest& request) {
  TlsFiles files{dir.path(fmt::format("{}.crt", stem)), dir.path(fmt::format("{}.key", stem))};
  // A key of the older kind: to write it down needs no encoder, and openssl_provider.cc has none.
  EC_KEY* pair = ::EC_KEY_new_by_curve_name(NID_X9_62_prime256v1);
  ::EC_KEY_generate_key(pair);
  EVP_PKEY* key = ::EVP_PKEY_new();
  ::EVP_PKEY_assign_EC_KEY(key, pair);
  X509* cert = ::X509_new();
  ::X509_set_version(cert, 2);
  ::ASN1_INTEGER_set(::X509_get_serialNumber(cert), static_cast<long>(::getpid()));
  ::X509_gmtime_adj(::X509_getm_notBefore(cert), request.starts_in_days * 86400L);
  ::X509_gmtime_adj(::X509_getm_notAfter(cert), request.ends_in_days * 86400L);
  ::X509_set_pubkey(cert, key);
  X509_NAME* name = ::X509_get_subject_name(cert);
  ::X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(request.name.c_str()), -1, -1,
                               0);
  ::X509_set_issuer_name(cert, name);
  const std::string names = fmt::format("DNS:{},IP:{}", request.name, request.address);
  for (const auto& [id, value] : {std::pair{NID_basic_constraints, std::string("critical,CA:TRUE")},
                                  std::pair{NID_subject_alt_name, names}}) {
    X509_EXTENSION* extension = ::X509V3_EXT_conf_nid(nullptr, nullptr, id, value.c_str());
    ::X509_add_ext(cert, extension, -1);
    ::X509_EXTENSION_free(extension);
  }
  ::X509_sign(cert, key, ::EVP_sha256());
  std::FILE* out = std::fopen(files.cert_path.c_str(), "w");
  ::PEM_write_X509(out, cert);
  std::fclose(out);
  out = std::fopen(files.key_path.c_str(), "w");
  ::PEM_write_PrivateKey(out, key, nullptr, nullptr, 0, nullptr, nullptr);
  std::fclose(out);
  ::X509_free(cert);
  ::EVP_PKEY_free(key);
  return files;
}

}  // namespace rouse
