// rouse-sim: plays the world in a box from seeds. Whoever changes rouse runs it; what it finds is
// printed with its seed, can be played again exactly, and is shrunk to the events that matter.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <malloc.h>
#include <map>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <thread>

#include <fmt/format.h>

#include "tests/sim/box/crew.h"
#include "tests/sim/box/shrink.h"

namespace rouse::sim {
namespace {

constexpr const char* kHelp =
    R"(rouse-sim: the real core in a world that breaks on purpose

  rouse-sim --seed 17 --days 5               one run; the same seed is the same run
  rouse-sim --seed 1 --seeds 2000 --days 1   many, and a table of what they met
  rouse-sim --replay FILE                    a run that was kept
  rouse-sim --bugs                           planted bugs, and after how many seeds each is found

  --scenario NAME   standard, calm, clock, deaths, disk, storm
  --bug NAME        with a planted bug
  --shrink FILE     a run that fails is shrunk to the fewest events and kept in FILE
  --nightly         fails if something that must happen sometimes never did
  --workers N       processes; as many as there are cores
)";

// What must happen sometimes, or the seeds prove less than they say.
constexpr const char* kMustHappen[] = {"a limit refuses",
                                       "a rule refuses",
                                       "a sync fails",
                                       "a write fails",
                                       "answer on the page",
                                       "approved",
                                       "beat asks a model",
                                       "beat by hand",
                                       "bridge echoes",
                                       "bridge is not ready",
                                       "bridge loses a message",
                                       "bridge refuses",
                                       "bridge says nothing",
                                       "bridge took it and doesn't say",
                                       "clock set back",
                                       "clock set on",
                                       "configuration edited",
                                       "conversation cleared",
                                       "conversation deleted",
                                       "denied",
                                       "died at a write",
                                       "disk full",
                                       "fenced",
                                       "greeted",
                                       "heartbeat.json broken",
                                       "heartbeat.json edited",
                                       "job edited",
                                       "job made",
                                       "killed, the disk keeps all",
                                       "killed, unsynced writes are lost",
                                       "killed, unsynced writes are torn",
                                       "machine sleeps",
                                       "message came again",
                                       "messages out of order",
                                       "model 429",
                                       "model 5xx",
                                       "model asks for a yes",
                                       "model calls tools",
                                       "model calls what is not there",
                                       "model context full",
                                       "model garbage",
                                       "model hangs",
                                       "model is silent",
                                       "model is slow",
                                       "model leaks a silence token",
                                       "model overloaded",
                                       "model says nothing",
                                       "opening: briefly_away",
                                       "opening: conversation_busy",
                                       "opening: just_now",
                                       "opening: off",
                                       "opening: person_spoke",
                                       "reply delivered",
                                       "reset phrase",
                                       "restart",
                                       "slow disk",
                                       "spend cap holds a call",
                                       "started with a broken workflow",
                                       "turn called off",
                                       "workflow broken",
                                       "workflow edited"};

struct Options {
  std::uint64_t seed = 1, seeds = 1;
  int days = 3;
  int workers = static_cast<int>(std::thread::hardware_concurrency());
  std::string scenario = "standard", bug, shrink_to, replay;
  bool bugs = false, nightly = false;
};

std::string commit() {
  std::string out;
  if (FILE* const git = ::popen("git -C " ROUSE_SOURCE_DIR " rev-parse --short HEAD 2>&1", "r")) {
    char line[64] = {};
    if (std::fgets(line, sizeof line, git) != nullptr) out = line;
    ::pclose(git);
  }
  while (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

void print_failure(const Plan& plan, const Failure& failure) {
  fmt::print(
      "FAILED seed {} ({} days, {}{}), commit {}, after {:.2f} h, at {} on the wall\n  {}\n  {}\n",
      plan.seed, plan.days, plan.scenario, plan.bug.empty() ? "" : ", bug " + plan.bug, commit(),
      static_cast<double>(failure.at_ms) / 3'600'000, to_iso(failure.wall), failure.invariant,
      failure.words);
  fmt::print("  again: rouse-sim --seed {} --days {} --scenario {}{}\n", plan.seed, plan.days,
             plan.scenario, plan.bug.empty() ? "" : " --bug " + plan.bug);
}

void shrink_into(const std::string& path, const Plan& plan, const Failure& failure) {
  const Plan small = shrink(plan, failure, [&](const Plan& less) {
    const Outcome outcome = play_apart(less);
    return outcome.failure && outcome.failure->invariant == failure.invariant;
  });
  std::ofstream(path) << fmt::format("# {}\n", failure.invariant) << to_text(small);
  fmt::print("  {} of {} events still break it: {}\n", small.events.size(), plan.events.size(),
             path);
}

int run_seeds(const Options& options) {
  const auto began = std::chrono::steady_clock::now();
  Counts counts;
  double hours = 0;
  std::size_t played = 0;
  std::optional<std::pair<Plan, Failure>> failed;
  Crew crew(
      options.seeds,
      [&](std::size_t index) {
        Plan plan = make_plan(options.seed + index, options.days, options.scenario);
        plan.bug = options.bug;
        return plan;
      },
      static_cast<int>(
          std::min<std::uint64_t>(options.seeds, static_cast<std::uint64_t>(options.workers))));
  crew.work([&](const Plan& plan, Outcome outcome) {
    ++played;
    counts.add(outcome.counts);
    hours += static_cast<double>(outcome.lived_ms) / 3'600'000;
    if (options.seeds == 1) fmt::print("digest {:016x}\n", outcome.digest);
    if (outcome.failure) failed = {plan, *outcome.failure};
    return !failed;
  });
  if (failed) {
    print_failure(failed->first, failed->second);
    if (!options.shrink_to.empty()) shrink_into(options.shrink_to, failed->first, failed->second);
    return 1;
  }
  const double wall =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  rusage used{};
  ::getrusage(RUSAGE_CHILDREN, &used);
  const auto cpu = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                   static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
  for (const auto& [what, times] : counts.all()) fmt::print("{:>12}  {}\n", times, what);
  fmt::print(
      "{} seeds of {} days: {:.0f} virtual hours in {:.1f} s with {} workers ({:.1f} s of CPU)\n"
      "{:.0f} virtual hours an hour, {:.0f} an hour of one core\n",
      played, options.days, hours, wall, options.workers, cpu, hours / wall * 3600,
      hours / cpu * 3600);
  std::vector<std::string> wanted(std::begin(kMustHappen), std::end(kMustHappen));
  for (std::string& fault : named_faults()) wanted.push_back(std::move(fault));
  bool all_met = true;
  for (const std::string& what : wanted) {
    if (counts.of(what) > 0) continue;
    all_met = false;
    if (options.nightly) fmt::print("NEVER: {}\n", what);
  }
  return options.nightly && !all_met ? 1 : 0;
}

int replay(const Options& options) {
  std::ifstream file(options.replay);
  std::stringstream text;
  text << file.rdbuf();
  auto plan = plan_from_text(text.str());
  if (!plan) {
    fmt::print("{}: {}\n", options.replay, plan.error().message);
    return 2;
  }
  const Outcome outcome = play(*plan);
  fmt::print("digest {:016x}\n", outcome.digest);
  if (outcome.failure) print_failure(*plan, *outcome.failure);
  return outcome.failure ? 1 : 0;
}

int find_bugs(const Options& options) {
  bool all_found = true;
  fmt::print("{:<22} {:>6}  {}\n", "bug", "seeds", "found by");
  for (const Bug& bug : planted_bugs()) {
    std::size_t seeds = 0;
    std::optional<Failure> failure;
    Crew crew(
        2000,
        [&](std::size_t index) {
          Plan plan = make_plan(options.seed + index, options.days, options.scenario);
          plan.bug = bug.name;
          return plan;
        },
        options.workers);
    bool honest = true;  // the same seed is fine without it
    crew.work([&](const Plan& plan, Outcome outcome) {
      ++seeds;
      failure = outcome.failure;
      if (!failure) return true;
      Plan without = plan;
      without.bug.clear();
      honest = !play_apart(without).failure;
      return false;
    });
    all_found = all_found && failure && honest;
    fmt::print("{:<22} {:>6}  {}{}\n", bug.name, seeds, failure ? failure->invariant : "NOT FOUND",
               honest ? "" : " (BUT ALSO WITHOUT THE BUG)");
    std::fflush(stdout);
  }
  return all_found ? 0 : 1;
}

std::optional<Options> options_of(int argc, char** argv) {
  Options out;
  std::map<std::string_view, std::function<void(const char*)>> takes{
      {"--seed", [&](const char* v) { out.seed = std::strtoull(v, nullptr, 10); }},
      {"--seeds", [&](const char* v) { out.seeds = std::strtoull(v, nullptr, 10); }},
      {"--days", [&](const char* v) { out.days = std::atoi(v); }},
      {"--workers", [&](const char* v) { out.workers = std::atoi(v); }},
      {"--scenario", [&](const char* v) { out.scenario = v; }},
      {"--bug", [&](const char* v) { out.bug = v; }},
      {"--shrink", [&](const char* v) { out.shrink_to = v; }},
      {"--replay", [&](const char* v) { out.replay = v; }}};
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    const auto found = takes.find(name);
    if (name == "--bugs")
      out.bugs = true;
    else if (name == "--nightly")
      out.nightly = true;
    else if (found != takes.end() && i + 1 < argc)
      found->second(argv[++i]);
    else
      return std::nullopt;
  }
  const auto known = scenario_names();
  if (std::ranges::find(known, out.scenario) == known.end()) return std::nullopt;
  if (!out.bug.empty() && find_bug(out.bug) == nullptr) return std::nullopt;
  if (out.seeds < 1 || out.days < 1 || out.workers < 1) return std::nullopt;
  return out;
}

int main(int argc, char** argv) {
  const auto options = options_of(argc, argv);
  if (!options) {
    fmt::print("{}", kHelp);
    return 2;
  }
  // Worlds come and go: their memory stays with the process instead of going back each time.
  ::mallopt(M_MMAP_THRESHOLD, 1 << 30);
  ::mallopt(M_TRIM_THRESHOLD, 1 << 30);
  if (!options->replay.empty()) return replay(*options);
  return options->bugs ? find_bugs(*options) : run_seeds(*options);
}

}  // namespace
}  // namespace rouse::sim

int main(int argc, char** argv) { return rouse::sim::main(argc, argv); }
