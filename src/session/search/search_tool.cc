#include "session/search/search_tool.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/local_time.h"

namespace rouse {
namespace {

constexpr std::int64_t kHitsUnlessAsked = 8, kHitsAtMost = 30;

struct SearchArguments {
  std::string query;
  std::optional<std::int64_t> limit;
};
auto shape(const SearchArguments*) {
  return fields(field("query", &SearchArguments::query, "The words"),
                field("limit", &SearchArguments::limit, "How many").range(1, kHitsAtMost));
}

std::string line_of(const SearchHit& hit, std::string_view zone) {
  const LocalTime when = local_time(hit.created, zone);
  std::string snippet = hit.snippet;
  std::ranges::replace(snippet, '\n', ' ');
  return fmt::format("{}-{:02}-{:02} {}, {}: {}\n", when.year, when.month, when.day,
                     clock_words(when), hit.role, snippet);
}

ToolResult lines_of(const SearchPage& page, const std::string& query, std::string_view zone) {
  ToolResult result;
  for (const SearchHit& hit : page.hits) {
    result.text += line_of(hit, zone);
    // What a tool once fetched is as little to be trusted when it is found again.
    result.untrusted = result.untrusted || (hit.role != "user" && hit.role != "assistant");
  }
  if (page.hits.empty() && !page.next_cursor) result.text = "nothing found for: " + query;
  if (page.hits.empty() && page.next_cursor) {
    result.text = "nothing found among the newest messages; a longer word searches all of them";
  } else if (page.next_cursor) {
    result.text += "(there may be more; more words narrow it down)\n";
  }
  return result;
}

}  // namespace

const ToolInfo& SearchTool::info() const {
  static const ToolInfo info{
      .name = "search_conversations",
      .description = "Find what was said in earlier conversations with this user, newest first.",
      .schema = R"({"type":"object","properties":{"query":{"type":"string","minLength":1,)"
                R"("maxLength":200,"description":"all words must occur; \"quotes\" for a phrase"},)"
                R"("limit":{"type":"integer","minimum":1,"maximum":30}},)"
                R"("required":["query"],"additionalProperties":false})"};
  return info;
}

Task<ToolResult> SearchTool::run(ToolCall call, std::stop_token stop) {
  const auto arguments = decode_json<SearchArguments>(call.arguments);
  if (!arguments) co_return ToolResult{.text = arguments.error().message, .failed = true};
  SearchQuery query{.workspace = call.workspace,
                    .text = arguments->query,
                    .conversation = {},
                    .cursor = {},
                    .limit = static_cast<std::size_t>(arguments->limit.value_or(kHitsUnlessAsked))};
  const Result<SearchPage> page = co_await search_.search(std::move(query));
  if (!page) co_return ToolResult{.text = page.error().message, .failed = true};
  co_return lines_of(*page, arguments->query, call.zone);
}

}  // namespace rouse
