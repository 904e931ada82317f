#include "tests/sim/box/papers.h"

#include <array>

#include <fmt/format.h>

namespace rouse::sim {

bool Rules::forbids(std::string_view tool) const {
  return (no_change && tool == "change") || (no_look && tool == "look");
}

std::string Rules::reason() const { return fmt::format("Edition {} forbids it.", edition); }

Rules some_rules(int edition, std::uint64_t dice) {
  Rules out{.edition = edition};
  switch (dice % 8) {
    case 0:
      out.no_change = true;
      break;
    case 1:
      out.no_look = true;
      break;
    case 2:
      out.no_change = out.no_look = true;
      break;
    case 3:
      out.most_changes = 1;
      break;
    default:
      break;
  }
  return out;
}

std::string to_yaml(const Rules& rules) {
  std::string blocks;
  const auto block = [&](std::string_view tool, const std::string& when) {
    if (blocks.empty()) blocks = "  on_before_tool:\n    - action: block_tools\n      rules:\n";
    blocks += fmt::format("        - tools: [{}]\n", tool);
    if (!when.empty()) blocks += fmt::format("          when: \"{}\"\n", when);
    blocks += fmt::format("          reason: \"{}\"\n", rules.reason());
  };
  if (rules.no_change) block("change", "");
  if (rules.no_look) block("look", "");
  if (rules.most_changes > 0) {
    block("change", fmt::format("variables.get('changes') >= {}", rules.most_changes));
  }
  return "name: house\nvariables: {changes: 0}\ntriggers:\n" + blocks +
         "  on_after_tool:\n"
         "    - action: increment_variable\n"
         "      when: \"tool_name == 'change' and not tool_failed\"\n"
         "      name: changes\n";
}

// Cut off while it was saved, a word that nobody knows, an expression without an end.
std::string broken_yaml(std::uint64_t dice) {
  constexpr std::array kBroken{
      "name: house\ntriggers:\n  on_before_tool:\n    - action: block_tools\n      rules:\n  - [",
      "name: house\ntriggers:\n  on_before_toll:\n    - action: block_tools\n      rules: []\n",
      "name: house\ntriggers:\n  on_before_tool:\n    - action: block_tools\n      rules:\n"
      "        - tools: [look]\n          when: \"variables.get('changes' >= (\"\n"
      "          reason: \"no\"\n"};
  return kBroken[dice % kBroken.size()];
}

const Beats& standard_beats() {
  static const Beats all{{"day", "Europe/Berlin", "07:00", "23:00", 120, "api:p0"},
                         {"night", "America/New_York", "22:00", "06:00", 90, "api:p1"},
                         {"dawn", "Europe/Berlin", "02:30", "05:00", 50, ""},
                         {"noon", "Australia/Lord_Howe", "11:00", "14:00", 60, "api:p2"}};
  return all;
}

Beats changed_beats(Beats beats, std::uint64_t dice) {
  constexpr std::array kEvery{45, 60, 75, 90, 150, 240};
  constexpr std::array kStarts{"06:00", "08:30", "21:15", "02:00"};
  constexpr std::array kEnds{"12:00", "16:45", "23:30", "05:30"};
  StandardBeat& one = beats[dice % beats.size()];
  if ((dice >> 8) % 2 == 0) {
    one.every_minutes = kEvery[(dice >> 16) % kEvery.size()];
  } else {
    one.start = kStarts[(dice >> 16) % kStarts.size()];
    one.end = kEnds[(dice >> 24) % kEnds.size()];
  }
  return beats;
}

std::string to_json(const Beats& beats) {
  std::string all;
  for (const StandardBeat& one : beats) {
    all += fmt::format(
        R"({}{{"name":"{}","interval_minutes":{},"active_hours":{{"start":"{}","end":"{}","zone":"{}"}})",
        all.empty() ? "" : ",", one.name, one.every_minutes, one.start, one.end, one.zone);
    if (!one.conversation.empty()) all += fmt::format(R"(,"conversation":"{}")", one.conversation);
    all += "}";
  }
  return fmt::format(R"({{"heartbeats":[{}]}})", all);
}

// Cut off while it was saved, a misspelt cap, hours without an hour.
std::string broken_json(std::uint64_t dice) {
  constexpr std::array kBroken{
      R"({"heartbeats":[{"name":"day","interval_minu)",
      R"({"heartbeats":[{"name":"day","interval_minutes":30,"daily_cap_call":1}]})",
      R"({"heartbeats":[{"name":"day","active_hours":{"start":"07:00","end":"07:00"}}]})"};
  return kBroken[dice % kBroken.size()];
}

Papers::Papers() : beats(standard_beats()) {
  files["heartbeat.json"] = to_json(beats);
  files["heartbeat-prompt.md"] =
      "# What to look after\n- check: failed_runs\n- check: unanswered_questions 4h\n"
      "- Say if something that was begun is not finished (on change)\n"
      "- Is there a meeting in the next 30 minutes?\n";
  workflow = to_yaml(rules);
}

}  // namespace rouse::sim
