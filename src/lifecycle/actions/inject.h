// How actions tell the model something.
#pragma once

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "lifecycle/engine/call.h"

namespace rouse::actions {

// After what others said, with a blank line between. Did it have anything to say?
inline bool inject(ActionCall& call, std::string_view text) {
  text = trim(text);
  if (text.empty()) return false;
  if (!call.end.inject.empty()) call.end.inject += "\n\n";
  call.end.inject += text;
  return true;
}

// Code points, not bytes.
inline std::size_t characters_in(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace rouse::actions
