#include "base/ids.h"

#include <algorithm>

namespace rouse {

bool is_id_tail(std::string_view tail) {
  return !tail.empty() && tail.size() <= 64 && std::ranges::all_of(tail, [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

}  // namespace rouse
