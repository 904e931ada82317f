// Puts the house together. wiring.cc is the only product file that names concrete classes;
// everybody else sees interfaces and is handed what it needs.
#pragma once

#include <memory>

#include "app/serve.h"
#include "base/loop.h"
#include "base/task.h"

namespace rouse {

class Server {
 public:
  virtual ~Server() = default;
  // Listens, prints where, serves until a stop is asked for, then lets running work end, commits
  // and returns. `outcome` says why if it could not start.
  virtual Task<void> run(Result<void>& outcome) = 0;
};

// Opens config, token and store. The error is for a person and nothing is left behind.
Result<std::unique_ptr<Server>> wire_server(Loop& loop, const ServeOptions& options);

}  // namespace rouse
