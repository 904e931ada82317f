#include <charconv>
#include <memory>

#include <CLI/CLI.hpp>

#include "app/cli/api_client.h"
#include "app/cli/command.h"
#include "app/cli/local_store.h"
#include "app/cli/part_file.h"
#include "base/files.h"

namespace rouse::cli {
namespace {

struct BackupOptions {
  ServerOption server;
  std::string file;
  bool json = false;
};

struct BackupView {
  bool ok = true;
  std::string file;
  std::int64_t bytes = 0;
};
auto shape(const BackupView*) {
  return fields(field("ok", &BackupView::ok, ""), field("file", &BackupView::file, ""),
                field("bytes", &BackupView::bytes, ""));
}

Result<std::int64_t> download(ApiClient& api, const std::string& file) {
  TRY(PartFile part, PartFile::create(file));
  std::int64_t promised = -1;
  TRY_VOID(api.download(
      "/api/backup", "X-Backup-Bytes",
      [&](std::string_view value) {
        std::from_chars(value.data(), value.data() + value.size(), promised);
      },
      [&](std::string_view chunk) { return part.write(chunk); }));
  if (promised != part.bytes()) {
    return fail(Errc::kIo,
                fmt::format("the copy broke off: {} of {} bytes came", part.bytes(), promised));
  }
  TRY_VOID(part.publish_new());
  return part.bytes();
}

Result<BackupView> back_up(const BackupOptions& options) {
  BackupView view;
  view.file = absolute_path(options.file);
  if (path_exists(view.file)) {
    return fail(Errc::kConflict, fmt::format("{} exists already; choose another name", view.file));
  }
  auto api = ApiClient::find(options.server);
  if (api) {
    TRY(view.bytes, download(*api, view.file));
    return view;
  }
  // No server: the store can be opened here. Any other trouble is told.
  if (!api.error().is(CliErrc::kNotRunning) || !options.server.url.empty()) {
    return fail(std::move(api).error());
  }
  TRY(const std::string dir, options.server.data.dir());
  TRY_VOID(backup_local_store(dir, view.file));
  TRY(const std::uint64_t size, file_size(view.file));
  view.bytes = static_cast<std::int64_t>(size);
  return view;
}

}  // namespace

void add_backup(CLI::App& root, Chosen& chosen) {
  auto options = std::make_shared<BackupOptions>();
  CLI::App& command = add_command(
      root, "backup", "Copy the whole store into a file, while the server works or not.",
      {"rouse backup ~/rouse-$(date +%F).db"});
  command.add_option("FILE", options->file, "The copy; must not exist yet")->required();
  add_server_options(command, options->server);
  add_json_flag(command, options->json);
  command.callback([options, &chosen] {
    chosen.run = [options]() -> int {
      const auto view = back_up(*options);
      if (!view) return report(view.error());
      if (options->json) return print_json(*view);
      fmt::print("saved {} ({} bytes)\nTo go back to it: rouse restore {}\n", view->file,
                 view->bytes, view->file);
      return kOk;
    };
  });
}

}  // namespace rouse::cli
