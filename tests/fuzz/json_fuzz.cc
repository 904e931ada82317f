// Any bytes as a JSON body: decoding gives a struct or an error with a message, and what was
// decoded survives a round trip: encode(decode(x)) is stable.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/text.h"

namespace rouse {
namespace {

struct Part {
  std::string name;
  double weight = 0;
};
auto shape(const Part*) {
  return fields(field("name", &Part::name, "").length(0, 64), field("weight", &Part::weight, ""));
}

struct Sample {
  std::string text;
  std::int64_t number = 0;
  bool flag = false;
  std::optional<std::string> choice;
  std::vector<Part> parts;
  std::map<std::string, std::int64_t> counts;
  std::optional<boost::json::value> anything;
};
auto shape(const Sample*) {
  return fields(field("text", &Sample::text, ""),
                field("number", &Sample::number, "").range(-1'000'000, 1'000'000),
                field("flag", &Sample::flag, ""),
                field("choice", &Sample::choice, "").one_of({"a", "b"}),
                field("parts", &Sample::parts, "").length(0, 8),
                field("counts", &Sample::counts, ""), field("anything", &Sample::anything, ""));
}

bool same_number(const boost::json::value& a, const boost::json::value& b) {
  const double x = a.to_number<double>();
  const double y = b.to_number<double>();
  return x == y || std::abs(x - y) <= 1e-14 * std::max(std::abs(x), std::abs(y)) ||
         std::max(std::abs(x), std::abs(y)) < 1e-290;
}

bool same(const boost::json::value& a, const boost::json::value& b) {
  if (a.is_double() || b.is_double()) return a.is_number() && b.is_number() && same_number(a, b);
  if (a.kind() != b.kind()) return false;
  if (a.is_array()) return std::ranges::equal(a.get_array(), b.get_array(), same);
  if (!a.is_object()) return a == b;
  return std::ranges::equal(a.get_object(), b.get_object(), [](const auto& x, const auto& y) {
    return x.key() == y.key() && same(x.value(), y.value());
  });
}

void check(std::string_view bytes) {
  const auto value = parse_json(bytes);
  if (!value) {
    if (value.error().message.empty()) std::abort();
    return;
  }
  if (!is_utf8(bytes)) std::abort();  // strict on the way in
  const auto first = from_json<Sample>(*value);
  if (!first) {
    if (first.error().message.empty()) std::abort();
    return;
  }
  const std::string once = encode_json(*first);
  const auto second = decode_json<Sample>(once);
  if (!second) std::abort();
  const auto before = parse_json(once);
  const auto after = parse_json(encode_json(*second));
  if (!before || !after || !same(*before, *after)) std::abort();
}

}  // namespace
}  // namespace rouse

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rouse::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
