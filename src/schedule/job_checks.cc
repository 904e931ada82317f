#include "schedule/job_checks.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "base/text_check.h"
#include "schedule/job_book.h"

namespace rouse {
namespace {

constexpr std::size_t kIdBytes = 64;
constexpr std::size_t kNameFromMessage = 60;

bool is_job_id(std::string_view id) {
  return !id.empty() && id.size() <= kIdBytes && std::ranges::all_of(id, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  });
}

// A path below the folder it is meant for, as it is written.
bool is_inner_path(std::string_view path) {
  if (path.empty() || path.front() == '/' || path.find('\0') != std::string_view::npos)
    return false;
  return std::ranges::none_of(split(path, '/'), [](std::string_view part) {
    return part.empty() || part == "." || part == "..";
  });
}

Result<void> check_extra(const Job& job) {
  const JobExtra& extra = job.extra;
  const bool owners = job.workspace == Workspaces::default_id();
  if (extra.gate && (!owners || job.source == "agent")) {
    return fail(Errc::kInvalid,
                "'gate' is for automations of the owner's workspace that a person "
                "made");
  }
  if (extra.project_path && (!owners || !extra.project_path->starts_with('/'))) {
    return fail(Errc::kInvalid,
                "'project_path' must be an absolute path, and is for the owner's workspace");
  }
  if (!extra.output) return {};
  if (job.kind == JobKind::kBound) {
    return fail(Errc::kInvalid,
                "'output' is for isolated automations; a bound one answers in its conversation");
  }
  if (extra.output->file && !is_inner_path(*extra.output->file)) {
    return fail(Errc::kInvalid, fmt::format("'output.file' must be a path below the folder of "
                                            "outputs, like reports/today.md; '{}' is not",
                                            utf8_prefix(*extra.output->file, 80)));
  }
  if (extra.output->session_key) TRY_VOID(SessionKey::parse(*extra.output->session_key));
  return {};
}

}  // namespace

ErrorInfo error_info(JobErrc code) {
  switch (code) {
    case JobErrc::kNotFound:
      return {Kind::kNotFound, "automation_not_found"};
    case JobErrc::kProtected:
      return {Kind::kForbidden, "automation_protected"};
    case JobErrc::kDeclared:
      return {Kind::kConflict, "automation_declared"};
    case JobErrc::kNoSession:
      return {Kind::kInvalid, "automation_without_session"};
    case JobErrc::kTooMany:
      return {Kind::kRateLimited, "too_many_automations"};
    case JobErrc::kOver:
      return {Kind::kConflict, "automation_over"};
    case JobErrc::kRemoved:
      return {Kind::kConflict, "automation_removed"};
  }
  return {Kind::kInternal, "internal"};
}

std::string name_from(std::string_view message) {
  std::string_view line = trim(message.substr(0, message.find('\n')));
  if (line.size() <= kNameFromMessage) return std::string(line);
  return std::string(utf8_prefix(line, kNameFromMessage)) + "…";
}

Result<void> check_job(const Job& job, WallTime now) {
  if (!is_job_id(job.id)) {
    return fail(Errc::kInvalid,
                fmt::format("'{}' can't be the id of an automation: letters, digits, '-', '_' and "
                            "'.', at most {}",
                            utf8_prefix(job.id, 80), kIdBytes));
  }
  if (trim(job.message).empty()) {
    return fail(Errc::kInvalid, "'message' is empty: what shall the automation do?");
  }
  TRY_VOID(check_text("message", job.message, kJobMessageBytes));
  TRY_VOID(check_text("name", job.name, kJobNameBytes));
  if (job.name.find('\n') != std::string::npos) {
    return fail(Errc::kInvalid, "'name' must be one line");
  }
  if (job.kind == JobKind::kBound) {
    if (job.session_key.empty()) {
      return fail(JobErrc::kNoSession, "Error: " + std::string(kNoSessionWords));
    }
    TRY_VOID(SessionKey::parse(job.session_key));
  }
  TRY_VOID(check_extra(job));
  if (job.timeout < kShortestTimeout || job.timeout > kLongestTimeout) {
    return fail(Errc::kInvalid, fmt::format("'timeout_ms' must be from {} to {}",
                                            kShortestTimeout.count, kLongestTimeout.count));
  }
  if (job.window < Millis{0}) return fail(Errc::kInvalid, "'window_ms' must not be negative");
  if (job.catch_up_max < 1 || job.catch_up_max > 100) {
    return fail(Errc::kInvalid, "'catch_up_max' must be from 1 to 100");
  }
  return check_schedule(job.schedule, now);
}

Result<void> check_lives(const Job& job) {
  if (job.state == JobState::kDone) {
    return fail(JobErrc::kOver,
                fmt::format("automation {} is done; edit it to give it a new time", job.id));
  }
  if (job.state == JobState::kQuarantined) {
    return fail(JobErrc::kOver, fmt::format("automation {} can't be read ({}); remove it and make "
                                            "it anew",
                                            job.id, job.state_reason));
  }
  return {};
}

}  // namespace rouse
