// What a single word looks like: an address, a file, a price, a code, a name. Words come without
// the marks around them and are never empty.
#pragma once

#include <string_view>

namespace rouse::summary {

// An entity by its looks alone: URL, e-mail address, @handle, #tag, path, file or domain name.
bool is_telling(std::string_view word);
bool is_number(std::string_view word);   // digits, and the dots and commas in them
bool is_ordinal(std::string_view word);  // 3rd
// Dates, times, prices, "8pm", "256GB", "5-day"; bare numbers long enough to be a year or a code.
bool is_telling_number(std::string_view word);
bool is_code(std::string_view word);  // BA117, INV-2024-001, gpt-4o
bool is_capitalised(std::string_view word);
bool has_inner_capital(std::string_view word);  // NASA, iPhone, GitHub

}  // namespace rouse::summary
