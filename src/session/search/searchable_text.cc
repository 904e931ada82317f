#include "session/search/searchable_text.h"

#include "base/text.h"

namespace rouse {

std::string searchable_text(Content content) {
  for (ContentBlock& block : content) {
    if (block.type != kToolResultBlock || !block.text) continue;
    block.text->resize(utf8_prefix(*block.text, kSearchableToolBytes).size());
  }
  std::string text = readable_text(content);
  text.resize(utf8_prefix(text, kSearchableMessageBytes).size());
  return text;
}

}  // namespace rouse
