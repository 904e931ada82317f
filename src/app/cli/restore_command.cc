#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>

#include "app/cli/command.h"
#include "app/cli/local_store.h"
#include "base/files.h"
#include "store/database.h"

namespace rouse::cli {
namespace {

struct RestoreOptions {
  DataOption data;
  std::string file;
  bool yes = false;
  bool json = false;
};

struct RestoreView {
  bool ok = true;
  std::string file;
  std::optional<std::string> moved_to;
};
auto shape(const RestoreView*) {
  return fields(field("ok", &RestoreView::ok, ""), field("file", &RestoreView::file, ""),
                field("moved_to", &RestoreView::moved_to, ""));
}

Result<RestoreView> restore(const RestoreOptions& options) {
  TRY(const std::string dir, options.data.dir());
  std::error_code ec;
  RestoreView view;
  view.file = std::filesystem::absolute(options.file, ec).lexically_normal().string();
  if (!path_exists(view.file)) {
    return fail(Errc::kNotFound, fmt::format("there is no file {}", view.file));
  }
  if (const auto holder = lock_holder(dir)) {
    return fail(
        StoreErrc::kOwned,
        fmt::format("rouse is running for {} ({}). Stop it first, then restore", dir, *holder));
  }
  const std::string question = fmt::format(
      "Put {} in the place of the store in {}? The present one is moved aside, not "
      "deleted.",
      view.file, dir);
  if (!options.yes && !confirm(question)) {
    return fail(Errc::kCancelled, "nothing was changed. To restore without a question: --yes");
  }
  TRY(const std::string moved_to, restore_local_store(dir, view.file));
  if (!moved_to.empty()) view.moved_to = moved_to;
  return view;
}

}  // namespace

void add_restore(CLI::App& root, Chosen& chosen) {
  auto options = std::make_shared<RestoreOptions>();
  CLI::App& command = add_command(
      root, "restore", "Put a backup in the place of the store; the server must be stopped.",
      {"rouse restore ~/rouse-2026-11-15.db"});
  command.add_option("FILE", options->file, "Made by: rouse backup")->required();
  command.add_flag("--yes", options->yes, "Don't ask");
  add_data_option(command, options->data);
  add_json_flag(command, options->json);
  command.callback([options, &chosen] {
    chosen.run = [options]() -> int {
      const auto view = restore(*options);
      if (!view) return report(view.error());
      if (options->json) return print_json(*view);
      fmt::print("restored {}\n", view->file);
      if (view->moved_to) fmt::print("The store from before is at {}\n", *view->moved_to);
      return kOk;
    };
  });
}

}  // namespace rouse::cli
