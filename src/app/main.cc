#include <cstdio>
#include <cstdlib>
#include <exception>

#include "app/cli/cli.h"

// The last words of a process that an exception nobody handled ends. The standard library's own
// ones bring 45 KB of demangler along for the name of a type that tells a person nothing.
namespace __gnu_cxx {
void __verbose_terminate_handler() {
  try {
    if (const auto thrown = std::current_exception()) std::rethrow_exception(thrown);
    std::fputs("rouse: stopped where it can't go on\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rouse: stopped by an error that nobody handled: %s\n", error.what());
  } catch (...) {
    std::fputs("rouse: stopped by an error that nobody handled\n", stderr);
  }
  std::abort();
}
}  // namespace __gnu_cxx

int main(int argc, char** argv) { return rouse::run_cli(argc, argv); }
