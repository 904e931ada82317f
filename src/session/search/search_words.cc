#include "session/search/search_words.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace rouse {
namespace {

// ---- letters

// A capital and its small letter are neighbours here, the capital even or odd.
constexpr struct {
  std::uint32_t first, last;
} kEvenCapitals[] = {{0x100, 0x12F},  {0x132, 0x137}, {0x14A, 0x177}, {0x1DE, 0x1EF},
                     {0x1F8, 0x21F},  {0x222, 0x233}, {0x370, 0x373}, {0x3D8, 0x3EF},
                     {0x460, 0x481},  {0x48A, 0x4BF}, {0x4D0, 0x527}, {0x1E00, 0x1E95},
                     {0x1EA0, 0x1EFF}},
  kOddCapitals[] = {{0x139, 0x148}, {0x179, 0x17E}, {0x1CD, 0x1DC}, {0x4C1, 0x4CE}};

// Here the small letters are at a distance.
constexpr struct {
  std::uint32_t first, last;
  std::int32_t distance;
} kBlocks[] = {{0xC0, 0xD6, 32},    {0xD8, 0xDE, 32},   {0x178, 0x178, -121}, {0x386, 0x386, 38},
               {0x388, 0x38A, 37},  {0x38C, 0x38C, 64}, {0x38E, 0x38F, 63},   {0x391, 0x3A1, 32},
               {0x3A3, 0x3AB, 32},  {0x400, 0x40F, 80}, {0x410, 0x42F, 32},   {0x531, 0x556, 48},
               {0xFF21, 0xFF3A, 32}};

std::uint32_t small_letter(std::uint32_t c) {
  for (const auto& block : kBlocks) {
    if (c >= block.first && c <= block.last) return c + static_cast<std::uint32_t>(block.distance);
  }
  for (const auto& range : kEvenCapitals) {
    if (c >= range.first && c <= range.last) return c | 1U;
  }
  for (const auto& range : kOddCapitals) {
    if (c >= range.first && c <= range.last) return c + (c & 1U);
  }
  return c;
}

bool is_tail(char c) { return !begins_character(c); }

// Folds the character of two or three bytes at text[i] in place.
void fold_long(std::string& text, std::size_t i, std::size_t length) {
  const auto tail = [&](std::size_t k) { return static_cast<unsigned char>(text[i + k]) & 63U; };
  const auto lead = static_cast<unsigned char>(text[i]);
  const std::uint32_t c =
      length == 2 ? (lead & 31U) << 6 | tail(1) : (lead & 15U) << 12 | tail(1) << 6 | tail(2);
  const std::uint32_t small = small_letter(c);
  if (small == c) return;
  text[i + length - 1] = static_cast<char>(0x80 | (small & 63));
  if (length == 2) {
    text[i] = static_cast<char>(0xC0 | small >> 6);
  } else {
    text[i] = static_cast<char>(0xE0 | small >> 12);
    text[i + 1] = static_cast<char>(0x80 | (small >> 6 & 63));
  }
}

// ---- the query

std::size_t blank_at(std::string_view text) {
  if (text.empty()) return 0;
  if (std::string_view(" \t\r\n\f\v").find(text[0]) != std::string_view::npos) return 1;
  if (text.starts_with("\xC2\xA0")) return 2;      // no-break space
  if (text.starts_with("\xE3\x80\x80")) return 3;  // the ideographic one
  return 0;
}

std::string_view skip_blanks(std::string_view text) {
  while (const std::size_t n = blank_at(text)) text.remove_prefix(n);
  return text;
}

// Takes the word at the front of the query.
std::string_view take_word(std::string_view& query) {
  const bool in_quotes = query.starts_with('"');
  if (in_quotes) query.remove_prefix(1);
  std::size_t n = 0;
  while (n < query.size() && (in_quotes ? query[n] != '"' : blank_at(query.substr(n)) == 0)) ++n;
  const std::string_view word = query.substr(0, n);
  query.remove_prefix(std::min(query.size(), n + (in_quotes ? 1 : 0)));
  return trim(word);
}

// ---- the snippet

using Range = std::pair<std::size_t, std::size_t>;  // begin, end in bytes

std::int64_t characters(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return !is_tail(c); });
}

