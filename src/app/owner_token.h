// The owner's token: $ROUSE_TOKEN, else the file <data>/token (0600), made on first use. Whoever
// comes first makes it, the server or `rouse token`; two at once agree on one.
#pragma once

#include <map>
#include <string>

#include "base/random.h"
#include "base/result.h"

namespace rouse {

struct OwnerToken {
  std::string token;
  std::string origin;  // "environment ROUSE_TOKEN", "/home/x/.rouse/token"
  bool made = false;   // just now
};

std::string owner_token_path(const std::string& data_dir);

// Fails, and changes nothing, when the file can be read by others or doesn't hold a token.
Result<OwnerToken> read_owner_token(const std::string& data_dir,
                                    const std::map<std::string, std::string>& environment);
// The same, but makes folder and token if there is none.
Result<OwnerToken> ensure_owner_token(const std::string& data_dir,
                                      const std::map<std::string, std::string>& environment,
                                      Random& random);

}  // namespace rouse
