#include "lifecycle/expression/expression_values.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <boost/json/serializer.hpp>

#include "base/json.h"
#include "base/text.h"

namespace rouse {
namespace {

namespace json = boost::json;

constexpr int kDeepestValue = 64;  // deeper ones come from no parser of ours

// True and False are the numbers 1 and 0, as in Python.
bool is_numeric(const json::value& value) { return value.is_number() || value.is_bool(); }

std::int64_t small_integer(const json::value& value) {
  return value.is_bool() ? static_cast<std::int64_t>(value.get_bool()) : value.get_int64();
}

// Exact, also where a double can't hold the integer.
template <class Integer>
std::partial_ordering order_integer(Integer whole, double real) {
  if (std::isnan(real)) return std::partial_ordering::unordered;
  constexpr double kBeyond = std::is_signed_v<Integer> ? 0x1p63 : 0x1p64;
  constexpr double kLeast = std::is_signed_v<Integer> ? -0x1p63 : 0.0;
  if (real >= kBeyond) return std::partial_ordering::less;
  if (real < kLeast) return std::partial_ordering::greater;
  const double below = std::floor(real);
  const auto floor = static_cast<Integer>(below);
  if (whole != floor) return whole <=> floor;
  return below < real ? std::partial_ordering::less : std::partial_ordering::equivalent;
}

std::partial_ordering order_real(const json::value& a, double b) {
  if (a.is_double()) return a.get_double() <=> b;
  if (a.is_uint64()) return order_integer(a.get_uint64(), b);
  return order_integer(small_integer(a), b);
}

std::partial_ordering order_numbers(const json::value& a, const json::value& b) {
  if (b.is_double()) return order_real(a, b.get_double());
  if (a.is_double()) return 0 <=> order_real(b, a.get_double());
  const auto as_unsigned = [](const json::value& value) {
    return value.is_uint64() ? value.get_uint64()
                             : static_cast<std::uint64_t>(small_integer(value));
  };
  const bool a_negative = !a.is_uint64() && small_integer(a) < 0;
  const bool b_negative = !b.is_uint64() && small_integer(b) < 0;
  if (a_negative != b_negative) {
    return a_negative ? std::partial_ordering::less : std::partial_ordering::greater;
  }
  return as_unsigned(a) <=> as_unsigned(b);  // two's complement keeps the order of two negatives
}

bool equal_at(const json::value& a, const json::value& b, ExpressionMeter& meter, int depth);

bool equal_lists(const json::array& a, const json::array& b, ExpressionMeter& meter, int depth) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!equal_at(a[i], b[i], meter, depth)) return false;
  }
  return true;
}

bool equal_objects(const json::object& a, const json::object& b, ExpressionMeter& meter,
                   int depth) {
  if (a.size() != b.size()) return false;
  for (const auto& [key, value] : a) {
    const json::value* other = b.if_contains(key);
    if (other == nullptr || !equal_at(value, *other, meter, depth)) return false;
  }
  return true;
}

bool equal_at(const json::value& a, const json::value& b, ExpressionMeter& meter, int depth) {
  if (depth > kDeepestValue) meter.spend(std::size_t(-1));
  if (!meter.spend()) return false;
  if (is_numeric(a) && is_numeric(b)) return order_numbers(a, b) == 0;
  if (a.kind() != b.kind()) return false;
  if (a.is_string()) {
    meter.spend_bytes(a.get_string().size());
    return a.get_string() == b.get_string();
  }
  if (a.is_array()) return equal_lists(a.get_array(), b.get_array(), meter, depth + 1);
  if (a.is_object()) return equal_objects(a.get_object(), b.get_object(), meter, depth + 1);
  return true;  // None
}

