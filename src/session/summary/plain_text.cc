#include "session/summary/plain_text.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace rouse::summary {
namespace {

constexpr char32_t kReplacement = 0xFFFD;
constexpr std::string_view kEllipsis = "…";
constexpr std::array<std::string_view, 5> kLabels{"goal", "entities", "decisions", "pending",
                                                  "turns"};

bool within(char32_t c, char32_t first, char32_t last) { return c >= first && c <= last; }

bool is_space(char32_t c) {
  return c == ' ' || c == 0xA0 || c == 0x1680 || within(c, 0x2000, 0x200A) || c == 0x202F ||
         c == 0x205F || c == 0x3000;
}
bool is_control(char32_t c) {
  return c < 0x20 || within(c, 0x7F, 0x9F) || c == 0x2028 || c == 0x2029 || c == 0xFEFF;
}
// Overrides can make a line read as what it is not. The plain marks (200E, 200F) stay.
bool is_bidi_override(char32_t c) { return within(c, 0x202A, 0x202E) || within(c, 0x2066, 0x2069); }

// Cyrillic and Greek capitals lie a fixed step before their small letters; Latin Extended-A
// alternates.
char32_t to_lower(char32_t c) {
  if (within(c, 'A', 'Z')) return c + 32;
  if (within(c, 0xC0, 0xDE) && c != 0xD7) return c + 32;
  if (within(c, 0x100, 0x137) || within(c, 0x14A, 0x177)) return c | 1;
  if (within(c, 0x139, 0x148) || within(c, 0x179, 0x17E)) return c + (c & 1);
  if (within(c, 0x391, 0x3A9)) return c + 32;
  if (within(c, 0x400, 0x40F)) return c + 80;
  if (within(c, 0x410, 0x42F)) return c + 32;
  return c;
}

// Most text is plain ASCII: how many bytes of it are, from its start. No byte of those needs to be
// decoded, and this code runs in the close of every turn.
std::size_t plain_bytes(std::string_view text) {
  const auto is_wide = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };
  return static_cast<std::size_t>(std::ranges::find_if(text, is_wide) - text.begin());
}

char to_lower_ascii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
char fold_ascii(char c) { return c == '`' ? '\'' : to_lower_ascii(c); }

// Plain words with one space between them.
bool is_clean(std::string_view text) {
  char before = ' ';
  for (const char c : text) {
    if (c < ' ' || c == 0x7F || (c == ' ' && before == ' ')) return false;  // wide ones are below 0
    before = c;
  }
  return before != ' ';
}

// How many bytes a label with its colon takes at the start of the text, or 0.
std::size_t label_at(std::string_view text) {
  for (const std::string_view label : kLabels) {
    if (text.size() <= label.size() || !iequals_ascii(text.substr(0, label.size()), label))
      continue;
    const std::size_t mark = text.find_first_not_of(" *_", label.size());
    if (mark != std::string_view::npos && text[mark] == ':') return label.size();
  }
  return 0;
}

// Does a label stand before any colon?
bool holds_label(std::string_view line) {
  for (std::size_t colon = line.find(':'); colon != std::string_view::npos;
       colon = line.find(':', colon + 1)) {
    std::string_view before = line.substr(0, colon);
    before = before.substr(0, before.find_last_not_of(" *_") + 1);
    const auto ends_with = [&](std::string_view label) {
      if (before.size() < label.size()) return false;
      const std::string_view end = before.substr(before.size() - label.size());
      return to_lower_ascii(end.front()) == label.front() && iequals_ascii(end, label);
    };
    if (std::ranges::any_of(kLabels, ends_with)) return true;
  }
  return false;
}

std::string without_labels(std::string_view line) {
  if (!holds_label(line)) return std::string(line);
  std::string out;
  out.reserve(line.size());
  bool at_word = true;
  for (std::size_t i = 0; i < line.size();) {
    const std::size_t label = at_word ? label_at(line.substr(i)) : 0;
    if (label > 0) {
      out += line.substr(i, label);
      out += ' ';
      i = std::min(line.find_first_not_of(" *_:", i + label), line.size());
      continue;
    }
    const CodePoint next = first_code_point(line.substr(i));
    at_word = !is_letter(next.value);
    out += line.substr(i, next.bytes);
    i += next.bytes;
  }
  return std::string(trim(out));
}

