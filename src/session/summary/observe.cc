#include "session/summary/observe.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "session/summary/entities.h"
#include "session/summary/phrases.h"
#include "session/summary/plain_text.h"

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
bool any(const std::vector<std::string>& said, Predicate predicate) {
  return std::ranges::any_of(said, predicate);
}
bool asks_or_orders(const std::string& sentence) {
  return is_question(sentence) || (is_request(sentence) && !is_choice(sentence));
}

// --- the user's side ---------------------------------------------------------------------------

// What a message says before it asks or orders anything itself.
std::string answer_in(const std::vector<std::string>& said) {
  std::string answer;
  for (const std::string& sentence : said) {
    if (asks_or_orders(sentence) || is_choice(sentence)) break;
    if (!is_small_talk(sentence)) answer += (answer.empty() ? "" : " ") + without_opening(sentence);
  }
  return answer;
}

// The agent's open question, if any, meets the user's reply: agreed, declined, answered, overtaken
// by an order, or still open after a question back.
void answer_open_question(Digest& digest, const std::string& message,
                          const std::vector<std::string>& said) {
  const auto open =
      std::ranges::find_if(digest.pending.rbegin(), digest.pending.rend(),
                           [](const std::string& item) { return item.starts_with(kAgentAsks); });
  if (open == digest.pending.rend()) return;
  const std::string question = cut(open->substr(kAgentAsks.size()), kQuestionBytes);
  const std::string answer = answer_in(said);
  if (says_yes(message)) {
    decide(digest, "agreed: " + question);
  } else if (says_no(message)) {
    decide(digest, "declined: " + question);
  } else if (!answer.empty()) {
    decide(digest, question + " → " + cut(without_full_stop(answer), kAnswerBytes));
  } else if (!any(said, is_request) && !any(said, is_choice)) {
    return;
  }
  drop_kind(digest.pending, kAgentAsks);
}

// Choices in so many words; and an order in reply to a question is one, too.
void take_choices(Digest& digest, const std::vector<std::string>& said, bool was_asked) {
  for (const std::string& sentence : said) {
    const std::string rest = without_opening(sentence);
    const bool ordered = was_asked && is_request(sentence) && !is_question(sentence);
    if ((is_choice(sentence) || ordered) && word_count(rest) > 1 && !is_small_talk(rest) &&
        !asks_to_remember(sentence)) {
      decide(digest, rest);
    }
  }
}

