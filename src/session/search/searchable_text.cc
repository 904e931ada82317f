#include "session/search/searchable_text.h"

#include <algorithm>

#include "base/text.h"

namespace rouse {

namespace {

bool is_long_result(const ContentBlock& block) {
  return block.type == kToolResultBlock && block.text && block.text->size() > kSearchableToolBytes;
}

Content with_short_results(Content content) {
  for (ContentBlock& block : content) {
    if (is_long_result(block)) {
      block.text->resize(utf8_prefix(*block.text, kSearchableToolBytes).size());
    }
  }
  return content;
}

}  // namespace

std::string searchable_text(const Content& content) {
  std::string text = std::ranges::any_of(content, is_long_result)
                         ? readable_text(with_short_results(content))
                         : readable_text(content);
  text.resize(utf8_prefix(text, kSearchableMessageBytes).size());
  return text;
}

}  // namespace rouse
