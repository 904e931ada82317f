#include "session/summary/digest.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "base/text.h"
#include "session/summary/plain_text.h"

namespace rouse::summary {
namespace {

struct Label {
  std::string_view word;
  Part part;
};
// The five lines, then the words of bullets and sections.
constexpr std::array<Label, 14> kLabels{{{"goal", Part::kGoal},
                                         {"entities", Part::kEntities},
                                         {"decisions", Part::kDecisions},
                                         {"pending", Part::kPending},
                                         {"turns", Part::kTurns},
                                         {"goals", Part::kGoal},
                                         {"facts", Part::kEntities},
                                         {"mentioned", Part::kEntities},
                                         {"decided", Part::kDecisions},
                                         {"decision", Part::kDecisions},
                                         {"open", Part::kPending},
                                         {"open questions", Part::kPending},
                                         {"entity", Part::kEntities},
                                         {"last exchange", Part::kLast}}};

bool is_nothing(std::string_view value) {
  static constexpr std::array<std::string_view, 9> kNothing{"",  "none", "none.",   "(none)", "n/a",
                                                            "-", "–",    "nothing", "keine"};
  value = trim(value);
  return std::ranges::any_of(kNothing, [&](std::string_view nothing) {
    return value.size() == nothing.size() && iequals_ascii(value, nothing);
  });
}

struct Line {
  Part part = Part::kNone;
  bool bullet = false;
  std::string_view value;
};

// "GOAL: x", "- **Goal:** x", "## Goal", "3. goal : x". A heading needs no colon.
Line read_line(std::string_view raw) {
  const std::string_view line = trim(raw);
  const std::size_t start = line.find_first_not_of("#-*•>_ \t0123456789.)");
  const bool heading = line.starts_with('#');
  const bool bullet = line.starts_with("- ") || line.starts_with("* ") || line.starts_with("• ");
  const std::string_view rest = line.substr(start == std::string_view::npos ? line.size() : start);
  const std::size_t colon = std::min(rest.find(':'), rest.size());
  if (colon < rest.size() || heading) {
    std::string_view word = rest.substr(0, colon);
    word = trim(word.substr(0, word.find_last_not_of("*_ ") + 1));
    const std::string low = lower_ascii(word);
    for (const Label& label : kLabels) {
      if (low != label.word) continue;
      std::string_view value = colon < rest.size() ? rest.substr(colon + 1) : std::string_view{};
      while (value.starts_with('*') || value.starts_with('_')) value.remove_prefix(1);
      return {label.part, bullet, trim(value)};
    }
  }
  if (heading) return {Part::kLast, false, {}};  // a section of its own: not ours to read
  return {Part::kNone, bullet, bullet ? trim(line.substr(line.find(' '))) : line};
}

// Splits at commas, but not in "1,200".
std::vector<std::string_view> split_list(std::string_view value, Separator separator) {
  if (separator == Separator::kSemicolon) return split(value, ';');
  std::vector<std::string_view> items;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] != ',') continue;
    const bool inside =
        i > 0 && i + 1 < value.size() && is_digit(value[i - 1]) && is_digit(value[i + 1]);
    if (inside) continue;
    items.push_back(value.substr(begin, i - begin));
    begin = i + 1;
  }
  items.push_back(value.substr(begin));
  return items;
}

std::int64_t to_turns(std::string_view value) {
  std::int64_t turns = 0;
  for (const char c : value) {
    if (!is_digit(c) || turns > 1'000'000'000'000) break;
    turns = turns * 10 + (c - '0');
  }
  return turns;
}

std::vector<std::string>* list_of(Digest& digest, Part part) {
  if (part == Part::kEntities) return &digest.entities;
  if (part == Part::kDecisions) return &digest.decisions;
  return part == Part::kPending ? &digest.pending : nullptr;
}

void take_value(Digest& digest, Part part, const Line& line) {
  if (is_nothing(line.value)) return;
  if (part == Part::kGoal) {
    const std::string more = clean_line(line.value);
    digest.goal += (digest.goal.empty() || more.empty() ? "" : " ") + more;
  } else if (part == Part::kTurns) {
    digest.turns = to_turns(line.value);
  } else if (std::vector<std::string>* list = list_of(digest, part); list != nullptr) {
    const Separator separator = part == Part::kPending ? Separator::kSemicolon : Separator::kComma;
    if (line.bullet && line.part == Part::kNone) {
      add_newest(*list, line.value, separator);
      return;
    }
    for (const std::string_view item : split_list(line.value, separator)) {
      add_newest(*list, item, separator);
    }
  }
}

