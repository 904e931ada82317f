// schedule.json: automations that a person declares in a file, `{"jobs": [{"id", "cron",
// "sessionId", "prompt", …}]}` (S2-34). The file is the truth about its jobs and about no others:
// what it names is added or changed, what it no longer names is removed. rouse never writes into
// it; a `nextRunAt` in it is ignored, because the store knows better (U6).
//
// All of it is looked at before anything is written: one bad job, and the last good file stays in
// force. Applying the same text twice writes nothing the second time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "schedule/job_book.h"
#include "session/session_kernel.h"

namespace rouse {

inline constexpr std::size_t kScheduleFileBytes = 1024 * 1024;
inline constexpr std::size_t kScheduleFileJobs = 10'000;

struct ScheduleApplied {
  std::int64_t added = 0, changed = 0, removed = 0, unchanged = 0;
  std::vector<std::string> notices = {};  // for the person who wrote the file
  [[nodiscard]] bool wrote() const { return added + changed + removed > 0; }
};

struct DeclaredJob;

class ScheduleFile {
 public:
  ScheduleFile(JobBook& book, SessionKernel& kernel, Clock& clock)
      : book_(book), kernel_(kernel), clock_(clock) {}

  // One at a time for a workspace. An error says which job, which field, and what to write instead.
  Task<Result<ScheduleApplied>> apply(WorkspaceId workspace, std::string text);

 private:
  using JobsById = std::map<std::string, Job, std::less<>>;

  Result<std::vector<JobWish>> read(const WorkspaceId& workspace, const std::string& text,
                                    const JobsById& there, std::vector<std::string>& notices);
  Result<JobWish> wish_of(const WorkspaceId& workspace, const DeclaredJob& declared,
                          const Job* there, const std::string& zone);
  Result<std::string> key_of(const WorkspaceId& workspace, const std::string& said,
                             const Job* there);
  Result<void> check(const JobWish& wish, const Job* there);
  Result<std::string> zone_of(const WorkspaceId& workspace);
  // The declared job as it should be; true if anything had to be written.
  Task<Result<bool>> bring_about(JobWish wish, Job there);

  JobBook& book_;
  SessionKernel& kernel_;
  Clock& clock_;
};

}  // namespace rouse
