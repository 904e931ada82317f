#include "agent/memory/memory_recall.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_set>

#include <fmt/format.h>

#include "agent/memory/note_words.h"
#include "base/text.h"

namespace rouse {
namespace {

using Places = std::vector<std::int64_t>;

constexpr std::size_t kListed = 256;          // places of one word
constexpr std::size_t kListedTogether = 64;   // of common words that stand together
constexpr std::int64_t kAskedTwice = 30'000;  // in a larger memory at most once: that may take 3 ms
constexpr std::int64_t kMeetings = 20;        // by chance; that none is there is no accident
constexpr std::size_t kFewestLooked = 32;     // notes whose text is looked at

// Beside the words, which weigh 1 when all are there.
constexpr double kImportanceWeight = 0.04;  // a step from the usual
constexpr double kRecencyWeight = 0.06;     // a note of today
constexpr double kRecencyDays = 30;         // half of that

// One word of the question and where it is.
struct WordList {
  std::string word;
  Places places;  // highest first
  double weight = 0;

  [[nodiscard]] bool common() const { return places.size() == kListed; }
  // Below the last place that was listed nobody knows.
  [[nodiscard]] bool may_hold(std::int64_t place) const {
    return common() && place < places.back();
  }
};

// The rarer, the heavier.
double weight_of(std::size_t holding, std::int64_t notes) {
  return std::log(1.0 + static_cast<double>(notes) /
                            static_cast<double>(std::max<std::size_t>(holding, 1)));
}

// What the words of a place weigh, as far as anybody knows: a word it may have counts half.
double likely(std::int64_t place, double found, const std::vector<WordList>& words) {
  for (const WordList& one : words) {
    if (one.may_hold(place)) found += one.weight / 2;
  }
  return found;
}

// The most promising places, by their words, then by themselves.
Places promising(const std::map<std::int64_t, double>& found, const std::vector<WordList>& words,
                 std::size_t count) {
  std::vector<std::pair<double, std::int64_t>> ranked;
  ranked.reserve(found.size());
  for (const auto& [place, weight] : found) {
    ranked.emplace_back(likely(place, weight, words), place);
  }
  const auto end = ranked.begin() + static_cast<std::ptrdiff_t>(std::min(count, ranked.size()));
  std::ranges::partial_sort(ranked, end, std::greater<>());
  Places out;
  for (auto it = ranked.begin(); it != end; ++it) out.push_back(it->second);
  return out;
}

struct Scored {
  double score = 0;
  Note note;
};

double score_of(const Note& note, const std::vector<WordList>& words, double all, WallTime now) {
  const std::vector<std::string> held = words_of_note(note.text);
  const std::unordered_set<std::string_view> has(held.begin(), held.end());
  double found = 0;
  for (const WordList& one : words) {
    if (has.contains(one.word)) found += one.weight;
  }
  if (found == 0) return 0;
  const double days = static_cast<double>(now.unix_ms - note.updated.unix_ms) / 86'400'000.0;
  return found / all + kImportanceWeight * static_cast<double>(note.importance - kUsualImportance) +
         kRecencyWeight / (1.0 + std::max(days, 0.0) / kRecencyDays);
}

std::vector<Note> best_of(std::vector<Scored> scored, std::size_t limit) {
  std::ranges::sort(scored, [](const Scored& a, const Scored& b) {
    return a.score != b.score ? a.score > b.score : a.note.place > b.note.place;
  });
  if (scored.size() > limit) scored.resize(limit);
  std::vector<Note> out;
  out.reserve(scored.size());
  for (Scored& one : scored) out.push_back(std::move(one.note));
  return out;
}

bool some_keep_apart(const std::vector<const WordList*>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!words[i]->common() || !words[j]->common()) continue;
      if (keep_apart(words[i]->places, words[j]->places)) return true;
    }
  }
  return false;
}

std::vector<std::string> names_of(const std::vector<const WordList*>& words) {
  std::vector<std::string> out;
  for (const WordList* one : words) out.push_back(one->word);
  return out;
}

