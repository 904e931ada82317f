#include "model/offline/learned.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "model/offline/phrase.h"

namespace rouse::offline {
namespace {

constexpr std::size_t kNameBytes = 40, kFactBytes = 300;
constexpr std::size_t kNameWords = 3;

// How a clause begins, and how it is told of somebody else.
struct Telling {
  std::string_view said, of_user;
};
constexpr std::array<Telling, 13> kTellings{{{"i like", "likes"},
                                             {"i love", "loves"},
                                             {"i prefer", "prefers"},
                                             {"i enjoy", "enjoys"},
                                             {"i hate", "hates"},
                                             {"i dislike", "dislikes"},
                                             {"i don't like", "doesn't like"},
                                             {"i do not like", "doesn't like"},
                                             {"i live in", "lives in"},
                                             {"i work as", "works as"},
                                             {"i work at", "works at"},
                                             {"i work for", "works for"},
                                             {"i come from", "comes from"}}};
constexpr Patterns kMyThings{"my favourite", "my favorite", "my birthday", "my email",
                             "my job",       "my wife",     "my husband",  "my partner",
                             "my son",       "my daughter", "my dog",      "my cat",
                             "my boss",      "my phone",    "my address"};
constexpr Patterns kNoObjects{"it",      "that",   "this",    "you",         "your",
                              "to know", "to ask", "to have", "the way you", "how you"};
constexpr Patterns kNoNames{
    "a",      "an",     "the",     "not",  "in",   "on",    "at",       "so",     "very",
    "back",   "here",   "fine",    "good", "ok",   "okay",  "sorry",    "sure",   "happy",
    "sad",    "tired",  "busy",    "done", "when", "if",    "later",    "maybe",  "from",
    "german", "french", "english", "yes",  "no",   "hi",    "hello",    "thanks", "nobody",
    "just",   "going",  "also",    "well", "new",  "ready", "what",     "who",    "why",
    "how",    "it",     "that",    "this", "your", "my",    "tomorrow", "help"};

constexpr std::size_t kStyleWords = 6;
constexpr Patterns kOtherStarts{"my name", "call me", "i'm", "i’m", "i am"};

bool is_in(Patterns words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}
bool has_capital(std::string_view word) {
  return (word[0] >= 'A' && word[0] <= 'Z') || static_cast<unsigned char>(word[0]) >= 0x80;
}

// Most messages tell nothing of the person. This finds out without taking them apart, because the
// whole history is asked at once.
bool may_tell(std::string_view message) {
  const auto stands = [&](std::size_t at, std::string_view word) {
    if (message.size() - at < word.size()) return false;
    for (std::size_t i = 0; i < word.size(); ++i) {
      const char c = message[at + i];
      if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != word[i]) return false;
    }
    return true;
  };
  for (std::size_t at = 0; at < message.size(); ++at) {
    if (!std::string_view("iImMcC").contains(message[at])) continue;
    if (at > 0 && is_word_char(message[at - 1])) continue;
    const auto here = [&](std::string_view word) { return stands(at, word); };
    if (std::ranges::any_of(kOtherStarts, here) || std::ranges::any_of(kMyThings, here) ||
        std::ranges::any_of(kTellings, here, &Telling::said) || stands(at, "i don’t like")) {
      return true;
    }
  }
  return false;
}

std::size_t joint_in(std::string_view low) {
  std::size_t first = std::string_view::npos;
  for (const std::string_view joint : {"and i", "and my", "and call me", "but i"}) {
    first = std::min(first, find_words(low, joint));
  }
  return first;
}

// The clauses of a message: sentences, and what "and I …" or "and my …" adds to one.
std::vector<Phrase> clauses_of(std::string_view message) {
  std::vector<Phrase> clauses;
  std::string sentence;
  const auto close = [&] {
    Phrase rest{sentence};
    for (std::size_t at = joint_in(rest.low()); at != std::string_view::npos;
         at = joint_in(rest.low())) {
      Phrase clause = rest;
      clause.keep(0, at);
      if (!clause.empty()) clauses.push_back(std::move(clause));
      rest.keep(at + 3, rest.low().size());  // behind "and" or "but"
    }
    if (!rest.empty()) clauses.push_back(std::move(rest));
    sentence.clear();
  };
  for (std::size_t i = 0; i < message.size(); ++i) {
    const bool end = message[i] == '\n' || message[i] == ';' ||
                     ((message[i] == '.' || message[i] == '!' || message[i] == '?') &&
                      (i + 1 == message.size() || message[i + 1] == ' ' || message[i + 1] == '\n'));
    if (message[i] == '?' && end) {
      sentence.clear();  // a question tells nothing
    } else if (end) {
      close();
    } else {
      sentence += message[i];
    }
  }
  close();
  return clauses;
}

// The first words that can be a name: "Ada Lovelace, and …" gives two of them.
std::string leading_name(const std::string& text, bool needs_capital) {
  std::string name;
  std::size_t count = 0;
  for (const std::string_view piece : words_of(text.substr(0, text.find(',')))) {
    const Phrase word{piece};
    const std::string plain = word.text();
    if (plain.empty() ||
        !std::ranges::all_of(plain, [](char c) { return is_word_char(c) || c == '-' || c == '.'; }))
      break;
    if (word.is({"and", "but", "please", "from", "by"})) break;
    if (count == 0 && (is_in(kNoNames, word.low()) || (needs_capital && !has_capital(plain)))) {
      return "";
    }
    if (count > 0 && !has_capital(plain)) break;
    if (++count > kNameWords || name.size() + plain.size() > kNameBytes) break;
    name += (name.empty() ? "" : " ") + capitalised(plain);
  }
  return name;
}

std::string name_of(Phrase clause) {
  while (clause.eat({"hi", "hello", "hey", "there", "rouse", "please", "well", "yes", "ok", "so",
                     "good morning", "good evening"})) {
  }
  if (clause.eat({"my name is", "my name's", "i am called", "i'm called", "you can call me",
                  "you may call me", "call me", "please call me", "just call me"})) {
    return leading_name(clause.text(), false);
  }
  if (!clause.eat({"i'm", "i am"})) return "";
  const std::string name = leading_name(clause.text(), true);
  return name.size() == clause.text().size() ? name : "";  // "I'm German by birth" is none
}

PersonFact fact(std::string for_memory, std::string_view said) {
  return {"The user" + std::move(for_memory) + ".", to_second_person(said)};
}

std::optional<PersonFact> fact_of(Phrase clause) {
  while (clause.eat({"hi", "hello", "hey", "well", "yes", "also", "oh", "ok", "so", "and"})) {
  }
  const std::string whole = clause.text();
  if (whole.size() > kFactBytes) return std::nullopt;
  for (const Telling& telling : kTellings) {
    Phrase rest = clause;
    if (!rest.eat({telling.said})) continue;
    if (rest.empty() || rest.starts(kNoObjects)) return std::nullopt;
    return fact(fmt::format(" {} {}", telling.of_user, to_third_person(rest.text())), whole);
  }
  if (clause.starts(kMyThings) && clause.has({"is", "are"}))
    return fact("'s " + to_third_person(whole.substr(3)), whole);
  Phrase rest = clause;
  if (rest.eat({"i am", "i'm"}) &&
      rest.starts({"a", "an", "from", "allergic", "vegetarian", "vegan"}) &&
      words_of(rest.low()).size() > 1) {
    if (rest.starts({"a bit", "a little", "a lot"})) return std::nullopt;
    return fact(" is " + to_third_person(rest.text()), whole);
  }
  return std::nullopt;
}

// How somebody likes their answers: "short answers please" gives "short answers", "keep it brief"
// gives "brief answers"; "" if it is about something else.
std::string style_in(std::string_view text) {
  Phrase style{text};
  while (style.eat({"and", "please", "i like", "i prefer", "i want", "i'd like", "keep it",
                    "keep them", "make it", "make them", "give me", "just", "with", "my", "answers",
                    "in"})) {
  }
  while (style.eat_end(
      {"please", "thanks", "thank you", "answers", "replies", "answer", "ones", "responses"})) {
  }
  const auto words = words_of(style.low());
  if (words.empty() || words.size() > kStyleWords) return "";
  const bool known = style.has({"short", "brief", "concise", "long", "detailed", "friendly",
                                "formal", "casual", "simple", "precise", "direct", "thorough",
                                "plain", "funny", "quick", "crisp", "polite", "to the point"});
  return known ? fmt::format("{} answers", style.low()) : "";
}

}  // namespace

