// Search over everything that was said in a workspace, newest first: the index gives candidates,
// the text decides, and a hit comes with the surroundings of its first match (search_words.h says
// what matches).
//
// A page is bounded in work, not only in hits: after kSearchExamined candidates it ends, with fewer
// hits than asked for or none, and next_cursor says where to go on. No next_cursor: that was all.
// This is also how words too short for the index (under three characters, common in Chinese and
// Japanese) are found: by looking at the workspace's messages from the newest back, a bounded piece
// a page. Pages never repeat or skip a message, also while others are added or deleted.
//
// Nothing of another workspace is ever a hit: the row of the message's conversation is asked, not
// the index.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "store/text_index.h"

namespace rouse {

inline constexpr std::int64_t kSearchExamined = 2048;  // candidates a page
inline constexpr std::size_t kSearchHits = 100;        // a page gives at most

struct SearchQuery {
  WorkspaceId workspace;
  std::string text;
  std::optional<ConversationId> conversation;
  std::optional<std::string> cursor;  // next_cursor of the page before
  std::size_t limit = 20;
};

struct SearchHit {
  ConversationId conversation;
  SessionId session;
  std::int64_t seq = 0;
  std::string role, source;
  WallTime created;
  std::string snippet;
  // (first, length) of each match in the snippet, in characters (code points), see search_words.h.
  std::vector<std::pair<std::int64_t, std::int64_t>> matches;
};

struct SearchPage {
  std::vector<SearchHit> hits;  // newest first
  std::optional<std::string> next_cursor;
};

class MessageSearch {
 public:
  MessageSearch(Database& database, const TextIndex& index) : database_(database), index_(index) {}

  // Fails with kInvalid for a text nothing can be found by, or a cursor that is none of ours.
  Task<Result<SearchPage>> search(SearchQuery query);

 private:
  Database& database_;
  const TextIndex& index_;
};

}  // namespace rouse
