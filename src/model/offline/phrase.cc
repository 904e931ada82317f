#include "model/offline/phrase.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace rouse::offline {
namespace {

constexpr std::string_view kEndMarks = "?!.,;: \"";
constexpr std::string_view kJoints = " ,:;-!.?";

struct Replacement {
  std::string_view from, to;
};
constexpr std::array<Replacement, 6> kPlain{
    {{"’", "'"}, {"‘", "'"}, {"“", "\""}, {"”", "\""}, {"…", "."}, {"\u00A0", " "}}};
struct Person {
  std::string_view first, second, third;
};
constexpr std::array<Person, 10> kPersons{{{"i", "you", "they"},
                                           {"i'm", "you're", "they're"},
                                           {"i've", "you've", "they've"},
                                           {"i'll", "you'll", "they'll"},
                                           {"i'd", "you'd", "they'd"},
                                           {"am", "are", "are"},
                                           {"my", "your", "their"},
                                           {"me", "you", "them"},
                                           {"mine", "yours", "theirs"},
                                           {"myself", "yourself", "themselves"}}};

std::string in_person(std::string_view text, std::string_view Person::* person) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word_char(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    const auto found = std::ranges::find_if(
        kPersons, [&](const Person& one) { return iequals_ascii(one.first, word); });
    out += found == kPersons.end() ? word : (*found).*person;
    while (end < text.size() && !is_word_char(text[end])) out += text[end++];
    at = end;
  }
  return out;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string cleaned(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    if (is_blank(text[at])) {
      if (!out.empty() && out.back() != ' ') out += ' ';
      ++at;
      continue;
    }
    const auto plain = std::ranges::find_if(
        kPlain, [&](const Replacement& one) { return text.substr(at).starts_with(one.from); });
    out += plain == kPlain.end() ? text.substr(at, 1) : plain->to;
    at += plain == kPlain.end() ? 1 : plain->from.size();
  }
  return out;
}

}  // namespace

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '\'' ||
         c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

std::size_t find_words(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool starts = at == 0 || !is_word_char(text[at - 1]);
    if (starts && (end == text.size() || !is_word_char(text[end]))) return at;
  }
  return std::string_view::npos;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::string_view word : split(text, ' ')) {
    while (word.ends_with(',') || word.ends_with(';')) word.remove_suffix(1);
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

Phrase::Phrase(std::string_view text)
    : text_(cleaned(text)), low_(lower_ascii(text_)), to_(low_.size()) {
  tidy();
}

void Phrase::tidy() {
  while (from_ < to_ && kJoints.contains(low_[from_])) ++from_;
  while (from_ < to_ && kEndMarks.contains(low_[to_ - 1])) {
    // The quotes of a quoted end stay in pairs.
    if (low_[to_ - 1] == '"' && std::ranges::count(low(), '"') % 2 == 0) break;
    --to_;
  }
}

std::string_view Phrase::low() const { return std::string_view(low_).substr(from_, to_ - from_); }
std::string Phrase::text() const { return text_.substr(from_, to_ - from_); }

bool Phrase::is(Patterns whole) const { return std::ranges::find(whole, low()) != whole.end(); }

bool Phrase::starts(Patterns beginnings) const {
  return std::ranges::any_of(beginnings, [text = low()](std::string_view word) {
    return text.starts_with(word) &&
           (text.size() == word.size() || !is_word_char(text[word.size()]));
  });
}

bool Phrase::has(Patterns words) const {
  return std::ranges::any_of(words, [text = low()](std::string_view word) {
    return find_words(text, word) != std::string_view::npos;
  });
}

bool Phrase::eat(Patterns beginnings) {
  for (const std::string_view word : beginnings) {
    if (!starts({word})) continue;
    from_ += word.size();
    tidy();
    return true;
  }
  return false;
}

bool Phrase::eat_end(Patterns ends) {
  for (const std::string_view word : ends) {
    const std::string_view text = low();
    if (!text.ends_with(word)) continue;
    if (text.size() > word.size() && is_word_char(text[text.size() - word.size() - 1])) continue;
    to_ -= word.size();
    tidy();
    return true;
  }
  return false;
}

bool Phrase::split(Patterns words, std::string& rest) {
  for (const std::string_view word : words) {
    const std::size_t at = find_words(low(), word);
    if (at == std::string_view::npos) continue;
    Phrase after = *this;
    after.keep(at + word.size(), low().size());
    rest = after.text();
    keep(0, at);
    return true;
  }
  return false;
}

void Phrase::keep(std::size_t from, std::size_t to) {
  to_ = from_ + to;
  from_ += from;
  tidy();
}

std::string to_second_person(std::string_view text) { return in_person(text, &Person::second); }
std::string to_third_person(std::string_view text) { return in_person(text, &Person::third); }

std::string capitalised(std::string_view text) {
  std::string out(text);
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z')
    out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

}  // namespace rouse::offline
