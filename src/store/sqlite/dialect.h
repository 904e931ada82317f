// From the common dialect of database.h to SQLite's: splits a script into statements and rewrites
// table definitions (STRICT, INTEGER, BLOB, REAL). Queries and changes need no rewriting.
//
// Rows of a `CREATE CLUSTERED TABLE` stand in the order of its primary key, which needs no index
// beside it then: a page less that a new row changes.
//
// `CREATE TEXT INDEX name` (text_index.h) and `CREATE WORD INDEX name` (word_index.h) become FTS5
// tables. Their merging is switched off: left alone it holds the writer for 30 to 80 ms now and
// then, so we ask for it in small shares.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rouse::sqlite {

// One string a statement, without the ';', comments removed, in order.
std::vector<std::string> to_sqlite(std::string_view script);

}  // namespace rouse::sqlite
