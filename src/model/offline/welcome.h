// Words for somebody who came back, made from records alone: no model is asked, so they cost
// nothing and are the same each time. The offline assistant says them, and the static greeting does
// (proactive/session_open.h).
//
// Records are sections with a title and a line each; news needs attention by itself, what merely
// stands (open tasks, what comes up) is worth a word only to somebody who was away for long
// (S0-C9).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rouse::offline {

struct NewsSection {
  std::string title;
  std::vector<std::string> lines;
};

inline constexpr std::string_view kComingUp = "Coming up";
inline constexpr std::string_view kOpenTasks = "Your open tasks";
inline constexpr std::string_view kUnavailable = "(unavailable)";  // a source that failed (S0-C8)

// "# title" and "- line" between <data> and </data>, as a prompt holds them.
std::vector<NewsSection> read_news(std::string_view prompt);

// Two to four sentences, or "": nothing needs a word. `away_long`: half an hour and more.
std::string welcome_back(const std::vector<NewsSection>& news, std::string_view name,
                         bool away_long);

// For somebody new, without a model; `agent` may be "".
std::string first_welcome(std::string_view agent);

}  // namespace rouse::offline
