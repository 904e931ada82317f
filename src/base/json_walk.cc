// Reading, writing and describing by a type's table: one walk each, whatever the type.
#include <deque>
#include <mutex>

#include <boost/json/array.hpp>

#include "base/json.h"

namespace rouse {
namespace json = boost::json;
namespace {

const void* member_of(const void* whole, const ShapeField& field) {
  return static_cast<const char*>(whole) + field.offset;
}
void* member_of(void* whole, const ShapeField& field) {
  return static_cast<char*>(whole) + field.offset;
}
bool optional(const JsonType& type) { return type.kind == JsonKind::kOptional; }

// --- reading -------------------------------------------------------------------------------------

Result<std::int64_t> to_integer(const JsonPath& path, const json::value& value) {
  if (value.is_int64()) return value.get_int64();
  if (value.is_uint64()) return fail(field_error(path, "is too large for a 64-bit whole number"));
  if (value.is_double()) return fail(field_error(path, "must be a whole number"));
  return fail(wrong_type(path, "a whole number", value));
}

Result<double> to_real(const JsonPath& path, const json::value& value) {
  if (value.is_double()) return value.get_double();
  if (value.is_int64()) return static_cast<double>(value.get_int64());
  if (value.is_uint64()) return static_cast<double>(value.get_uint64());
  return fail(wrong_type(path, "a number", value));
}

Result<void> read_integer(const JsonType& type, void* into, const json::value& value,
                          const JsonPath& path, const FieldRules& rules) {
  TRY(const std::int64_t number, to_integer(path, value));
  TRY_VOID(check_number(path, static_cast<double>(number), rules));
  type.set(into, number);
  return {};
}

Result<void> read_real(void* into, const json::value& value, const JsonPath& path,
                       const FieldRules& rules) {
  TRY(const double number, to_real(path, value));
  TRY_VOID(check_number(path, number, rules));
  *static_cast<double*>(into) = number;
  return {};
}

Result<void> read_text(void* into, const json::value& value, const JsonPath& path,
                       const FieldRules& rules) {
  if (!value.is_string()) return fail(wrong_type(path, "text", value));
  const std::string_view text(value.get_string().data(), value.get_string().size());
  TRY_VOID(check_text(path, text, rules));
  *static_cast<std::string*>(into) = text;
  return {};
}

Result<void> read_list(const JsonType& type, void* into, const json::value& value,
                       const JsonPath& path, const FieldRules& rules) {
  if (!value.is_array()) return fail(wrong_type(path, "a list", value));
  const json::array& items = value.get_array();
  TRY_VOID(check_count(path, items.size(), rules));
  for (std::size_t i = 0; i < items.size(); ++i) {
    TRY_VOID(read_json(*type.inner, type.add(into, {}), items[i], {&path, {}, i}, nullptr));
  }
  return {};
}

Result<void> read_map(const JsonType& type, void* into, const json::value& value,
                      const JsonPath& path, const FieldRules& rules) {
  if (!value.is_object()) return fail(wrong_type(path, "an object", value));
  TRY_VOID(check_count(path, value.get_object().size(), rules));
  for (const auto& [key, item] : value.get_object()) {
    const std::string_view name(key.data(), key.size());
    TRY_VOID(read_json(*type.inner, type.add(into, name), item, {&path, name}, nullptr));
  }
  return {};
}

Result<void> read_struct(const Shape& shape, void* into, const json::value& value,
                         const JsonPath& path) {
  if (!value.is_object()) return fail(wrong_type(path, "an object", value));
  for (const ShapeField& field : shape.all()) {
    const JsonPath at{&path, field.name};
    if (const json::value* found = value.get_object().if_contains(field.name)) {
      TRY_VOID(read_json(*field.type, member_of(into, field), *found, at, field.rules));
    } else if (!optional(*field.type)) {
      return fail(missing_field(at));
    }
  }
  return {};
}

// --- describing ----------------------------------------------------------------------------------

void apply_rules(json::object& schema, const FieldRules& rules) {
  const json::value* type = schema.if_contains("type");
  const bool number = type != nullptr && (*type == "integer" || *type == "number");
  const bool list = type != nullptr && *type == "array";
  const auto key = [&](std::string_view text, std::string_view items, std::string_view value) {
    return number ? value : list ? items : text;
  };
  if (rules.least) schema[key("minLength", "minItems", "minimum")] = *rules.least;
  if (rules.most) schema[key("maxLength", "maxItems", "maximum")] = *rules.most;
  if (!rules.choices.empty()) {
    json::array choices;
    for (const auto word : rules.choices) choices.emplace_back(word);
    schema["enum"] = std::move(choices);
  }
}

void describe_struct(json::object& schema, const Shape& shape) {
  json::object properties;
  json::array required;
  for (const ShapeField& field : shape.all()) {
    auto property = describe_json(*field.type, field.rules);
    if (!field.doc.empty()) property["description"] = field.doc;
    if (field.null_if_absent) property["type"] = json::array{property["type"], "null"};
    properties[field.name] = std::move(property);
    if (!optional(*field.type)) required.emplace_back(field.name);
  }
  schema["properties"] = std::move(properties);
  if (!required.empty()) schema["required"] = std::move(required);
}

// It stands before the first shape that points into it, so it goes after the last.
const FieldRules* keep(FieldRules rules) {
  static std::mutex mutex;
  static std::deque<FieldRules> kept;
  const std::lock_guard lock(mutex);
  return &kept.emplace_back(std::move(rules));
}

// --- writing -------------------------------------------------------------------------------------

// Where items are written to, and how: what a visit of a list or a map needs.
struct ItemWriter {
  const JsonType& item;
  std::string& out;
  bool first = true;

