// TLS settings of both sides, made from files. OpenSSL is first touched when one of these is
// called, so a server without TLS pays nothing for it. Inside this room only.
#pragma once

#include <memory>
#include <string>

#include <boost/asio/ssl/context.hpp>

#include "base/result.h"

namespace rouse {

struct ServerTls {
  std::shared_ptr<boost::asio::ssl::context> context;
  std::string warning;  // not empty if the certificate has expired or is not valid yet
};

// TLS 1.2 and newer, forward-secret ciphers only. The error says which file is wrong and why.
Result<ServerTls> load_server_tls(const std::string& cert_path, const std::string& key_path);

// Verifies against the system's store and, if given, one more file of certificates.
Result<std::shared_ptr<boost::asio::ssl::context>> make_client_tls(const std::string& ca_file);

// Why verification of a peer failed, in words; empty if it did not fail. ssl is an SSL*.
std::string verify_failure(void* ssl);

}  // namespace rouse
