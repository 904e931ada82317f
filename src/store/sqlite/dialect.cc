#include "store/sqlite/dialect.h"

#include <cctype>

#include <fmt/format.h>

#include "base/text.h"

namespace rouse::sqlite {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }

// Length of the token at the front: a word, a quoted text, a comment, or one other character.
std::size_t token_length(std::string_view text) {
  if (text.starts_with("--")) return std::min(text.find('\n'), text.size());
  if (text.starts_with("/*")) {
    const auto end = text.find("*/", 2);
    return end == std::string_view::npos ? text.size() : end + 2;
  }
  if (text[0] == '\'' || text[0] == '"') {
    // A doubled quote inside is just the end of one text and the begin of the next.
    const auto end = text.find(text[0], 1);
    return end == std::string_view::npos ? text.size() : end + 1;
  }
  std::size_t n = 0;
  while (n < text.size() && is_word(text[n])) ++n;
  return n == 0 ? 1 : n;
}

bool is_comment(std::string_view token) {
  return token.starts_with("--") || token.starts_with("/*");
}

std::vector<std::vector<std::string_view>> split_tokens(std::string_view script) {
  std::vector<std::vector<std::string_view>> statements(1);
  while (!script.empty()) {
    const auto token = script.substr(0, token_length(script));
    script.remove_prefix(token.size());
    if (token == ";") {
      statements.emplace_back();
    } else {
      statements.back().push_back(is_comment(token) ? " " : token);
    }
  }
  return statements;
}

// The n-th token that is not white space, or "".
std::string_view word_at(const std::vector<std::string_view>& tokens, std::size_t n) {
  for (const auto token : tokens) {
    if (!trim(token).empty() && n-- == 0) return token;
  }
  return {};
}

constexpr std::string_view kClustered = "CLUSTERED";

std::string_view sqlite_type(std::string_view word) {
  if (iequals_ascii(word, "BIGINT")) return "INTEGER";
  if (iequals_ascii(word, "BYTEA")) return "BLOB";
  if (iequals_ascii(word, "DOUBLE")) return "REAL";
  if (iequals_ascii(word, "PRECISION")) return "";
  return word;
}

std::string translate(const std::vector<std::string_view>& tokens) {
  const bool creates = iequals_ascii(word_at(tokens, 0), "CREATE");
  const bool is_clustered = creates && iequals_ascii(word_at(tokens, 1), kClustered);
  const bool creates_table =
      creates && iequals_ascii(word_at(tokens, is_clustered ? 2 : 1), "TABLE");
  const bool names_types = creates_table || iequals_ascii(word_at(tokens, 0), "ALTER");
  std::string sql;
  for (const auto token : tokens) {
    if (is_clustered && token.data() == word_at(tokens, 1).data()) continue;
    sql += names_types ? sqlite_type(token) : token;
  }
  sql = std::string(trim(sql));
  if (creates_table) sql += is_clustered ? " STRICT, WITHOUT ROWID" : " STRICT";
  return sql;
}

constexpr std::string_view kTextIndex = "text, workspace, conversation, tokenize='trigram'";
constexpr std::string_view kWordIndex = "words, tokenize='ascii'";

bool creates_index_of(std::string_view kind, const std::vector<std::string_view>& tokens) {
  return iequals_ascii(word_at(tokens, 0), "CREATE") && iequals_ascii(word_at(tokens, 1), kind) &&
         iequals_ascii(word_at(tokens, 2), "INDEX");
}

void make_search_index(std::string_view name, std::string_view columns,
                       std::vector<std::string>& statements) {
  statements.push_back(fmt::format(
      "CREATE VIRTUAL TABLE {} USING fts5({}, detail=none, columnsize=0)", name, columns));
  statements.push_back(fmt::format("INSERT INTO {0} ({0}, rank) VALUES ('automerge', 0)", name));
}

}  // namespace

std::vector<std::string> to_sqlite(std::string_view script) {
  std::vector<std::string> statements;
  for (const auto& tokens : split_tokens(script)) {
    if (creates_index_of("TEXT", tokens)) {
      make_search_index(word_at(tokens, 3), kTextIndex, statements);
    } else if (creates_index_of("WORD", tokens)) {
      make_search_index(word_at(tokens, 3), kWordIndex, statements);
    } else if (!word_at(tokens, 0).empty()) {
      statements.push_back(translate(tokens));
    }
  }
  return statements;
}

}  // namespace rouse::sqlite
