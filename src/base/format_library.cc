// The formatting library, compiled once. Its headers alone would put the whole of it into every
// file that formats a word: a third of the time that the sanitized tree takes to build. Debian
// ships it shared or as headers only, and the server links everything but glibc statically.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template FMT_API auto dragonbox::to_decimal(float x) noexcept -> dragonbox::decimal_fp<float>;
template FMT_API auto dragonbox::to_decimal(double x) noexcept -> dragonbox::decimal_fp<double>;
template FMT_API locale_ref::locale_ref(const std::locale& loc);
template FMT_API auto locale_ref::get<std::locale>() const -> std::locale;
template FMT_API auto thousands_sep_impl(locale_ref loc) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl(locale_ref loc) -> char;
template FMT_API void buffer<char>::append(const char* begin, const char* end);
template FMT_API void vformat_to(buffer<char>& to, string_view format,
                                 basic_format_args<FMT_BUFFER_CONTEXT(char)> args, locale_ref loc);

}  // namespace detail
FMT_END_NAMESPACE
