#include "schedule/story/automation_words.h"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace rouse::words {
namespace {

using Word = std::pair<std::string_view, std::string_view>;

constexpr std::array kReasons{
    Word{"paused", "it was paused"},
    Word{"removed", "it was removed"},
    Word{"edited", "its schedule was changed before it ran"},
    Word{"overlap", "the one before it was not over yet"},
    Word{"backoff", "it had just failed and waited a while"},
    Word{"coalesced", "several were due at once and ran as one"},
    Word{"superseded", "a newer one was made up for in its place"},
    Word{"down", "rouse was not running then, and it makes up for nothing"},
    Word{"late", "rouse came to it too late, and it makes up for nothing"},
    Word{"expired", "it could not run while it was still of use"},
    Word{"gate", "its script found nothing to do"},
    Word{"gate_failed", "its script could not be asked"},
    Word{"off", "that is switched off"},
    Word{"later", "it could not begin"},
};
constexpr std::array kDoors{
    Word{"api", "over the API"},
    Word{"cli", "on the command line"},
    Word{"web", "in the web app"},
    Word{"agent", "by the agent"},
    Word{"file", "in schedule.json"},
    Word{"import", "by an import"},
    Word{"system", "by rouse itself"},
    Word{"rouse", "by rouse itself"},
    Word{"conversation", "with its conversation"},
};
constexpr std::array kEnds{
    Word{"ok", "ended well"},
    Word{"empty", "ended without anything to say"},
    Word{"error", "failed"},
    Word{"timeout", "was stopped because it took too long"},
    Word{"interrupted", "was interrupted"},
    Word{"skipped", "was skipped"},
    Word{"missed", "was missed"},
};

template <std::size_t N>
std::string_view find(const std::array<Word, N>& words, std::string_view name) {
  for (const auto& [word, meaning] : words) {
    if (word == name) return meaning;
  }
  return {};
}

}  // namespace

std::string because(std::string_view reason) {
  if (reason.empty()) return {};
  const auto known = find(kReasons, reason);
  return known.empty() ? fmt::format(" ({})", reason) : fmt::format(" because {}", known);
}

std::string by_whom(std::string_view by) {
  const auto known = find(kDoors, by);
  return known.empty() ? fmt::format("by {}", by) : std::string(known);
}

std::string how_it_went(std::string_view status) {
  const auto known = find(kEnds, status);
  return std::string(known.empty() ? status : known);
}

std::string state_words(const Job& job) {
  std::string out(job_state_name(job.state));
  if (!job.state_by.empty() && job.state != JobState::kDone) out += " " + by_whom(job.state_by);
  return out;
}

}  // namespace rouse::words
