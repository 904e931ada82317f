#include "session/silence.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"

namespace rouse {
namespace {

// A token is two words. In the letters of a text they are one. What people write in capitals, too,
// ("NO REPLY from Anna") is one only with the underscore.
struct Token {
  std::string_view first, second;
  bool needs_underscore = false;
};
constexpr std::array<Token, 3> kTokens{
    {{"HEARTBEAT", "OK"}, {"NO", "REPLY", true}, {"WAKEUP", "SILENT"}}};
constexpr std::array<std::string_view, 2> kBeatLetters{"heartbeatok", "noreply"};
constexpr std::string_view kOpenLetters = "wakeupsilent";

// Alone they mean as much as the token. Longest first: one may begin with another.
constexpr std::array<std::string_view, 22> kNothingLetters{"nothingneedsattentionrightnow",
                                                           "nothingneedsyourattention",
                                                           "noactionneededrightnow",
                                                           "nothingtoreportrightnow",
                                                           "everythinglooksgood",
                                                           "nothingneedsattention",
                                                           "checkednothingtoreport",
                                                           "everythingisfine",
                                                           "nothingnewtoreport",
                                                           "nothingtoreport",
                                                           "noactionrequired",
                                                           "noactionneeded",
                                                           "everythingisok",
                                                           "nothingurgent",
                                                           "allquiet",
                                                           "nothingtodo",
                                                           "nothingnew",
                                                           "nochanges",
                                                           "noissues",
                                                           "allclear",
                                                           "allgood",
                                                           "allok"};

constexpr std::size_t kLongestTag = 200;
constexpr std::size_t kLongestEntity = 10;
constexpr int kMostCuts = 64;  // an answer with more tokens than this is cut short

struct Letter {
  char32_t code = 0;
  std::size_t bytes = 1;
};

// What is not UTF-8 is a letter of one byte that is like no other.
Letter letter_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  char32_t code = lead & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {0xFFFD, 1};
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  return {code, size};
}

// Full-width letters are letters.
char32_t narrow(char32_t code) {
  return code >= 0xFF01 && code <= 0xFF5E ? code - 0xFF01 + 0x21 : code;
}

bool is_ascii_letter(char32_t code) {
  return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z');
}

struct CodeRange {
  char32_t first, last;
};
// Marks, symbols, emoji and what nobody sees.
constexpr std::array<CodeRange, 15> kNoLetters{{{0x0080, 0x00A9},
                                                {0x00AB, 0x00B4},
                                                {0x00B6, 0x00B9},
                                                {0x00BB, 0x00BF},
                                                {0x00D7, 0x00D7},
                                                {0x00F7, 0x00F7},
                                                {0x0300, 0x036F},
                                                {0x061C, 0x061C},
                                                {0x180B, 0x180E},
                                                {0x2000, 0x2BFF},
                                                {0x2E00, 0x2E7F},
                                                {0x3000, 0x303F},
                                                {0xFE00, 0xFE0F},
                                                {0xFEFF, 0xFEFF},
                                                {0x1F000, 0x1FAFF}}};

bool is_letter(char32_t code) {
  code = narrow(code);
  if (code < 0x80) return is_ascii_letter(code) || (code >= '0' && code <= '9');
  if (code >= 0xE0000 && code <= 0xE0FFF) return false;
  return std::ranges::none_of(
      kNoLetters, [&](const CodeRange& one) { return code >= one.first && code <= one.last; });
}

// Between the letters of a word: nobody sees it, or it is markup.
bool is_unseen(char32_t code) {
  return code == '*' || code == '`' || code == '~' || code == 0xAD || code == 0x34F ||
         code == 0x61C || (code >= 0x180B && code <= 0x180E) ||
         (code >= 0x200B && code <= 0x200F) || (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2060 && code <= 0x206F) || (code >= 0xFE00 && code <= 0xFE0F) || code == 0xFEFF;
}

bool is_blank(char32_t code) {
  return code == ' ' || code == '\t' || code == '\n' || code == '\r' || code == 0xA0 ||
         (code >= 0x2000 && code <= 0x200A) || code == 0x202F || code == 0x3000;
}

bool is_dash(char32_t code) {
  return code == '-' || code == '\\' || (code >= 0x2010 && code <= 0x2015);
}

// How many bytes of a tag or an entity begin here; 0: none.
std::size_t markup_at(std::string_view text, std::size_t at) {
  const char next = at + 1 < text.size() ? text[at + 1] : ' ';
  if (text[at] == '<') {
    const bool opens =
        is_ascii_letter(static_cast<unsigned char>(next)) || next == '/' || next == '!';
    const std::size_t end = opens ? text.substr(at, kLongestTag).find('>') : std::string_view::npos;
    return end == std::string_view::npos ? 0 : end + 1;
  }
  if (text[at] != '&') return 0;
  const std::string_view rest = text.substr(at, kLongestEntity);
  const std::size_t end = rest.find(';');
  if (end == std::string_view::npos || end < 2) return 0;
  const bool named = std::ranges::all_of(rest.substr(1, end - 1), [](char c) {
    return is_ascii_letter(static_cast<unsigned char>(c)) || (c >= '0' && c <= '9') || c == '#';
  });
  return named ? end + 1 : 0;
}

// --- tokens in a text ----------------------------------------------------------------------------

struct WordMatch {
  std::size_t end = 0;
  bool capital = true;  // all of it
};

std::optional<WordMatch> word_at(std::string_view text, std::size_t at, std::string_view word) {
  WordMatch match{at};
  for (std::size_t i = 0; i < word.size();) {
    if (match.end >= text.size()) return std::nullopt;
    const Letter letter = letter_at(text, match.end);
    const char32_t code = narrow(letter.code);
    if (i > 0 && is_unseen(code)) {
      match.end += letter.bytes;
      continue;
    }
    const bool is_small = code == static_cast<char32_t>(word[i]) + 0x20;
    if (code != static_cast<char32_t>(word[i]) && !is_small) return std::nullopt;
    match.capital = match.capital && !is_small;
    match.end += letter.bytes;
    ++i;
  }
  return match;
}

// The end of the token that begins here.
std::optional<std::size_t> token_at(std::string_view text, std::size_t at, const Token& token) {
  const auto first = word_at(text, at, token.first);
  if (!first) return std::nullopt;
  bool underscore = false;
  std::size_t joint = first->end;
  while (joint < text.size()) {
    const Letter letter = letter_at(text, joint);
    const char32_t code = narrow(letter.code);
    if (code != '_' && !is_unseen(code) && !is_blank(code) && !is_dash(code)) break;
    underscore = underscore || code == '_';
    joint += letter.bytes;
  }
  const auto second = word_at(text, joint, token.second);
  if (!second) return std::nullopt;
  const bool capital = first->capital && second->capital && !token.needs_underscore;
  if (!underscore && !capital) return std::nullopt;
  if (second->end < text.size()) {
    const char32_t next = letter_at(text, second->end).code;
    if (is_letter(next) || next == '@') return std::nullopt;
  }
  return second->end;
}

struct Span {
  std::size_t begin = 0, end = 0;
};

std::optional<Span> find_token(std::string_view text) {
  bool in_word = false;
  for (std::size_t at = 0; at < text.size();) {
    const Letter letter = letter_at(text, at);
    if (!in_word && is_ascii_letter(narrow(letter.code))) {
      for (const Token& token : kTokens) {
        if (const auto end = token_at(text, at, token)) return Span{at, *end};
      }
    }
    in_word = is_letter(letter.code);
    at += letter.bytes;
  }
  return std::nullopt;
}

// Emphasis, code and quotes around a token go with it, as far as they are there on both sides.
Span with_markup(std::string_view text, Span span) {
  constexpr std::string_view kPairs = "*_`~\"'";
  while (span.begin > 0 && span.end < text.size() && text[span.begin - 1] == text[span.end] &&
         kPairs.contains(text[span.end])) {
    --span.begin;
    ++span.end;
  }
  return span;
}

// --- the letters of a heartbeat's answer ---------------------------------------------------------

// Tokens at both ends, as often as they are there.
bool cut_ends(std::string_view& letters) {
  bool any = false, more = true;
  while (more) {
    more = false;
    for (const std::string_view token : kBeatLetters) {
      if (letters.starts_with(token)) {
        letters.remove_prefix(token.size());
        more = true;
      } else if (letters.ends_with(token)) {
        letters.remove_suffix(token.size());
        more = true;
      }
    }
    any = any || more;
  }
  return any;
}

bool is_nothing(std::string_view letters) {
  while (!letters.empty()) {
    const auto* const found = std::ranges::find_if(
        kNothingLetters, [&](std::string_view one) { return letters.starts_with(one); });
    if (found == kNothingLetters.end()) return false;
    letters.remove_prefix(found->size());
  }
  return true;
}

bool says_nothing(SilenceRule rule, std::string_view answer, std::string_view letters,
                  std::size_t ack_max) {
  if (rule == SilenceRule::kSessionOpen) {
    if (letters == kOpenLetters) return true;
    for (std::string rest(answer); const auto token = find_token(rest);) {
      if (bare_letters(rest.substr(token->begin, token->end - token->begin)) == kOpenLetters) {
        return true;
      }
      rest.erase(0, token->end);
    }
    return false;
  }
  // "The server is down, no reply" ends in the letters of a token, and means something.
  const bool is_meant = has_token(answer) || letters.contains(kBeatLetters.front());
  const bool cut = cut_ends(letters);
  if (cut && letters.empty()) return true;
  return (cut && is_meant && count_characters(letters) <= ack_max) || is_nothing(letters);
}

}  // namespace

