#include "agent/memory/note.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "agent/prompt/text_cut.h"
#include "base/text.h"
#include "session/content.h"
#include "session/search/search_words.h"

namespace rouse {
namespace {

constexpr std::array kProvenances{kFromOwner, kFromSender, kFromAgent, kFromUntrusted};

std::size_t rank_of(std::string_view provenance) {
  return static_cast<std::size_t>(std::ranges::find(kProvenances, provenance) -
                                  kProvenances.begin());
}

}  // namespace

ErrorInfo error_info(MemoryErrc code) {
  switch (code) {
    case MemoryErrc::kNotFound:
      return {Kind::kNotFound, "note_not_found"};
    case MemoryErrc::kSameText:
      return {Kind::kConflict, "note_exists"};
    case MemoryErrc::kFull:
      return {Kind::kTooLarge, "memory_full"};
  }
  return {Kind::kInternal, "internal"};
}

bool Note::untrusted() const { return provenance == kFromUntrusted; }

Result<std::string> clean_memory_text(std::string_view text, std::string_view field,
                                      std::size_t most) {
  if (!is_utf8(text)) return fail(Errc::kInvalid, fmt::format("'{}' is not valid UTF-8", field));
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\r') {
      if (i + 1 == text.size() || text[i + 1] != '\n') out += '\n';
    } else {
      const bool control = (c >= 0 && c < ' ' && c != '\n' && c != '\t') || c == '\x7F';
      out += control ? ' ' : c;
    }
  }
  out = std::string(trim(out));
  if (out.empty()) return fail(Errc::kInvalid, fmt::format("'{}' must not be empty", field));
  if (first_characters(out, most).size() < out.size()) {
    return fail(Errc::kInvalid, fmt::format("'{}' must have at most {} characters", field, most));
  }
  return out;
}

Result<void> check_importance(std::int64_t importance) {
  if (importance >= kLeastImportance && importance <= kMostImportance) return {};
  return fail(Errc::kInvalid, fmt::format("'importance' must be {} to {}, not {}", kLeastImportance,
                                          kMostImportance, importance));
}

std::string note_fingerprint(std::string_view text) {
  std::string folded;
  for (const char c : fold_case(text)) {
    const bool blank = c == ' ' || c == '\n' || c == '\t';
    if (!blank) {
      folded += c;
    } else if (!folded.empty() && folded.back() != ' ') {
      folded += ' ';
    }
  }
  return to_hex(sha256(trim(folded))).substr(0, 32);
}

bool is_provenance(std::string_view name) { return rank_of(name) < kProvenances.size(); }

std::string_view stronger_provenance(std::string_view a, std::string_view b) {
  return rank_of(a) <= rank_of(b) ? a : b;
}

}  // namespace rouse
