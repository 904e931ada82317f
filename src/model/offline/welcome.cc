#include "model/offline/welcome.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace rouse::offline {
namespace {

constexpr std::size_t kSections = 3;  // with the hello they are four sentences
constexpr std::size_t kLines = 3;     // of a section
constexpr std::size_t kLineBytes = 200;

bool merely_stands(std::string_view title) { return title == kComingUp || title == kOpenTasks; }

// "While you were away: the backup ran; the report failed; and 2 more."
std::string sentence_of(const NewsSection& section) {
  std::string out = section.title + ": ";
  const std::size_t shown = std::min(section.lines.size(), kLines);
  for (std::size_t i = 0; i < shown; ++i) {
    std::string_view line = utf8_prefix(section.lines[i], kLineBytes);
    while (line.ends_with('.') || line.ends_with(' ')) line.remove_suffix(1);
    out += fmt::format("{}{}", i == 0 ? "" : "; ", line);
  }
  if (section.lines.size() > shown)
    out += fmt::format("; and {} more", section.lines.size() - shown);
  return out + ".";
}

}  // namespace

std::vector<NewsSection> read_news(std::string_view prompt) {
  std::vector<NewsSection> out;
  const std::size_t begin = prompt.find("<data>\n");
  if (begin == std::string_view::npos) return out;
  const std::size_t end = prompt.find("\n</data>", begin);
  for (const std::string_view line : split(prompt.substr(begin, end - begin), '\n')) {
    if (line.starts_with("# ")) {
      out.push_back({std::string(line.substr(2)), {}});
    } else if (line.starts_with("- ") && !out.empty() && line.substr(2) != kUnavailable) {
      out.back().lines.emplace_back(line.substr(2));
    }
  }
  std::erase_if(out, [](const NewsSection& section) { return section.lines.empty(); });
  return out;
}

std::string welcome_back(const std::vector<NewsSection>& news, std::string_view name,
                         bool away_long) {
  std::string out = fmt::format("Welcome back{}{}!", name.empty() ? "" : ", ", name);
  std::size_t told = 0;
  for (const NewsSection& section : news) {
    if (told == kSections || (!away_long && merely_stands(section.title))) continue;
    out += " " + sentence_of(section);
    ++told;
  }
  return told == 0 ? "" : out;
}

std::string first_welcome(std::string_view agent) {
  return fmt::format(
      "Hello! I'm {}. I keep our conversations, and I can act on my own: try \"remind me in 2 "
      "minutes to stretch\", or \"add a task: buy milk\". What matters to you right now?",
      agent.empty() || agent == "default" ? "your assistant in rouse" : agent);
}

}  // namespace rouse::offline
