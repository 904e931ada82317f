#include "model/offline/tool_use.h"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "base/json.h"

namespace rouse::offline {
namespace {

const boost::json::object* object_at(const boost::json::object& schema, std::string_view key) {
  const boost::json::value* found = schema.if_contains(key);
  return found != nullptr && found->is_object() ? &found->get_object() : nullptr;
}
const boost::json::array* array_at(const boost::json::object& schema, std::string_view key) {
  const boost::json::value* found = schema.if_contains(key);
  return found != nullptr && found->is_array() ? &found->get_array() : nullptr;
}

}  // namespace

ToolUse::ToolUse(const PromptTool& tool) : tool_(tool.name) {
  auto schema = parse_json(tool.schema);
  if (schema && schema->is_object()) schema_ = std::move(schema->get_object());
}

std::string_view ToolUse::name_for(Patterns names) const {
  const auto* properties = object_at(schema_, "properties");
  if (properties == nullptr) return *names.begin();
  for (const std::string_view name : names) {
    if (properties->contains(name)) return name;
  }
  return {};
}

std::string_view ToolUse::lone_required_text() const {
  const auto* properties = object_at(schema_, "properties");
  const auto* required = array_at(schema_, "required");
  if (properties == nullptr || required == nullptr) return {};
  std::string_view lone;
  for (const boost::json::value& one : *required) {
    if (!one.is_string() || arguments_.contains(one.get_string())) continue;
    const auto* property = object_at(*properties, one.get_string());
    const boost::json::value* type = property == nullptr ? nullptr : property->if_contains("type");
    if (type == nullptr || *type != "string") continue;
    if (!lone.empty()) return {};
    lone = {one.get_string().data(), one.get_string().size()};
  }
  return lone;
}

ToolUse& ToolUse::text(Patterns names, std::string_view value) {
  std::string_view name = name_for(names);
  if (name.empty()) name = lone_required_text();
  if (!name.empty()) arguments_[name] = value;
  return *this;
}

ToolUse& ToolUse::number(Patterns names, std::int64_t value) {
  if (const std::string_view name = name_for(names); !name.empty()) arguments_[name] = value;
  return *this;
}

ToolUse& ToolUse::choice(std::string_view name, Patterns words) {
  if (name_for({name}).empty()) return *this;
  const auto* properties = object_at(schema_, "properties");
  const auto* property = properties == nullptr ? nullptr : object_at(*properties, name);
  const auto* allowed = property == nullptr ? nullptr : array_at(*property, "enum");
  for (const std::string_view word : words) {
    const auto is_word = [&](const boost::json::value& one) {
      return one.is_string() && std::string_view(one.get_string()) == word;
    };
    if (allowed != nullptr && std::ranges::none_of(*allowed, is_word)) continue;
    arguments_[name] = word;
    return *this;
  }
  return *this;
}

PromptBlock ToolUse::block() const {
  PromptBlock block;
  block.kind = BlockKind::kToolCall;
  block.tool = tool_;
  block.arguments = boost::json::serialize(arguments_);
  return block;
}

}  // namespace rouse::offline
