// A file that a person put beside their words, as a model gets it: a text file as its text between
// two lines that name it; a PDF whole to a model that reads them, and as one line that says so to
// any other.
//
// All of it is text blocks that bear the file's media type: by that the offline assistant tells
// what was said from what came along. The bytes of a PDF go with a text, so a wire format that has
// no documents sends the text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"
#include "session/content.h"

namespace rouse {

enum class FileKind : std::uint8_t { kText, kPdf, kOther };

// Browsers know few types by name: what comes as mere bytes is judged by the end of its name.
FileKind file_kind(std::string_view media_type, std::string_view name);
FileKind file_kind(const ContentBlock& block);

// What it takes up in a prompt, about, in bytes of text.
std::size_t counted_bytes(const ContentBlock& file);

// The text of a file, cut in its middle if it is longer than that, with a line that says so.
std::string file_text(std::string_view bytes, std::size_t most_bytes);

// `given`: the text of a text file (file_text), the bytes of a PDF if the model reads them. Empty
// for a file of another kind, and for a text that is not at hand.
std::vector<PromptBlock> file_blocks(const ContentBlock& file, std::optional<std::string> given);

}  // namespace rouse