void take_goal(Digest& digest, const std::string& message, const std::vector<std::string>& said,
               bool was_asked) {
  std::string wanted = objective_in(message);
  if (wanted.empty()) return;
  const std::size_t split_at = digest.goal.find(kNow);
  std::string main = digest.goal.substr(0, split_at);
  const std::string now =
      split_at == std::string::npos ? "" : digest.goal.substr(split_at + kNow.size());
  if (!main.empty()) {
    const bool asks = any(said, asks_or_orders);
    if (was_asked && (says_yes(message) || says_no(message))) return;
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
  if (folded(main) == folded(cut(wanted, kGoalBytes))) return;
  digest.goal = cut(main, kGoalBytes) + std::string(kNow) + cut(wanted, kNowBytes);
}

// --- the agent's side --------------------------------------------------------------------------

bool says_something(const std::string& sentence) {
  return !is_question(sentence) && !is_promise(sentence) && !is_evasive(sentence) &&
         !is_courtesy(sentence) && !is_small_talk(sentence);
}

void take_acts(Digest& digest, const TurnText& exchange, const std::vector<std::string>& acts) {
  const bool named = is_telling_action(exchange.action_type);
  const std::string kind = named ? clean_line(exchange.action_type) : "done";
  for (const std::string& act : acts) {
    decide(digest, kind + ": " + act);
    std::erase_if(digest.pending, [&](const std::string& item) {
      return (item.starts_with(kAgentOwes) || item.starts_with(kRemember)) &&
             shares_topic(item, act);
    });
  }
  if (named && acts.empty()) {
    const std::string objective = objective_in(readable(exchange.user));
    decide(digest, objective.empty() ? kind : kind + ": " + cut(objective, kAnswerBytes));
  }
}

void take_questions(Digest& digest, const std::vector<std::string>& reply) {
  std::vector<std::string> asked;
  for (const std::string& sentence : reply) {
    const bool marked = sentence.contains('?') || sentence.contains("？") || sentence.contains("؟");
    if (marked && is_question(sentence) && !is_courtesy(sentence)) asked.push_back(sentence);
  }
  if (asked.empty()) return;
  drop_kind(digest.pending, kAgentAsks);  // the latest questions are the ones to answer
  const std::size_t first = asked.size() > 2 ? asked.size() - 2 : 0;
  for (std::size_t i = first; i < asked.size(); ++i) {
    leave_open(digest, kAgentAsks, without_opening(asked[i]));
  }
}

void take_reply(Digest& digest, const TurnText& exchange, const std::vector<std::string>& said,
                const std::vector<std::string>& reply) {
  const std::vector<std::string> acts = acts_in(exchange.assistant);
  if (any(reply, says_something) || !acts.empty()) {
    drop_kind(digest.pending, kUserAsks);
  } else {
    for (const std::string& sentence : said) {
      if (asks_or_orders(sentence) && !asks_to_remember(sentence))
        leave_open(digest, kUserAsks, without_opening(sentence));
    }
  }
  take_acts(digest, exchange, acts);
  for (const std::string& sentence : reply) {
    if (is_promise(sentence)) leave_open(digest, kAgentOwes, without_opening(sentence));
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

void take_entities(Digest& digest, const std::string& reply, const std::string& message) {
  std::vector<std::string> theirs = entities_in(reply);
  if (theirs.size() > kAgentEntities) theirs.resize(kAgentEntities);
  for (const std::string& name : theirs) mention(digest, name);
  for (const std::string& name : entities_in(message)) mention(digest, name);
}

void keep_newest(std::vector<std::string>& list, std::size_t count) {
  if (list.size() > count)
    list.erase(list.begin(), list.end() - static_cast<std::ptrdiff_t>(count));
}

}  // namespace

std::string objective_in(std::string_view message) {
  const std::string prose = readable(message);
  if (is_small_talk(prose)) return {};
  std::string whole, best;
  int best_rank = 0;
  for (const std::string& sentence : sentences(prose)) {
    if (is_small_talk(sentence)) continue;
    const std::string said = without_opening(sentence);
    whole += (whole.empty() ? "" : " ") + said;
    const int rank = is_request(sentence) ? 3 : is_question(sentence) ? 2 : 1;
    if (rank > best_rank) {
      best = said;
      best_rank = rank;
    }
  }
  return std::string(without_full_stop(whole.size() <= kGoalBytes ? whole : best));
}

std::vector<std::string> acts_in(std::string_view reply) {
  std::vector<std::string> acts;
  for (const std::string& sentence : sentences(readable(reply))) {
    if (const std::string act = act_in(sentence); !act.empty() && acts.size() < 3) {
      acts.emplace_back(without_full_stop(act));
    }
  }
  return acts;
}

bool is_telling_action(std::string_view action_type) {
  static constexpr std::array<std::string_view, 14> kTalk{
      "",     "chat", "message",  "reply",        "respond", "response",        "answer",
      "none", "text", "question", "conversation", "unknown", "direct_response", "small_talk"};
  return std::ranges::find(kTalk, lower_ascii(trim(action_type))) == kTalk.end();
}

void observe(Digest& digest, const TurnText& exchange) {
  const std::string message = readable(exchange.user), answer = readable(exchange.assistant);
  const std::vector<std::string> said = sentences(message), reply = sentences(answer);
  const bool was_asked = std::ranges::any_of(
      digest.pending, [](const std::string& item) { return item.starts_with(kAgentAsks); });
  if (drops_the_matter(message)) digest.pending.clear();
  answer_open_question(digest, message, said);
  if (!said.empty()) {
    take_goal(digest, message, said, was_asked);
    take_choices(digest, said, was_asked);
  }
  for (const std::string& sentence : said) {
    if (asks_to_remember(sentence)) leave_open(digest, kRemember, without_opening(sentence));
  }
  take_reply(digest, exchange, said, reply);
  take_entities(digest, answer, message);
  keep_newest(digest.pending, kPendingItems);
  keep_newest(digest.decisions, kListItems);
  keep_newest(digest.entities, kListItems);
}

}  // namespace rouse::summary
