#include "net/tls.h"

#include <cerrno>
#include <unistd.h>

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>

namespace rouse {
namespace {

namespace ssl = boost::asio::ssl;

std::string last_ssl_error() {
  const unsigned long code = ::ERR_get_error();
  ::ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ::ERR_reason_error_string(code);
  return reason == nullptr ? "unknown reason" : reason;
}

Result<void> check_readable(std::string_view what, const std::string& path) {
  if (::access(path.c_str(), R_OK) == 0) return {};
  return fail(os_error(fmt::format("cannot read the TLS {} '{}'", what, path), errno));
}

std::string date_warning(SSL_CTX* context, const std::string& path) {
  X509* cert = ::SSL_CTX_get0_certificate(context);
  if (cert == nullptr) return {};
  if (::X509_cmp_current_time(X509_get0_notAfter(cert)) < 0) {
    return fmt::format("the TLS certificate '{}' has expired; clients will refuse it", path);
  }
  if (::X509_cmp_current_time(X509_get0_notBefore(cert)) > 0) {
    return fmt::format("the TLS certificate '{}' is not valid yet; check the clock", path);
  }
  return {};
}

// The kernel of what Mozilla calls "intermediate": AEAD ciphers with ephemeral keys.
constexpr const char* kCiphers =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
    "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";

}  // namespace

Result<ServerTls> load_server_tls(const std::string& cert_path, const std::string& key_path) {
  TRY_VOID(check_readable("certificate", cert_path));
  TRY_VOID(check_readable("key", key_path));

  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  SSL_CTX* raw = context->native_handle();
  ::SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
  ::SSL_CTX_set_options(
      raw, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  // Buffers of 34 KB a connection are given back while nothing flows.
  ::SSL_CTX_set_mode(raw, SSL_MODE_RELEASE_BUFFERS);
  // Clients that just close end their streams quietly; the framing above knows what is complete.
  ::SSL_CTX_set_options(raw, SSL_OP_IGNORE_UNEXPECTED_EOF);
  ::SSL_CTX_set_cipher_list(raw, kCiphers);
  ::ERR_clear_error();

  if (::SSL_CTX_use_certificate_chain_file(raw, cert_path.c_str()) != 1) {
    return fail(Errc::kInvalid, fmt::format("'{}' holds no certificate in PEM form: {}", cert_path,
                                            last_ssl_error()));
  }
  if (::SSL_CTX_use_PrivateKey_file(raw, key_path.c_str(), SSL_FILETYPE_PEM) != 1) {
    const std::string why = last_ssl_error();
    if (why.find("mismatch") != std::string::npos) {
      return fail(Errc::kInvalid,
                  fmt::format("the TLS key '{}' does not belong to the certificate '{}'", key_path,
                              cert_path));
    }
    return fail(Errc::kInvalid,
                fmt::format("'{}' holds no private key in PEM form: {}", key_path, why));
  }
  if (::SSL_CTX_check_private_key(raw) != 1) {
    ::ERR_clear_error();
    return fail(Errc::kInvalid,
                fmt::format("the TLS key '{}' does not belong to the certificate '{}'", key_path,
                            cert_path));
  }
  return ServerTls{context, date_warning(raw, cert_path)};
}

Result<std::shared_ptr<ssl::context>> make_client_tls(const std::string& ca_file) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_client);
  SSL_CTX* raw = context->native_handle();
  ::SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
  ::SSL_CTX_set_mode(raw, SSL_MODE_RELEASE_BUFFERS);
  ::SSL_CTX_set_verify(raw, SSL_VERIFY_PEER, nullptr);
  ::SSL_CTX_set_default_verify_paths(
      raw);  // a machine without a store trusts nothing, which is fine
  ::ERR_clear_error();
  if (!ca_file.empty()) {
    TRY_VOID(check_readable("certificates", ca_file));
    if (::SSL_CTX_load_verify_locations(raw, ca_file.c_str(), nullptr) != 1) {
      return fail(Errc::kInvalid, fmt::format("'{}' holds no certificate in PEM form: {}", ca_file,
                                              last_ssl_error()));
    }
  }
  return context;
}

std::string verify_failure(void* handle) {
  const long code = ::SSL_get_verify_result(static_cast<SSL*>(handle));
  return code == X509_V_OK ? std::string() : std::string(::X509_verify_cert_error_string(code));
}

}  // namespace rouse
