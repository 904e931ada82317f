// The store of a data folder whose server is not running, for the commands that can do without one.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace rouse::cli {

bool store_exists(const std::string& data_dir);

// Who holds the folder's lock ("process 123, since …"), or nullopt. Changes nothing.
std::optional<std::string> lock_holder(const std::string& data_dir);

Result<void> backup_local_store(const std::string& data_dir, const std::string& file);

// Where the replaced store went; empty if there was none.
Result<std::string> restore_local_store(const std::string& data_dir, const std::string& file);

// Reads the database from end to end without changing it. kConflict: it can't be told now, because
// the last run left work that only the next start can finish.
Result<void> check_local_store(const std::string& data_dir);

}  // namespace rouse::cli
