#include "session/blobs.h"

#include <algorithm>
#include <span>

#include "base/limits.h"
#include "base/text.h"
#include "session/remove/delete_pages.h"

namespace rouse {
namespace {

constexpr std::size_t kMediaTypeBytes = 100;
constexpr std::int64_t kLookedAtAtOnce = 200;

constexpr std::string_view kPut =
    "INSERT INTO blobs (workspace_id, hash, media_type, size, created_ms, bytes) "
    "VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (workspace_id, hash) DO UPDATE "
    "SET media_type = excluded.media_type, created_ms = excluded.created_ms";
constexpr std::string_view kGet =
    "SELECT media_type, size, bytes FROM blobs WHERE workspace_id = $1 AND hash = $2";
constexpr std::string_view kIsThere =
    "UPDATE blobs SET created_ms = created_ms WHERE workspace_id = $1 AND hash = $2";
constexpr std::string_view kNoteUse =
    "INSERT INTO blob_uses (workspace_id, hash, conversation_id) VALUES ($1, $2, $3) "
    "ON CONFLICT (workspace_id, hash, conversation_id) DO NOTHING";
#define USED_NOWHERE                                                                     \
  "NOT EXISTS (SELECT 1 FROM blob_uses u WHERE u.workspace_id = blobs.workspace_id AND " \
  "u.hash = blobs.hash)"
// Used ones are among them: a page is bounded by what it looks at, not by what it finds.
constexpr std::string_view kOldAfter =
    "SELECT created_ms, workspace_id, hash, size, CASE WHEN " USED_NOWHERE
    " THEN 1 ELSE 0 END FROM blobs "
    "WHERE created_ms < $1 AND (created_ms, workspace_id, hash) > ($2, $3, $4) "
    "ORDER BY created_ms, workspace_id, hash LIMIT $5";
constexpr std::string_view kOld = "SELECT 1 FROM blobs WHERE created_ms < $1 LIMIT 1";
constexpr std::string_view kPrune =
    "DELETE FROM blobs WHERE workspace_id = $1 AND hash = $2 AND created_ms < $3 "
    "AND " USED_NOWHERE;

bool is_token_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
         std::string_view("!#$&-^_.+").find(c) != std::string_view::npos;
}
bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_token_letter);
}

}  // namespace

ErrorInfo error_info(BlobErrc) { return {Kind::kNotFound, "file_not_found"}; }

Result<std::string> parse_media_type(std::string_view header) {
  std::string type = lower_ascii(trim(header.substr(0, header.find(';'))));
  const std::size_t slash = type.find('/');
  if (slash == std::string::npos || type.size() > kMediaTypeBytes ||
      !is_token(std::string_view(type).substr(0, slash)) ||
      !is_token(std::string_view(type).substr(slash + 1))) {
    return fail(Errc::kInvalid,
                fmt::format("say what the file is with a Content-Type like image/png, not '{}'",
                            utf8_prefix(type, 80)));
  }
  return type;
}

Task<Result<BlobInfo>> Blobs::put(WorkspaceId workspace, std::string media_type,
                                  std::string bytes) {
  if (bytes.empty()) co_return fail(Errc::kInvalid, "the file is empty");
  if (bytes.size() > limits::kFileBytes) {
    co_return fail(Errc::kTooLarge,
                   fmt::format("a file may have at most {} bytes", limits::kFileBytes));
  }
  BlobInfo info{to_hex(sha256(bytes)), std::move(media_type),
                static_cast<std::int64_t>(bytes.size())};
  CO_TRY_VOID(co_await database_.write(one(kPut,
                                           {workspace.str(), info.hash, info.media_type, info.size,
                                            clock_.wall_now().unix_ms, Blob{std::move(bytes)}},
                                           1)));
  co_return info;
}

Task<Result<StoredBlob>> Blobs::get(WorkspaceId workspace, std::string hash) {
  CO_TRY(Rows rows, co_await database_.read_page({kGet, {workspace.str(), hash}, 1}));
  if (rows.empty()) {
    co_return fail(BlobErrc::kNotFound, fmt::format("there is no file {}", utf8_prefix(hash, 80)));
  }
  const Row& row = rows.front();
  co_return StoredBlob{{std::move(hash), row.text(0), row.integer(1)}, row.blob(2)};
}

std::vector<Statement> Blobs::note_use(const WorkspaceId& workspace, const std::string& hash,
                                       const ConversationId& conversation) {
  return {{kIsThere, {workspace.str(), hash}, 1},
          {kNoteUse, {workspace.str(), hash, conversation.str()}, {}}};
}

Task<Result<std::int64_t>> Blobs::prune() {
  const std::int64_t before = (clock_.wall_now() - kUnusedBlobLife).unix_ms;
  std::int64_t removed = 0;
  CO_TRY(const Rows old, database_.read({kOld, {before}}));  // mostly there is none
  std::vector<Value> after{std::int64_t{0}, std::string(), std::string()};
  for (bool more = !old.empty(); more;) {
    CO_TRY(Rows page, co_await database_.read_page(
                          {kOldAfter, {before, after[0], after[1], after[2], kLookedAtAtOnce}}));
    more = static_cast<std::int64_t>(page.size()) == kLookedAtAtOnce;
    if (more) after = {page.back().value(0), page.back().value(1), page.back().value(2)};
    CO_TRY(const std::int64_t count, co_await prune_page(std::move(page), before));
    removed += count;
  }
  co_return removed;
}

// Found beside the loop, removed in small writes that look again: one may have been used meanwhile.
Task<Result<std::int64_t>> Blobs::prune_page(Rows page, std::int64_t before) {
  std::erase_if(page, [](const Row& row) { return row.integer(4) == 0; });
  std::int64_t removed = 0;
  for (std::span<const Row> left = page; !left.empty();) {
    const std::size_t count = fitting(left, 3, kDeletedFileBytesAtOnce);
    Write write;
    for (const Row& row : left.first(count)) {
      write.statements.push_back({kPrune, {row.text(1), row.text(2), before}, {}});
    }
    CO_TRY(const Written written, co_await database_.write(std::move(write)));
    for (const std::int64_t rows_changed : written.rows_changed) removed += rows_changed;
    left = left.subspan(count);
  }
  co_return removed;
}

}  // namespace rouse
