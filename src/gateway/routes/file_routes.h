// Images and files that belong to messages: uploaded as they are, fetched by the hash of their
// bytes, only within their workspace. Whatever a file claims to be, a browser shows nothing but the
// four image types in place; everything else is a download.
#pragma once

#include "gateway/route.h"
#include "session/blobs.h"
#include "session/workspaces.h"

namespace rouse {

struct FileView {
  std::string hash, media_type;
  std::int64_t size = 0;
};
inline auto shape(const FileView*) {
  return fields(field("hash", &FileView::hash, "SHA-256 of its bytes in hex: what it is called"),
                field("media_type", &FileView::media_type, "What it was sent as"),
                field("size", &FileView::size, "In bytes"));
}

class FileRoutes {
 public:
  FileRoutes(Blobs& blobs, Workspaces& workspaces) : blobs_(blobs), workspaces_(workspaces) {}
  void add_to(RouteTable& table);

 private:
  Task<Result<FileView>> put(Call& call);
  Task<Result<Response>> get(Call& call);

  Blobs& blobs_;
  Workspaces& workspaces_;
};

}  // namespace rouse
