#include "channel/notify/web_push.h"

#include <array>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>

#include "base/files.h"
#include "base/json.h"
#include "base/text.h"

namespace rouse {
namespace {

constexpr std::size_t kPointBytes = 65, kScalarBytes = 32, kAuthBytes = 16, kSaltBytes = 16;
constexpr std::size_t kKeyBytes = 16, kNonceBytes = 12, kTagBytes = 16;
constexpr std::uint32_t kRecordBytes = 4'096;
constexpr Millis kTokenLife = hours(12);  // push services refuse more than a day
constexpr const char* kCurve = "P-256";

template <auto kFree>
struct Freed {
  void operator()(auto* thing) const { kFree(thing); }
};
using PKey = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using PKeyContext = std::unique_ptr<EVP_PKEY_CTX, Freed<EVP_PKEY_CTX_free>>;
using BigNumber = std::unique_ptr<BIGNUM, Freed<BN_clear_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, Freed<EVP_MD_CTX_free>>;
using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, Freed<EVP_CIPHER_CTX_free>>;
using ParamBuild = std::unique_ptr<OSSL_PARAM_BLD, Freed<OSSL_PARAM_BLD_free>>;
using Params = std::unique_ptr<OSSL_PARAM, Freed<OSSL_PARAM_free>>;
using Signature = std::unique_ptr<ECDSA_SIG, Freed<ECDSA_SIG_free>>;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

Error broken(std::string_view what) {
  return Error(Errc::kInternal, fmt::format("Web Push: {} failed", what));
}

// Without a private key it is somebody else's.
Result<PKey> to_key(std::string_view public_key, std::string_view private_key) {
  const ParamBuild build(OSSL_PARAM_BLD_new());
  BigNumber scalar;
  bool fine = build != nullptr &&
              OSSL_PARAM_BLD_push_utf8_string(build.get(), OSSL_PKEY_PARAM_GROUP_NAME, kCurve, 0) &&
              OSSL_PARAM_BLD_push_octet_string(build.get(), OSSL_PKEY_PARAM_PUB_KEY,
                                               public_key.data(), public_key.size());
  if (fine && !private_key.empty()) {
    scalar.reset(BN_bin2bn(bytes_of(private_key), static_cast<int>(private_key.size()), nullptr));
    fine = scalar && OSSL_PARAM_BLD_push_BN(build.get(), OSSL_PKEY_PARAM_PRIV_KEY, scalar.get());
  }
  const Params params(fine ? OSSL_PARAM_BLD_to_param(build.get()) : nullptr);
  const PKeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, "EC", nullptr));
  EVP_PKEY* key = nullptr;
  const int selection = private_key.empty() ? EVP_PKEY_PUBLIC_KEY : EVP_PKEY_KEYPAIR;
  if (!params || !context || EVP_PKEY_fromdata_init(context.get()) <= 0 ||
      EVP_PKEY_fromdata(context.get(), &key, selection, params.get()) <= 0) {
    return fail(Errc::kInvalid, "this is no key on the curve P-256");
  }
  return PKey(key);
}

Result<std::string> shared_secret(EVP_PKEY* own, EVP_PKEY* other) {
  const PKeyContext context(EVP_PKEY_CTX_new(own, nullptr));
  std::string out(kScalarBytes, '\0');
  std::size_t size = out.size();
  if (!context || EVP_PKEY_derive_init(context.get()) <= 0 ||
      EVP_PKEY_derive_set_peer(context.get(), other) <= 0 ||
      EVP_PKEY_derive(context.get(), bytes_of(out), &size) <= 0 || size != out.size()) {
    return fail(broken("the key agreement"));
  }
  return out;
}

// HKDF of RFC 5869 for at most one block, which is all that is needed here.
std::string expand(std::string_view key, std::string info, std::size_t bytes) {
  info.push_back('\x01');
  return hmac_sha256(key, info).substr(0, bytes);
}

