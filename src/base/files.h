// Files as the house needs them: bounded reads, and writes that are either there whole or not at
// all.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <sys/types.h>

#include "base/result.h"

namespace rouse {

Result<std::string> read_file(const std::string& path, std::size_t max_bytes);

// At most size bytes from offset on; less at the end, none behind it.
Result<std::string> read_file_range(const std::string& path, std::uint64_t offset,
                                    std::size_t size);

// Writes beside the target, syncs, renames over it, syncs the folder. The file never exists half.
Result<void> write_file_atomic(const std::string& path, std::string_view content,
                               mode_t mode = 0600);

// Makes a folder only its owner can enter (parents too). One that exists must be ours.
Result<void> make_private_dir(const std::string& path);

Result<void> sync_dir(const std::string& path);

// A file whose only business is its secret: 0600, or an error that says how to mend it.
Result<std::string> read_secret_file(const std::string& path);

Result<std::uint64_t> file_size(const std::string& path);
[[nodiscard]] bool path_exists(const std::string& path);

}  // namespace rouse
