#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "app/cli/api_client.h"
#include "app/cli/command.h"
#include "app/cli/local_store.h"
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

// FILE.part until it is whole and on the disk; gone if that never happens.
class PartFile {
 public:
  static Result<PartFile> create(const std::string& target) {
    PartFile out;
    out.target_ = target;
    out.part_ = target + ".part";
    out.fd_ =
        ::open(out.part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (out.fd_ < 0) return fail(os_error(fmt::format("cannot create {}", out.part_), errno));
    if (::fchmod(out.fd_, 0600) != 0) {
      return fail(os_error(fmt::format("cannot protect {}", out.part_), errno));
    }
    return out;
  }
  PartFile(PartFile&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)),
        target_(std::move(other.target_)),
        part_(std::move(other.part_)),
        bytes_(other.bytes_) {}
  ~PartFile() {
    if (fd_ < 0) return;
    ::close(fd_);
    ::unlink(part_.c_str());
  }

  Result<void> write(std::string_view chunk) {
    while (!chunk.empty()) {
      const ssize_t n = ::write(fd_, chunk.data(), chunk.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return fail(os_error(fmt::format("cannot write {}", part_), errno));
      bytes_ += n;
      chunk.remove_prefix(static_cast<std::size_t>(n));
    }
    return {};
  }

  // link() instead of rename(): a file that appeared meanwhile is not replaced.
  Result<void> publish() {
    if (::fsync(fd_) != 0) return fail(os_error(fmt::format("cannot sync {}", part_), errno));
    if (::link(part_.c_str(), target_.c_str()) != 0) {
      return fail(os_error(fmt::format("cannot create {}", target_), errno));
    }
    return sync_dir(std::filesystem::path(target_).parent_path().string());
  }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

 private:
  PartFile() = default;
  int fd_ = -1;
  std::string target_, part_;
  std::int64_t bytes_ = 0;
};

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
  TRY_VOID(part.publish());
  return part.bytes();
}

Result<BackupView> back_up(const BackupOptions& options) {
  std::error_code ec;
  BackupView view;
  view.file = std::filesystem::absolute(options.file, ec).lexically_normal().string();
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
