// Any words of a model as they leave the house: the lines it writes to us are taken out, the same
// while it streams as in one go; a notification shows its first sentences; an export shows it as
// Markdown in which nothing of it can be taken for ours; a memory file is read as it was written.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "agent/memory/memory_file.h"
#include "agent/notify_lines.h"
#include "base/text.h"
#include "session/content.h"
#include "session/export/transcript_text.h"

namespace rouse {
namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

void check_stream(std::string_view text, std::size_t step) {
  std::string whole(text);
  const auto subject = cut_notify_lines(whole);
  NotifyLineFilter filter;
  std::string shown;
  for (std::size_t at = 0; at < text.size(); at += step) shown += filter.add(text.substr(at, step));
  shown += filter.end();
  demand(filter.subject() == subject);
  demand(subject ? trim(shown) == whole : shown == text);
  if (subject) demand(is_utf8(*subject) && subject->find('\n') == std::string::npos);
  // What was taken out is gone, and taking out twice is taking out once.
  if (std::string again = shown; !subject) demand(!cut_notify_lines(again));
}

void check_first_sentences(std::string_view text, std::size_t most) {
  const std::string first = first_sentences(text, most);
  demand(first.size() <= most && is_utf8(first));
}

// Each line is a quote, or all of it stands in a fence that no line of it ends.
void check_markdown(std::string_view text) {
  const std::string line = markdown::inline_text(text);
  for (const char c : line) demand(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
  const std::string block = markdown::block_text(text);
  demand(is_utf8(block) && block.ends_with('\n'));
  if (block.starts_with("```")) {
    const std::string fence = block.substr(0, block.find_first_not_of('`'));
    demand(block.ends_with("\n" + fence + "\n"));
    const std::string_view inside =
        std::string_view(block).substr(fence.size(), block.size() - 2 * fence.size() - 1);
    demand(inside.find(fence) == std::string_view::npos);
    return;
  }
  for (const std::string_view one :
       split(std::string_view(block).substr(0, block.size() - 1), '\n')) {
    demand(one.empty() || one.starts_with('>'));
  }
}

void check_memory_file(std::string_view text) {
  const auto file = parse_memory_file(text);
  if (!file) return demand(!file.error().message.empty());
  std::string written(memory_file_begin());
  for (const NoteDraft& draft : file->notes) {
    Note note;
    note.text = draft.text;
    note.importance = draft.importance.value_or(kUsualImportance);
    note.provenance = draft.provenance;
    written += memory_file_line(note);
  }
  written += memory_file_end(file->instructions);
  const auto again = parse_memory_file(written);
  demand(again && again->notes.size() == file->notes.size());
  demand(again->instructions == file->instructions);
  for (std::size_t i = 0; i < file->notes.size(); ++i) {
    demand(again->notes[i].text == file->notes[i].text);
    demand(again->notes[i].provenance == file->notes[i].provenance);
  }
}

}  // namespace
}  // namespace rouse

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (!rouse::is_utf8(text)) return 0;  // what a model says is mended before
  rouse::check_stream(text, 1 + data[0] % 16);
  rouse::check_first_sentences(text, 8 + data[0]);
  rouse::check_markdown(text);
  rouse::check_memory_file(text);
  return 0;
}