Result<std::string> seal(std::string_view key, std::string_view nonce, std::string_view plain) {
  const CipherContext context(EVP_CIPHER_CTX_new());
  std::string out(plain.size() + kTagBytes, '\0');
  int size = 0, rest = 0;
  const bool fine =
      context &&
      EVP_EncryptInit_ex(context.get(), EVP_aes_128_gcm(), nullptr, bytes_of(key),
                         bytes_of(nonce)) == 1 &&
      EVP_EncryptUpdate(context.get(), bytes_of(out), &size, bytes_of(plain),
                        static_cast<int>(plain.size())) == 1 &&
      EVP_EncryptFinal_ex(context.get(), bytes_of(out) + size, &rest) == 1 &&
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, static_cast<int>(kTagBytes),
                          bytes_of(out) + plain.size()) == 1;
  if (!fine) return fail(broken("the encryption"));
  return out;
}

std::string head_of(std::string_view salt, std::string_view own_public) {
  std::string out(salt);
  for (int shift = 24; shift >= 0; shift -= 8) {
    out.push_back(static_cast<char>((kRecordBytes >> shift) & 0xFF));
  }
  out.push_back(static_cast<char>(own_public.size()));
  return out.append(own_public);
}

// r and s side by side, as JWT wants it, where OpenSSL gives DER.
Result<std::string> sign(EVP_PKEY* key, std::string_view text) {
  const DigestContext context(EVP_MD_CTX_new());
  std::array<unsigned char, 128> der{};
  std::size_t size = der.size();
  if (!context || EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key) != 1 ||
      EVP_DigestSign(context.get(), der.data(), &size, bytes_of(text), text.size()) != 1) {
    return fail(broken("the signature"));
  }
  const unsigned char* at = der.data();
  const Signature signature(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(size)));
  std::string out(2 * kScalarBytes, '\0');
  const int half = static_cast<int>(kScalarBytes);
  if (!signature || BN_bn2binpad(ECDSA_SIG_get0_r(signature.get()), bytes_of(out), half) != half ||
      BN_bn2binpad(ECDSA_SIG_get0_s(signature.get()), bytes_of(out) + half, half) != half) {
    return fail(broken("the signature"));
  }
  return out;
}

struct PushKeyFile {
  std::string public_key, private_key;  // base64url
};
auto shape(const PushKeyFile*) {
  return fields(field("public", &PushKeyFile::public_key, ""),
                field("private", &PushKeyFile::private_key, ""));
}

struct VapidClaims {
  std::string aud;
  std::int64_t exp = 0;
  std::string sub;
};
auto shape(const VapidClaims*) {
  return fields(field("aud", &VapidClaims::aud, ""), field("exp", &VapidClaims::exp, ""),
                field("sub", &VapidClaims::sub, ""));
}

Result<std::string> decoded(std::string_view text, std::size_t bytes, std::string_view what) {
  auto out = from_base64url(text);
  if (out && out->size() == bytes) return *std::move(out);
  return fail(Errc::kInvalid, fmt::format("'{}' must be {} bytes in base64url", what, bytes));
}

}  // namespace

std::string to_base64url(std::string_view bytes) {
  std::string out = to_base64(bytes);
  while (out.ends_with('=')) out.pop_back();
  for (char& c : out) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return out;
}

std::optional<std::string> from_base64url(std::string_view text) {
  std::string plain(text);
  while (plain.ends_with('=')) plain.pop_back();
  for (char& c : plain) c = c == '-' ? '+' : c == '_' ? '/' : c;
  while (plain.size() % 4 != 0) plain.push_back('=');
  return from_base64(plain);
}

std::string hmac_sha256(std::string_view key, std::string_view data) {
  std::string out(EVP_MAX_MD_SIZE, '\0');
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes_of(data), data.size(),
       bytes_of(out), &size);
  out.resize(size);
  return out;
}