  void comma() {
    if (!std::exchange(first, false)) out += ',';
  }
};

void write_list(const JsonType& type, std::string& out, const void* from) {
  ItemWriter writer{*type.inner, out};
  out += '[';
  type.each(
      from,
      [](void* context, std::string_view, const void* item) {
        auto& to = *static_cast<ItemWriter*>(context);
        to.comma();
        write_json(to.item, to.out, item);
      },
      &writer);
  out += ']';
}

void write_map(const JsonType& type, std::string& out, const void* from) {
  ItemWriter writer{*type.inner, out};
  out += '{';
  type.each(
      from,
      [](void* context, std::string_view key, const void* item) {
        auto& to = *static_cast<ItemWriter*>(context);
        to.comma();
        append_json(to.out, key);
        to.out += ':';
        write_json(to.item, to.out, item);
      },
      &writer);
  out += '}';
}

// What an optional holds, or nothing.
const void* held(const JsonType& type, const void* from) {
  const void* found = nullptr;
  type.each(
      from,
      [](void* context, std::string_view, const void* item) {
        *static_cast<const void**>(context) = item;
      },
      static_cast<void*>(&found));
  return found;
}

void write_struct(const Shape& shape, std::string& out, const void* from) {
  out += '{';
  bool first = true;
  for (const ShapeField& field : shape.all()) {
    const void* member = member_of(from, field);
    const JsonType* type = field.type;
    if (optional(*type)) {
      member = held(*type, member);
      if (member == nullptr && !field.null_if_absent) continue;
      type = type->inner;
    }
    if (!std::exchange(first, false)) out += ',';
    append_json(out, field.name);
    out += ':';
    if (member == nullptr) {
      out += "null";
    } else {
      write_json(*type, out, member);
    }
  }
  out += '}';
}

}  // namespace

Result<void> read_json(const JsonType& type, void* into, const json::value& value,
                       const JsonPath& path, const FieldRules* rules) {
  static const FieldRules none;
  const FieldRules& checks = rules == nullptr ? none : *rules;
  switch (type.kind) {
    case JsonKind::kAny:
      *static_cast<json::value*>(into) = value;
      return {};
    case JsonKind::kBool:
      if (!value.is_bool()) return fail(wrong_type(path, "true or false", value));
      *static_cast<bool*>(into) = value.get_bool();
      return {};
    case JsonKind::kInteger:
      return read_integer(type, into, value, path, checks);
    case JsonKind::kReal:
      return read_real(into, value, path, checks);
    case JsonKind::kText:
      return read_text(into, value, path, checks);
    case JsonKind::kOptional:
      if (value.is_null()) return {};
      return read_json(*type.inner, type.add(into, {}), value, path, rules);
    case JsonKind::kList:
      return read_list(type, into, value, path, checks);
    case JsonKind::kMap:
      return read_map(type, into, value, path, checks);
    case JsonKind::kStruct:
      return read_struct(type.shape(), into, value, path);
  }
  return {};
}

void write_json(const JsonType& type, std::string& out, const void* from) {
  switch (type.kind) {
    case JsonKind::kAny:
      return append_json(out, *static_cast<const json::value*>(from));
    case JsonKind::kBool:
      out += *static_cast<const bool*>(from) ? "true" : "false";
      return;
    case JsonKind::kInteger:
      return append_json_integer(out, type.get(from));
    case JsonKind::kReal:
      return append_json(out, *static_cast<const double*>(from));
    case JsonKind::kText:
      return append_json(out, std::string_view(*static_cast<const std::string*>(from)));
    case JsonKind::kOptional:
      if (const void* value = held(type, from)) return write_json(*type.inner, out, value);
      out += "null";
      return;
    case JsonKind::kList:
      return write_list(type, out, from);
    case JsonKind::kMap:
      return write_map(type, out, from);
    case JsonKind::kStruct:
      return write_struct(type.shape(), out, from);
  }
}

json::object describe_json(const JsonType& type, const FieldRules* rules) {
  json::object schema;
  switch (type.kind) {
    case JsonKind::kAny:
      break;
    case JsonKind::kBool:
      schema["type"] = "boolean";
      break;
    case JsonKind::kInteger:
      schema["type"] = "integer";
      break;
    case JsonKind::kReal:
      schema["type"] = "number";
      break;
    case JsonKind::kText:
      schema["type"] = "string";
      break;
    case JsonKind::kOptional:
      return describe_json(*type.inner, rules);
    case JsonKind::kList:
      schema["type"] = "array";
      schema["items"] = describe_json(*type.inner);
      break;
    case JsonKind::kMap:
      schema["type"] = "object";
      schema["additionalProperties"] = describe_json(*type.inner);
      break;
    case JsonKind::kStruct:
      schema["type"] = "object";
      describe_struct(schema, type.shape());
      break;
  }
  if (rules != nullptr) apply_rules(schema, *rules);
  return schema;
}

const FieldRules* new_range(std::int64_t low, std::int64_t high) {
  return keep({.least = low, .most = high, .choices = {}});
}
const FieldRules* new_choices(std::initializer_list<std::string_view> words) {
  return keep({.least = {}, .most = {}, .choices = words});
}

}  // namespace rouse
