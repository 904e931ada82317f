// What holds for any text in any number of turns.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"
#include "session/summary/digest.h"
#include "session/summary/plain_text.h"
#include "session/summary/profiles.h"
#include "session/summary/summariser.h"

namespace rouse {
namespace {

// Text that looks enough like talk to reach the rules, mixed with anything else.
rc::Gen<std::string> piece() {
  const auto words = rc::gen::element<std::string>(
      "yes", "no, rather ", "Let's go with ", "Lisbon", "New York", " ", "\n", "? ", ". ", ", ",
      "; ", "now: ", "; now: ", "GOAL: ", "\nDECISIONS:", "TURNS: 99", "pending :", "none", "- ",
      "**", "```", "I'll check ", "I booked ", "Shall I ", "assistant asks: ", "2,000 euros",
      "remind me ", "never mind", "東京", "مرحبا", "😀", "👩‍👩‍👧", "ß", "Über",
      "\xE2\x80\xA8", "\t", "1,2", ",3", "“a”", "\"", "a@b.co", "/x/y.cc");
  const auto letter = rc::gen::map(rc::gen::inRange(1, 0x10FFFF), [](int c) {
    std::string out;
    summary::append_code_point(out, c >= 0xD800 && c <= 0xDFFF ? U'x' : static_cast<char32_t>(c));
    return out;
  });
  return rc::gen::weightedOneOf<std::string>({{6, words}, {1, letter}});
}
rc::Gen<std::string> talk() {
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(piece()),
                      [](const std::vector<std::string>& pieces) {
                        std::string out;
                        for (const std::string& one : pieces) out += one;
                        return out;
                      });
}
rc::Gen<std::vector<TurnText>> turns() {
  return rc::gen::scale(0.4,
                        rc::gen::container<std::vector<TurnText>>(rc::gen::construct<TurnText>(
                            talk(), talk(), rc::gen::element<std::string>("", "create_task"))));
}

void check_five_lines(const std::string& text, std::int64_t turn_count) {
  RC_ASSERT(text.size() <= kContextSummaryChars);
  RC_ASSERT(is_utf8(text));
  const auto lines = split(text, '\n');
  RC_ASSERT(lines.size() == 5U);
  RC_ASSERT(lines[0].starts_with("GOAL: ") && lines[0].size() > 6);
  RC_ASSERT(lines[1].starts_with("ENTITIES: ") && lines[1].size() > 10);
  RC_ASSERT(lines[2].starts_with("DECISIONS: ") && lines[2].size() > 11);
  RC_ASSERT(lines[3].starts_with("PENDING: ") && lines[3].size() > 9);
  RC_ASSERT(lines[4] == "TURNS: " + std::to_string(turn_count));
  for (const std::string_view line : lines)
    RC_ASSERT(summary::clean_line(line.substr(line.find(' ') + 1)) ==
              line.substr(line.find(' ') + 1));
}

RC_GTEST_PROP(SummaryProperty, AnyTalkOverAnyNumberOfTurnsIsFiveLines, ()) {  // S1-21, S1-22
  std::string text = *talk();
  std::int64_t count = 0;
  for (const TurnText& turn : *turns()) {
    text = template_summary(SummaryProfile::kContext, {text, {turn}, ++count});
    check_five_lines(text, count);
    const auto parsed = summary::parse_digest(text);
    RC_ASSERT(parsed.has_five_lines());
    RC_ASSERT(summary::write_five_lines(parsed.digest, kContextSummaryChars) == text);
  }
}

RC_GTEST_PROP(SummaryProperty, AnyAnswerOfAModelIsRepairedOrRefused, ()) {  // S1-22
  const SummaryInput input{*talk(), *turns(), *rc::gen::inRange<std::int64_t>(0, 1'000'000)};
  const std::string answer = *talk();
  for (const SummaryProfile id : {SummaryProfile::kContext, SummaryProfile::kPunchline,
                                  SummaryProfile::kClear, SummaryProfile::kCompact}) {
    const summary::Profile& profile = summary::profile_of(id);
    const summary::Repaired repaired = profile.repair(answer, input);
    RC_ASSERT(!repaired.text.empty() || !repaired.note.empty());
    RC_ASSERT(repaired.text.size() <= profile.max_bytes);
    RC_ASSERT(is_utf8(repaired.text));
    if (id == SummaryProfile::kContext && !repaired.text.empty()) {
      check_five_lines(repaired.text, input.turn_count);
    }
  }
}

RC_GTEST_PROP(SummaryProperty, EveryProfileKeepsItsLimit, ()) {  // U4
  const SummaryInput input{*talk(), *turns(), 3};
  for (const SummaryProfile id : {SummaryProfile::kContext, SummaryProfile::kPunchline,
                                  SummaryProfile::kClear, SummaryProfile::kCompact}) {
    const std::string text = template_summary(id, input);
    RC_ASSERT(!text.empty());
    RC_ASSERT(text.size() <= summary::profile_of(id).max_bytes);
    RC_ASSERT(is_utf8(text));
    RC_ASSERT(template_summary(id, input) == text);
  }
}

RC_GTEST_PROP(SummaryProperty, AnyBytesAreTakenWithoutHarm, (const std::string& bytes)) {
  check_five_lines(template_summary(SummaryProfile::kContext, {bytes, {{bytes, bytes, bytes}}, 1}),
                   1);
}

}  // namespace
}  // namespace rouse
