#include "schedule/job.h"

#include <array>

namespace rouse {
namespace {

constexpr std::array<std::string_view, 4> kKinds{"bound", "isolated", "legacy", "system"};
constexpr std::array<std::string_view, 5> kStates{"active", "paused", "done", "removed",
                                                  "quarantined"};
constexpr std::array<std::string_view, 3> kPolicies{"latest", "all", "skip"};

template <class Enum, std::size_t N>
std::optional<Enum> parse(const std::array<std::string_view, N>& names, std::string_view name) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view job_kind_name(JobKind kind) { return kKinds.at(static_cast<std::size_t>(kind)); }
std::optional<JobKind> parse_job_kind(std::string_view name) {
  return parse<JobKind>(kKinds, name);
}
std::string_view job_state_name(JobState state) {
  return kStates.at(static_cast<std::size_t>(state));
}
std::optional<JobState> parse_job_state(std::string_view name) {
  return parse<JobState>(kStates, name);
}
std::string_view catch_up_name(CatchUp policy) {
  return kPolicies.at(static_cast<std::size_t>(policy));
}
std::optional<CatchUp> parse_catch_up(std::string_view name) {
  return parse<CatchUp>(kPolicies, name);
}

}  // namespace rouse
