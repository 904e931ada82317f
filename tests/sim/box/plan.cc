#include "tests/sim/box/plan.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "base/random.h"
#include "base/text.h"

namespace rouse::sim {
namespace {

constexpr std::array<std::string_view, kDoings> kNames{
    "chat",       "burst",      "again",      "lost",       "echo",      "reset",     "clear",
    "delete",     "cancel",     "decide",     "make_job",   "edit_job",  "pause_job", "resume_job",
    "remove_job", "beat_now",   "mend_key",   "step_clock", "suspend",   "restart",   "kill",
    "die_soon",   "hand_over",  "fail_write", "fail_sync",  "disk_full", "slow_disk", "open_app",
    "edit_rules", "edit_beats", "edit_config"};

constexpr std::int64_t kDayMs = 86'400'000;

// How often a day, in hundredths.
struct Rate {
  Do what;
  std::int64_t a_day;
};
constexpr std::array kPeople{
    Rate{Do::kChat, 2400},   Rate{Do::kBurst, 60},     Rate{Do::kAgain, 200},
    Rate{Do::kLost, 60},     Rate{Do::kEcho, 60},      Rate{Do::kReset, 60},
    Rate{Do::kClear, 30},    Rate{Do::kDelete, 20},    Rate{Do::kCancel, 60},
    Rate{Do::kDecide, 150},  Rate{Do::kMakeJob, 20},   Rate{Do::kEditJob, 30},
    Rate{Do::kPauseJob, 25}, Rate{Do::kResumeJob, 60}, Rate{Do::kRemoveJob, 15},
    Rate{Do::kBeatNow, 40},  Rate{Do::kMendKey, 40}};
constexpr std::array kTimes{Rate{Do::kStepClock, 20}, Rate{Do::kSuspend, 30}};
constexpr std::array kDeaths{Rate{Do::kRestart, 20}, Rate{Do::kKill, 40}, Rate{Do::kDieSoon, 60},
                             Rate{Do::kHandOver, 8}};
constexpr std::array kDisk{Rate{Do::kFailWrite, 20}, Rate{Do::kFailSync, 15},
                           Rate{Do::kDiskFull, 12}, Rate{Do::kSlowDisk, 30}};

constexpr std::array kEdits{Rate{Do::kOpenApp, 260}, Rate{Do::kEditRules, 130},
                            Rate{Do::kEditBeats, 25}, Rate{Do::kEditConfig, 30}};

// How many times as often as in the standard world; 0: never.
struct Scenario {
  std::string_view name;
  std::int64_t people, times, deaths, disk;
};
constexpr std::array kScenarios{Scenario{"standard", 1, 1, 1, 1}, Scenario{"calm", 1, 0, 0, 0},
                                Scenario{"clock", 1, 6, 0, 0},    Scenario{"deaths", 1, 0, 4, 0},
                                Scenario{"disk", 1, 0, 1, 8},     Scenario{"storm", 4, 2, 12, 12}};

template <class Int>
bool number(std::string_view text, Int& out) {
  return std::from_chars(text.data(), text.data() + text.size(), out).ec == std::errc();
}

}  // namespace

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a + 0x9E3779B97F4A7C15ULL * (b + 1);
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

std::uint64_t mixed(std::uint64_t a, std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return mixed(a, hash);
}

std::string_view doing_name(Do what) { return kNames[static_cast<std::size_t>(what)]; }

std::vector<std::string> scenario_names() {
  std::vector<std::string> out;
  for (const Scenario& one : kScenarios) out.emplace_back(one.name);
  return out;
}

Plan make_plan(std::uint64_t seed, int days, const std::string& scenario) {
  Plan plan{.seed = seed, .days = days, .scenario = scenario};
  const auto found = std::ranges::find(kScenarios, scenario, &Scenario::name);
  if (found == kScenarios.end()) return plan;
  SeededRandom random(mixed(seed, 1));
  const auto draw = [&](const auto& rates, std::int64_t often) {
    for (const Rate& rate : rates) {
      const std::int64_t hundredths = rate.a_day * days * often;
      auto count = hundredths / 100;
      if (static_cast<std::int64_t>(random.below(100)) < hundredths % 100) ++count;
      for (std::int64_t i = 0; i < count; ++i) {
        plan.events.push_back(
            {.at_ms = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(days) *
                                                             static_cast<std::uint64_t>(kDayMs))),
             .what = rate.what,
             .who = static_cast<std::int64_t>(random.below(1000)),
             .dice = random.next_u64() >> 1});
      }
    }
  };
  draw(kPeople, found->people);
  draw(kTimes, found->times);
  draw(kDeaths, found->deaths);
  draw(kDisk, found->disk);
  draw(kEdits, found->people);
  std::ranges::stable_sort(plan.events, {}, &Event::at_ms);
  return plan;
}

std::string to_text(const Plan& plan) {
  std::string out =
      fmt::format("seed {}\ndays {}\nscenario {}\n", plan.seed, plan.days, plan.scenario);
  if (!plan.bug.empty()) out += fmt::format("bug {}\n", plan.bug);
  for (const Event& event : plan.events) {
    out +=
        fmt::format("at {} {} {} {}\n", event.at_ms, doing_name(event.what), event.who, event.dice);
  }
  return out;
}

Result<Plan> plan_from_text(std::string_view text) {
  Plan plan;
  int line_number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++line_number;
    if (trim(line).empty() || line.starts_with('#')) continue;
    const auto words = split(line, ' ');
    bool fine = words.size() >= 2;
    if (fine && words[0] == "seed")
      fine = number(words[1], plan.seed);
    else if (fine && words[0] == "days")
      fine = number(words[1], plan.days);
    else if (fine && words[0] == "scenario")
      plan.scenario = std::string(words[1]);
    else if (fine && words[0] == "bug")
      plan.bug = std::string(words[1]);
    else if (fine && words[0] == "at" && words.size() == 5) {
      Event event;
      const auto name = std::ranges::find(kNames, words[2]);
      fine = name != kNames.end() && number(words[1], event.at_ms) && number(words[3], event.who) &&
             number(words[4], event.dice);
      if (fine) event.what = static_cast<Do>(name - kNames.begin());
      plan.events.push_back(event);
    } else {
      fine = false;
    }
    if (!fine)
      return fail(Errc::kInvalid, fmt::format("line {} is no event: {}", line_number, line));
  }
  return plan;
}

}  // namespace rouse::sim
