// JSON at the edge of the process: bytes become a typed struct, a struct becomes bytes, and the
// same description of the struct gives its JSON Schema. Inside the house nobody passes JSON around.
//
// A struct is described once, beside its definition:
//
//   struct NewToken { std::string name; std::optional<std::string> role; };
//   inline auto shape(const NewToken*) {
//     return fields(field("name", &NewToken::name, "What you call it").length(1, 64),
//                   field("role", &NewToken::role, "What it may do").one_of({"admin", "user"}));
//   }
//
// An optional member may be absent or null; every other one is required. Unknown fields are
// ignored, so that older servers take newer clients. Errors name the field: "'items[2].name' must
// be text".
//
// A description is a table (JsonType, Shape) and not code, so that the code which reads, writes and
// describes exists once instead of once a type: half a megabyte of it, with two hundred types.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "base/limits.h"
#include "base/result.h"

namespace rouse {

// Strict JSON: UTF-8, no NaN, no comments, at most max_depth levels. The error says where it broke.
Result<boost::json::value> parse_json(std::string_view text,
                                      std::size_t max_depth = limits::kJsonDepth);

// --- what a place in a document is called, and what is wrong there -------------------------------

struct JsonPath {
  const JsonPath* parent = nullptr;
  std::string_view key;
  std::size_t index = 0;
  [[nodiscard]] std::string str() const;
};

struct FieldRules {
  std::optional<std::int64_t> least, most;  // length of text and lists, value of numbers
  std::vector<std::string_view> choices;
};

Error field_error(const JsonPath& path, std::string_view problem);
Error wrong_type(const JsonPath& path, std::string_view wanted, const boost::json::value& got);
Error missing_field(const JsonPath& path);
Result<void> check_text(const JsonPath& path, std::string_view text, const FieldRules& rules);
Result<void> check_number(const JsonPath& path, double value, const FieldRules& rules);
Result<void> check_count(const JsonPath& path, std::size_t count, const FieldRules& rules);

// --- types as tables -----------------------------------------------------------------------------

enum class JsonKind : std::uint8_t {
  kAny,
  kBool,
  kInteger,
  kReal,
  kText,
  kOptional,
  kList,
  kMap,
  kStruct
};

class Shape;
using JsonVisit = void (*)(void* context, std::string_view key, const void* item);

struct JsonType {
  JsonKind kind = JsonKind::kAny;
  const JsonType* inner = nullptr;    // of an optional, a list, a map
  const Shape& (*shape)() = nullptr;  // of a struct
  std::int64_t (*get)(const void* number) = nullptr;
  void (*set)(void* number, std::int64_t value) = nullptr;
  // Optional, list, map: room for one more, and everything that is there.
  void* (*add)(void* whole, std::string_view key) = nullptr;
  void (*each)(const void* whole, JsonVisit visit, void* context) = nullptr;
};

struct ShapeField {
  std::string_view name, doc;
  const JsonType* type = nullptr;
  std::size_t offset = 0;             // of the member in its struct
  bool null_if_absent = false;        // optional members only: written as null instead of left out
  const FieldRules* rules = nullptr;  // lives as long as the process, like the shape
};

class Shape {
 public:
  void add(const ShapeField& field) { fields_.push_back(field); }
  [[nodiscard]] const std::vector<ShapeField>& all() const { return fields_; }

