#include "session/summary/said.h"

#include <iterator>
#include <utility>

#include "base/text.h"
#include "session/summary/plain_text.h"
#include "session/summary/word_lists.h"

namespace rouse::summary {

Said::Said(std::string words) : text(std::move(words)), folded(summary::folded(text)) {
  const std::string_view rest = without_opening(folded);
  opening_bytes =
      rest.empty() ? folded.size() : static_cast<std::size_t>(rest.data() - folded.data());
}

Message::Message(std::string text) : whole(std::move(text)) {
  std::vector<std::string> lines = summary::sentences(whole.text);
  sentences = {std::move_iterator(lines.begin()), std::move_iterator(lines.end())};
}

std::string_view without_opening(std::string_view sentence) {
  std::string_view rest = trim(sentence);
  while (!rest.empty()) {
    const std::size_t end = rest.find_first_of(" ,!.:");
    if (end == std::string_view::npos) break;
    if (!lists::is_in(folded(rest.substr(0, end)), lists::kOpenings)) break;
    const std::size_t next = rest.find_first_not_of(" ,!.:-", end);
    if (next == std::string_view::npos) break;
    rest.remove_prefix(next);
  }
  return rest;
}

}  // namespace rouse::summary
