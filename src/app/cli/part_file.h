// A file that is there whole or not at all: it grows as FILE.part, for its owner alone, and gets
// its name when it is complete and on the disk. Gone if that never happens.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace rouse::cli {

class PartFile {
 public:
  static Result<PartFile> create(const std::string& target);
  PartFile(PartFile&& other) noexcept;
  PartFile& operator=(PartFile&&) = delete;
  ~PartFile();

  Result<void> write(std::string_view chunk);
  Result<void> publish_new();  // a file of that name that appeared meanwhile is not replaced
  Result<void> publish();      // takes the place of a file of that name
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

 private:
  PartFile() = default;
  Result<void> sync();
  Result<void> sync_folder();

  int fd_ = -1;
  bool renamed_ = false;
  std::string target_, part_;
  std::int64_t bytes_ = 0;
};

// The name as the person gave it, absolute.
std::string absolute_path(const std::string& given);

}  // namespace rouse::cli
