// Do a tool call's arguments fit the tool's JSON schema? Understands what tools need: type (one or
// several), properties, required, additionalProperties: false, enum, minimum, maximum, minLength,
// maxLength, items, minItems, maxItems. What it doesn't know it lets pass: the tool decodes the
// arguments again.
//
// The words are for the model, which should get it right the next time: every fault at once, where
// it is, what is wanted there and what was sent.
#pragma once

#include <string_view>

#include <boost/json/object.hpp>

#include "base/result.h"

namespace rouse {

class ArgumentsSchema {
 public:
  // Fails for a text that is no JSON object with "type": "object".
  static Result<ArgumentsSchema> parse(std::string_view schema);

  [[nodiscard]] Result<void> check(std::string_view arguments) const;

 private:
  explicit ArgumentsSchema(boost::json::object schema) : schema_(std::move(schema)) {}
  boost::json::object schema_;
};

}  // namespace rouse
