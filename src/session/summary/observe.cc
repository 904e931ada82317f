#include "session/summary/observe.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "session/summary/entities.h"
#include "session/summary/phrases.h"
#include "session/summary/plain_text.h"
#include "session/summary/said.h"

namespace rouse::summary {
namespace {

constexpr std::string_view kNow = "; now: ";
constexpr std::string_view kAgentAsks = "assistant asks: ";
constexpr std::string_view kAgentOwes = "assistant owes: ";
constexpr std::string_view kUserAsks = "user asks: ";
constexpr std::string_view kRemember = "remember: ";

constexpr std::size_t kGoalBytes = 180, kNowBytes = 130, kItemBytes = 120;
constexpr std::size_t kQuestionBytes = 70, kAnswerBytes = 60;
constexpr std::size_t kPendingItems = 5, kListItems = 40, kAgentEntities = 8;
constexpr std::size_t kHeadBytes = 2000, kTailBytes = 1000;

// Of a very long message the beginning and the end: that is where people ask.
std::string readable(std::string_view message) {
  std::string prose = without_code(message);
  if (prose.size() <= kHeadBytes + kTailBytes) return prose;
  const std::string_view all = prose;
  std::size_t tail = all.size() - kTailBytes;
  while (tail < all.size() && !begins_character(all[tail])) ++tail;
  return std::string(utf8_prefix(all, kHeadBytes)) + "\n" + std::string(all.substr(tail));
}

void add_words(std::string& text, std::string_view more) {
  if (!text.empty()) text += ' ';
  text += more;
}

std::string objective_of(const Message& message) {
  if (is_small_talk(message.whole)) return {};
  std::string whole;
  std::string_view best;
  int best_rank = 0;
  for (const Said& sentence : message.sentences) {
    if (is_small_talk(sentence)) continue;
    const std::string_view said = without_opening(sentence.text);
    add_words(whole, said);
    const int rank = is_request(sentence) ? 3 : is_question(sentence) ? 2 : 1;
    if (rank > best_rank) {
      best = said;
      best_rank = rank;
    }
  }
  return std::string(without_full_stop(whole.size() <= kGoalBytes ? whole : best));
}

std::vector<std::string> acts_of(const std::vector<Said>& reply) {
  std::vector<std::string> acts;
  for (const Said& sentence : reply) {
    if (const std::string_view act = act_in(sentence); !act.empty() && acts.size() < 3) {
      acts.emplace_back(without_full_stop(act));
    }
  }
  return acts;
}

void drop_kind(std::vector<std::string>& pending, std::string_view kind) {
  std::erase_if(pending, [&](const std::string& item) { return item.starts_with(kind); });
}

void decide(Digest& digest, std::string_view item) {
  add_newest(digest.decisions, cut(without_full_stop(item), kItemBytes), Separator::kComma);
}
void leave_open(Digest& digest, std::string_view kind, std::string_view what) {
  add_newest(digest.pending, std::string(kind) + cut(without_full_stop(what), kItemBytes),
             Separator::kSemicolon);
}

template <class Predicate>
bool any(const std::vector<Said>& said, Predicate predicate) {
  return std::ranges::any_of(said, predicate);
}
bool asks_or_orders(const Said& sentence) {
  return is_question(sentence) || (is_request(sentence) && !is_choice(sentence));
}

// --- the user's side ---------------------------------------------------------------------------

// What a message says before it asks or orders anything itself.
std::string answer_in(const std::vector<Said>& said) {
  std::string answer;
  for (const Said& sentence : said) {
    if (asks_or_orders(sentence) || is_choice(sentence)) break;
    if (!is_small_talk(sentence)) add_words(answer, without_opening(sentence.text));
  }
  return answer;
}

// The agent's open question, if any, meets the user's reply: agreed, declined, answered, overtaken
// by an order, or still open after a question back.
void answer_open_question(Digest& digest, const Message& message) {
  const auto open =
      std::ranges::find_if(digest.pending.rbegin(), digest.pending.rend(),
                           [](const std::string& item) { return item.starts_with(kAgentAsks); });
  if (open == digest.pending.rend()) return;
  const std::string question = cut(open->substr(kAgentAsks.size()), kQuestionBytes);
  const std::string answer = answer_in(message.sentences);
  if (says_yes(message.whole)) {
    decide(digest, "agreed: " + question);
  } else if (says_no(message.whole)) {
    decide(digest, "declined: " + question);
  } else if (!answer.empty()) {
    decide(digest, question + " → " + cut(without_full_stop(answer), kAnswerBytes));
  } else if (!any(message.sentences, is_request) && !any(message.sentences, is_choice)) {
    return;
  }
  drop_kind(digest.pending, kAgentAsks);
}

// Choices in so many words; and an order in reply to a question is one, too.
void take_choices(Digest& digest, const std::vector<Said>& said, bool was_asked) {
  for (const Said& sentence : said) {
    const bool ordered = was_asked && is_request(sentence) && !is_question(sentence);
    if ((!is_choice(sentence) && !ordered) || asks_to_remember(sentence)) continue;
    const Said rest{std::string(without_opening(sentence.text))};
    if (folded_word_count(rest.folded) > 1 && !is_small_talk(rest)) decide(digest, rest.text);
  }
}

void take_goal(Digest& digest, const Message& message, bool was_asked) {
  const std::vector<Said>& said = message.sentences;
  std::string wanted = objective_of(message);
  if (wanted.empty()) return;
  const std::size_t split_at = digest.goal.find(kNow);
  std::string main = digest.goal.substr(0, split_at);
  const std::string now =
      split_at == std::string::npos ? "" : digest.goal.substr(split_at + kNow.size());
  if (!main.empty()) {
    const bool asks = any(said, asks_or_orders);
    if (was_asked && (says_yes(message.whole) || says_no(message.whole))) return;
    if (!asks && (was_asked || any(said, is_choice))) return;
    if (is_follow_up(said.front()) && !changes_subject(said.front())) return;
    if (!asks && word_count(wanted) < 4) return;
    if (asks_to_remember(said.front()) || asks_to_remember(said.back())) return;
  }
  std::ranges::replace(wanted, ';', ',');
  const bool moved_on = !now.empty() && shares_topic(wanted, now) && !shares_topic(wanted, main) &&
                        !shares_topic(now, main);
  if (main.empty() || changes_subject(said.front())) {
    digest.goal = cut(wanted, kGoalBytes);
    return;
  }
  if (moved_on) main = now;
  if (equal_folded(main, cut(wanted, kGoalBytes))) return;
  digest.goal = cut(main, kGoalBytes) + std::string(kNow) + cut(wanted, kNowBytes);
}

// --- the agent's side --------------------------------------------------------------------------

bool says_something(const Said& sentence) {
  return !is_question(sentence) && !is_promise(sentence) && !is_evasive(sentence) &&
         !is_courtesy(sentence) && !is_small_talk(sentence);
}

void take_acts(Digest& digest, const Message& message, std::string_view action_type,
               const std::vector<std::string>& acts) {
  const bool named = is_telling_action(action_type);
  const std::string kind = named ? clean_line(action_type) : "done";
  for (const std::string& act : acts) {
    decide(digest, kind + ": " + act);
    std::erase_if(digest.pending, [&](const std::string& item) {
      return (item.starts_with(kAgentOwes) || item.starts_with(kRemember)) &&
             shares_topic(item, act);
    });
  }
  if (named && acts.empty()) {
    const std::string objective = objective_of(message);
    decide(digest, objective.empty() ? kind : kind + ": " + cut(objective, kAnswerBytes));
  }
}

void take_questions(Digest& digest, const std::vector<Said>& reply) {
  std::vector<std::string_view> asked;
  for (const Said& sentence : reply) {
    const std::string& text = sentence.text;
    const bool marked = text.contains('?') || text.contains("？") || text.contains("؟");
    if (marked && is_question(sentence) && !is_courtesy(sentence)) asked.push_back(text);
  }
  if (asked.empty()) return;
  drop_kind(digest.pending, kAgentAsks);  // the latest questions are the ones to answer
  const std::size_t first = asked.size() > 2 ? asked.size() - 2 : 0;
  for (std::size_t i = first; i < asked.size(); ++i) {
    leave_open(digest, kAgentAsks, without_opening(asked[i]));
  }
}

void take_reply(Digest& digest, const Message& message, std::string_view action_type,
                const std::vector<Said>& reply) {
  const std::vector<std::string> acts = acts_of(reply);
  if (any(reply, says_something) || !acts.empty()) {
    drop_kind(digest.pending, kUserAsks);
  } else {
    for (const Said& sentence : message.sentences) {
      if (asks_or_orders(sentence) && !asks_to_remember(sentence))
        leave_open(digest, kUserAsks, without_opening(sentence.text));
    }
  }
  take_acts(digest, message, action_type, acts);
  for (const Said& sentence : reply) {
    if (is_promise(sentence)) leave_open(digest, kAgentOwes, without_opening(sentence.text));
  }
  take_questions(digest, reply);
}

// "Yoga Slim 7" is said by "Lenovo Yoga Slim 7", "writer_test.cc" by its path. One plain word
// isn't: Berlin is not Hotel Berlin.
bool says_the_same(std::string_view shorter, std::string_view longer) {
  if (shorter.size() >= longer.size() || shorter.find_first_of(" ._") == std::string_view::npos) {
    return false;
  }
  const std::size_t at = longer.find(shorter);
  if (at == std::string_view::npos) return false;
  const std::size_t end = at + shorter.size();
  const auto edge = [&](char c) { return c == ' ' || c == '/'; };
  return (at == 0 || edge(longer[at - 1])) && (end == longer.size() || edge(longer[end]));
}

void mention(Digest& digest, const std::string& name) {
  std::erase_if(digest.entities, [&](const std::string& old) { return says_the_same(old, name); });
  const auto fuller = std::ranges::find_if(
      digest.entities, [&](const std::string& old) { return says_the_same(name, old); });
  const std::string kept = fuller == digest.entities.end() ? name : *fuller;
  add_newest(digest.entities, kept, Separator::kComma);
}

void take_entities(Digest& digest, const Message& reply, const std::vector<std::string>& users) {
  std::vector<std::string> theirs = entities_in(reply);
  if (theirs.size() > kAgentEntities) theirs.resize(kAgentEntities);
  for (const std::string& name : theirs) mention(digest, name);
  for (const std::string& name : users) mention(digest, name);
}

void keep_newest(std::vector<std::string>& list, std::size_t count) {
  if (list.size() > count)
    list.erase(list.begin(), list.end() - static_cast<std::ptrdiff_t>(count));
}

}  // namespace

std::string objective_in(std::string_view message) {
  return objective_of(Message(readable(message)));
}

std::vector<std::string> acts_in(std::string_view reply) {
  return acts_of(Message(readable(reply)).sentences);
}

bool is_telling_action(std::string_view action_type) {
  static constexpr std::array<std::string_view, 14> kTalk{
      "",     "chat", "message",  "reply",        "respond", "response",        "answer",
      "none", "text", "question", "conversation", "unknown", "direct_response", "small_talk"};
  return std::ranges::find(kTalk, lower_ascii(trim(action_type))) == kTalk.end();
}

Hearing::Hearing(Digest before, std::string_view user)
    : digest_(std::move(before)), message_(readable(user)), names_(entities_in(message_)) {
  const bool was_asked = std::ranges::any_of(
      digest_.pending, [](const std::string& item) { return item.starts_with(kAgentAsks); });
  if (drops_the_matter(message_.whole)) digest_.pending.clear();
  answer_open_question(digest_, message_);
  if (!message_.sentences.empty()) {
    take_goal(digest_, message_, was_asked);
    take_choices(digest_, message_.sentences, was_asked);
  }
  for (const Said& sentence : message_.sentences) {
    if (asks_to_remember(sentence)) leave_open(digest_, kRemember, without_opening(sentence.text));
  }
}

Digest Hearing::then(std::string_view assistant, std::string_view action_type) && {
  const Message reply(readable(assistant));
  take_reply(digest_, message_, action_type, reply.sentences);
  take_entities(digest_, reply, names_);
  keep_newest(digest_.pending, kPendingItems);
  keep_newest(digest_.decisions, kListItems);
  keep_newest(digest_.entities, kListItems);
  return std::move(digest_);
}

void observe(Digest& digest, const TurnText& exchange) {
  digest = Hearing(std::move(digest), exchange.user).then(exchange.assistant, exchange.action_type);
}

}  // namespace rouse::summary
