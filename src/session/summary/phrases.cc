#include "session/summary/phrases.h"

#include <algorithm>

#include "base/text.h"
#include "session/summary/plain_text.h"
#include "session/summary/word_lists.h"

namespace rouse::summary {
namespace {

using lists::is_in;
using lists::List;

bool boundary(std::string_view text, std::size_t at) {
  if (at >= text.size()) return true;
  const CodePoint next = first_code_point(text.substr(at));
  return !is_letter(next.value) && !is_digit(next.value) && next.value != '\'';
}

bool opens_with(std::string_view folded_text, List phrases) {
  return std::ranges::any_of(phrases.with_first_of(folded_text), [&](std::string_view phrase) {
    return folded_text.starts_with(phrase) && boundary(folded_text, phrase.size());
  });
}

// A phrase starts with the text, after a space or after a bracket.
bool has(std::string_view folded_text, List phrases) {
  while (!opens_with(folded_text, phrases)) {
    const auto next =
        std::ranges::find_if(folded_text, [](char c) { return c == ' ' || c == '('; });
    if (next == folded_text.end()) return false;
    folded_text = {next + 1, folded_text.end()};
  }
  return true;
}

template <class Predicate>
bool any_word(std::string_view folded_text, Predicate predicate) {
  std::string_view word = take_word(folded_text);
  while (!word.empty() && !predicate(word)) word = take_word(folded_text);
  return !word.empty();
}

bool ends_as_question(std::string_view sentence) {
  const std::string_view text = trim(sentence);
  const std::size_t last = text.find_last_not_of(" \"')*_");
  if (last == std::string_view::npos) return false;
  const std::string_view head = text.substr(0, last + 1);
  return head.ends_with('?') || head.ends_with("？") || head.ends_with("؟");
}

bool denies(std::string_view folded_text) { return has(folded_text, lists::kDenials); }

}  // namespace

bool is_small_talk(const Said& message) {
  return !any_word(message.folded, [](std::string_view word) {
    return !is_in(word, lists::kSmallTalk) && !is_in(word, lists::kOpenings);
  });
}
bool says_yes(const Said& message) {
  const std::string_view text = trim(message.folded);
  return text.starts_with("👍") || text.starts_with("✅") || opens_with(text, lists::kYes);
}
bool says_no(const Said& message) {
  const std::string_view text = trim(message.folded);
  return text.starts_with("👎") || opens_with(text, lists::kNo);
}
bool drops_the_matter(const Said& message) { return has(message.folded, lists::kDrops); }

bool is_question(const Said& sentence) {
  return ends_as_question(sentence.text) || opens_with(sentence.opened(), lists::kQuestionOpenings);
}
bool is_request(const Said& sentence) {
  std::string_view rest = sentence.opened();
  if (opens_with(rest, lists::kWishes)) return true;
  return is_order_word(take_word(rest)) && !take_word(rest).empty();
}
bool is_choice(const Said& sentence) {
  if (ends_as_question(sentence.text)) return false;
  return opens_with(sentence.opened(), lists::kChoiceOpenings) ||
         has(sentence.folded, lists::kChoiceWords);
}
bool is_follow_up(const Said& sentence) {
  if (folded_word_count(sentence.folded) > 8) return false;
  std::string_view last;
  const bool refers = any_word(sentence.folded, [&](std::string_view word) {
    last = word;
    return is_in(word, lists::kReferences);
  });
  if (last.empty()) return false;
  return refers || is_in(last, lists::kLastReferences) ||
         opens_with(sentence.folded, lists::kFollowUps) || has(sentence.folded, lists::kPointing);
}
bool changes_subject(const Said& sentence) {
  return opens_with(sentence.folded, lists::kNewSubject) ||
         has(sentence.opened(), lists::kNewTopic);
}
bool asks_to_remember(const Said& sentence) { return has(sentence.folded, lists::kReminders); }

bool is_courtesy(const Said& sentence) { return has(sentence.folded, lists::kCourtesies); }
bool is_promise(const Said& sentence) {
  return !ends_as_question(sentence.text) && !is_courtesy(sentence) &&
         opens_with(sentence.opened(), lists::kPromises);
}
bool is_evasive(const Said& sentence) { return has(sentence.folded, lists::kEvasions); }

std::string_view act_in(const Said& sentence) {
  const std::string_view said = without_opening(sentence.text), text = sentence.opened();
  if (ends_as_question(said) || denies(text)) return {};
  const auto is_act = [](std::string_view word) { return is_in(word, lists::kActs); };
  const auto report = std::ranges::find_if(
      lists::kReports, [&](std::string_view opening) { return text.starts_with(opening); });
  if (report != lists::kReports.end()) {
    const bool german = report->starts_with("ich");  // the verb comes last
    const std::size_t reach = german ? text.size() : 4;
    std::size_t seen = 0;
    const auto is_near_act = [&](std::string_view word) { return ++seen <= reach && is_act(word); };
    if (!any_word(text, is_near_act)) return {};
    return said.size() == text.size() ? said.substr(report->size()) : said;
  }
  std::string_view rest = text;
  if (is_act(take_word(rest))) return said;
  return has(text, lists::kPassives) && any_word(text, is_act) ? said : std::string_view{};
}

bool is_function_word(std::string_view word) {
  return is_in(word, lists::kFunctionWords) || is_in(word, lists::kSmallTalk) ||
         is_in(word, lists::kOpenings);
}
bool is_order_word(std::string_view word) { return is_in(word, lists::kOrders); }

bool looks_german(const Said& text) {
  std::size_t hits = 0, all = 0;
  any_word(text.folded, [&](std::string_view word) {
    ++all;
    hits += is_in(word, lists::kGermanMarks) ? 1 : 0;
    return false;
  });
  return hits > 0 && hits * 8 >= all;
}

bool shares_topic(std::string_view a, std::string_view b) {
  constexpr std::size_t kStemBytes = 5;
  const std::string left = folded(a);
  const std::vector<std::string> right = words(b);
  return any_word(left, [&](std::string_view x) {
    if (x.size() < 4 || is_function_word(x) || is_order_word(x)) return false;
    return std::ranges::any_of(right, [&](std::string_view y) {
      return y.size() >= 4 && x.substr(0, kStemBytes) == y.substr(0, kStemBytes);
    });
  });
}

}  // namespace rouse::summary
