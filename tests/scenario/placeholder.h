// The blanks of a scenario: "<sess first>" is some session id, and the same one wherever it stands
// again. A blank in a request must be known by then; a blank in an expected answer is learned the
// first time it is met. What each kind accepts is told in README.md, "Blanks".
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace rouse::scenario {

struct Placeholder {
  std::string kind;        // sess, conv, turn, ws, tok, time, text, line, number, list, repeat
  std::string name;        // empty: any one will do. For repeat: what is repeated
  Millis offset;           // <time t0 + 5 minutes>
  std::int64_t count = 0;  // of repeat and list; of text: at most so many characters
};

// Text with blanks: literal pieces and placeholders, in order.
struct Piece {
  std::string literal;
  std::optional<Placeholder> blank = {};
};
using Pieces = std::vector<Piece>;

// Refuses a '<' that opens no known blank, so that a typo is never sent or compared as text.
Result<Pieces> parse_pieces(std::string_view text);

// "31 minutes", "1 ms", "2 hours".
Result<Millis> parse_length(std::string_view text);

enum class Escape : std::uint8_t { kNone, kJson };

class Names {
 public:
  explicit Names(std::function<WallTime()> now) : now_(std::move(now)) {}

  // Every blank replaced by what it stands for; an unknown name is an error.
  [[nodiscard]] Result<std::string> fill(std::string_view text, Escape escape) const;

  // Whether `text` is what the pieces describe. Learns the new names only if it is.
  bool match(const Pieces& pieces, std::string_view text);

  // Says what a name stands for, whatever it stood for before.
  void set(const std::string& kind, const std::string& name, std::string value) {
    known_[{kind, name}] = std::move(value);
  }

  // A number on its own, not in quotes.
  bool match_number(const Placeholder& blank, const std::string& number);

  // The pieces with what is known filled in, for a person to read.
  [[nodiscard]] std::string describe(const Pieces& pieces) const;

 private:
  using Known = std::map<std::pair<std::string, std::string>, std::string>;  // (kind, name)

  [[nodiscard]] std::optional<std::string> value_of(const Placeholder& blank,
                                                    const Known& known) const;
  [[nodiscard]] bool match_from(const Pieces& pieces, std::size_t index, std::string_view rest,
                                Known& known) const;

  std::function<WallTime()> now_;
  Known known_;
};

}  // namespace rouse::scenario
