#include "session/summary/word_lists.h"

#include <algorithm>

namespace rouse::summary::lists {

std::span<const std::string_view> List::with_first_of(std::string_view text) const {
  if (text.empty()) return {};
  const auto first = [](std::string_view one) { return static_cast<unsigned char>(one.front()); };
  const auto begin = std::ranges::lower_bound(sorted, first(text), {}, first);
  auto end = begin;
  while (end != sorted.end() && end->front() == text.front()) ++end;
  return {begin, end};
}

bool is_in(std::string_view word, List list) {
  for (const std::string_view one : list.with_first_of(word)) {
    if (one == word) return true;
  }
  return false;
}

}  // namespace rouse::summary::lists
