// A regular expression over the command of a shell tool: POSIX extended, with \b \w \s \d and
// (?:…), as workflows write them. Compiled once; the C library's matcher takes time that grows with
// the text alone, and a NUL byte can't hide what comes after it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace rouse {

class CommandPattern {
 public:
  static Result<CommandPattern> parse(std::string_view pattern);
  // Anywhere in the text.
  [[nodiscard]] bool found_in(std::string_view text) const;
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  struct Compiled;
  CommandPattern(std::string text, std::shared_ptr<const Compiled> compiled)
      : text_(std::move(text)), compiled_(std::move(compiled)) {}
  std::string text_;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace rouse
