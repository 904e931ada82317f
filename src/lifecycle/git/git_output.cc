#include "lifecycle/git/git_output.h"

#include <algorithm>
#include <set>

#include "base/text.h"

namespace rouse {
namespace {

constexpr std::size_t kPathBytes = 4'096;
constexpr std::size_t kCommitSubjectBytes = 400;

bool is_status(std::string_view entry) {
  constexpr std::string_view kLetters = " MTADRCU?!";
  return entry.size() > 3 && kLetters.find(entry[0]) != std::string_view::npos &&
         kLetters.find(entry[1]) != std::string_view::npos && entry[2] == ' ';
}

// A warning ends with its line; the entry comes after it.
std::string_view without_warnings(std::string_view entry) {
  while (!is_status(entry)) {
    const std::size_t line = entry.find('\n');
    if (line == std::string_view::npos) return {};
    entry.remove_prefix(line + 1);
  }
  return entry;
}

bool is_hash(std::string_view text) {
  return (text.size() == 40 || text.size() == 64) && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

// Up to the last NUL: what follows it was cut.
std::vector<std::string_view> entries_of(std::string_view output) {
  const std::size_t end = output.rfind('\0');
  if (end == std::string_view::npos) return {};
  return split(output.substr(0, end), '\0');
}

}  // namespace

std::vector<std::string> paths_of_status(std::string_view output) {
  std::set<std::string> paths;
  bool was_renamed = false;  // then the next entry is the name it had
  for (const std::string_view entry : entries_of(output)) {
    if (was_renamed) {
      was_renamed = false;
      continue;
    }
    const std::string_view found = without_warnings(entry);
    if (found.empty() || found.size() > kPathBytes) continue;
    was_renamed = found[0] == 'R' || found[0] == 'C' || found[1] == 'R' || found[1] == 'C';
    const std::string_view path = found.substr(3);
    if (is_utf8(path)) paths.emplace(path);
    if (paths.size() == kGitDirtyFiles) break;
  }
  return {paths.begin(), paths.end()};
}

std::vector<GitView::Commit> commits_of_log(std::string_view output) {
  std::vector<GitView::Commit> out;
  for (const std::string_view line : split(output, '\n')) {
    const std::size_t zero = line.find('\0');
    if (zero == std::string_view::npos || !is_hash(line.substr(0, zero))) continue;
    const std::string_view subject = line.substr(zero + 1);
    out.push_back({std::string(line.substr(0, zero)),
                   is_utf8(subject) ? std::string(utf8_prefix(subject, kCommitSubjectBytes))
                                    : std::string("(not in UTF-8)")});
    if (out.size() == kGitCommits) break;
  }
  return out;
}

std::optional<std::vector<std::string>> filters_of_config(std::string_view output) {
  if (!output.empty() && output.back() != '\0') return std::nullopt;
  std::set<std::string> names;
  for (std::string_view entry : entries_of(output)) {
    constexpr std::string_view kPrefix = "filter.";
    entry = entry.substr(entry.rfind('\n') + 1);  // after a warning; a name has no line end
    if (!entry.starts_with(kPrefix)) return std::nullopt;
    const std::size_t end = entry.rfind('.');
    if (end > kPrefix.size()) names.emplace(entry.substr(kPrefix.size(), end - kPrefix.size()));
  }
  return std::vector<std::string>(names.begin(), names.end());
}

std::string complaint_of(std::string_view output) {
  constexpr std::size_t kShownBytes = 300;
  for (const std::string_view line : split(output, '\n')) {
    constexpr std::string_view kFatal = "fatal: ";
    if (!line.starts_with(kFatal)) continue;
    const std::string_view said = trim(line.substr(kFatal.size()));
    return is_utf8(said) ? std::string(utf8_prefix(said, kShownBytes)) : std::string();
  }
  return {};
}

}  // namespace rouse
