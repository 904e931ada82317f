// The TextIndex of text_index.h as an FTS5 table of trigrams (dialect.h says how it is made).
//
// It keeps for each trigram only the documents it is in, not where (detail=none): 0.85 bytes a byte
// of text instead of 3.2, and two thirds of the time to fill; the asker looks at the text anyway.
// It keeps the text, too (1.2 bytes a byte): taking a document out of an index that doesn't means
// giving it the same text again, and a text that differs by one letter damages the index for good.
// A document that is taken out leaves its trigrams in the file until the next merges pass by.
//
// Workspace and conversation are columns of their own and each is one trigram, made of three
// characters of plane 16 that stand for the id (45 bits of its hash). So "in this workspace" is one
// more list to intersect, and a short one for a small workspace. Two ids may share a token; what
// they then share is candidates, never hits.
#pragma once

#include "store/text_index.h"

namespace rouse {

class SqliteTextIndex final : public TextIndex {
 public:
  [[nodiscard]] Statement add(TextDocument document) const override;
  [[nodiscard]] Statement remove(std::string conversation, std::int64_t first_seq,
                                 std::int64_t last_seq) const override;
  [[nodiscard]] Statement tidy(std::size_t new_bytes) const override;
  [[nodiscard]] Query candidates(const TextSearch& search) const override;

 private:
  // Documents that come together are often of the same few.
  struct Known {
    std::string id, token;
    const std::string& of(const std::string& wanted);
  };
  mutable Known workspace_, conversation_;
};

}  // namespace rouse
