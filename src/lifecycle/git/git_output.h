// What git prints, as values. Pure. Output that was cut in the middle, and words of git that got
// between the entries (warnings), cost the entries they hit and no others.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lifecycle/engine/hands.h"

namespace rouse {

inline constexpr std::size_t kGitDirtyFiles = 500;
inline constexpr std::size_t kGitCommits = 50;

// `git status --porcelain=v1 -z`: the paths, in order, each once. Of a file that was renamed, the
// name it has now.
std::vector<std::string> paths_of_status(std::string_view output);

// `git log --format=%H%x00%s`, newest first.
std::vector<GitView::Commit> commits_of_log(std::string_view output);

// `git config --null --name-only --get-regexp '^filter\.'`: the names of the filters. Nothing if
// there is anything that can't be understood: a filter that is overlooked would be run.
std::optional<std::vector<std::string>> filters_of_config(std::string_view output);

// What went wrong, from what git said: its own "fatal:" line without the word, or nothing.
std::string complaint_of(std::string_view output);

}  // namespace rouse
