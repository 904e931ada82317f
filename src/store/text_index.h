// Search over everything that was said, as the house sees it: which messages may hold these words,
// newest first. An index is a table of the same store, made by `CREATE TEXT INDEX message_text` in
// the schema; what that becomes is the backend's business. This interface only speaks of it in
// values, statements for a Write and queries for read_page(), so documents and the cursor that
// counts them change in one write.
//
// - A document is one message: its position, whose it is, and its text. It is added once, and taken
//   out by the write that deletes the message.
// - The wall is part of the index: a search names one workspace and walks only that workspace's
//   documents, however many others there are.
// - Candidates, not hits: every document of the workspace that contains all the words is among
//   them, whatever the case (fold_case(), session/search/search_words.h), but some that don't may
//   be, too. The asker looks at the text that comes with each. Words of fewer than three characters
//   narrow nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/database.h"

namespace rouse {

struct TextDocument {
  std::int64_t position = 0;  // messages.position
  std::string workspace;
  std::string conversation;
  std::string text;  // UTF-8
};

struct TextSearch {
  std::string workspace;
  std::optional<std::string> conversation;
  std::vector<std::string> words;  // each is looked for as it is, blanks and all
  std::int64_t before = 0;         // only documents at lower positions
  std::int64_t limit = 0;
};

class TextIndex {
 public:
  virtual ~TextIndex() = default;

  // A document at a position that is there already takes its place.
  [[nodiscard]] virtual Statement add(TextDocument document) const = 0;

  // Takes out the documents of messages first_seq to last_seq of a conversation. Goes into the same
  // write as, and before, the statement that deletes these messages.
  [[nodiscard]] virtual Statement remove(std::string conversation, std::int64_t first_seq,
                                         std::int64_t last_seq) const = 0;

  // A share of the index's upkeep that goes with so much new text, so that it never comes due at
  // once. Belongs at the end of a write that adds documents.
  [[nodiscard]] virtual Statement tidy(std::size_t new_bytes) const = 0;

  // For read_page(). Rows of (position BIGINT, text TEXT), highest position first. The text is the
  // document's; characters no text should have (NUL, the private plane 16) are replaced in it.
  [[nodiscard]] virtual Query candidates(const TextSearch& search) const = 0;
};

}  // namespace rouse