// Pays for a copy before it is made.
void weigh(const json::value& value, ExpressionMeter& meter, int depth) {
  if (depth > kDeepestValue) meter.spend(std::size_t(-1));
  if (!meter.spend()) return;
  if (value.is_string()) meter.spend_bytes(value.get_string().size());
  if (value.is_array()) {
    for (const json::value& item : value.get_array()) {
      weigh(item, meter, depth + 1);
      if (meter.exhausted()) return;
    }
  }
  if (value.is_object()) {
    for (const auto& [key, item] : value.get_object()) {
      meter.spend_bytes(key.size());
      weigh(item, meter, depth + 1);
      if (meter.exhausted()) return;
    }
  }
}

bool append_serialized(std::string& out, const json::value& value, std::size_t most_bytes) {
  if (value.is_double()) {  // "0.5" where the library writes "5E-1"
    append_json(out, value.get_double());
    return out.size() <= most_bytes;
  }
  json::serializer serializer;
  serializer.reset(&value);
  char piece[512];
  while (!serializer.done()) {
    out += std::string_view(serializer.read(piece));
    if (out.size() > most_bytes) return false;
  }
  return true;
}

}  // namespace

const json::value ExpressionValue::kNone;
const json::value ExpressionValue::kTrue(true);
const json::value ExpressionValue::kFalse(false);

json::value ExpressionValue::take(ExpressionMeter& meter) && {
  if (owned_) return std::move(*owned_);
  const bool own = value_ == &kNone || value_ == &kTrue || value_ == &kFalse;
  return own ? *value_ : copy_of(*value_, meter);
}

std::string_view type_words(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      return "None";
    case json::kind::bool_:
      return "a truth value";
    case json::kind::int64:
    case json::kind::uint64:
    case json::kind::double_:
      return "a number";
    case json::kind::string:
      return "text";
    case json::kind::array:
      return "a list";
    case json::kind::object:
      return "an object";
  }
  return "unknown";
}

bool is_true(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      return false;
    case json::kind::bool_:
      return value.get_bool();
    case json::kind::int64:
      return value.get_int64() != 0;
    case json::kind::uint64:
      return value.get_uint64() != 0;
    case json::kind::double_:
      return value.get_double() != 0;
    case json::kind::string:
      return !value.get_string().empty();
    case json::kind::array:
      return !value.get_array().empty();
    case json::kind::object:
      return !value.get_object().empty();
  }
  return false;
}

bool are_equal(const json::value& a, const json::value& b, ExpressionMeter& meter) {
  return equal_at(a, b, meter, 0);
}

std::optional<std::partial_ordering> order_of(const json::value& a, const json::value& b) {
  if (is_numeric(a) && is_numeric(b)) return order_numbers(a, b);
  if (a.is_string() && b.is_string()) {
    return std::string_view(a.get_string()) <=> std::string_view(b.get_string());
  }
  return std::nullopt;
}

std::size_t find_text(std::string_view text, std::string_view part, ExpressionMeter& meter) {
  if (part.empty()) return 0;
  // memmem() is linear in both; find() is their product, and both may come from a model.
  const void* found = memmem(text.data(), text.size(), part.data(), part.size());
  const std::size_t place =
      found != nullptr ? static_cast<const char*>(found) - text.data() : std::string_view::npos;
  meter.spend_bytes(std::min(place, text.size()) + part.size());
  return place;
}

json::value copy_of(const json::value& value, ExpressionMeter& meter) {
  weigh(value, meter, 0);
  return meter.exhausted() ? json::value() : value;
}

bool append_text(std::string& out, const json::value& value, std::size_t most_bytes) {
  if (value.is_string()) {
    const std::string_view text = value.get_string();
    if (text.size() > most_bytes || out.size() > most_bytes - text.size()) return false;
    out += text;
  } else if (value.is_null()) {
    out += "None";
  } else if (value.is_bool()) {
    out += value.get_bool() ? "True" : "False";
  } else {
    return append_serialized(out, value, most_bytes);
  }
  return out.size() <= most_bytes;
}

std::string json_excerpt(const json::value& value, std::size_t most_bytes) {
  std::string out;
  if (append_serialized(out, value, most_bytes)) return out;
  return std::string(utf8_prefix(out, most_bytes)) + "…";
}

}  // namespace rouse
