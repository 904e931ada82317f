#include "app/serve.h"

#include <csignal>
#include <cstdio>
#include <sys/resource.h>
#include <sys/stat.h>

#include "app/wiring.h"
#include "base/loop.h"

namespace rouse {

int run_server(const ServeOptions& options) {
  std::signal(SIGPIPE, SIG_IGN);  // a client that hangs up is an error value, not our end
  ::umask(077);                   // whatever is made here is its owner's alone (SC-11)
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);  // a crash must not leave the secrets in a file (SC-10)
  Loop loop;
  auto server = wire_server(loop, options);
  if (!server) {
    std::fprintf(stderr, "rouse: %s\n", server.error().message.c_str());
    return 1;
  }
  Result<void> outcome;
  loop.spawn("server", (*server)->run(outcome));
  loop.run();
  if (!outcome) std::fprintf(stderr, "rouse: %s\n", outcome.error().message.c_str());
  return outcome ? 0 : 1;
}

}  // namespace rouse
