#include "agent/prompt/attached_file.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "agent/prompt/text_cut.h"
#include "base/text.h"
#include "model/utf8_text.h"

namespace rouse {
namespace {

constexpr std::string_view kPdf = "application/pdf";
// Text, whatever they are called.
constexpr std::array<std::string_view, 7> kTextTypes{
    "application/json", "application/x-ndjson", "application/yaml",      "application/x-yaml",
    "application/toml", "application/xml",      "application/javascript"};
constexpr std::array<std::string_view, 2> kMereBytes{"application/octet-stream",
                                                     "application/vnd.ms-excel"};
constexpr std::array<std::string_view, 11> kTextEndings{
    ".txt", ".md", ".markdown", ".csv", ".tsv", ".json", ".yaml", ".yml", ".log", ".toml", ".ini"};
// A page of a PDF has some 50 kB and costs some 3'000 tokens.
constexpr std::int64_t kPdfBytesForOne = 5;

bool is_one_of(auto& known, std::string_view one) {
  return std::ranges::find(known, one) != known.end();
}

// It stands in a line between brackets.
std::string name_of(const ContentBlock& file) {
  std::string out;
  for (const char c : file.name.value_or("")) {
    out += static_cast<unsigned char>(c) < 0x20 || c == '[' || c == ']' ? ' ' : c;
  }
  return std::string(trim(out));
}

std::string size_of(const ContentBlock& file) {
  const std::int64_t bytes = file.size.value_or(0);
  return bytes < 1024 ? fmt::format("{} bytes", bytes) : fmt::format("{} KB", (bytes + 512) / 1024);
}

}  // namespace

FileKind file_kind(std::string_view media_type, std::string_view name) {
  if (media_type == kPdf) return FileKind::kPdf;
  if (media_type.starts_with("text/") || is_one_of(kTextTypes, media_type)) return FileKind::kText;
  const std::string low = lower_ascii(name);
  const bool text = is_one_of(kMereBytes, media_type) &&
                    std::ranges::any_of(kTextEndings, [&](auto end) { return low.ends_with(end); });
  return text ? FileKind::kText : FileKind::kOther;
}

FileKind file_kind(const ContentBlock& block) {
  return file_kind(block.media_type.value_or(""), block.name.value_or(""));
}

std::size_t counted_bytes(const ContentBlock& file) {
  const std::int64_t size = std::max<std::int64_t>(file.size.value_or(0), 0);
  switch (file_kind(file)) {
    case FileKind::kText:
      return static_cast<std::size_t>(size);
    case FileKind::kPdf:
      return static_cast<std::size_t>(size / kPdfBytesForOne);
    case FileKind::kOther:
      break;
  }
  return 0;
}

std::string file_text(std::string_view bytes, std::size_t most_bytes) {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);  // the mark of some editors
  return cut_middle(to_utf8(bytes), most_bytes);
}

std::vector<PromptBlock> file_blocks(const ContentBlock& file, std::optional<std::string> given) {
  const FileKind kind = file_kind(file);
  if (kind == FileKind::kOther || (kind == FileKind::kText && !given)) return {};
  const std::string name = name_of(file).empty() ? "without a name" : name_of(file);
  PromptBlock block;
  block.media_type = kind == FileKind::kPdf ? kPdf : file.media_type.value_or("");
  if (kind == FileKind::kText) {
    block.text = fmt::format("[File {}, {}, {}]\n{}\n[End of the file {}]", name, block.media_type,
                             size_of(file), *given, name);
    return {std::move(block)};
  }
  if (!given) {
    block.text = fmt::format("[PDF {}, {}: this model can't read it]", name, size_of(file));
    return {std::move(block)};
  }
  PromptBlock title = block;
  title.text = fmt::format("[PDF {}, {}]", name, size_of(file));
  block.text = "[This model can't read it]";
  block.bytes = std::move(*given);
  return {std::move(title), std::move(block)};
}

}  // namespace rouse