Result<PushKeyPair> make_push_keys() {
  const PKey key(EVP_EC_gen(kCurve));
  PushKeyPair out{std::string(kPointBytes, '\0'), std::string(kScalarBytes, '\0')};
  BIGNUM* scalar = nullptr;
  std::size_t size = 0;
  if (!key ||
      EVP_PKEY_get_octet_string_param(key.get(), OSSL_PKEY_PARAM_PUB_KEY, bytes_of(out.public_key),
                                      out.public_key.size(), &size) != 1 ||
      size != kPointBytes ||
      EVP_PKEY_get_bn_param(key.get(), OSSL_PKEY_PARAM_PRIV_KEY, &scalar) != 1) {
    return fail(broken("making a key"));
  }
  const BigNumber owned(scalar);
  if (BN_bn2binpad(scalar, bytes_of(out.private_key), static_cast<int>(kScalarBytes)) < 0) {
    return fail(broken("making a key"));
  }
  return out;
}

Result<PushKeyPair> PushKeys::get() {
  if (known_) return *known_;
  PushKeyPair keys;
  if (path_exists(path_)) {
    TRY(const std::string text, read_secret_file(path_));
    TRY(const PushKeyFile file, decode_json<PushKeyFile>(text));
    TRY(keys.public_key, decoded(file.public_key, kPointBytes, "public"));
    TRY(keys.private_key, decoded(file.private_key, kScalarBytes, "private"));
  } else {
    TRY(keys, make_push_keys());
    TRY_VOID(make_private_dir(std::filesystem::path(path_).parent_path().string()));
    TRY_VOID(write_file_atomic(path_, encode_json(PushKeyFile{to_base64url(keys.public_key),
                                                              to_base64url(keys.private_key)})));
  }
  known_ = keys;
  return keys;
}

Result<void> check_push_reader(const PushReader& reader) {
  TRY(const std::string point, decoded(reader.p256dh, kPointBytes, "keys.p256dh"));
  TRY_VOID(decoded(reader.auth, kAuthBytes, "keys.auth"));
  TRY_VOID(to_key(point, {}));
  return {};
}

Result<std::string> encrypt_push(const PushReader& reader, std::string_view payload,
                                 Random& random) {
  TRY(const std::string their_point, decoded(reader.p256dh, kPointBytes, "keys.p256dh"));
  TRY(const std::string auth, decoded(reader.auth, kAuthBytes, "keys.auth"));
  TRY(const PushKeyPair once, make_push_keys());
  TRY(const PKey own, to_key(once.public_key, once.private_key));
  TRY(const PKey theirs, to_key(their_point, {}));
  TRY(const std::string agreed, shared_secret(own.get(), theirs.get()));
  std::string salt(kSaltBytes, '\0');
  random.fill({bytes_of(salt), salt.size()});
  std::string info("WebPush: info\0", 14);
  info += their_point + once.public_key;
  const std::string secret = expand(hmac_sha256(auth, agreed), std::move(info), 32);
  const std::string key = hmac_sha256(salt, secret);
  TRY(const std::string sealed,
      seal(expand(key, std::string("Content-Encoding: aes128gcm\0", 28), kKeyBytes),
           expand(key, std::string("Content-Encoding: nonce\0", 24), kNonceBytes),
           std::string(payload) + '\x02'));
  return head_of(salt, once.public_key) + sealed;
}

Result<std::string> vapid_header(const PushKeyPair& keys, std::string_view audience,
                                 std::string_view subject, WallTime now) {
  TRY(const PKey key, to_key(keys.public_key, keys.private_key));
  const VapidClaims claims{.aud = std::string(audience),
                           .exp = (now + kTokenLife).unix_ms / 1000,
                           .sub = std::string(subject)};
  const std::string text =
      to_base64url(R"({"typ":"JWT","alg":"ES256"})") + "." + to_base64url(encode_json(claims));
  TRY(const std::string signature, sign(key.get(), text));
  return fmt::format("vapid t={}.{}, k={}", text, to_base64url(signature),
                     to_base64url(keys.public_key));
}

}  // namespace rouse
