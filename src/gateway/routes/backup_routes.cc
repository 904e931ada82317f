#include "gateway/routes/backup_routes.h"

#include <unistd.h>

#include <fmt/format.h>

#include "base/files.h"

namespace rouse {
namespace {
constexpr std::size_t kChunkBytes = 256 * 1024;
}

void BackupRoutes::add_to(RouteTable& table) {
  table.add(answer<Response>({.pattern = "/api/backup",
                              .access = Access::kAdmin,
                              .summary = "A copy of the whole store",
                              .tag = "server",
                              .produces = "application/octet-stream"},
                             [this](Call&) { return download(); }));
}

struct BackupRoutes::Copy {
  BackupRoutes& owner;
  std::string path;

  Copy(BackupRoutes& routes, std::string file) : owner(routes), path(std::move(file)) {
    owner.busy_ = true;
  }
  ~Copy() {
    ::unlink(path.c_str());
    owner.busy_ = false;
  }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;
};

Task<Result<Response>> BackupRoutes::download() {
  if (busy_) co_return fail(Errc::kConflict, "a backup is being made already; wait for it to end");
  auto copy =
      std::make_shared<Copy>(*this, fmt::format("{}/download-{}.db", folder_, random_.hex(8)));
  CO_TRY_VOID(make_private_dir(folder_));
  CO_TRY_VOID(co_await database_.backup(copy->path));
  CO_TRY(const std::uint64_t size, file_size(copy->path));
  Response response;
  // The size lets the receiver tell a whole copy from one that broke off.
  response.headers = {{"Content-Type", "application/octet-stream"},
                      {"X-Backup-Bytes", std::to_string(size)},
                      {"Cache-Control", "no-store"},
                      {"X-Content-Type-Options", "nosniff"}};
  response.stream = [this, copy](ResponseStream& out) { return send(copy, out); };
  co_return response;
}

Task<void> BackupRoutes::send(std::shared_ptr<Copy> copy, ResponseStream& out) {
  for (std::uint64_t at = 0;; at += kChunkBytes) {
    auto chunk = co_await pool_.run<std::string>(
        [path = copy->path, at] { return read_file_range(path, at, kChunkBytes); });
    if (!chunk || chunk->empty()) break;
    const bool last = chunk->size() < kChunkBytes;
    const auto written = co_await out.write(std::move(*chunk));
    if (!written || last) break;
  }
}

}  // namespace rouse
