// What our part of OpenSSL can and cannot do, with keys and certificates made by the whole of it:
// the openssl command.
#include <array>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "net/http_client.h"
#include "net/net_for_tests.h"
#include "net/tls.h"

namespace rouse {
namespace {

bool runs(const std::string& command) {
  return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
}

class OpenSslProvider : public testing::Test {
 protected:
  void SetUp() override {
    if (!runs("openssl version")) GTEST_SKIP() << "needs the openssl command";
  }
  // A certificate for 127.0.0.1 with a new key, made by the openssl command.
  TlsFiles certificate(std::string_view stem, std::string_view key_options) {
    TlsFiles files{dir_.path(fmt::format("{}.crt", stem)), dir_.path(fmt::format("{}.key", stem))};
    EXPECT_TRUE(
        runs(fmt::format("openssl req -x509 -nodes -days 2 -subj /CN=localhost -addext "
                         "subjectAltName=IP:127.0.0.1 {} -keyout {} -out {}",
                         key_options, files.key_path, files.cert_path)))
        << key_options;
    return files;
  }
  std::string rewritten(const TlsFiles& files, std::string_view command) {
    const std::string out = files.key_path + ".other";
    EXPECT_TRUE(runs(fmt::format("openssl {} -in {} -out {}", command, files.key_path, out)))
        << command;
    return out;
  }
  Result<ClientResponse> get_from(std::uint16_t port, const std::string& ca_file) {
    ClientOptions options;
    options.ca_file = ca_file;
    Loop loop;
    const auto client = make_http_client(loop, options);
    ClientRequest request;
    request.url = fmt::format("https://127.0.0.1:{}/", port);
    return run_task(loop, client->send(std::move(request), {}));
  }
  // A handshake of the whole OpenSSL with our server.
  bool others_connect(std::uint16_t port, const std::string& ca_file, std::string_view how) {
    return runs(
        fmt::format("openssl s_client -brief -verify_return_error -connect 127.0.0.1:{} "
                    "-CAfile {} {} </dev/null",
                    port, ca_file, how));
  }
  ScratchDir dir_;
};

TEST_F(OpenSslProvider, HasWhatTlsNeedsAndNothingElse) {
#if OPENSSL_VERSION_MAJOR == 3 && OPENSSL_VERSION_MINOR == 0
  const auto cipher = [](const char* name) {
    EVP_CIPHER* found = ::EVP_CIPHER_fetch(nullptr, name, nullptr);
    ::EVP_CIPHER_free(found);
    return found != nullptr;
  };
  for (const char* name : {"AES-128-GCM", "AES-256-GCM", "ChaCha20-Poly1305", "AES-256-CBC"}) {
    EXPECT_TRUE(cipher(name)) << name;
  }
  for (const char* name : {"ARIA-128-GCM", "CAMELLIA-128-CBC", "SM4-CBC", "DES-EDE3-CBC"}) {
    EXPECT_FALSE(cipher(name)) << name << ": is openssl_provider.cc still in force?";
  }
#else
  GTEST_SKIP() << "OpenSSL's own lists are used with this release";
#endif
}

TEST_F(OpenSslProvider, ServesEveryKindOfCertificateOverBothVersionsOfTls) {
  for (const char* key : {"-newkey rsa:2048 -sha256", "-newkey rsa:3072 -sha384",
                          "-newkey ec -pkeyopt ec_paramgen_curve:P-256",
                          "-newkey ec -pkeyopt ec_paramgen_curve:P-384 -sha384",
                          "-newkey ec -pkeyopt ec_paramgen_curve:P-521 -sha512",
                          "-newkey rsa-pss -pkeyopt rsa_keygen_bits:2048", "-newkey ed25519"}) {
    const TlsFiles files = certificate("served", key);
    RunningServer running({}, files);
    const auto ours = get_from(running.port, files.cert_path);
    EXPECT_TRUE(ours) << key << ": " << ours.error();
    for (const char* version :
         {"-tls1_2", "-tls1_3", "-tls1_3 -groups P-384", "-tls1_3 -groups P-521"}) {
      EXPECT_TRUE(others_connect(running.port, files.cert_path, version)) << key << " " << version;
    }
  }
}

TEST_F(OpenSslProvider, AgreesOnEveryCipherItOffers) {
  const TlsFiles rsa = certificate("rsa", "-newkey rsa:2048");
  RunningServer running({}, rsa);
  for (const char* cipher : {"ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-AES256-GCM-SHA384",
                             "ECDHE-RSA-CHACHA20-POLY1305"}) {
    EXPECT_TRUE(
        others_connect(running.port, rsa.cert_path, fmt::format("-tls1_2 -cipher {}", cipher)))
        << cipher;
  }
  for (const char* cipher :
       {"TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"}) {
    EXPECT_TRUE(
        others_connect(running.port, rsa.cert_path, fmt::format("-ciphersuites {}", cipher)))
        << cipher;
  }
  EXPECT_FALSE(others_connect(running.port, rsa.cert_path, "-tls1_2 -cipher AES128-SHA"));
}

// A server of the whole OpenSSL that answers one request.
class OtherServer {
 public:
  OtherServer(const TlsFiles& files, std::string_view how)
      : process_(::popen(fmt::format("timeout 20 openssl s_server -accept 127.0.0.1:0 -naccept 1 "
                                     "-www -cert {} -key {} {} 2>&1",
                                     files.cert_path, files.key_path, how)
                             .c_str(),
                         "r")) {
    std::array<char, 256> line;
    while (std::fgets(line.data(), line.size(), process_) != nullptr) {
      if (std::sscanf(line.data(), "ACCEPT 127.0.0.1:%hu", &port) == 1) return;
    }
  }
  ~OtherServer() { ::pclose(process_); }
  std::uint16_t port = 0;

