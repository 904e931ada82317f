// Every tests/scenario/*.txt is a test; so is every row of its table.
#include "tests/scenario/scenario.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "tests/scenario/player.h"

namespace rouse::scenario {
namespace {

struct Case {
  std::string name;
  Result<Scenario> scenario;
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

std::vector<Case> all_cases() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(ROUSE_SOURCE_DIR "/tests/scenario")) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<Case> cases;
  for (const auto& path : files) {
    std::ifstream in(path);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    const std::string file = "tests/scenario/" + path.filename().string();
    auto scenarios = parse_scenario(file, text);
    if (!scenarios) {
      cases.push_back({path.stem(), fail(wrap(file, std::move(scenarios).error()))});
      continue;
    }
    for (Scenario& scenario : *scenarios) {
      const bool alone = scenarios->size() == 1;
      std::string name =
          alone ? path.stem().string()
                : fmt::format("{}_{:02}", path.stem().string(), &scenario - scenarios->data() + 1);
      cases.push_back({std::move(name), std::move(scenario)});
    }
  }
  return cases;
}

class Scenarios : public PlayerTest, public testing::WithParamInterface<Case> {};

TEST_P(Scenarios, Hold) {
  const auto& scenario = GetParam().scenario;
  ASSERT_TRUE(scenario) << scenario.error().message;
  const auto problem = play(*scenario);
  if (problem) FAIL() << *problem;
}

INSTANTIATE_TEST_SUITE_P(Text, Scenarios, testing::ValuesIn(all_cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace rouse::scenario
