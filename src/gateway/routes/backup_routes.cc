#include "gateway/routes/backup_routes.h"

#include <stdexcept>
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
                              .answers_head = false,
                              .produces = "application/octet-stream"},
                             [this](Call&) { return download(); }));
}

struct BackupRoutes::Copy {
  std::string path;
  std::shared_ptr<bool> busy;
  std::uint64_t size = 0;

  Copy(std::string file, std::shared_ptr<bool> flag)
      : path(std::move(file)), busy(std::move(flag)) {
    *busy = true;
  }
  ~Copy() {
    ::unlink(path.c_str());
    *busy = false;
  }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;
};

Task<Result<Response>> BackupRoutes::download() {
  if (*busy_) co_return fail(Errc::kConflict, "a backup is being made already; wait for it to end");
  auto copy =
      std::make_shared<Copy>(fmt::format("{}/download-{}.db", folder_, random_.hex(8)), busy_);
  CO_TRY_VOID(make_private_dir(folder_));
  CO_TRY_VOID(co_await database_.backup(copy->path));
  CO_TRY(copy->size, file_size(copy->path));
  Response response;
  // The size lets the receiver tell a whole copy from one that broke off.
  response.headers = {{"Content-Type", "application/octet-stream"},
                      {"X-Backup-Bytes", std::to_string(copy->size)},
                      {"Cache-Control", "no-store"},
                      {"X-Content-Type-Options", "nosniff"}};
  response.stream = [this, copy](ResponseStream& out) { return send(copy, out); };
  co_return response;
}

Task<void> BackupRoutes::send(std::shared_ptr<Copy> copy, ResponseStream& out) {
  for (std::uint64_t at = 0; at < copy->size;) {
    auto chunk = co_await pool_.run<std::string>(
        [path = copy->path, at] { return read_file_range(path, at, kChunkBytes); });
    // Thrown, so that the answer ends without its last chunk and nobody takes a part for the whole.
    if (!chunk) throw std::runtime_error("a backup broke off: " + chunk.error().message);
    if (chunk->empty()) throw std::runtime_error("a backup broke off: its copy got shorter");
    at += chunk->size();
    if (!co_await out.write(std::move(*chunk))) co_return;  // the client is gone
  }
}

}  // namespace rouse
