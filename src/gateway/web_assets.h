// The web app inside the binary: files with their type, hash and compressed forms, made by
// web/build.sh.
#pragma once

#include <string>
#include <string_view>

#include "net/http.h"

namespace rouse {

struct WebAsset {
  std::string_view path;  // as served: "/assets/index-abc.js"
  std::string_view type;
  std::string_view etag;
  bool immutable;                           // its name carries its hash
  std::string_view identity, brotli, gzip;  // compressed forms empty when not smaller
};

// The file for a path; a path of the app itself ("/", "/automations") gives index.html. Null if
// none.
const WebAsset* find_web_asset(std::string_view path);
std::size_t web_asset_count();

Response web_asset_response(const WebAsset& asset, const RequestHead& head);

}  // namespace rouse
