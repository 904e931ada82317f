#include "session/summary/repair.h"

#include <algorithm>

#include "base/text.h"
#include "session/summary/digest.h"
#include "session/summary/plain_text.h"
#include "session/summary/templates.h"

namespace rouse::summary {
namespace {

constexpr std::size_t kReadBytes = 16'384;  // nobody needs more of a runaway answer

std::string without_fence_lines(std::string_view answer) {
  std::string out;
  for (const std::string_view line : split(utf8_prefix(trim(answer), kReadBytes), '\n')) {
    std::string_view rest = line;
    if (trim(line).starts_with("```")) continue;
    while (rest.ends_with('`') && rest.contains("```")) rest.remove_suffix(1);
    out.append(rest).append("\n");
  }
  return clean_lines(out);
}

void remark(std::string& note, std::string_view remark) {
  if (!note.empty()) note += ", ";
  note += remark;
}

bool is_empty(const Digest& digest) {
  return digest.goal.empty() && digest.entities.empty() && digest.decisions.empty() &&
         digest.pending.empty();
}

void fill_missing(ParsedDigest& parsed, const Digest& by_rules) {
  if (!parsed.has(Part::kGoal)) parsed.digest.goal = by_rules.goal;
  if (!parsed.has(Part::kEntities)) parsed.digest.entities = by_rules.entities;
  if (!parsed.has(Part::kDecisions)) parsed.digest.decisions = by_rules.decisions;
  if (!parsed.has(Part::kPending)) parsed.digest.pending = by_rules.pending;
}

// Long texts lose their end; what is right stays as it is.
Repaired bounded(const std::string& text, std::string_view answer, std::size_t max_bytes) {
  Repaired out;
  if (text.size() > max_bytes) remark(out.note, "cut to length");
  out.text = cut(text, max_bytes);
  if (out.note.empty() && out.text != trim(answer)) remark(out.note, "format tidied");
  return out;
}

bool has_section(std::string_view text, std::string_view title) {
  return std::ranges::any_of(split(text, '\n'), [&](std::string_view line) {
    if (!trim(line).starts_with('#') && !trim(line).starts_with("**")) return false;
    line = trim(line);
    const std::size_t first = line.find_first_not_of("#* "), last = line.find_last_not_of("#*: ");
    return first != std::string_view::npos && last >= first &&
           iequals_ascii(line.substr(first, last - first + 1), title);
  });
}

}  // namespace

Repaired repair_context(std::string_view answer, const SummaryInput& input) {
  ParsedDigest parsed = parse_digest(without_fences(utf8_prefix(answer, kReadBytes)));
  if (!parsed.has_any()) parsed = parse_digest(without_fence_lines(answer));
  if (!parsed.has_any()) return {"", "no labelled line in the answer"};
  if (is_empty(parsed.digest)) return {"", "no line says anything"};
  Repaired out;
  if (!parsed.has_five_lines()) remark(out.note, "missing lines filled");
  if (parsed.digest.turns != input.turn_count) remark(out.note, "TURNS corrected");
  if (trim(answer).size() > kContextSummaryChars) remark(out.note, "cut to length");
  fill_missing(parsed, digest_of(input));
  parsed.digest.turns = input.turn_count;
  out.text = write_five_lines(parsed.digest, kContextSummaryChars);
  if (out.note.empty() && out.text != trim(answer)) remark(out.note, "format tidied");
  return out;
}

Repaired repair_punchline(std::string_view answer, const SummaryInput&) {
  const std::vector<std::string> said = sentences(without_fence_lines(answer));
  if (said.empty()) return {"", "empty answer"};
  std::string line = said.front();
  const bool second_fits = said.size() > 1 && line.size() + said[1].size() < kPunchlineBytes;
  if (second_fits) line += " " + said[1];
  for (const std::string_view quote : {"\"", "“", "”"}) {
    if (line.starts_with(quote)) line.erase(0, quote.size());
    if (line.ends_with(quote)) line.erase(line.size() - quote.size());
  }
  return bounded(line, answer, kPunchlineBytes);
}

Repaired repair_clear(std::string_view answer, const SummaryInput&) {
  const std::string text = without_fence_lines(answer);
  if (words(text).empty()) return {"", "empty answer"};
  return bounded(text, answer, kClearBytes);
}

Repaired repair_compact(std::string_view answer, const SummaryInput& input) {
  const std::string text = without_fence_lines(answer);
  std::string missing;
  std::size_t found = 0;
  for (Section& section : compact_sections(input)) {
    if (has_section(text, section.title)) {
      ++found;
      continue;
    }
    section.body = cut(section.body, 500);
    missing += "\n\n" + write_section(section);
  }
  if (found == 0) return {"", "no headed section in the answer"};
  if (missing.empty()) return bounded(text, answer, kCompactBytes);
  return {cut(text, kCompactBytes - missing.size()) + missing, "missing sections filled"};
}

}  // namespace rouse::summary
