#include "session/session_key.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"

namespace rouse {
namespace {

constexpr std::size_t kChannelBytes = 32;
constexpr std::size_t kPeerBytes = 256;
constexpr std::array<std::string_view, 5> kDirect{"websocket", "web", "terminal", "api", "unified"};

bool is_channel_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

}  // namespace

Result<SessionKey> SessionKey::make(std::string_view channel, std::string_view peer) {
  if (channel.empty() || channel.size() > kChannelBytes ||
      !std::ranges::all_of(channel, is_channel_letter)) {
    return fail(Errc::kInvalid,
                fmt::format("'channel' must be 1 to {} of a-z, 0-9, '_' and '-', like whatsapp",
                            kChannelBytes));
  }
  if (trim(peer).empty() || peer.size() > kPeerBytes || std::ranges::any_of(peer, is_control)) {
    return fail(Errc::kInvalid,
                fmt::format("'remote_jid' must be one line of 1 to {} bytes, like +15550001234",
                            kPeerBytes));
  }
  return SessionKey{std::string(channel), std::string(peer)};
}

Result<SessionKey> SessionKey::parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    return fail(Errc::kInvalid,
                fmt::format("'{}' is not a session key; they look like whatsapp:+15550001234",
                            utf8_prefix(text, 80)));
  }
  return make(text.substr(0, colon), text.substr(colon + 1));
}

bool is_bridged(std::string_view channel) {
  return std::ranges::find(kDirect, channel) == kDirect.end();
}

bool begins_here(std::string_view channel) {
  return !is_bridged(channel) && channel != SessionKey::unified().channel;
}

}  // namespace rouse
