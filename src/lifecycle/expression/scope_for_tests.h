// A scope for tests: an object's members are its names, and a few host functions as the engine
// lends them. Counts what it is asked, and can fail on demand.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "lifecycle/expression/expression.h"

namespace rouse {

class TestScope final : public ExpressionScope {
 public:
  explicit TestScope(std::string_view json = "{}") : values(parse_json(json)->as_object()) {}

  Result<const boost::json::value*> find(std::string_view name) override {
    ++finds;
    if (name == "broken_lazy") return fail(Errc::kIo, "git did not answer");
    return values.if_contains(name);
  }
  Result<boost::json::value> call(std::string_view function,
                                  std::span<const boost::json::value* const> arguments) override {
    ++calls;
    if (function == "is_plan_file") {
      return boost::json::value(!arguments.empty() && arguments[0]->is_string() &&
                                std::string_view(arguments[0]->get_string()).contains("/plans/"));
    }
    if (function == "count") return boost::json::value(arguments.size());
    return fail(Errc::kNotFound, "there is no such function");
  }
  [[nodiscard]] std::vector<std::string_view> names() const override {
    std::vector<std::string_view> all;
    for (const auto& member : values) all.push_back(member.key());
    return all;
  }

  boost::json::object values;
  int finds = 0, calls = 0;
};

}  // namespace rouse
