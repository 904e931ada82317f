// Any bytes as what comes in at a door: a page's frame, a chat request, a bridge's webhook. It is a
// struct or an error that says where; what was read and written again is read the same.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "channel/whatsapp/fast_path.h"
#include "gateway/live/page_frames.h"
#include "gateway/routes/chat_routes.h"
#include "gateway/routes/whatsapp_routes.h"

namespace rouse {
namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

template <class T>
void check(std::string_view bytes) {
  const auto read = decode_json<T>(bytes);
  if (!read) return demand(!read.error().message.empty());
  const std::string written = encode_json(*read);
  const auto again = decode_json<T>(written);
  demand(again.has_value() && encode_json(*again) == written);
}

}  // namespace
}  // namespace rouse

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  rouse::check<rouse::PageAsk>(bytes);
  rouse::check<rouse::ChatRequest>(bytes);
  rouse::check<rouse::WhatsAppMessage>(bytes);
  (void)rouse::reply_word(bytes);
  return 0;
}
