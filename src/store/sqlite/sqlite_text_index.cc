#include "store/sqlite/sqlite_text_index.h"

#include <algorithm>

#include "base/text.h"

namespace rouse {
namespace {

// A row with VALUES, never INSERT … SELECT: that would make FTS5 write a segment for each document
// instead of one for the whole transaction.
constexpr std::string_view kAdd =
    "INSERT OR REPLACE INTO message_text (rowid, text, workspace, conversation) "
    "VALUES ($1, $2, $3, $4)";
constexpr std::string_view kRemove =
    "DELETE FROM message_text WHERE rowid IN "
    "(SELECT position FROM messages WHERE conversation_id = $1 AND seq BETWEEN $2 AND $3)";
constexpr std::string_view kMerge =
    "INSERT INTO message_text (message_text, rank) VALUES ('merge', $1)";
constexpr std::string_view kCandidates =
    "SELECT rowid, text FROM message_text WHERE message_text MATCH $1 AND rowid < $2 "
    "ORDER BY rowid DESC LIMIT $3";

// Beyond these the text decides; each more is one more list to walk.
constexpr std::size_t kTrigramsOfShortWord = 8;
constexpr std::size_t kMostTrigrams = 24;

// Four pages are rewritten for each one that is new, on the way through the levels of a large
// index.
constexpr std::int64_t kMergePages = 8;
constexpr std::size_t kBytesPerMergePage = 512;
constexpr std::int64_t kMostMergePages = 128;  // a dozen milliseconds

std::string plane_16(std::uint32_t n) {
  const std::uint32_t c = 0x100000 + n;
  return {static_cast<char>(0xF0 | c >> 18), static_cast<char>(0x80 | (c >> 12 & 63)),
          static_cast<char>(0x80 | (c >> 6 & 63)), static_cast<char>(0x80 | (c & 63))};
}

std::string token_of(std::string_view id) {
  const std::string hash = sha256(id);
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(hash[i]); };
  std::string token;
  for (std::size_t i = 0; i < 6; i += 2) token += plane_16((byte(i) & 0x7FU) << 8 | byte(i + 1));
  return token;
}

// NUL would end the text for the tokenizer, and plane 16 is where our own tokens live: nobody gets
// a document into another workspace's list by writing its token. Only its characters start with F4.
std::string indexable(std::string text) {
  std::ranges::replace(text, '\0', ' ');
  for (auto at = text.find('\xF4'); at != std::string::npos; at = text.find('\xF4', at)) {
    text.replace(at, 4, "\xEF\xBF\xBD ");  // four bytes for four: nothing has to move
  }
  return text;
}

std::vector<std::size_t> character_starts(std::string_view text) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (begins_character(text[i])) starts.push_back(i);
  }
  return starts;
}

// All trigrams of a short word; of a long one every third and the last, which cover it.
std::vector<std::string_view> trigrams(std::string_view word) {
  std::vector<std::size_t> at = character_starts(word);
  if (at.size() < 3) return {};
  const std::size_t count = at.size() - 2;
  at.push_back(word.size());
  std::vector<std::string_view> out;
  const std::size_t step = count <= kTrigramsOfShortWord ? 1 : 3;
  for (std::size_t i = 0; i < count; i += step)
    out.push_back(word.substr(at[i], at[i + 3] - at[i]));
  if ((count - 1) % step != 0) out.push_back(word.substr(at[count - 1]));
  return out;
}

std::string quoted(std::string_view token) {
  std::string out = "\"";
  for (const char c : token) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

std::string match_expression(const TextSearch& search) {
  std::string all = quoted(token_of(search.workspace));
  if (search.conversation) all += " AND " + quoted(token_of(*search.conversation));
  std::size_t used = 0;
  for (const std::string& word : search.words) {
    const std::string clean = indexable(word);
    for (const std::string_view trigram : trigrams(clean)) {
      if (used++ < kMostTrigrams) all += " AND " + quoted(trigram);
    }
  }
  return all;
}

}  // namespace

const std::string& SqliteTextIndex::Known::of(const std::string& wanted) {
  if (id != wanted) *this = {wanted, token_of(wanted)};
  return token;
}

Statement SqliteTextIndex::add(TextDocument document) const {
  return {kAdd,
          {document.position, indexable(std::move(document.text)),
           workspace_.of(document.workspace), conversation_.of(document.conversation)},
          {}};
}

Statement SqliteTextIndex::remove(std::string conversation, std::int64_t first_seq,
                                  std::int64_t last_seq) const {
  return {kRemove, {std::move(conversation), first_seq, last_seq}, {}};
}

Statement SqliteTextIndex::tidy(std::size_t new_bytes) const {
  const auto pages = kMergePages + static_cast<std::int64_t>(new_bytes / kBytesPerMergePage);
  return {kMerge, {std::min(pages, kMostMergePages)}, {}};
}

Query SqliteTextIndex::candidates(const TextSearch& search) const {
  return {kCandidates,
          {match_expression(search), search.before, search.limit},
          static_cast<std::size_t>(search.limit)};
}

}  // namespace rouse
