#include "channel/whatsapp/fast_path.h"

namespace rouse {

std::optional<ReplyWord> reply_word(std::string_view message) { return std::nullopt; }

}  // namespace rouse
