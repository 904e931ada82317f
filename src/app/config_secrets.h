// Secrets at rest. Keys entered in the app live in <data>/secrets/NAME (folder 0700, files 0600);
// secrets a person keeps elsewhere are named in the config by variable or file. A secret that can't
// be read is an error, never an empty secret.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace rouse {

// Names are 1 to 64 of [a-z0-9_-], starting with a letter or digit: they become file names (SC-11).
Result<void> write_secret(const std::string& data_dir, std::string_view name,
                          std::string_view value);
// nullopt: there is no such secret.
Result<std::optional<std::string>> read_secret(const std::string& data_dir, std::string_view name);
Result<void> remove_secret(const std::string& data_dir, std::string_view name);

// The secret a section of the config points to by secret_env or secret_file; nullopt if by neither.
Result<std::optional<std::string>> resolve_secret(
    const std::string& secret_env, const std::string& secret_file,
    const std::map<std::string, std::string>& environment);

// What is secret in an address: the password of its user, or a user alone, and what its query says,
// unless that is a mere word ("whatsapp"). As written, and decoded. What has less than 8 bytes is
// left out: it could not be told from other text.
std::vector<std::string> secrets_in_url(std::string_view url);

}  // namespace rouse
