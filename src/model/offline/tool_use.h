// Calls of tools that the offline assistant knows by name. Their schema is what is on offer, and it
// decides: an argument goes in under the name that the schema has for it, and is left out if it has
// none. So a tool may call its text "content" or "text" and is called right either way.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "model/model.h"
#include "model/offline/phrase.h"

namespace rouse::offline {

class ToolUse {
 public:
  explicit ToolUse(const PromptTool& tool);

  // Under the first of the names that the schema has; if it has none, under its one required text.
  ToolUse& text(Patterns names, std::string_view value);
  ToolUse& number(Patterns names, std::int64_t value);
  // The first of the words that the schema's enum allows.
  ToolUse& choice(std::string_view name, Patterns words);

  [[nodiscard]] bool takes(std::string_view name) const { return !name_for({name}).empty(); }
  [[nodiscard]] PromptBlock block() const;  // without a call id

 private:
  [[nodiscard]] std::string_view name_for(Patterns names) const;
  [[nodiscard]] std::string_view lone_required_text() const;

  std::string tool_;
  boost::json::object schema_, arguments_;
};

}  // namespace rouse::offline
