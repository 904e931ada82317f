#include "gateway/routes/file_routes.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/limits.h"
#include "gateway/routes/asked_workspace.h"

namespace rouse {
namespace {

using TypeAndEnding = std::pair<std::string_view, std::string_view>;
constexpr std::array<TypeAndEnding, 4> kImages{
    {{"image/png", "png"}, {"image/jpeg", "jpg"}, {"image/gif", "gif"}, {"image/webp", "webp"}}};
constexpr std::array<TypeAndEnding, 2> kDocuments{
    {{"application/pdf", "pdf"}, {"text/plain", "txt"}}};

template <std::size_t N>
std::string_view ending_of(const std::array<TypeAndEnding, N>& known, std::string_view type) {
  for (const auto& [name, ending] : known) {
    if (name == type) return ending;
  }
  return {};
}

bool is_hash(std::string_view text) {
  return text.size() == 64 && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

std::string disposition(const BlobInfo& info) {
  const std::string_view image = ending_of(kImages, info.media_type);
  const std::string_view document = ending_of(kDocuments, info.media_type);
  const std::string_view ending = !image.empty() ? image : !document.empty() ? document : "bin";
  return fmt::format("{}; filename=\"{}.{}\"", image.empty() ? "attachment" : "inline",
                     info.hash.substr(0, 16), ending);
}

}  // namespace

void FileRoutes::add_to(RouteTable& table) {
  table.add(upload<FileView>({.method = "POST",
                              .pattern = "/api/files",
                              .summary = "Keep an image or file, to be named in a message",
                              .tag = "files",
                              .success = 201,
                              .query = {workspace_parameter()},
                              .max_body = limits::kFileBytes},
                             [this](Call& call) { return put(call); }));
  table.add(answer<Response>({.pattern = "/api/files/{hash}",
                              .summary = "A file by the hash of its bytes",
                              .tag = "files",
                              .query = {workspace_parameter()},
                              .produces = "application/octet-stream"},
                             [this](Call& call) { return get(call); }));
}

Task<Result<FileView>> FileRoutes::put(Call& call) {
  CO_TRY(auto workspace, asked_workspace(call, workspaces_));
  CO_TRY(auto type,
         parse_media_type(call.head.header("content-type").value_or("application/octet-stream")));
  CO_TRY(auto kept,
         co_await blobs_.put(std::move(workspace), std::move(type), std::move(call.body)));
  co_return FileView{std::move(kept.hash), std::move(kept.media_type), kept.size};
}

Task<Result<Response>> FileRoutes::get(Call& call) {
  CO_TRY(auto workspace, asked_workspace(call, workspaces_));
  std::string hash = call.parameters.at(0);
  if (!is_hash(hash)) {
    co_return fail(BlobErrc::kNotFound, "a file is called by its SHA-256: 64 digits 0-9 and a-f");
  }
  CO_TRY(auto blob, co_await blobs_.get(std::move(workspace), std::move(hash)));
  const std::string tag = fmt::format("\"{}\"", blob.info.hash);
  Response response;
  response.headers = {{"Content-Type", blob.info.media_type},
                      {"Content-Disposition", disposition(blob.info)},
                      {"ETag", tag},
                      {"Cache-Control", "private, no-cache"},
                      {"Content-Security-Policy", "default-src 'none'; sandbox"},
                      {"Cross-Origin-Resource-Policy", "same-origin"},
                      {"X-Content-Type-Options", "nosniff"}};
  if (call.head.header("if-none-match").value_or("") == tag) {
    response.status = 304;
  } else {
    response.body = std::move(blob.bytes);
  }
  co_return response;
}

}  // namespace rouse
