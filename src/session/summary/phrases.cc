#include "session/summary/phrases.h"

#include <algorithm>
#include <span>

#include "base/text.h"
#include "session/summary/plain_text.h"
#include "session/summary/word_lists.h"

namespace rouse::summary {
namespace {

using lists::is_in;
using Phrases = std::span<const std::string_view>;

bool boundary(std::string_view text, std::size_t at) {
  if (at >= text.size()) return true;
  const CodePoint next = first_code_point(text.substr(at));
  return !is_letter(next.value) && !is_digit(next.value) && next.value != '\'';
}

bool opens_with(std::string_view folded_text, Phrases phrases) {
  return std::ranges::any_of(phrases, [&](std::string_view phrase) {
    return folded_text.starts_with(phrase) && boundary(folded_text, phrase.size());
  });
}

bool has(std::string_view folded_text, Phrases phrases) {
  return std::ranges::any_of(phrases, [&](std::string_view phrase) {
    for (std::size_t at = folded_text.find(phrase); at != std::string_view::npos;
         at = folded_text.find(phrase, at + 1)) {
      const bool starts = at == 0 || (folded_text[at - 1] == ' ' || folded_text[at - 1] == '(');
      if (starts && boundary(folded_text, at + phrase.size())) return true;
    }
    return false;
  });
}

std::string opened(std::string_view sentence) { return folded(without_opening(sentence)); }

bool ends_as_question(std::string_view sentence) {
  const std::string_view text = trim(sentence);
  const std::size_t last = text.find_last_not_of(" \"')*_");
  if (last == std::string_view::npos) return false;
  const std::string_view head = text.substr(0, last + 1);
  return head.ends_with('?') || head.ends_with("？") || head.ends_with("؟");
}

bool denies(std::string_view folded_text) { return has(folded_text, lists::kDenials); }

}  // namespace

std::string without_opening(std::string_view sentence) {
  std::string_view rest = trim(sentence);
  while (!rest.empty()) {
    const std::size_t end = rest.find_first_of(" ,!.:");
    if (end == std::string_view::npos || !is_in(folded(rest.substr(0, end)), lists::kOpenings))
      break;
    const std::size_t next = rest.find_first_not_of(" ,!.:-", end);
    if (next == std::string_view::npos) break;
    rest.remove_prefix(next);
  }
  return std::string(rest);
}

bool is_small_talk(std::string_view message) {
  return std::ranges::all_of(words(message), [](const std::string& word) {
    return is_in(word, lists::kSmallTalk) || is_in(word, lists::kOpenings);
  });
}
bool says_yes(std::string_view message) {
  const std::string text = folded(trim(message));
  return text.starts_with("👍") || text.starts_with("✅") || opens_with(text, lists::kYes);
}
bool says_no(std::string_view message) {
  const std::string text = folded(trim(message));
  return text.starts_with("👎") || opens_with(text, lists::kNo);
}
bool drops_the_matter(std::string_view message) { return has(folded(message), lists::kDrops); }

bool is_question(std::string_view sentence) {
  return ends_as_question(sentence) || opens_with(opened(sentence), lists::kQuestionOpenings);
}
bool is_request(std::string_view sentence) {
  const std::string text = opened(sentence);
  if (opens_with(text, lists::kWishes)) return true;
  const std::vector<std::string> all = words(text);
  return all.size() > 1 && is_order_word(all.front());
}
bool is_choice(std::string_view sentence) {
  if (ends_as_question(sentence)) return false;
  return opens_with(opened(sentence), lists::kChoiceOpenings) ||
         has(folded(sentence), lists::kChoiceWords);
}
bool is_follow_up(std::string_view sentence) {
  const std::string text = folded(sentence);
  const std::vector<std::string> all = words(text);
  if (all.empty() || word_count(sentence) > 8) return false;
  if (opens_with(text, lists::kFollowUps) || has(text, lists::kPointing)) return true;
  return std::ranges::any_of(all, [](const auto& w) { return is_in(w, lists::kReferences); }) ||
         is_in(all.back(), lists::kLastReferences);
}
bool changes_subject(std::string_view sentence) {
  return opens_with(folded(sentence), lists::kNewSubject) ||
         has(opened(sentence), lists::kNewTopic);
}
bool asks_to_remember(std::string_view sentence) {
  return has(folded(sentence), lists::kReminders);
}

bool is_courtesy(std::string_view sentence) { return has(folded(sentence), lists::kCourtesies); }
bool is_promise(std::string_view sentence) {
  return !ends_as_question(sentence) && !is_courtesy(sentence) &&
         opens_with(opened(sentence), lists::kPromises);
}
bool is_evasive(std::string_view sentence) { return has(folded(sentence), lists::kEvasions); }

std::string act_in(std::string_view sentence) {
  std::string said = without_opening(sentence);
  const std::string text = folded(said);
  if (ends_as_question(said) || denies(text)) return {};
  const auto report = std::ranges::find_if(
      lists::kReports, [&](std::string_view opening) { return text.starts_with(opening); });
  const std::vector<std::string> all = words(text);
  const auto is_act = [](const std::string& word) { return is_in(word, lists::kActs); };
  const auto first_words = std::span(all).first(std::min<std::size_t>(all.size(), 4));
  if (report != lists::kReports.end()) {
    const bool german = report->starts_with("ich");
    const auto where = german ? std::span(all) : first_words;
    if (std::ranges::none_of(where, is_act)) return {};
    return said.size() == text.size() ? said.substr(report->size()) : said;
  }
  const bool passive = has(text, lists::kPassives) && std::ranges::any_of(all, is_act);
  if (passive || (!all.empty() && is_act(all.front()))) return said;
  return {};
}

bool is_function_word(std::string_view word) {
  return is_in(word, lists::kFunctionWords) || is_in(word, lists::kSmallTalk) ||
         is_in(word, lists::kOpenings);
}
bool is_order_word(std::string_view word) { return is_in(word, lists::kOrders); }

bool looks_german(std::string_view text) {
  const std::vector<std::string> all = words(text);
  const auto hits = std::ranges::count_if(
      all, [](const std::string& word) { return is_in(word, lists::kGermanMarks); });
  return hits > 0 && static_cast<std::size_t>(hits) * 8 >= all.size();
}

bool shares_topic(std::string_view a, std::string_view b) {
  constexpr std::size_t kStemBytes = 5;
  const std::vector<std::string> left = words(a), right = words(b);
  return std::ranges::any_of(left, [&](const std::string& x) {
    if (x.size() < 4 || is_function_word(x) || is_order_word(x)) return false;
    return std::ranges::any_of(right, [&](const std::string& y) {
      return y.size() >= 4 && x.substr(0, kStemBytes) == y.substr(0, kStemBytes);
    });
  });
}

}  // namespace rouse::summary
