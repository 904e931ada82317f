#include "session/summary/entities.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "session/summary/phrases.h"
#include "session/summary/plain_text.h"
#include "session/summary/word_lists.h"
#include "session/summary/word_shapes.h"

namespace rouse::summary {
namespace {

using lists::is_in;
using Words = std::vector<std::string_view>;

constexpr auto kLabels = lists::list({"goal", "entities", "decisions", "pending", "turns"});

struct Token {
  std::string_view text;      // without the marks around it
  bool breaks_after = false;  // a comma or the like: no name goes on behind it
};

bool is_edge(char32_t c) {
  if (is_letter(c)) return false;  // most are
  constexpr std::u32string_view kEdges = U".,;:!?()[]{}<>\"'*_`…“”„‚‘’«»。、，！？「」『』|";
  return kEdges.contains(c);
}

std::string_view without_edges(std::string_view text) {
  while (!text.empty() && is_edge(first_code_point(text).value)) {
    text.remove_prefix(first_code_point(text).bytes);
  }
  while (!text.empty()) {
    std::size_t last = text.size() - 1;
    while (last > 0 && !begins_character(text[last])) --last;
    if (!is_edge(first_code_point(text.substr(last)).value)) break;
    text = text.substr(0, last);
  }
  for (const std::string_view genitive : {"'s", "’s"}) {
    if (text.ends_with(genitive)) text.remove_suffix(genitive.size());
  }
  return text;
}

std::vector<Token> tokens_of(std::string_view sentence) {
  std::vector<Token> out;
  const std::vector<std::string_view> words = split(sentence, ' ');
  out.reserve(words.size());
  for (const std::string_view raw : words) {
    const std::string_view core = without_edges(raw);
    const bool broken = !core.empty() && core.data() + core.size() != raw.data() + raw.size() &&
                        !raw.ends_with("'s") && !raw.ends_with("’s");
    if (core.empty()) {
      if (!out.empty()) out.back().breaks_after = true;
    } else {
      out.push_back({core, broken});
    }
  }
  return out;
}

class Finder {
 public:
  Finder(std::string_view sentence, bool german, bool shouted)
      : tokens_(tokens_of(sentence)), german_(german), shouted_(shouted) {}

  std::vector<std::string> find() {
    for (at_ = 0; at_ < tokens_.size(); ++at_) step();
    finish_name();
    return std::move(found_);
  }

 private:
  void step() {
    const std::string_view text = tokens_[at_].text;
    if (is_telling(text)) {
      finish_name();
      add(std::string(text));
    } else if (is_number(text) || is_ordinal(text) || is_telling_number(text)) {
      take_number();
    } else if (goes_into_name(at_)) {
      take_into_name();
    } else if (name_goes_on()) {
      name_.push_back(text);
    } else {
      finish_name();
      if (is_in(folded(text), lists::kWeekdays) || is_code(text)) add(std::string(text));
    }
    if (at_ < tokens_.size() && tokens_[at_].breaks_after) finish_name();
  }

  // A number with the unit or month behind it; a bare one belongs to the name before ("Terminal
  // 2").
  void take_number() {
    const std::string_view text = tokens_[at_].text;
    const bool last = at_ + 1 == tokens_.size();
    const std::string next = last ? "" : folded(tokens_[at_ + 1].text);
    const bool ordinal = tokens_[at_].breaks_after && is_number(text);
    if (is_in(next, lists::kMonths) || (is_in(next, lists::kUnits) && !ordinal)) {
      finish_name();
      add(std::string(text) + " " + std::string(tokens_[++at_].text));
    } else if (!name_.empty() && !is_in(next, lists::kUnits) && name_.back().size() > 2) {
      name_.push_back(text);
    } else {
      finish_name();
      if (is_telling_number(text)) add(phone_from(text));
    }
  }

  std::string phone_from(std::string_view text) {
    std::string out(text);
    if (!text.starts_with('+')) return out;
    while (at_ + 1 < tokens_.size() && !tokens_[at_].breaks_after &&
           is_number(tokens_[at_ + 1].text)) {
      out += " " + std::string(tokens_[++at_].text);
    }
    return out;
  }

  [[nodiscard]] bool goes_into_name(std::size_t at) const {
    const std::string_view text = tokens_[at].text;
    if (shouted_ || !(is_capitalised(text) || has_inner_capital(text))) return false;
    const std::string word = folded(text);
    if (is_in(word, lists::kMonths) || is_in(word, lists::kWeekdays))
      return at > 0 || tokens_.size() < 4;
    if (is_function_word(word) || is_in(word, kLabels)) return false;
    if (german_ && !has_inner_capital(text) && is_noun_here(at)) return false;
    return at > 0 || !(is_order_word(word) || is_question(Said(std::string(text))));
  }

