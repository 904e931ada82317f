// What the server says about automations, for people to read. The answers are shown and nothing
// else is done with them, so they stay the documents they are: a table is a list of columns, each
// with the place in the document it shows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "base/time.h"

namespace rouse::cli {

// The text at "last.status"; "" if there is none. Numbers and truths as text, lists with commas.
std::string text_at(const boost::json::value& document, std::string_view path);

enum class Cell : std::uint8_t { kText, kTime, kAgo };
struct Column {
  std::string_view head, path;
  Cell cell = Cell::kText;
};
// A list of the document as a table; `nothing` if it is empty.
std::string items_table(const boost::json::value& page, std::string_view list,
                        const std::vector<Column>& columns, std::string_view nothing, WallTime now);

// "every weekday at 08:00", and the next five fires.
std::string next_fires(const boost::json::value& automation, WallTime now);
// What a month of it costs and which others come due in the same minute, of a preview.
std::string forecast_text(const boost::json::value& preview, WallTime now);
std::string automation_list(const boost::json::value& page);
std::string automation_card(const boost::json::value& automation, WallTime now);
std::string run_card(const boost::json::value& run);
std::string ledger_text(const boost::json::value& ledger, WallTime now);
std::string import_text(const boost::json::value& report);

}  // namespace rouse::cli
