// Text from a wire that may be cut in the middle of a character. Whatever leaves here is valid
// UTF-8: bytes that can never become a character turn into U+FFFD, bytes that may still become one
// are held until the rest is there.
#pragma once

#include <string>
#include <string_view>

namespace rouse {

// The same text if it is valid, else with U+FFFD in place of what is not.
std::string to_utf8(std::string_view text);

class Utf8Joiner {
 public:
  // What is whole by now.
  std::string feed(std::string_view piece);
  // What is still held, as U+FFFD: the rest never came.
  std::string finish();

 private:
  std::string held_;  // the start of one character, 3 bytes at most
};

}  // namespace rouse
