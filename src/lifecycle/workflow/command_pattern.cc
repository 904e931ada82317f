#include "lifecycle/workflow/command_pattern.h"

#include <array>
#include <regex.h>

#include <fmt/format.h>

namespace rouse {
namespace {

// What the C library does not know is written in its own words; what it can't do is an error.
Result<std::string> in_posix_words(std::string_view pattern) {
  std::string out;
  bool in_brackets = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\0') return fail(Errc::kInvalid, "a pattern has no NUL byte");
    if (c == '\\' && i + 1 < pattern.size()) {
      const char escaped = pattern[++i];
      if (escaped == 'd') {
        out += in_brackets ? "0-9" : "[0-9]";
      } else if (escaped == 'D' && !in_brackets) {
        out += "[^0-9]";
      } else if (in_brackets) {
        out += escaped == 's'   ? std::string("[:space:]")
               : escaped == 'w' ? std::string("[:alnum:]_")
                                : std::string(1, escaped);
      } else {
        out += {'\\', escaped};
      }
      continue;
    }
    if (!in_brackets && pattern.substr(i).starts_with("(?")) {
      if (!pattern.substr(i).starts_with("(?:")) {
        return fail(Errc::kInvalid,
                    fmt::format("'{}' is not known here: of the groups that begin with '(?' there "
                                "is only '(?:'",
                                pattern.substr(i, 3)));
      }
      out += '(';
      i += 2;
      continue;
    }
    if (c == '[' && !in_brackets) {
      in_brackets = true;
      // A bracket that comes first is meant as itself.
      out += c;
      if (i + 1 < pattern.size() && pattern[i + 1] == '^') out += pattern[++i];
      if (i + 1 < pattern.size() && pattern[i + 1] == ']') out += pattern[++i];
      continue;
    }
    if (c == ']' && in_brackets) in_brackets = false;
    out += c;
  }
  return out;
}

}  // namespace

struct CommandPattern::Compiled {
  regex_t regex{};
  bool good = false;
  Compiled() = default;
  ~Compiled() {
    if (good) regfree(&regex);
  }
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
};

Result<CommandPattern> CommandPattern::parse(std::string_view pattern) {
  if (pattern.empty()) return fail(Errc::kInvalid, "an empty pattern fits every command");
  if (pattern.size() > 1024) return fail(Errc::kInvalid, "a pattern has at most 1024 bytes");
  TRY(const std::string words, in_posix_words(pattern));
  auto compiled = std::make_shared<Compiled>();
  if (const int code = regcomp(&compiled->regex, words.c_str(), REG_EXTENDED | REG_NOSUB)) {
    std::array<char, 200> said{};
    regerror(code, &compiled->regex, said.data(), said.size());
    return fail(Errc::kInvalid,
                fmt::format("'{}' is no regular expression: {}", pattern, said.data()));
  }
  compiled->good = true;
  return CommandPattern(std::string(pattern), std::move(compiled));
}

bool CommandPattern::found_in(std::string_view text) const {
  // The text has an end of its own: a NUL byte in it is a character like any other.
  regmatch_t span{};
  span.rm_so = 0;
  span.rm_eo = static_cast<regoff_t>(text.size());
  return regexec(&compiled_->regex, text.data(), 1, &span, REG_STARTEND) == 0;
}

}  // namespace rouse
