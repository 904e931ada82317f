// Titles of conversations. Pure.
#pragma once

#include <string>
#include <string_view>

namespace rouse::actions {

inline constexpr std::size_t kTitleCharacters = 60;

// The first line of what was asked, cut at a word.
std::string title_by_rules(std::string_view asked);

// What a model answered, made a title; "" if nothing of use is in it.
std::string title_by_model(std::string_view answer);

}  // namespace rouse::actions
