#include "agent/memory/memory_file.h"

#include <fmt/format.h>

#include "base/text.h"
#include "session/content.h"

namespace rouse {
namespace {

constexpr std::string_view kInstructionsHead = "## Instructions";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads "[5, agent] " at the front of a note. Brackets with anything but a number in front are the
// note's own.
Result<void> take_brackets(std::string_view& text, NoteDraft& draft) {
  if (text.size() < 2 || text[0] != '[' || !is_digit(text[1])) return {};
  const std::size_t close = text.find(']');
  if (close == std::string_view::npos) return {};
  const std::string_view inside = text.substr(1, close - 1);
  const std::size_t comma = inside.find(',');
  const std::string_view number = trim(inside.substr(0, comma));
  if (number.size() != 1) {
    return fail(Errc::kInvalid,
                fmt::format("the importance must be {} to {}, not '{}'", kLeastImportance,
                            kMostImportance, utf8_prefix(number, 20)));
  }
  draft.importance = number[0] - '0';
  TRY_VOID(check_importance(*draft.importance));
  if (comma != std::string_view::npos) {
    draft.provenance = trim(inside.substr(comma + 1));
    if (!is_provenance(draft.provenance)) {
      return fail(Errc::kInvalid, fmt::format("'{}' must be owner, sender, agent or untrusted",
                                              utf8_prefix(draft.provenance, 20)));
    }
  }
  text.remove_prefix(close + 1);
  return {};
}

class FileReader {
 public:
  Result<MemoryFile> read(std::string_view text) {
    while (!text.empty() || line_ == 0) {
      ++line_;
      const std::size_t end = text.find('\n');
      std::string_view line = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (trim(line) == kInstructionsHead && !line.starts_with(' ')) {
        TRY_VOID(end_note());
        TRY_VOID(take_instructions(text));
        return std::move(file_);
      }
      TRY_VOID(take(line));
    }
    TRY_VOID(end_note());
    return std::move(file_);
  }

 private:
  Result<void> take(std::string_view line) {
    const bool blank = trim(line).empty();
    if (!blank && (line.starts_with("- ") || line.starts_with("* "))) return begin_note(line);
    if (in_note_ && (blank || line.starts_with("  ") || line.starts_with('\t'))) {
      note_ += '\n';
      line.remove_prefix(std::min<std::size_t>(line.size(), line.starts_with('\t') ? 1 : 2));
      note_ += line;
      return {};
    }
    TRY_VOID(end_note());
    if (blank || line.starts_with('#')) return {};
    return wrong(line_, fmt::format("a note begins with '- ', and its further lines with two "
                                    "blanks; this is '{}'",
                                    utf8_prefix(line, 40)));
  }

  Result<void> begin_note(std::string_view line) {
    TRY_VOID(end_note());
    in_note_ = true;
    note_line_ = line_;
    note_ = line.substr(2);
    return {};
  }

  Result<void> end_note() {
    if (!std::exchange(in_note_, false)) return {};
    NoteDraft draft{.text = {}, .provenance = std::string(kFromOwner)};
    std::string_view text = note_;
    if (auto taken = take_brackets(text, draft); !taken) {
      return wrong(note_line_, taken.error().message);
    }
    auto clean = clean_memory_text(text, "note", kNoteCharacters);
    if (!clean) return wrong(note_line_, clean.error().message);
    draft.text = std::move(*clean);
    file_.notes.push_back(std::move(draft));
    return {};
  }

  Result<void> take_instructions(std::string_view rest) {
    if (trim(rest).empty()) return {};
    auto clean = clean_memory_text(rest, "instructions", kKeptInstructionCharacters);
    if (!clean) return wrong(line_, clean.error().message);
    file_.instructions = std::move(*clean);
    return {};
  }

  static std::unexpected<Error> wrong(std::size_t line, std::string_view what) {
    return fail(Errc::kInvalid, fmt::format("line {}: {}", line, what));
  }

  MemoryFile file_;
  std::size_t line_ = 0, note_line_ = 0;
  bool in_note_ = false;
  std::string note_;
};

}  // namespace

std::string_view memory_file_begin() { return "# Memory\n\n## Notes\n\n"; }

std::string memory_file_line(const Note& note) {
  const bool owners = note.provenance == kFromOwner;
  std::string out = fmt::format("- [{}{}{}] ", note.importance, owners ? "" : ", ",
                                owners ? "" : note.provenance);
  for (std::size_t i = 0; i < note.text.size(); ++i) {
    out += note.text[i];
    // An empty line stays empty; editors take blanks away at the end of a line.
    const bool more = i + 1 < note.text.size() && note.text[i + 1] != '\n';
    if (note.text[i] == '\n' && more) out += "  ";
  }
  return out += '\n';
}

std::string memory_file_end(std::string_view instructions) {
  if (instructions.empty()) return "";
  return fmt::format("\n{}\n\n{}\n", kInstructionsHead, instructions);
}

Result<MemoryFile> parse_memory_file(std::string_view text) {
  if (text.size() > kMemoryFileBytes) {
    return fail(Errc::kTooLarge,
                fmt::format("a memory file has at most {} bytes", kMemoryFileBytes));
  }
  if (!is_utf8(text)) return fail(Errc::kInvalid, "the file is not valid UTF-8");
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return FileReader().read(text);
}

}  // namespace rouse
