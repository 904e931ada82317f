// What is known of a conversation, as fields: between what was said and the text of a summary. One
// tolerant parser reads every form it is written in (the five lines, bullets, headed sections, and
// what models make of them), and each form has one writer. A line that is parsed and written again
// stays as it is.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rouse::summary {

struct Digest {
  std::string goal;
  std::vector<std::string> entities, decisions, pending;  // oldest first
  std::int64_t turns = 0;
  friend bool operator==(const Digest&, const Digest&) = default;
};

enum class Part : std::uint8_t { kGoal, kEntities, kDecisions, kPending, kTurns, kLast, kNone };

struct ParsedDigest {
  Digest digest;
  std::bitset<7> found;  // by Part
  [[nodiscard]] bool has(Part part) const { return found[static_cast<std::size_t>(part)]; }
  [[nodiscard]] bool has_any() const { return found.any(); }
  [[nodiscard]] bool has_five_lines() const { return (found.to_ulong() & 0x1F) == 0x1F; }
};
ParsedDigest parse_digest(std::string_view text);

// Puts a clean item at the end, where the newest are; one already there (but for case) moves.
// Empty items and "none" are left out. In `pending`, items are separated by ';', else by ','.
enum class Separator : std::uint8_t { kComma, kSemicolon };
void add_newest(std::vector<std::string>& list, std::string_view item, Separator separator);
// Keeps the newest items that fit, joined; oldest first.
std::string join_newest(const std::vector<std::string>& list, std::string_view separator,
                        std::size_t max_bytes);

// The five lines (S1-22): never over max_bytes, fair to each line when room is short.
std::string write_five_lines(const Digest& digest, std::size_t max_bytes);

}  // namespace rouse::summary