// Abbreviations and ordinals: the dot after them ends no sentence.
bool dot_is_inside(std::string_view before) {
  static constexpr std::array<std::string_view, 22> kShort{
      "dr", "mr",  "mrs",    "ms", "st", "prof", "nr",  "no",  "str", "ca", "bzw",
      "vs", "inc", "approx", "eg", "ie", "zb",   "tel", "fig", "vol", "jr", "hr"};
  const std::size_t space = before.find_last_of(" (");
  std::string_view word = space == std::string_view::npos ? before : before.substr(space + 1);
  if (word.empty()) return true;
  if (word.size() <= 2 && std::ranges::all_of(word, [](char c) { return is_digit(c); }))
    return true;
  if (word.size() == 1 || (word.size() == 3 && word[1] == '.')) return true;
  const std::string low = lower_ascii(word);
  return low.ends_with("str") || std::ranges::find(kShort, low) != kShort.end();
}

bool begins_word(std::string_view text) {
  const char first = to_lower_ascii(text.front());
  if ((first >= 'a' && first <= 'z') || is_digit(first)) return true;
  return first < 0 && is_letter(first_wide_code_point(text).value);
}
// Of what words() would find, is there any?
bool has_word(std::string_view text) {
  while (!text.empty() && !begins_word(text)) text.remove_prefix(first_code_point(text).bytes);
  return !text.empty();
}

enum class Mark : std::uint8_t { kNone, kSoft, kHard };  // soft needs a space behind it
Mark mark_of(char32_t c) {
  if (c == '.' || c == '!' || c == '?' || c == 0x2026) return Mark::kSoft;
  if (c == 0x3002 || c == 0xFF01 || c == 0xFF1F || c == 0x61F || c == '\n') return Mark::kHard;
  return Mark::kNone;
}

}  // namespace

CodePoint first_wide_code_point(std::string_view text) {
  const auto a = static_cast<unsigned char>(text[0]);
  const std::size_t n = a >= 0xF0 ? 4 : a >= 0xE0 ? 3 : 2;
  if (!is_utf8(text.substr(0, n)) || text.size() < n) return {kReplacement, 1};
  char32_t value = a & (0xFFU >> (n + 1));
  for (std::size_t i = 1; i < n; ++i) {
    value = value << 6 | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  return {value, n};
}

void append_code_point(std::string& out, char32_t c) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | c >> 6);
    tail(0);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | c >> 12);
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0 | c >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

bool is_letter(char32_t c) {
  if (c < 0x80) return within(c, 'A', 'Z') || within(c, 'a', 'z');
  if (c < 0xC0 || c == 0xD7 || c == 0xF7) return c == 0xAA || c == 0xB5 || c == 0xBA;
  if (within(c, 0x2000, 0x2BFF) || within(c, 0x3000, 0x3004) || within(c, 0x3008, 0x3020)) {
    return false;
  }
  if (c == 0x60C || c == 0x61B || c == 0x61F || within(c, 0xFE00, 0xFE6F)) return false;
  if (within(c, 0xFF00, 0xFF20) || within(c, 0xFFE0, 0xFFFF)) return false;
  return !within(c, 0x1F000, 0x1FFFF) && c < 0xE0000;
}
bool is_upper(char32_t c) { return to_lower(c) != c; }
bool is_lower(char32_t c) {
  return within(c, 'a', 'z') || (within(c, 0xDF, 0x17F) && !is_upper(c) && c != 0xF7) ||
         within(c, 0x3B1, 0x3C9) || within(c, 0x430, 0x45F);
}

std::string folded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t plain = plain_bytes(text);
    out.append(text.substr(0, plain));
    const auto added =
        std::ranges::subrange(out.end() - static_cast<std::ptrdiff_t>(plain), out.end());
    std::ranges::transform(added, added.begin(), fold_ascii);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const CodePoint next = first_code_point(text);
    const bool apostrophe = next.value == 0x2019 || next.value == 0x2BC;
    append_code_point(out, apostrophe ? U'\'' : to_lower(next.value));
    text.remove_prefix(next.bytes);
  }
  return out;
}

bool equal_folded(std::string_view a, std::string_view b) {
  const std::size_t size = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < size; ++i) {
    if (((a[i] | b[i]) & 0x80) != 0) return folded(a.substr(i)) == folded(b.substr(i));
    if (a[i] != b[i] && fold_ascii(a[i]) != fold_ascii(b[i])) return false;
  }
  return a.size() == b.size();
}

std::string clean_line(std::string_view text) {
  if (is_clean(text)) return without_labels(text);
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto needs_a_look = [](char c) { return c <= ' ' || c == 0x7F; };  // wide ones, too
    const auto word = std::ranges::find_if(text, needs_a_look) - text.begin();
    out.append(text.substr(0, static_cast<std::size_t>(word)));
    text.remove_prefix(static_cast<std::size_t>(word));
    if (text.empty()) break;
    const CodePoint next = first_code_point(text);
    text.remove_prefix(next.bytes);
    if (is_bidi_override(next.value)) continue;
    if (!is_space(next.value) && !is_control(next.value)) {
      append_code_point(out, next.value);
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  return without_labels(trim(out));
}

std::string clean_lines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const CodePoint next = first_code_point(text);
    text.remove_prefix(next.bytes);
    if (is_bidi_override(next.value) || next.value == '\r') continue;
    const bool blank = next.value != '\n' && is_control(next.value);
    append_code_point(out, blank ? U' ' : next.value);
  }
  return std::string(trim(out));
}

