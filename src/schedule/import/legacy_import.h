// Takes over the jobs of another system from its store: `{"jobs": [{id, name, enabled, schedule,
// payload}]}`. A record is what its fields say it is (S3-04 to S3-06): bound if it has a session
// key and no delivery field; legacy if it is somebody's and not bound, with its delivery fields
// kept as they are; the other system's own jobs stay there. Nothing is inferred or migrated.
//
// Every record is read before the first is kept, and each is kept under a key made of its id, so
// that doing it again adds nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/job_book.h"

namespace rouse {

inline constexpr std::size_t kImportedFileBytes = 4 * 1024 * 1024;
inline constexpr std::size_t kImportedJobs = 10'000;

struct ForeignJobs {
  std::vector<JobWish> wishes;
  std::int64_t skipped = 0;
  std::vector<std::string> notes;  // what was left out, and why
};

// Pure. The error names the record and the field.
Result<ForeignJobs> read_foreign_jobs(const WorkspaceId& workspace, std::string_view text,
                                      WallTime now);

struct JobImport {
  std::int64_t added = 0, existed = 0, skipped = 0;
  std::vector<std::string> notes;
};

Task<Result<JobImport>> import_foreign_jobs(JobBook& book, WorkspaceId workspace, std::string text,
                                            WallTime now);

}  // namespace rouse
