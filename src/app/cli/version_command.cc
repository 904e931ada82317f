#include <memory>

#include <CLI/CLI.hpp>

#include "app/cli/command.h"

namespace rouse::cli {
namespace {

struct VersionView {
  std::string version, compiler, built_for;
};
auto shape(const VersionView*) {
  return fields(field("version", &VersionView::version, ""),
                field("compiler", &VersionView::compiler, ""),
                field("built_for", &VersionView::built_for, ""));
}

#if defined(__aarch64__)
constexpr const char* kMachine = "linux aarch64";
#else
constexpr const char* kMachine = "linux x86_64";
#endif

}  // namespace

void add_version(CLI::App& root, Chosen& chosen) {
  auto json = std::make_shared<bool>(false);
  CLI::App& command = add_command(root, "version", "Print the version.", {"rouse version --json"});
  add_json_flag(command, *json);
  command.callback([json, &chosen] {
    chosen.run = [json]() -> int {
      if (*json) return print_json(VersionView{ROUSE_VERSION, __VERSION__, kMachine});
      fmt::print("rouse {}\n", ROUSE_VERSION);
      return kOk;
    };
  });
}

}  // namespace rouse::cli