std::string cut(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  if (max_bytes <= kEllipsis.size()) return std::string(utf8_prefix(text, max_bytes));
  std::string_view head = utf8_prefix(text, max_bytes - kEllipsis.size());
  const std::size_t space = head.find_last_of(" \n");
  const bool at_word_end = text[head.size()] == ' ' || text[head.size()] == '\n';
  if (!at_word_end && space != std::string_view::npos && space > head.size() / 2) {
    head = head.substr(0, space);
  }
  const std::size_t last = head.find_last_not_of(" \n,;:.-");
  head = head.substr(0, last == std::string_view::npos ? 0 : last + 1);
  return std::string(head) + std::string(kEllipsis);
}

std::string_view without_full_stop(std::string_view text) {
  const std::size_t last = text.find_last_not_of(".! ");
  return last == std::string_view::npos ? "" : text.substr(0, last + 1);
}

std::string_view without_fences(std::string_view answer) {
  answer = trim(answer);
  const std::size_t open = answer.find("```");
  if (open == std::string_view::npos) return answer;
  const std::size_t line = answer.find('\n', open);
  if (line == std::string_view::npos) {  // all on one line, as in ```{"a":1}```
    const std::size_t close = answer.find("```", open + 3);
    return trim(
        answer.substr(open + 3, close == std::string_view::npos ? close : close - open - 3));
  }
  const std::size_t close = answer.find("```", line);
  return trim(answer.substr(line, close == std::string_view::npos ? close : close - line));
}

std::string without_code(std::string_view text) {
  std::string out;
  const std::string_view all = text;
  while (true) {
    const std::size_t open = text.find("```");
    out += text.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = text.find("```", open + 3);
    out += '\n';
    if (close == std::string_view::npos) break;
    text.remove_prefix(close + 3);
  }
  if (trim(out).empty()) return std::string(without_fences(all));
  return out;
}

std::vector<std::string> sentences(std::string_view text) {
  std::vector<std::string> out;
  std::size_t begin = 0;
  const auto close_at = [&](std::size_t end) {
    std::string_view raw = trim(text.substr(begin, end - begin));
    while (!raw.empty() && std::string_view("-*#>").contains(raw.front())) {
      raw = trim(raw.substr(1));  // bullets, headings, quotes
    }
    std::string one = clean_line(raw);
    if (has_word(one)) out.push_back(std::move(one));
    begin = end;
  };
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint next = first_code_point(text.substr(i));
    const Mark mark = mark_of(next.value);
    const std::size_t end = i + next.bytes;
    const bool spaced = end == text.size() || text[end] == ' ' || text[end] == '\n';
    const bool inside = next.value == '.' && dot_is_inside(text.substr(begin, i - begin));
    if (mark == Mark::kHard || (mark == Mark::kSoft && spaced && !inside)) close_at(end);
    i = end;
  }
  close_at(text.size());
  return out;
}

std::string_view take_word(std::string_view& folded_text) {
  std::string_view rest = folded_text;
  while (!rest.empty() && !begins_word(rest)) rest.remove_prefix(first_code_point(rest).bytes);
  std::string_view word = rest;
  while (!rest.empty() && (rest.front() == '\'' || begins_word(rest))) {
    rest.remove_prefix(first_code_point(rest).bytes);
  }
  word.remove_suffix(rest.size());
  folded_text = rest;
  while (word.ends_with('\'')) word.remove_suffix(1);
  return word;
}

std::vector<std::string> words(std::string_view text) {
  const std::string all = folded(text);
  std::vector<std::string> out;
  std::string_view rest = all;
  for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
    out.push_back(std::string(word));
  }
  return out;
}

std::size_t word_count(std::string_view text) { return folded_word_count(folded(text)); }

std::size_t folded_word_count(std::string_view folded_text) {
  std::size_t spaced = 0, unspaced = 0;
  std::string_view rest = folded_text;
  while (!take_word(rest).empty()) ++spaced;
  rest = folded_text.substr(plain_bytes(folded_text));
  while (!rest.empty()) {
    const CodePoint next = first_code_point(rest);
    if (next.value >= 0xE00 && is_letter(next.value)) ++unspaced;
    rest.remove_prefix(next.bytes);
  }
  return std::max(spaced, unspaced / 2);
}

}  // namespace rouse::summary