// An item must not hold its own separator.
std::string as_item(std::string_view raw, Separator separator) {
  std::string item = clean_line(raw);
  const char mine = separator == Separator::kComma ? ',' : ';';
  const char other = separator == Separator::kComma ? ';' : ',';
  for (std::size_t i = item.find(mine); i != std::string::npos; i = item.find(mine, i + 1)) {
    const bool inside = mine == ',' && i > 0 && i + 1 < item.size() && is_digit(item[i - 1]) &&
                        is_digit(item[i + 1]);
    if (!inside) item[i] = other;
  }
  const std::size_t first = item.find_first_not_of(" ,;"), last = item.find_last_not_of(" ,;");
  if (first == std::string::npos) return {};
  item.resize(last + 1);
  item.erase(0, first);
  return item;
}

std::size_t joined_size(const std::vector<std::string>& list) {
  const auto add = [](std::size_t sum, const std::string& item) { return sum + item.size() + 2; };
  return list.empty() ? 0 : std::accumulate(list.begin(), list.end(), std::size_t{0}, add) - 2;
}

// Each line first gets what it needs up to its share; what is left goes to those that need more.
std::array<std::size_t, 4> fair_shares(const std::array<std::size_t, 4>& needs, std::size_t room) {
  constexpr std::array<std::size_t, 4> kPercent{28, 25, 27, 20};
  std::array<std::size_t, 4> shares{};
  std::size_t left = room;
  for (std::size_t i = 0; i < 4; ++i) {
    shares[i] = std::min(needs[i], room * kPercent[i] / 100);
    left -= shares[i];
  }
  for (const std::size_t i : {0, 2, 3, 1}) {
    const std::size_t more = std::min(needs[i] - shares[i], left);
    shares[i] += more;
    left -= more;
  }
  return shares;
}

}  // namespace

ParsedDigest parse_digest(std::string_view text) {
  ParsedDigest parsed;
  Part current = Part::kNone;
  for (const std::string_view raw : split(text, '\n')) {
    const Line line = read_line(raw);
    if (line.part != Part::kNone) {
      const auto index = static_cast<std::size_t>(line.part);
      current = parsed.found[index] ? Part::kLast : line.part;  // the first of its kind counts
      parsed.found.set(index);
    } else if (current == Part::kTurns) {
      current = Part::kLast;  // whatever follows the last line
    }
    take_value(parsed.digest, current, line);
  }
  parsed.found.reset(static_cast<std::size_t>(Part::kLast));
  return parsed;
}

void add_newest(std::vector<std::string>& list, std::string_view raw, Separator separator) {
  std::string item = as_item(raw, separator);
  if (is_nothing(item)) return;
  std::erase_if(list, [&](const std::string& old) { return equal_folded(old, item); });
  list.push_back(std::move(item));
}

std::string join_newest(const std::vector<std::string>& list, std::string_view separator,
                        std::size_t max_bytes) {
  std::size_t used = 0, first = list.size();
  while (first > 0) {
    const std::size_t more = list[first - 1].size() + (first < list.size() ? separator.size() : 0);
    if (used + more > max_bytes) break;
    used += more;
    --first;
  }
  if (first == list.size()) return list.empty() ? "" : cut(list.back(), max_bytes);
  std::string out = list[first];
  for (std::size_t i = first + 1; i < list.size(); ++i) out.append(separator).append(list[i]);
  return out;
}

std::string write_five_lines(const Digest& digest, std::size_t max_bytes) {
  constexpr std::size_t kFrame =
      std::string_view("GOAL: \nENTITIES: \nDECISIONS: \nPENDING: \n").size();
  const std::string turns = "TURNS: " + std::to_string(std::max<std::int64_t>(digest.turns, 0));
  constexpr std::size_t kNoneBytes = 4;
  const auto need = [&](std::size_t bytes) { return std::max(bytes, kNoneBytes); };
  const auto shares =
      fair_shares({need(digest.goal.size()), need(joined_size(digest.entities)),
                   need(joined_size(digest.decisions)), need(joined_size(digest.pending))},
                  max_bytes - kFrame - turns.size());
  const auto or_none = [](const std::string& value) { return is_nothing(value) ? "none" : value; };
  return "GOAL: " + or_none(cut(digest.goal, shares[0])) +
         "\nENTITIES: " + or_none(join_newest(digest.entities, ", ", shares[1])) +
         "\nDECISIONS: " + or_none(join_newest(digest.decisions, ", ", shares[2])) +
         "\nPENDING: " + or_none(join_newest(digest.pending, "; ", shares[3])) + "\n" + turns;
}

}  // namespace rouse::summary
