// The web app inside the binary: files with their type and hash, packed once, made by web/build.sh.
#pragma once

#include <string>
#include <string_view>

#include "net/http.h"

namespace rouse {

struct WebAsset {
  std::string_view path;  // as served: "/assets/index-abc.js"
  std::string_view type;
  std::string_view etag;
  bool immutable;  // its name carries its hash
  bool is_gzip;    // how `body` is; not where that would be larger
  std::string_view body;
  std::size_t size;  // of the file itself
};

// The file for a path; a path of the app itself ("/", "/automations") gives index.html. Null if
// none.
const WebAsset* find_web_asset(std::string_view path);
std::size_t web_asset_count();

Response web_asset_response(const WebAsset& asset, const RequestHead& head);

}  // namespace rouse
