// What a text in the config must look like. Each rule answers with what is wrong, to follow the
// name of the key ("must be like HOST:PORT"), or with nothing.
#pragma once

#include <string>
#include <string_view>

namespace rouse::rules {

std::string listen(std::string_view text);         // "127.0.0.1:18888"
std::string url(std::string_view text);            // "https://host/path?query"
std::string base_url(std::string_view text);       // "http://127.0.0.1:11434/v1", no query
std::string origin_url(std::string_view text);     // "https://host:port", nothing behind it
std::string host(std::string_view text);           // "example.com", "example.com:8443"
std::string fetch_host(std::string_view text);     // "example.com", "127.0.0.1:8080", "[::1]:80"
std::string address_range(std::string_view text);  // "10.0.0.0/8", "::1"
std::string env_name(std::string_view text);       // "WHATSAPP_SECRET"
std::string time_zone(std::string_view text);      // "Europe/Berlin"
std::string locale(std::string_view text);         // "en", "de-AT", "zh_Hant_TW"
std::string contact(std::string_view text);        // "mailto:me@example.com", "https://example.com"
std::string not_empty(std::string_view text);

}  // namespace rouse::rules