 private:
  std::FILE* process_;
};

TEST_F(OpenSslProvider, CallsServersThatKnowOnlyOneCipher) {
  const TlsFiles rsa = certificate("rsa", "-newkey rsa:2048");
  const TlsFiles ec = certificate("ec", "-newkey ec -pkeyopt ec_paramgen_curve:P-384 -sha384");
  for (const auto& [files, how] :
       {std::pair{rsa, "-tls1_3 -ciphersuites TLS_AES_128_GCM_SHA256"},
        std::pair{ec, "-tls1_3 -ciphersuites TLS_CHACHA20_POLY1305_SHA256 -groups X25519"},
        std::pair{ec, "-tls1_2 -cipher ECDHE-ECDSA-CHACHA20-POLY1305"},
        std::pair{rsa, "-tls1_2 -cipher ECDHE-RSA-AES256-GCM-SHA384"},
        std::pair{rsa, "-tls1_2 -cipher ECDHE-RSA-AES128-SHA"},
        std::pair{rsa, "-tls1_2 -cipher ECDHE-RSA-AES256-SHA384"},
        std::pair{rsa, "-tls1_2 -cipher AES128-GCM-SHA256"}}) {
    const OtherServer server(files, how);
    ASSERT_NE(server.port, 0) << how;
    const auto answer = get_from(server.port, files.cert_path);
    EXPECT_TRUE(answer) << how << ": " << answer.error();
  }
}

TEST_F(OpenSslProvider, ReadsKeysInEveryForm) {
  const TlsFiles rsa = certificate("rsa", "-newkey rsa:2048");
  const TlsFiles ec = certificate("ec", "-newkey ec -pkeyopt ec_paramgen_curve:P-256");
  EXPECT_TRUE(load_server_tls(rsa.cert_path, rsa.key_path)) << "PKCS#8";
  EXPECT_TRUE(load_server_tls(rsa.cert_path, rewritten(rsa, "rsa -traditional"))) << "PKCS#1";
  EXPECT_TRUE(load_server_tls(ec.cert_path, rewritten(ec, "ec"))) << "SEC1";
}

TEST_F(OpenSslProvider, ReadsEncryptedKeys) {
  const TlsFiles rsa = certificate("rsa", "-newkey rsa:2048");
  const std::string locked = rewritten(rsa, "pkcs8 -topk8 -v2 aes-256-cbc -passout pass:secret");
  std::FILE* in = std::fopen(locked.c_str(), "r");
  ASSERT_NE(in, nullptr);
  char word[] = "secret";
  EVP_PKEY* key = ::PEM_read_PrivateKey(in, nullptr, nullptr, word);
  std::fclose(in);
  EXPECT_NE(key, nullptr);
  ::EVP_PKEY_free(key);
}

// Roots sign themselves: whoever can check that can check what they sign.
TEST_F(OpenSslProvider, ChecksTheSignatureOfEveryRootOfThisMachine) {
  std::FILE* in = std::fopen("/etc/ssl/certs/ca-certificates.crt", "r");
  if (in == nullptr) GTEST_SKIP() << "no roots on this machine";
  int checked = 0;
  while (X509* root = ::PEM_read_X509(in, nullptr, nullptr, nullptr)) {
    EXPECT_EQ(::X509_verify(root, ::X509_get0_pubkey(root)), 1)
        << ::X509_NAME_oneline(::X509_get_subject_name(root), nullptr, 0);
    ::X509_free(root);
    ++checked;
  }
  std::fclose(in);
  EXPECT_GT(checked, 0);
}

}  // namespace
}  // namespace rouse