std::string bare_letters(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t markup = markup_at(text, at); markup > 0) {
      at += markup;
      continue;
    }
    const Letter letter = letter_at(text, at);
    if (is_letter(letter.code)) {
      const char32_t code = narrow(letter.code);
      if (code < 0x80) {
        out += static_cast<char>(code >= 'A' && code <= 'Z' ? code + 0x20 : code);
      } else {
        out += text.substr(at, letter.bytes);
      }
    }
    at += letter.bytes;
  }
  return out;
}

bool has_token(std::string_view text) { return find_token(text).has_value(); }

std::string without_tokens(std::string_view text) {
  std::string out(text);
  int cuts = 0;
  while (const auto token = find_token(out)) {
    if (++cuts > kMostCuts) {
      out.resize(token->begin);
      break;
    }
    const Span span = with_markup(out, *token);
    // The blank before it would stand alone.
    const bool blanks = span.begin > 0 && out[span.begin - 1] == ' ' &&
                        (span.end == out.size() || out[span.end] == ' ' || out[span.end] == '\n');
    out.erase(span.begin - (blanks ? 1 : 0), span.end - span.begin + (blanks ? 1 : 0));
  }
  return cuts == 0 ? out : std::string(trim(out));
}

SilenceRule silence_rule(TurnKind kind) {
  if (kind == TurnKind::kUser) return SilenceRule::kUntouched;
  return kind == TurnKind::kSessionOpen ? SilenceRule::kSessionOpen : SilenceRule::kNever;
}

Heard judge_silence(SilenceRule rule, std::string_view answer, std::size_t ack_max) {
  if (rule == SilenceRule::kUntouched) return {.text = std::string(answer)};
  Heard out{.text = without_tokens(answer)};
  if (rule == SilenceRule::kNever) return out;
  const std::string letters = bare_letters(answer);
  out.silent = letters.empty() || says_nothing(rule, answer, letters, ack_max);
  if (!out.silent) return out;
  out.outcome = letters.empty() ? "silent_empty" : "silent_token";
  out.text.clear();
  return out;
}

}  // namespace rouse