Learned learned_from(std::string_view message) {
  Learned learned;
  if (!may_tell(message)) return learned;
  for (const Phrase& clause : clauses_of(message)) {
    if (std::string name = name_of(clause); !name.empty()) {
      learned.name = std::move(name);
    } else if (auto one = fact_of(clause)) {
      learned.facts.push_back(std::move(*one));
    }
  }
  return learned;
}

bool asks_for_name(std::string_view said) {
  for (const std::string_view end : {std::string_view("?"), kAnswersQuestion}) {
    if (!said.ends_with(end)) continue;
    if (said.substr(0, said.size() - end.size()).ends_with(kNameQuestion)) return true;
  }
  return false;
}

std::string name_in_answer(std::string_view message) {
  Phrase answer{message};
  answer.eat({"it's", "it is", "i'm", "i am", "just", "call me", "hi", "hello"});
  const auto words = words_of(answer.low());
  if (words.empty() || words.size() > kNameWords) return "";
  const std::string name = leading_name(answer.text(), false);
  return name.size() == answer.text().size() ? name : "";
}

Learned learned_in_answer(std::string_view message) {
  Learned learned = learned_from(message);
  if (message.size() > kFactBytes || message.contains('?')) return learned;
  const std::size_t end =
      std::min({message.find_first_of(",;\n"), message.find(". "), message.find(" and ")});
  const std::string_view head = message.substr(0, end);
  std::string style = end < message.size() ? style_in(message.substr(end + 1)) : "";
  if (!style_in(head).empty()) {  // "short, but friendly": no name
    style = style_in(message);
  } else if (learned.name.empty()) {
    // "Nothing, thanks" is none: what follows a name tells of the person.
    const bool tells_more = !style.empty() || !learned.facts.empty();
    learned.name = name_in_answer(tells_more ? head : message);
    if (learned.name.empty()) return learned;
  }
  if (learned.facts.empty() && !style.empty()) {
    learned.facts.push_back({"The user prefers " + style + ".", "you prefer " + style});
  }
  return learned;
}

}  // namespace rouse::offline
