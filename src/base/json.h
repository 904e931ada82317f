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
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "base/limits.h"
#include "base/result.h"

namespace rouse {

// Strict JSON: UTF-8, no NaN, no comments, at most max_depth levels. The error says where it broke.
Result<boost::json::value> parse_json(std::string_view text,
                                      std::size_t max_depth = limits::kJsonDepth);

// --- describing structs ------------------------------------------------------------------------

template <class Struct, class Member>
struct Field {
  std::string_view name;
  Member Struct::* member;
  std::string_view doc;
  std::optional<std::int64_t> least, most;  // length of text and lists, value of numbers
  std::vector<std::string_view> choices;
  bool null_if_absent = false;  // optional members only: written as null instead of left out

  Field length(std::int64_t low, std::int64_t high) && { return std::move(*this).range(low, high); }
  Field range(std::int64_t low, std::int64_t high) && {
    least = low;
    most = high;
    return std::move(*this);
  }
  Field one_of(std::initializer_list<std::string_view> words) && {
    choices = words;
    return std::move(*this);
  }
  Field or_null() && {
    null_if_absent = true;
    return std::move(*this);
  }
};

template <class Struct, class Member>
Field<Struct, Member> field(std::string_view name, Member Struct::* member, std::string_view doc) {
  return {name, member, doc, {}, {}, {}, false};
}
template <class... F>
auto fields(F... f) {
  return std::tuple<F...>(std::move(f)...);
}

template <class T>
concept Shaped = requires(const T* t) { shape(t); };

// The description is built once a type.
template <Shaped T>
const auto& shape_of() {
  static const auto described = shape(static_cast<const T*>(nullptr));
  return described;
}

// --- what a place in a document is called, and what is wrong there -------------------------------

struct JsonPath {
  const JsonPath* parent = nullptr;
  std::string_view key;
  std::size_t index = 0;
  [[nodiscard]] std::string str() const;
};

struct FieldRules {
  std::optional<std::int64_t> least, most;
  const std::vector<std::string_view>* choices = nullptr;
};

Error wrong_type(const JsonPath& path, std::string_view wanted, const boost::json::value& got);
Error missing_field(const JsonPath& path);
Result<void> check_text(const JsonPath& path, std::string_view text, const FieldRules& rules);
Result<void> check_number(const JsonPath& path, double value, const FieldRules& rules);
Result<void> check_count(const JsonPath& path, std::size_t count, const FieldRules& rules);
Result<std::int64_t> to_integer(const JsonPath& path, const boost::json::value& value);
Result<double> to_real(const JsonPath& path, const boost::json::value& value);

// --- reading -----------------------------------------------------------------------------------

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
Result<T> from_json(const boost::json::value& value, const JsonPath& path = {},
                    const FieldRules& rules = {}) {
  if constexpr (std::same_as<T, boost::json::value>) {
    return value;
  } else if constexpr (std::same_as<T, bool>) {
    if (!value.is_bool()) return fail(wrong_type(path, "true or false", value));
    return value.get_bool();
  } else if constexpr (std::integral<T>) {
    TRY(const std::int64_t number, to_integer(path, value));
    TRY_VOID(check_number(path, static_cast<double>(number), rules));
    return static_cast<T>(number);
  } else if constexpr (std::floating_point<T>) {
    TRY(const double number, to_real(path, value));
    TRY_VOID(check_number(path, number, rules));
    return static_cast<T>(number);
  } else if constexpr (std::same_as<T, std::string>) {
    if (!value.is_string()) return fail(wrong_type(path, "text", value));
    const std::string_view text(value.get_string().data(), value.get_string().size());
    TRY_VOID(check_text(path, text, rules));
    return std::string(text);
  } else if constexpr (IsOptional<T>::value) {
    if (value.is_null()) return T{};
    TRY(auto inner, from_json<typename T::value_type>(value, path, rules));
    return T(std::move(inner));
  } else if constexpr (IsVector<T>::value) {
    if (!value.is_array()) return fail(wrong_type(path, "a list", value));
    TRY_VOID(check_count(path, value.get_array().size(), rules));
    T out;
    for (std::size_t i = 0; i < value.get_array().size(); ++i) {
      TRY(auto item, from_json<typename T::value_type>(value.get_array()[i], {&path, {}, i}));
      out.push_back(std::move(item));
    }
    return out;
  } else if constexpr (IsMap<T>::value) {
    if (!value.is_object()) return fail(wrong_type(path, "an object", value));
    TRY_VOID(check_count(path, value.get_object().size(), rules));
    T out;
    for (const auto& [key, item] : value.get_object()) {
      const std::string_view name(key.data(), key.size());
      TRY(auto inner, from_json<typename T::mapped_type>(item, {&path, name}));
      out.emplace(name, std::move(inner));
    }
    return out;
  } else {
    static_assert(Shaped<T>, "describe this struct with shape()");
    if (!value.is_object()) return fail(wrong_type(path, "an object", value));
    T out{};
    Result<void> failure;
    std::apply(
        [&](const auto&... f) {
          const auto read_one = [&]<class M>(const Field<T, M>& one) {
            const JsonPath at{&path, one.name};
            const boost::json::value* found = value.get_object().if_contains(one.name);
            if (found == nullptr) {
              if constexpr (!IsOptional<M>::value) failure = fail(missing_field(at));
              return failure.has_value();
            }
            auto member = from_json<M>(*found, at, {one.least, one.most, &one.choices});
            if (member) {
              out.*one.member = std::move(*member);
            } else {
              failure = fail(std::move(member).error());
            }
            return failure.has_value();
          };
          (void)(read_one(f) && ...);
        },
        shape_of<T>());
    if (!failure) return std::unexpected(std::move(failure).error());
    return out;
  }
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
  if constexpr (std::same_as<T, bool>) {
    out += value ? "true" : "false";
  } else if constexpr (std::integral<T>) {
    append_json_integer(out, static_cast<std::int64_t>(value));
  } else if constexpr (std::convertible_to<const T&, std::string_view>) {
    append_json(out, std::string_view(value));
  } else if constexpr (IsOptional<T>::value) {
    if (value) {
      append_json(out, *value);
    } else {
      out += "null";
    }
  } else if constexpr (IsVector<T>::value) {
    out += '[';
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (i > 0) out += ',';
      append_json(out, value[i]);
    }
    out += ']';
  } else if constexpr (IsMap<T>::value) {
    out += '{';
    bool first = true;
    for (const auto& [key, item] : value) {
      if (!std::exchange(first, false)) out += ',';
      append_json(out, std::string_view(key));
      out += ':';
      append_json(out, item);
    }
    out += '}';
  } else {
    static_assert(Shaped<T>, "describe this struct with shape()");
    out += '{';
    bool first = true;
    std::apply(
        [&](const auto&... f) {
          const auto write_one = [&]<class M>(const Field<T, M>& one) {
            const M& member = value.*one.member;
            if constexpr (IsOptional<M>::value) {
              if (!member && !one.null_if_absent) return;
            }
            if (!std::exchange(first, false)) out += ',';
            append_json(out, one.name);
            out += ':';
            append_json(out, member);
          };
          (write_one(f), ...);
        },
        shape_of<T>());
    out += '}';
  }
}

