#include "agent/memory/memory_prompt.h"

#include <fmt/format.h>

#include "agent/prompt/standard_prompt.h"
#include "agent/prompt/text_cut.h"
#include "base/text.h"

namespace rouse {
namespace {

constexpr std::size_t kEndCharacters = 150;  // what is left for saying what is missing

std::string line_of(const Note& note) {
  std::string line = "- ";
  for (const char c : note.text) {
    line += c;
    if (c == '\n') line += "  ";
  }
  return line += '\n';
}

std::string missing(std::int64_t others, std::int64_t untrusted) {
  if (others == 0 && untrusted == 0) return "";
  if (untrusted == 0) return fmt::format("({} more not shown; search_memory finds them.)", others);
  if (others == 0) {
    return fmt::format("({} from untrusted sources not shown; search_memory finds them.)",
                       untrusted);
  }
  return fmt::format("({} more and {} from untrusted sources not shown; search_memory finds them.)",
                     others, untrusted);
}

// As many as fit, whole. One that is too long for what is left ends it: notes further down matter
// less.
std::string text_of(const std::vector<Note>& notes, const BookCounts& counts) {
  std::string text;
  std::size_t characters = 0;
  std::int64_t shown = 0;
  for (const Note& note : notes) {
    const std::string line = line_of(note);
    characters += count_characters(line);
    if (characters > kMemoryCharacters - kEndCharacters) break;
    text += line;
    ++shown;
  }
  return text + missing(counts.notes - counts.untrusted - shown, counts.untrusted);
}

}  // namespace

MemoryPrompt::MemoryPrompt(MemoryBook& book) : book_(book) {
  book_.on_change([this](const MemoryOwner& owner) { drop(owner); });
}

MemoryPrompt::~MemoryPrompt() { book_.on_change({}); }

void MemoryPrompt::drop(const MemoryOwner& owner) {
  const auto found = at_hand_.find(owner);
  if (found == at_hand_.end()) return;
  used_.erase(found->second.used);
  at_hand_.erase(found);
}

Result<std::shared_ptr<const MemoryText>> MemoryPrompt::of(const MemoryOwner& owner) {
  if (const auto found = at_hand_.find(owner); found != at_hand_.end()) {
    used_.splice(used_.begin(), used_, found->second.used);
    return found->second.text;
  }
  TRY(MemoryText built, build(owner));
  auto text = std::make_shared<const MemoryText>(std::move(built));
  used_.push_front(owner);
  at_hand_.emplace(owner, Entry{text, used_.begin()});
  if (at_hand_.size() > kMemoriesAtHand) drop(MemoryOwner(used_.back()));
  return text;
}

Result<MemoryText> MemoryPrompt::build(const MemoryOwner& owner) {
  TRY(const BookCounts counts, book_.counts(owner));
  TRY(const Instructions instructions, book_.instructions(owner));
  MemoryText out;
  out.new_user = counts.notes == 0 && instructions.text.empty();
  out.instructions = instructions.in_force();
  if (counts.notes > 0) {
    TRY(const auto notes, book_.first_trusted(owner, 4 * kMemoryCharacters));
    out.notes = text_of(notes, counts);
  }
  return out;
}

}  // namespace rouse
