// What an expression says of itself: the names it will ask for, and the trace of an evaluation.
#include <gtest/gtest.h>

#include "lifecycle/expression/expression.h"
#include "lifecycle/expression/scope_for_tests.h"

namespace rouse {
namespace {

std::string uses_of(std::string_view text) {
  std::string out;
  const auto parsed = Expression::parse(text);
  for (const ExpressionUse& use : parsed->uses()) {
    out += use.name + (use.function ? "()" : "") + (use.key.empty() ? "" : "." + use.key) + " ";
  }
  return out;
}

TEST(Expression, ListsTheNamesItUses) {
  EXPECT_EQ(uses_of("variables.get('plan_mode') and variables.x and variables['y']"),
            "variables.plan_mode variables.x variables.y ");
  EXPECT_EQ(uses_of("is_plan_file(tool_input.get('file_path', ''), source)"),
            "is_plan_file() tool_input.file_path source ");
  EXPECT_EQ(uses_of("any(x.a in y for x in z if x != w)"), "y z w ");
  EXPECT_EQ(uses_of("x and any(x for x in [x])"), "x x ");
  EXPECT_EQ(uses_of("a.b.c"), "a.b ");
  EXPECT_EQ(uses_of("variables.get(key)"), "variables key ");
  EXPECT_EQ(uses_of("'text' == None"), "");
}

TEST(Expression, IsCheckedAgainstWhatThereIs) {  // issue 9: an unknown variable is an error at load
  const ExpressionVocabulary known{.names = {"variables", "tool_input"},
                                   .functions = {"is_plan_file"},
                                   .keys = {{"variables", {"plan_mode", "stop_attempts"}}}};
  const auto checked = [&](std::string_view text) {
    const auto parsed = Expression::parse(text);
    const auto result = check_uses(text, parsed->uses(), known);
    return result ? "" : result.error().message;
  };
  EXPECT_EQ(checked("variables.get('plan_mode') and is_plan_file(tool_input.anything)"), "");
  EXPECT_EQ(checked("1 and tool_inptu.x"),
            "column 7: the name 'tool_inptu' is not known; did you mean 'tool_input'?");
  EXPECT_EQ(checked("is_plan_fiel(1)"),
            "column 1: the function 'is_plan_fiel' is not known; did you mean 'is_plan_file'?");
  EXPECT_EQ(checked("not variables.get('plan_mod')"),
            "column 19: 'variables' has no 'plan_mod'; did you mean 'plan_mode'?");
  EXPECT_EQ(checked("variables.stop_attemts > 0"),
            "column 11: 'variables' has no 'stop_attemts'; did you mean 'stop_attempts'?");
}

// `a.b` can be had for less than `a`.
class ScopeOfParts final : public ExpressionScope {
 public:
  Result<const boost::json::value*> find(std::string_view name) override {
    asked += std::string(name) + " ";
    return name == "a" ? &whole_ : nullptr;
  }
  Result<const boost::json::value*> find_part(std::string_view name,
                                              std::string_view key) override {
    if (name == "broken") return fail(Errc::kIo, "it did not answer");
    if (name != "a" || key != "b") return nullptr;
    asked += "a.b ";
    return &whole_.as_object().at("b");
  }
  Result<boost::json::value> call(std::string_view,
                                  std::span<const boost::json::value* const>) override {
    return nullptr;
  }
  [[nodiscard]] std::vector<std::string_view> names() const override { return {"a"}; }

  std::string asked;

 private:
  boost::json::value whole_{{"b", 3}, {"c", 4}};
};

TEST(Expression, AsksForAPartWhereThatIsLess) {
  ScopeOfParts scope;
  EXPECT_EQ(*Expression::parse("a.b")->value(scope), 3);
  EXPECT_EQ(*Expression::parse("a.c")->value(scope), 4);
  EXPECT_EQ(scope.asked, "a.b a ");
  EXPECT_EQ(Expression::parse("a.missing")->value(scope).error().message,
            "column 1: 'a' has no 'missing'");
  EXPECT_EQ(Expression::parse("1 < broken.b")->value(scope).error().message,
            "column 5: 'broken': it did not answer");
  scope.asked.clear();
  ExpressionTrace trace;  // shows the whole, so it is asked for
  EXPECT_EQ(*Expression::parse("a.b")->value(scope, &trace), 3);
  EXPECT_EQ(scope.asked, "a ");
  EXPECT_EQ(trace.entries[1].value, R"({"b":3,"c":4})");
}

TEST(Expression, TracesWhatEachPartCameTo) {
  TestScope scope(R"({"word": "Hello", "yes": true, "no": false, "zero": 0})");
  ExpressionTrace trace;
  EXPECT_FALSE(
      *Expression::parse("word == 'Hello' and (no or zero) and unknown")->holds(scope, &trace));
  std::string told;
  for (const auto& entry : trace.entries) {
    told += std::string(entry.level * 2, ' ') + entry.text + " -> " + entry.value + "\n";
  }
  EXPECT_EQ(told,
            "word == 'Hello' and (no or zero) and unknown -> 0\n"
            "  word == 'Hello' -> true\n"
            "    word -> \"Hello\"\n"
            "  no or zero -> 0\n"
            "    no -> false\n"
            "    zero -> 0\n");
  trace = {};
  EXPECT_FALSE(Expression::parse("yes and wrod")->holds(scope, &trace));
  ASSERT_EQ(trace.entries.size(), 3U);
  EXPECT_TRUE(trace.entries[2].failed);
  EXPECT_EQ(trace.entries[2].value, "'wrod' is not known; did you mean 'word'?");
}

}  // namespace
}  // namespace rouse
