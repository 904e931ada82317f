#include "session/search/message_search.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>

#include "session/search/search_words.h"

namespace rouse {
namespace {

constexpr std::int64_t kAtOnce = 32;  // candidates a read, with their text
// With || the workspace is no way to the rows: it would lead along everything ever said in it.
constexpr std::string_view kMessages =
    "SELECT m.position, m.conversation_id, m.session_id, m.seq, m.role, m.source, m.created_ms "
    "FROM messages m JOIN conversations c ON c.conversation_id = m.conversation_id "
    "WHERE c.workspace_id || '' = $1 AND m.position IN ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, "
    "$12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, "
    "$30, $31, $32, $33)";

using Found = std::map<std::int64_t, Snippet, std::greater<>>;  // by position, newest first

Result<std::int64_t> parse_cursor(const std::optional<std::string>& cursor) {
  if (!cursor) return std::numeric_limits<std::int64_t>::max();
  std::int64_t position = 0;
  const char* end = cursor->data() + cursor->size();
  const auto [at, ec] = std::from_chars(cursor->data(), end, position);
  if (ec == std::errc{} && at == end && position > 0) return position;
  return fail(Errc::kInvalid, "this cursor is not one that a search gave");
}

Result<SearchHit> to_hit(const Row& row, Snippet snippet) {
  SearchHit hit;
  TRY(hit.conversation, ConversationId::parse(row.text(1)));
  TRY(hit.session, SessionId::parse(row.text(2)));
  hit.seq = row.integer(3);
  hit.role = row.text(4);
  hit.source = row.text(5);
  hit.created = {row.integer(6)};
  hit.snippet = std::move(snippet.text);
  hit.matches = std::move(snippet.matches);
  return hit;
}

Query messages_at(const WorkspaceId& workspace, const Found& found) {
  Query query{kMessages, {workspace.str()}, static_cast<std::size_t>(kAtOnce)};
  for (const auto& [position, snippet] : found) query.params.emplace_back(position);
  query.params.resize(1 + static_cast<std::size_t>(kAtOnce));  // the rest is NULL: no position
  return query;
}

// One search under way, from one read of candidates to the next.
class Walk {
 public:
  Walk(Database& database, const TextIndex& index, SearchQuery query)
      : database_(database), index_(index), query_(std::move(query)) {}

  Task<Result<SearchPage>> run() {
    CO_TRY_VOID(prepare());
    const std::int64_t start = place_.before;
    while (!at_end_ && page_.hits.size() < query_.limit && examined_ < kSearchExamined) {
      auto step = co_await look_at_some();
      if (step) continue;
      // As far as it came is a page, too; the next one tries again from there.
      if (place_.before == start) co_return std::unexpected(std::move(step).error());
      break;
    }
    if (!at_end_) page_.next_cursor = std::to_string(place_.before);
    co_return std::move(page_);
  }

 private:
  Result<void> prepare() {
    TRY(place_.words, search_words(query_.text));
    TRY(place_.before, parse_cursor(query_.cursor));
    for (const auto& word : place_.words) folded_.push_back(fold_case(word));
    place_.workspace = query_.workspace.str();
    if (query_.conversation) place_.conversation = query_.conversation->str();
    place_.limit = kAtOnce;
    query_.limit = std::clamp<std::size_t>(query_.limit, 1, kSearchHits);
    return {};
  }

  Task<Result<void>> look_at_some() {
    CO_TRY(const Rows rows, co_await database_.read_page(index_.candidates(place_)));
    Found found;
    std::int64_t last = place_.before;
    bool all = true;
    for (const Row& row : rows) {
      all = page_.hits.size() + found.size() < query_.limit;
      if (!all) break;
      last = row.integer(0);
      ++examined_;
      if (auto snippet = find_words(row.text(1), folded_)) found.emplace(last, std::move(*snippet));
    }
    CO_TRY_VOID(co_await take(std::move(found)));
    place_.before = last;
    at_end_ = all && rows.size() < static_cast<std::size_t>(kAtOnce);
    co_return Result<void>{};
  }

  Task<Result<void>> take(Found found) {
    if (found.empty()) co_return Result<void>{};
    CO_TRY(const Rows rows, co_await database_.read_page(messages_at(query_.workspace, found)));
    std::map<std::int64_t, SearchHit, std::greater<>> hits;
    for (const Row& row : rows) {
      CO_TRY(auto hit, to_hit(row, std::move(found[row.integer(0)])));
      if (query_.conversation && hit.conversation != *query_.conversation) continue;
      hits.emplace(row.integer(0), std::move(hit));
    }
    for (auto& [position, hit] : hits) page_.hits.push_back(std::move(hit));
    co_return Result<void>{};
  }

  Database& database_;
  const TextIndex& index_;
  SearchQuery query_;
  TextSearch place_;
  std::vector<std::string> folded_;
  std::int64_t examined_ = 0;
  bool at_end_ = false;
  SearchPage page_;
};

}  // namespace

Task<Result<SearchPage>> MessageSearch::search(SearchQuery query) {
  Walk walk(database_, index_, std::move(query));
  co_return co_await walk.run();
}

}  // namespace rouse