template <class T>
std::string encode_json(const T& value) {
  std::string out;
  append_json(out, value);
  return out;
}

// --- describing to others: JSON Schema 2020-12, as OpenAPI 3.1 wants it
// ----------------------------

void apply_rules(boost::json::object& schema, const FieldRules& rules);

template <class T>
boost::json::object json_schema(const FieldRules& rules = {}) {
  boost::json::object schema;
  if constexpr (std::same_as<T, boost::json::value>) {
    // anything
  } else if constexpr (std::same_as<T, bool>) {
    schema["type"] = "boolean";
  } else if constexpr (std::integral<T>) {
    schema["type"] = "integer";
  } else if constexpr (std::floating_point<T>) {
    schema["type"] = "number";
  } else if constexpr (std::same_as<T, std::string>) {
    schema["type"] = "string";
  } else if constexpr (IsOptional<T>::value) {
    return json_schema<typename T::value_type>(rules);
  } else if constexpr (IsVector<T>::value) {
    schema["type"] = "array";
    schema["items"] = json_schema<typename T::value_type>();
  } else if constexpr (IsMap<T>::value) {
    schema["type"] = "object";
    schema["additionalProperties"] = json_schema<typename T::mapped_type>();
  } else {
    schema["type"] = "object";
    boost::json::object properties;
    boost::json::array required;
    std::apply(
        [&](const auto&... f) {
          const auto describe = [&]<class M>(const Field<T, M>& one) {
            auto property = json_schema<M>({one.least, one.most, &one.choices});
            if (!one.doc.empty()) property["description"] = one.doc;
            if (one.null_if_absent) property["type"] = boost::json::array{property["type"], "null"};
            properties[one.name] = std::move(property);
            if constexpr (!IsOptional<M>::value) required.emplace_back(one.name);
          };
          (describe(f), ...);
        },
        shape_of<T>());
    schema["properties"] = std::move(properties);
    if (!required.empty()) schema["required"] = std::move(required);
  }
  apply_rules(schema, rules);
  return schema;
}

}  // namespace rouse
