#include "lifecycle/actions/title_words.h"

#include "agent/prompt/text_cut.h"
#include "base/text.h"
#include "session/summary/plain_text.h"

namespace rouse::actions {
namespace {

std::string cut_at_word(std::string_view text) {
  if (first_characters(text, kTitleCharacters).size() == text.size()) return std::string(text);
  std::string_view head = first_characters(text, kTitleCharacters - 1);
  const std::size_t space = head.rfind(' ');
  const bool within_word = text[head.size()] != ' ';
  if (within_word && space != std::string_view::npos && space > head.size() / 2) {
    head = head.substr(0, space);
  }
  const std::size_t last = head.find_last_not_of(" ,;:.-");
  return std::string(head.substr(0, last + 1)) + "…";
}

std::string_view first_line(std::string_view text) {
  text = trim(text);
  return trim(text.substr(0, text.find('\n')));
}

// "Title", 'Title', **Title**, # Title
std::string_view unwrapped(std::string_view text) {
  constexpr std::string_view kMarks = "\"'`*#_ ";
  const std::size_t from = text.find_first_not_of(kMarks);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(kMarks) - from + 1);
}

}  // namespace

std::string title_by_rules(std::string_view asked) {
  return cut_at_word(trim(summary::clean_line(first_line(asked))));
}

std::string title_by_model(std::string_view answer) {
  std::string_view line = unwrapped(first_line(summary::without_fences(answer)));
  constexpr std::string_view kLabel = "title:";
  if (lower_ascii(line.substr(0, kLabel.size())) == kLabel) {
    line = unwrapped(line.substr(kLabel.size()));
  }
  return cut_at_word(summary::clean_line(summary::without_full_stop(line)));
}

}  // namespace rouse::actions