  // German writes every noun with a capital. One that stands alone after an article is no name.
  [[nodiscard]] bool is_noun_here(std::size_t at) const {
    const bool goes_on = at + 1 < tokens_.size() && !tokens_[at].breaks_after &&
                         is_capitalised(tokens_[at + 1].text);
    return at > 0 && !goes_on && is_in(folded(tokens_[at - 1].text), lists::kGermanArticles);
  }

  void take_into_name() {
    if (name_.empty()) starts_sentence_ = at_ == 0;
    name_.push_back(tokens_[at_].text);
  }

  [[nodiscard]] bool name_goes_on() const {
    return !name_.empty() && !german_ && is_in(tokens_[at_].text, lists::kJoiners) &&
           at_ + 1 < tokens_.size() && goes_into_name(at_ + 1);
  }

  // "Lisbon", "Lisbon please".
  [[nodiscard]] bool is_bare_answer() const {
    return tokens_.size() == 1 ||
           (tokens_.size() == 2 && is_function_word(folded(tokens_[1].text)));
  }

  // At the start of a sentence every word is capitalised: one alone proves nothing.
  void finish_name() {
    const bool alone = name_.size() == 1 && starts_sentence_;
    const bool sure =
        !name_.empty() &&
        (!alone || is_bare_answer() || has_inner_capital(name_.front()) || is_code(name_.front()));
    if (sure && (name_.size() > 1 || name_.front().size() > 2)) {
      std::string name;
      for (const std::string_view word : name_) {
        name += (name.empty() ? "" : " ") + std::string(word);
      }
      add(std::move(name));
    }
    name_.clear();
  }

  void add(std::string entity) {
    if (entity.size() <= kEntityBytes) {
      found_.push_back(std::move(entity));
    } else if (entity.find(' ') == std::string::npos) {
      found_.push_back(cut(entity, kEntityBytes));  // a long address still says where
    }
  }

  std::vector<Token> tokens_;
  bool german_, shouted_;
  std::size_t at_ = 0;
  Words name_;
  bool starts_sentence_ = false;
  std::vector<std::string> found_;
};

struct Quotes {
  std::string_view open, close;
};
constexpr std::array<Quotes, 8> kQuotes{{{"“", "”"},
                                         {"„", "“"},
                                         {"«", "»"},
                                         {"»", "«"},
                                         {"「", "」"},
                                         {"『", "』"},
                                         {"\"", "\""},
                                         {"`", "`"}}};

// Takes short quoted phrases out of the text into `found`.
std::string without_quotes(std::string text, std::vector<std::string>& found) {
  for (const Quotes& quotes : kQuotes) {
    std::size_t from = 0;
    while (true) {
      const std::size_t open = text.find(quotes.open, from);
      if (open == std::string::npos) break;
      const std::size_t begin = open + quotes.open.size();
      const std::size_t close = text.find(quotes.close, begin);
      if (close == std::string::npos) break;
      const std::string inner = clean_line(std::string_view(text).substr(begin, close - begin));
      const std::size_t count = word_count(inner);
      from = close + quotes.close.size();
      if (inner.size() > kEntityBytes || count == 0 || count > 6) continue;
      found.push_back(inner);
      text.replace(open, from - open, " , ");
      from = open;
    }
  }
  return text;
}

bool is_shouted(std::string_view text) {
  std::size_t upper = 0;
  while (!text.empty()) {
    const CodePoint next = first_code_point(text);
    if (is_lower(next.value)) return false;
    upper += is_upper(next.value) ? 1 : 0;
    text.remove_prefix(next.bytes);
  }
  return upper > 12;
}

}  // namespace

std::vector<std::string> entities_in(std::string_view text) {
  return entities_in(Message(std::string(text)));
}

std::vector<std::string> entities_in(const Message& message) {
  std::vector<std::string> found;
  const bool german = looks_german(message.whole), shouted = is_shouted(message.whole.text);
  for (const Said& sentence : message.sentences) {
    const std::string rest = without_quotes(sentence.text, found);
    for (std::string& one : Finder(rest, german, shouted).find()) found.push_back(std::move(one));
  }
  std::vector<std::string> once, seen;
  for (std::string& one : found) {
    std::string key = folded(one);
    if (std::ranges::find(seen, key) != seen.end()) continue;
    seen.push_back(std::move(key));
    once.push_back(std::move(one));
  }
  return once;
}

}  // namespace rouse::summary
