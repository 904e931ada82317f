// The words of Web Push: a message only the browser can read (RFC 8291 over RFC 8188, aes128gcm),
// and the signature by which a push service knows who sends it (RFC 8292, VAPID with ES256). The
// curve, the cipher and the signature are OpenSSL's.
//
// The server's key pair is made when it is needed first and kept in a file of its own (0600): a
// browser's subscription is bound to it, so losing it silences every subscribed browser.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/random.h"
#include "base/result.h"
#include "base/time.h"

namespace rouse {

// Without padding, in the alphabet of URLs.
std::string to_base64url(std::string_view bytes);
std::optional<std::string> from_base64url(std::string_view text);

std::string hmac_sha256(std::string_view key, std::string_view data);

// A point and a scalar of P-256, as they are written on the wire.
struct PushKeyPair {
  std::string public_key;   // 65 bytes, uncompressed
  std::string private_key;  // 32 bytes
};
Result<PushKeyPair> make_push_keys();

// Reads the key pair, or makes one.
class PushKeys {
 public:
  explicit PushKeys(std::string path) : path_(std::move(path)) {}
  Result<PushKeyPair> get();

 private:
  std::string path_;
  std::optional<PushKeyPair> known_;
};

// What a browser gave: its public key and its secret, base64url. kInvalid if they are not such.
struct PushReader {
  std::string p256dh, auth;
};
Result<void> check_push_reader(const PushReader& reader);

inline constexpr std::size_t kPushPayloadBytes = 3'000;

// The body of the request; its content coding is aes128gcm.
Result<std::string> encrypt_push(const PushReader& reader, std::string_view payload,
                                 Random& random);

// The header Authorization. The audience is the push service's origin.
Result<std::string> vapid_header(const PushKeyPair& keys, std::string_view audience,
                                 std::string_view subject, WallTime now);

}  // namespace rouse