 private:
  std::vector<ShapeField> fields_;
};

Result<void> read_json(const JsonType& type, void* into, const boost::json::value& value,
                       const JsonPath& path, const FieldRules* rules);
void write_json(const JsonType& type, std::string& out, const void* from);
boost::json::object describe_json(const JsonType& type, const FieldRules* rules = nullptr);

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsMap : std::false_type {};
template <class T>
struct IsMap<std::map<std::string, T>> : std::true_type {};

template <class T>
concept Shaped = requires(const T* t) { shape(t); };

// The description is built once a type.
template <Shaped T>
const Shape& shape_of() {
  static const Shape described = shape(static_cast<const T*>(nullptr));
  return described;
}

template <class T>
consteval JsonType json_type();
template <class T>
inline constexpr JsonType kJsonType = json_type<T>();

template <class T>
consteval JsonType json_type() {
  if constexpr (std::same_as<T, boost::json::value>) {
    return {.kind = JsonKind::kAny};
  } else if constexpr (std::same_as<T, bool>) {
    return {.kind = JsonKind::kBool};
  } else if constexpr (std::integral<T>) {
    return {
        .kind = JsonKind::kInteger,
        .get = [](const void* n) { return static_cast<std::int64_t>(*static_cast<const T*>(n)); },
        .set = [](void* n, std::int64_t v) { *static_cast<T*>(n) = static_cast<T>(v); }};
  } else if constexpr (std::same_as<T, double>) {
    return {.kind = JsonKind::kReal};
  } else if constexpr (std::same_as<T, std::string>) {
    return {.kind = JsonKind::kText};
  } else if constexpr (IsOptional<T>::value) {
    return {.kind = JsonKind::kOptional,
            .inner = &kJsonType<typename T::value_type>,
            .add = [](void* whole, std::string_view) -> void* {
              return &static_cast<T*>(whole)->emplace();
            },
            .each =
                [](const void* whole, JsonVisit visit, void* context) {
                  const T& value = *static_cast<const T*>(whole);
                  if (value) visit(context, {}, &*value);
                }};
  } else if constexpr (IsVector<T>::value) {
    return {.kind = JsonKind::kList,
            .inner = &kJsonType<typename T::value_type>,
            .add = [](void* whole, std::string_view) -> void* {
              return &static_cast<T*>(whole)->emplace_back();
            },
            .each =
                [](const void* whole, JsonVisit visit, void* context) {
                  for (const auto& item : *static_cast<const T*>(whole)) visit(context, {}, &item);
                }};
  } else if constexpr (IsMap<T>::value) {
    return {.kind = JsonKind::kMap,
            .inner = &kJsonType<typename T::mapped_type>,
            .add = [](void* whole, std::string_view key) -> void* {
              return &static_cast<T*>(whole)->try_emplace(std::string(key)).first->second;
            },
            .each =
                [](const void* whole, JsonVisit visit, void* context) {
                  for (const auto& [key, item] : *static_cast<const T*>(whole)) {
                    visit(context, key, &item);
                  }
                }};
  } else {
    static_assert(Shaped<T>, "describe this struct with shape()");
    return {.kind = JsonKind::kStruct, .shape = &shape_of<T>};
  }
}

// --- describing structs --------------------------------------------------------------------------

// Rules live as long as the process, as the shapes do that they belong to.
const FieldRules* new_range(std::int64_t low, std::int64_t high);
const FieldRules* new_choices(std::initializer_list<std::string_view> words);

// One field of Struct, in the making.
template <class Struct>
struct Field : ShapeField {
  Field length(std::int64_t low, std::int64_t high) && { return std::move(*this).range(low, high); }
  Field range(std::int64_t low, std::int64_t high) && {
    rules = new_range(low, high);
    return *this;
  }
  Field one_of(std::initializer_list<std::string_view> words) && {
    rules = new_choices(words);
    return *this;
  }
  Field or_null() && {
    null_if_absent = true;
    return *this;
  }
};

template <class Struct, class Member>
Field<Struct> field(std::string_view name, Member Struct::* member, std::string_view doc) {
  // A pointer to a data member is the member's offset: so says the C++ ABI of every platform we
  // build for.
  static_assert(sizeof(member) == sizeof(std::size_t));
  return {{name, doc, &kJsonType<Member>, std::bit_cast<std::size_t>(member)}};
}

template <class Struct, class... More>
  requires(std::same_as<More, Field<Struct>> && ...)
Shape fields(const Field<Struct>& first, const More&... more) {
  Shape shape;
  shape.add(first);
  (shape.add(more), ...);
  return shape;
}

// --- reading -----------------------------------------------------------------------------------

template <class T>
Result<T> from_json(const boost::json::value& value, const JsonPath& path = {},
                    const FieldRules& rules = {}) {
  Result<T> out;
  TRY_VOID(read_json(kJsonType<T>, &*out, value, path, &rules));
  return out;
}

// Text to struct in one step: the usual way in.
template <class T>
Result<T> decode_json(std::string_view text) {
  TRY(const boost::json::value value, parse_json(text));
  return from_json<T>(value);
}

// --- writing -----------------------------------------------------------------------------------

void append_json(std::string& out, std::string_view text);
void append_json(std::string& out, const boost::json::value& value);
void append_json(std::string& out, double number);
void append_json_integer(std::string& out, std::int64_t number);

template <class T>
void append_json(std::string& out, const T& value) {
  if constexpr (std::convertible_to<const T&, std::string_view>) {
    append_json(out, std::string_view(value));
  } else {
    write_json(kJsonType<T>, out, &value);
  }
}

template <class T>
std::string encode_json(const T& value) {
  std::string out;
  append_json(out, value);
  return out;
}

// --- describing to others: JSON Schema 2020-12, as OpenAPI 3.1 wants it --------------------------

template <class T>
boost::json::object json_schema() {
  return describe_json(kJsonType<T>);
}

}  // namespace rouse
