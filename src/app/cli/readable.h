// What comes from conversations, made fit for a terminal: other people wrote it, so nothing of it
// may steer the terminal, and times are told as people tell them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"

namespace rouse::cli {

WallTime now();

// Without control characters but line ends and tabs: no escape sequence survives.
std::string safe_text(std::string_view text);
// The same in one line of at most `most` characters, with "…" where something was left out.
std::string one_line(std::string_view text, std::size_t most);
// Every line but the first moved to the right.
std::string hanging(std::string_view text, std::size_t indent);

// "just now", "5 min ago", "3 h ago", "12 d ago"; the text itself if it is no time.
std::string ago(std::string_view iso, WallTime now);
// "2026-11-15 09:12"
std::string short_time(std::string_view iso);

// Parts of a text in bold, given as (first, length) in characters. Ranges that don't fit are left
// out. The text comes out safe.
std::string highlighted(std::string_view text,
                        const std::vector<std::vector<std::int64_t>>& matches);

bool stdout_is_terminal();

}  // namespace rouse::cli
