#include "session/summary/word_shapes.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "session/summary/plain_text.h"
#include "session/summary/word_lists.h"

namespace rouse::summary {
namespace {

using lists::is_in;

bool ends_like_a_file(std::string_view text) {
  const std::size_t dot = text.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return false;
  const std::string ending = lower_ascii(text.substr(dot + 1));
  return is_in(ending, lists::kFileEndings) ||
         (is_in(ending, lists::kDomains) && !is_digit(text[dot - 1]));
}

bool has_digit(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return is_digit(c); });
}

}  // namespace

bool is_number(std::string_view text) {
  return is_digit(text.front()) && text.find_first_not_of("0123456789.,") == std::string_view::npos;
}

bool is_ordinal(std::string_view text) {
  static constexpr std::array<std::string_view, 4> kEndings{"st", "nd", "rd", "th"};
  return is_digit(text.front()) && text.size() <= 4 &&
         std::ranges::any_of(kEndings, [&](auto end) { return text.ends_with(end); });
}

bool is_telling(std::string_view text) {
  const auto is_sign = [](char c) { return c == '.' || c == '/' || c == '@' || c == '#'; };
  if (std::ranges::none_of(text, is_sign)) return false;
  const std::string low = lower_ascii(text);
  if (low.starts_with("http://") || low.starts_with("https://") || low.starts_with("www."))
    return true;
  const std::size_t at = text.find('@');
  if (at != std::string_view::npos) {
    return at == 0 ? text.size() > 2 : text.find('.', at) != std::string_view::npos;
  }
  if (text.front() == '#') return text.size() > 1 && text[1] != '#';
  if (ends_like_a_file(text)) return true;
  const auto slashes = std::ranges::count(text, '/');
  const bool rooted = text.front() == '/' || text.front() == '~';
  return (slashes > 0 && rooted && text.size() > 2) || (slashes > 1 && !is_digit(text.front()));
}

bool is_telling_number(std::string_view text) {
  if (!has_digit(text)) return false;
  const std::size_t digit = text.find_first_of("0123456789");
  for (const std::string_view sign : {"$", "€", "£", "¥", "+", "CHF"}) {
    if (text.starts_with(sign) && digit == sign.size()) return true;
  }
  if (digit != 0) return false;
  const auto digits = std::ranges::count_if(text, [](char c) { return is_digit(c); });
  if (is_number(text)) return digits >= 4 || std::ranges::count(text, '.') > 1;
  return !is_ordinal(text);
}

bool is_code(std::string_view text) {
  return text.size() >= 2 && has_digit(text) && is_letter(first_code_point(text).value) &&
         text.find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.") ==
             std::string_view::npos;
}

bool is_capitalised(std::string_view text) {
  const CodePoint first = first_code_point(text);
  return is_upper(first.value) && text.size() > 1;
}
bool has_inner_capital(std::string_view text) {
  text.remove_prefix(first_code_point(text).bytes);
  while (!text.empty()) {
    const CodePoint next = first_code_point(text);
    if (is_upper(next.value)) return true;
    text.remove_prefix(next.bytes);
  }
  return false;
}

}  // namespace rouse::summary