// Some of it before the match, most of it after; all of it used if the text is long enough, and
// more if the match is longer.
Range window_around(std::string_view text, Range first) {
  constexpr std::size_t kBefore = 40;
  const std::size_t match = first.first;
  std::size_t begin = match > kBefore ? match - kBefore : 0;
  if (text.size() - begin < kSnippetBytes) {
    begin = text.size() > kSnippetBytes ? text.size() - kSnippetBytes : 0;
  }
  std::size_t end = std::max(first.second, std::min(text.size(), begin + kSnippetBytes));
  while (begin > 0 && begin < match && is_tail(text[begin])) ++begin;
  while (end > first.second && end < text.size() && is_tail(text[end])) --end;
  // Rather a whole word than a piece, if one begins nearby.
  const std::size_t blank = text.find_first_of(" \n", begin);
  if (begin > 0 && blank < match && blank - begin < kBefore / 2) begin = blank + 1;
  return {begin, end};
}

// Every place of every word inside the window, joined where they touch.
std::vector<Range> matches_in(std::string_view folded, Range window,
                              const std::vector<std::string>& words) {
  std::vector<Range> found;
  const std::string_view part = folded.substr(0, window.second);
  for (const std::string& word : words) {
    for (auto at = part.find(word, window.first); at != std::string_view::npos;
         at = part.find(word, at + word.size())) {
      found.emplace_back(at, at + word.size());
    }
  }
  std::ranges::sort(found);
  std::vector<Range> apart;
  for (const Range& range : found) {
    if (!apart.empty() && range.first <= apart.back().second) {
      apart.back().second = std::max(apart.back().second, range.second);
    } else {
      apart.push_back(range);
    }
  }
  return apart;
}

}  // namespace

Result<std::vector<std::string>> search_words(std::string_view query) {
  if (query.size() > kSearchTextBytes) {
    return fail(Errc::kInvalid, fmt::format("the search text has {} bytes, at most {} are possible",
                                            query.size(), kSearchTextBytes));
  }
  if (!is_utf8(query)) return fail(Errc::kInvalid, "the search text is not valid UTF-8");
  std::vector<std::string> words;
  for (query = skip_blanks(query); !query.empty(); query = skip_blanks(query)) {
    if (const auto word = take_word(query); !word.empty()) words.emplace_back(word);
  }
  if (words.empty()) return fail(Errc::kInvalid, "the search text has no words in it");
  if (words.size() > kSearchWords) {
    return fail(Errc::kInvalid,
                fmt::format("the search text has {} words, at most {} are possible; put words that "
                            "belong together in quotes",
                            words.size(), kSearchWords));
  }
  return words;
}

std::string fold_case(std::string_view text) {
  std::string folded(text);
  for (std::size_t i = 0; i < folded.size(); ++i) {
    const char c = folded[i];
    if (c >= 'A' && c <= 'Z') {
      folded[i] = static_cast<char>(c + 32);
    } else if (const auto lead = static_cast<unsigned char>(c); lead >= 0xC3 && lead < 0xF0) {
      const std::size_t length = lead < 0xE0 ? 2 : 3;
      if (i + length <= folded.size()) fold_long(folded, i, length);
      i += length - 1;
    }
  }
  return folded;
}

std::optional<Snippet> find_words(std::string_view text, const std::vector<std::string>& folded) {
  const std::string in = fold_case(text);
  Range first{std::string::npos, std::string::npos};
  for (const std::string& word : folded) {
    const auto at = in.find(word);
    if (at == std::string::npos) return std::nullopt;
    first = std::min(first, {at, at + word.size()});
  }
  if (folded.empty()) return std::nullopt;
  const Range window = window_around(text, first);
  const bool cut_front = window.first > 0;
  Snippet out;
  out.text = fmt::format("{}{}{}", cut_front ? "…" : "",
                         text.substr(window.first, window.second - window.first),
                         window.second < text.size() ? "…" : "");
  for (const auto& [begin, end] : matches_in(in, window, folded)) {
    out.matches.emplace_back(
        (cut_front ? 1 : 0) + characters(text.substr(window.first, begin - window.first)),
        characters(text.substr(begin, end - begin)));
  }
  return out;
}

}  // namespace rouse
