#include "gateway/web_assets.h"

#include <array>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "gateway/responses.h"
#include "net/gunzip.h"

// web_assets.S: the bodies, one after the other.
extern "C" const char rouse_web_assets_begin[];

namespace rouse {
namespace {

struct PackedAsset {
  std::string_view path, type, etag;
  bool immutable, is_gzip;
  std::size_t at, packed, size;
};

constexpr PackedAsset kPacked[] = {
#include "web_assets.inc"
};

const std::vector<WebAsset>& assets() {
  static const std::vector<WebAsset> unpacked = [] {
    std::vector<WebAsset> out;
    for (const PackedAsset& p : kPacked) {
      out.push_back({p.path, p.type, p.etag, p.immutable, p.is_gzip,
                     std::string_view(rouse_web_assets_begin + p.at, p.packed), p.size});
    }
    return out;
  }();
  return unpacked;
}

// Does Accept-Encoding name this coding, and not with q=0?
bool accepts(std::string_view header, std::string_view coding) {
  for (const std::string_view part : split(header, ',')) {
    const auto pieces = split(part, ';');
    if (!iequals_ascii(trim(pieces[0]), coding)) continue;
    for (std::size_t i = 1; i < pieces.size(); ++i) {
      const std::string_view q = trim(pieces[i]);
      if (q == "q=0" || q == "q=0.0" || q == "q=0.00" || q == "q=0.000") return false;
    }
    return true;
  }
  return false;
}

}  // namespace

const WebAsset* find_web_asset(std::string_view path) {
  const WebAsset* index = nullptr;
  for (const WebAsset& asset : assets()) {
    if (asset.path == path) return &asset;
    if (asset.path == "/index.html") index = &asset;
  }
  // A path without a file ending is a page of the app, which finds its own way.
  const std::string_view last = path.substr(path.rfind('/') + 1);
  return last.find('.') == std::string_view::npos ? index : nullptr;
}

std::size_t web_asset_count() { return assets().size(); }

Response web_asset_response(const WebAsset& asset, const RequestHead& head) {
  Response response;
  response.static_headers = page_headers();
  const std::string_view encodings = head.header("accept-encoding").value_or("");
  const std::string_view coding = asset.is_gzip && accepts(encodings, "gzip") ? "gzip" : "";
  // Each form has its own tag: they are different bytes.
  const std::string etag = fmt::format("\"{}{}{}\"", asset.etag, coding.empty() ? "" : "-", coding);
  response.headers.emplace_back("ETag", etag);
  response.headers.emplace_back("Vary", "Accept-Encoding");
  response.headers.emplace_back(
      "Cache-Control", asset.immutable ? "public, max-age=31536000, immutable" : "no-cache");
  const std::string_view known = head.header("if-none-match").value_or("");
  if (known == "*" || known.find(etag) != std::string_view::npos) {
    response.status = 304;
    return response;
  }
  if (asset.is_gzip && coding.empty()) {
    response.body = gunzip(asset.body, asset.size).value_or("");
  } else {
    response.static_body = asset.body;
  }
  response.headers.emplace_back("Content-Type", asset.type);
  if (!coding.empty()) response.headers.emplace_back("Content-Encoding", coding);
  return response;
}

}  // namespace rouse
