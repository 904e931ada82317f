#include "session/summary/templates.h"

#include <algorithm>

#include "base/text.h"
#include "session/summary/entities.h"
#include "session/summary/observe.h"
#include "session/summary/phrases.h"
#include "session/summary/plain_text.h"

namespace rouse::summary {
namespace {

constexpr std::size_t kForeignBytes = 180;
constexpr std::size_t kMostExchanges = 200;  // the first and the newest: the loop must not stall

bool holds_anything(const ParsedDigest& parsed) {
  return parsed.has(Part::kGoal) || parsed.has(Part::kEntities) || parsed.has(Part::kDecisions) ||
         parsed.has(Part::kPending);
}

std::string quoted(std::string_view text) { return "“" + std::string(text) + "”"; }

// "The user asked to book a table", "The user asked: “…”", "The user said: “…”".
std::string what_was_wanted(const SummaryInput& input) {
  constexpr std::size_t kBytes = 90;
  for (const TurnText& exchange : input.exchanges) {
    const Said wanted(objective_in(exchange.user));
    if (wanted.text.empty()) continue;
    std::string_view rest = wanted.folded;
    if (is_order_word(take_word(rest)) && !looks_german(wanted)) {
      return "The user asked to " + lower_ascii(wanted.text.substr(0, 1)) +
             cut(wanted.text.substr(1), kBytes);
    }
    const bool asks = is_question(wanted) || is_request(wanted);
    return (asks ? "The user asked: " : "The user said: ") + quoted(cut(wanted.text, kBytes));
  }
  return {};
}

std::string what_was_done(const SummaryInput& input) {
  constexpr std::size_t kBytes = 100;
  std::string answered, asked;
  for (auto turn = input.exchanges.rbegin(); turn != input.exchanges.rend(); ++turn) {
    if (const std::vector<std::string> acts = acts_in(turn->assistant); !acts.empty()) {
      const std::string act = cut(acts.front(), kBytes);
      const bool plain =
          is_lower(first_code_point(act).value) && !looks_german(Said(turn->assistant));
      return plain ? "The agent " + act : "The agent reported: " + quoted(act);
    }
    if (is_telling_action(turn->action_type)) {
      return "The agent did: " + cut(clean_line(turn->action_type), kBytes);
    }
    const Message reply(without_code(turn->assistant));
    for (const Said& sentence : reply.sentences) {
      if (is_courtesy(sentence) || is_small_talk(sentence)) continue;
      std::string& kept = is_question(sentence) ? asked : answered;
      if (kept.empty()) kept = cut(without_full_stop(sentence.text), kBytes);
    }
  }
  if (!answered.empty()) return "The agent answered: " + quoted(answered);
  return asked.empty() ? "" : "The agent asked back: " + quoted(asked);
}

std::string bullet(std::string_view label, const std::string& value) {
  return value.empty() ? "" : "- " + std::string(label) + ": " + value + "\n";
}
std::string bullets(const std::vector<std::string>& list, std::size_t max_bytes) {
  const std::string joined = join_newest(list, "\n- ", max_bytes);
  return joined.empty() ? "" : "- " + joined;
}

std::string last_exchange(const SummaryInput& input) {
  const auto last = std::ranges::find_if(
      input.exchanges.rbegin(), input.exchanges.rend(),
      [](const TurnText& e) { return !trim(e.user).empty() || !trim(e.assistant).empty(); });
  if (last == input.exchanges.rend()) return {};
  std::string out;
  if (!trim(last->user).empty()) out = "User: " + cut(clean_line(last->user), 450);
  if (trim(last->assistant).empty()) return out;
  return out + (out.empty() ? "" : "\n") + "Assistant: " + cut(clean_line(last->assistant), 600);
}

}  // namespace

Digest digest_before(std::string_view previous) {
  ParsedDigest parsed = parse_digest(previous);
  if (holds_anything(parsed)) return std::move(parsed.digest);
  Digest foreign;
  foreign.goal = cut(clean_line(previous), kForeignBytes);
  for (const std::string& name : entities_in(previous)) {
    add_newest(foreign.entities, name, Separator::kComma);
  }
  return foreign;
}

Digest digest_of(const SummaryInput& input) {
  Digest digest = digest_before(input.previous);
  const std::size_t count = input.exchanges.size();
  const std::size_t skipped = count > kMostExchanges ? count - kMostExchanges : 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (i == 0 || i > skipped) observe(digest, input.exchanges[i]);
  }
  digest.turns = std::max<std::int64_t>(input.turn_count, 0);
  return digest;
}

std::string context_by_rules(const SummaryInput& input) {
  return write_five_lines(digest_of(input), kContextSummaryChars);
}

std::string punchline_by_rules(const SummaryInput& input) {
  const std::string wanted = what_was_wanted(input), done = what_was_done(input);
  std::string line = wanted.empty() || done.empty() ? wanted + done : wanted + ". " + done;
  if (line.empty()) {
    const bool talked = std::ranges::any_of(
        input.exchanges, [](const TurnText& e) { return !e.user.empty() || !e.assistant.empty(); });
    line = talked ? "A few words were exchanged" : "Nothing was said";
  }
  return cut(line, kPunchlineBytes - 1) + ".";
}

std::string clear_by_rules(const SummaryInput& input) {
  const Digest digest = digest_of(input);
  std::string out = bullet("Goal", cut(digest.goal, 350)) +
                    bullet("Decided", join_newest(digest.decisions, ", ", 450)) +
                    bullet("Open", join_newest(digest.pending, "; ", 300)) +
                    bullet("Mentioned", join_newest(digest.entities, ", ", 280));
  if (out.empty()) out = "Nothing of note was said.\n";
  return out + "- Turns: " + std::to_string(digest.turns);
}

std::vector<Section> compact_sections(const SummaryInput& input) {
  const Digest digest = digest_of(input);
  return {{"Goal", cut(digest.goal, 400)},
          {"Facts", bullets(digest.entities, 850)},
          {"Decisions", bullets(digest.decisions, 950)},
          {"Open", bullets(digest.pending, 550)},
          {"Last exchange", last_exchange(input)}};
}

std::string write_section(const Section& section) {
  return "## " + std::string(section.title) + "\n" + (section.body.empty() ? "none" : section.body);
}

std::string compact_by_rules(const SummaryInput& input) {
  std::string out;
  for (const Section& section : compact_sections(input)) {
    out += (out.empty() ? "" : "\n\n") + write_section(section);
  }
  return out;
}

}  // namespace rouse::summary
