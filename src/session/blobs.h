// Images and files by the SHA-256 of their bytes, kept once a workspace however often they are
// sent. A message only names the hash (content.h); which conversation uses what is noted beside it,
// so that deleting a conversation takes along what nobody else needs. What was uploaded and never
// used goes after a day.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "base/ids.h"
#include "store/database.h"

namespace rouse {

enum class BlobErrc : std::uint8_t { kNotFound };  // "file_not_found"
ErrorInfo error_info(BlobErrc code);

struct BlobInfo {
  std::string hash;  // 64 hex digits
  std::string media_type;
  std::int64_t size = 0;
};

struct StoredBlob {
  BlobInfo info;
  std::string bytes;
};

inline constexpr Millis kUnusedBlobLife = hours(24);

class Blobs {
 public:
  Blobs(Database& database, Clock& clock) : database_(database), clock_(clock) {}

  // Durable when it answers. The same bytes again renew their day and take the newer media type.
  Task<Result<BlobInfo>> put(WorkspaceId workspace, std::string media_type, std::string bytes);
  Task<Result<StoredBlob>> get(WorkspaceId workspace, std::string hash);  // kNotFound

  // For the write that brings a message which names it. Noting it twice is noting it once; the
  // write fails if the workspace has no such blob.
  static std::vector<Statement> note_use(const WorkspaceId& workspace, const std::string& hash,
                                         const ConversationId& conversation);

  // Removes what was uploaded over a day ago and is used nowhere; answers how many. Called at each
  // start, in the background: walks once over all that is older than a day, a page at a time.
  Task<Result<std::int64_t>> prune();

 private:
  Task<Result<std::int64_t>> prune_page(Rows page, std::int64_t before);

  Database& database_;
  Clock& clock_;
};

// What a Content-Type header names, in lower case and without parameters; an error if it is none.
Result<std::string> parse_media_type(std::string_view header);

}  // namespace rouse
