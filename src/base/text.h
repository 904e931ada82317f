// Small, pure helpers on text: encodings, UTF-8, constant-time compare, and the nearest known word
// for "did you mean".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rouse {

std::string to_hex(std::string_view bytes);
std::string to_base64(std::string_view bytes);  // standard alphabet, padded
std::optional<std::string> from_base64(std::string_view text);
std::string percent_encode(std::string_view text);                 // all but [A-Za-z0-9-._~]
std::optional<std::string> percent_decode(std::string_view text);  // nullopt on a broken escape
std::string json_escape(std::string_view text);                    // without the quotes

// Whether a byte begins a character of UTF-8 text, instead of going on with one.
constexpr bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }
std::size_t count_characters(std::string_view text);
bool is_utf8(std::string_view text);
// Cuts to at most max_bytes without splitting a character.
std::string_view utf8_prefix(std::string_view text, std::size_t max_bytes);

// Compares in a time that depends only on the length of `given`.
bool equal_constant_time(std::string_view given, std::string_view secret);

std::string_view trim(std::string_view text);
std::string lower_ascii(std::string_view text);
bool iequals_ascii(std::string_view a, std::string_view b);
std::vector<std::string_view> split(std::string_view text, char separator);

// The candidate with the fewest edits from `word`, if it is near enough to be a likely typo.
std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> candidates);

// SHA-256, 32 raw bytes. Needs no initialisation of the TLS library.
std::string sha256(std::string_view data);

}  // namespace rouse