// Which words are asked for together, because their own lists end too early to tell: all of them,
// and, if all are common, those without the most common one. Its list ends the highest up. In a
// large memory a word that is everywhere is left out, if two others remain.
std::vector<std::vector<const WordList*>> together(const std::vector<WordList>& words,
                                                   std::int64_t notes) {
  std::vector<const WordList*> all;
  std::size_t common = 0;
  for (const WordList& one : words) {
    all.push_back(&one);
    common += one.common() ? 1 : 0;
  }
  if (common == 0 || all.size() < 2) return {};
  if (notes > kAskedTwice) {
    if (some_keep_apart(all)) return {};
    const auto empty_words = std::ranges::partition(
        all, [](const WordList* one) { return !one->common() || !stands_everywhere(one->places); });
    if (all.size() - empty_words.size() >= 2) all.erase(empty_words.begin(), empty_words.end());
  }
  std::vector<std::vector<const WordList*>> out{all};
  if (common < all.size() || common < 3 || notes > kAskedTwice) return out;
  all.erase(
      std::ranges::max_element(all, {}, [](const WordList* one) { return one->places.back(); }));
  out.push_back(std::move(all));
  return out;
}

double weight_of(const std::vector<const WordList*>& words) {
  double weight = 0;
  for (const WordList* one : words) weight += one->weight;
  return weight;
}

Result<void> check(const Question& question) {
  if (trim(question.text).empty()) return fail(Errc::kInvalid, "there is nothing to look for");
  if (question.text.size() > kQuestionBytes) {
    return fail(Errc::kInvalid, fmt::format("a question has at most {} bytes", kQuestionBytes));
  }
  if (!is_utf8(question.text)) return fail(Errc::kInvalid, "the question is not valid UTF-8");
  return {};
}

}  // namespace

bool keep_apart(const Places& a, const Places& b) {
  if (a.empty() || b.empty()) return false;
  const std::int64_t lowest = std::max(a.back(), b.back());
  const std::int64_t span = std::max(a.front(), b.front()) - lowest + 1;
  std::int64_t in_a = 0, in_b = 0;
  for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    const std::int64_t first = i < a.size() ? a[i] : lowest - 1;
    const std::int64_t second = j < b.size() ? b[j] : lowest - 1;
    if (std::max(first, second) < lowest) break;
    if (first == second) return false;
    if (first > second) {
      ++in_a, ++i;
    } else {
      ++in_b, ++j;
    }
  }
  return in_a * in_b / span >= kMeetings;
}

bool stands_everywhere(const Places& places) {
  if (places.empty()) return false;
  const auto listed = static_cast<std::int64_t>(places.size());
  return (places.front() - places.back() + 1) * 9 <= listed * 10;
}

Task<Result<Places>> MemoryRecall::holding(std::string owner, std::vector<std::string> words,
                                           std::size_t limit) {
  CO_TRY(const Rows rows, co_await database_.read_page(index_.holding(owner, words, limit)));
  Places out;
  out.reserve(rows.size());
  for (const Row& row : rows) out.push_back(row.integer(0));
  co_return out;
}

Task<Result<std::vector<Note>>> MemoryRecall::find(Question question) {
  CO_TRY_VOID(check(question));
  const std::size_t limit = std::clamp<std::size_t>(question.limit, 1, kRecalledNotes);
  const std::vector<std::string> asked = words_of_question(question.text);
  if (asked.empty()) co_return co_await book_.page(question.owner, {}, limit);
  CO_TRY(const BookCounts counts, book_.counts(question.owner));
  const std::string owner = index_owner(question.owner);

  std::vector<WordList> words;
  std::map<std::int64_t, double> found;  // what the words at a place weigh
  double all = 0;
  for (const std::string& word : asked) {
    CO_TRY(Places places, co_await holding(owner, {word}, kListed));
    const double weight = weight_of(places.size(), counts.notes);
    for (const std::int64_t place : places) found[place] += weight;
    words.push_back({word, std::move(places), weight});
    all += weight;
  }
  for (const auto& some : together(words, counts.notes)) {
    CO_TRY(const Places places, co_await holding(owner, names_of(some), kListedTogether));
    const double weight = weight_of(some);
    for (const std::int64_t place : places) found[place] = std::max(found[place], weight);
    if (places.size() >= limit) break;
  }

  Places looked = promising(found, words, std::max(kFewestLooked, 2 * limit));
  std::vector<Scored> scored;
  for (std::size_t i = 0; i < looked.size(); i += kNotesAtOnce) {
    const auto from = looked.begin() + static_cast<std::ptrdiff_t>(i);
    const auto count = static_cast<std::ptrdiff_t>(std::min(kNotesAtOnce, looked.size() - i));
    CO_TRY(auto notes, co_await book_.at(question.owner, Places(from, from + count)));
    for (Note& note : notes) {
      const double score = score_of(note, words, all, clock_.wall_now());
      if (score > 0) scored.push_back({score, std::move(note)});
    }
  }
  co_return best_of(std::move(scored), limit);
}

}  // namespace rouse
