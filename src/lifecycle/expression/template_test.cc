#include "lifecycle/expression/template.h"

#include <array>

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/text.h"
#include "lifecycle/expression/scope_for_tests.h"

namespace rouse {
namespace {

constexpr std::string_view kValues = R"({
  "name": "rouse", "count": 3, "half": 0.5, "yes": true, "no": false, "nothing": null, "empty": [],
  "list": ["a", "b", "c"], "tasks": [{"title": "one", "tags": ["x", "y"]}, {"title": "two", "tags": []}],
  "object": {"k": {"deep": "v"}}
})";

std::string rendered(std::string_view text) {
  TestScope scope(kValues);
  const auto parsed = TextTemplate::parse(text);
  if (!parsed) return "! " + parsed.error().message;
  const auto out = parsed->render(scope);
  return out ? *out : "! " + out.error().message;
}

struct TemplateCase {
  std::string_view text, out;
};

void check(std::initializer_list<TemplateCase> cases) {
  for (const auto& [text, out] : cases) EXPECT_EQ(rendered(text), out) << text;
}

TEST(Template, WritesTextAndValues) {  // issue 9
  check({{"", ""},
         {"plain", "plain"},
         {"{{ name }}", "rouse"},
         {"{{name}}!", "rouse!"},
         {"a {{ count }} b {{ half }}", "a 3 b 0.5"},
         {"{{ yes }} {{ nothing }}.", "True ."},
         {"{{ object.k.deep }}", "v"},
         {"{{ list }}", R"(["a","b","c"])"},
         {"{{ {'a': {'b': 1}} }}", R"({"a":{"b":1}})"},
         {"{{ '}}' }} {{ '{{' }}", "}} {{"},
         {"{{ 'x' if yes else 'y' }}", "x"},
         {"} }} %} { x", "} }} %} { x"},
         {"Grüße {{ name }}", "Grüße rouse"}});
}

TEST(Template, HasTheFiltersDefaultAndJoin) {
  check({{"{{ nothing | default('x') }}", "x"},
         {"{{ unknown | default('x') }}", "x"},
         {"{{ object.nope | default(name) }}", "rouse"},
         {"{{ name | default('x') }}", "rouse"},
         {"{{ no | default('x') }}", "False"},
         {"{{ list | join(', ') }}", "a, b, c"},
         {"{{ list|join }}", "abc"},
         {"{{ empty | join(', ') }}", ""},
         {"{{ nothing | default([1, 2]) | join('|') }}", "1|2"},
         {"{{ unknown | default('a|b') }}", "a|b"},
         {"{{ name | join(',') }}", "! line 1, column 4: 'join' needs a list, and this is text"},
         {"{{ count.x | default('x') }}",
          "! line 1, column 4: '.x' needs an object, and 'count' is a number"}});
}

TEST(Template, ChoosesBranches) {
  check({{"{% if yes %}a{% endif %}b", "ab"},
         {"{% if no %}a{% endif %}b", "b"},
         {"{% if no %}a{% else %}b{% endif %}c", "bc"},
         {"{% if yes %}a{% else %}b{% endif %}c", "ac"},
         {"{% if no %}a{% elif count == 3 %}b{% elif yes %}c{% else %}d{% endif %}", "b"},
         {"{% if no %}a{% elif no %}b{% else %}d{% endif %}", "d"},
         {"{% if yes %}{% if no %}a{% else %}b{% endif %}{% endif %}", "b"},
         {"{%if yes%}{{name}}{%endif%}", "rouse"}});
}

TEST(Template, GoesThroughLists) {
  check(
      {{"{% for x in list %}{{ x }};{% endfor %}", "a;b;c;"},
       {"{% for x in empty %}{{ x }}{% endfor %}-", "-"},
       {"{% for key in object %}{{ key }}{% endfor %}", "k"},
       {"{% for t in tasks %}{{ t.title }}:{% for tag in t.tags %}{{ tag }}{% endfor %} {% endfor "
        "%}",
        "one:xy two: "},
       {"{% for x in list %}{% if x != 'b' %}{{ x }}{% endif %}{% endfor %}", "ac"},
       {"{% for x in list %}{% for x in [1, 2] %}{{ x }}{% endfor %}{{ x }}{% endfor %}",
        "12a12b12c"},
       {"{% for x in tasks %}{{ any(x.title == y for y in ['two']) }} {% endfor %}", "False True "},
       {"{% for x in count %}{% endfor %}",
        "! line 1, column 13: 'for' goes through a list or an object, and this is a number"}});
}

TEST(Template, SaysLineAndColumnOfWhatIsWrong) {
  check(
      {{"a\nb {{ nam }}", "! line 2, column 6: 'nam' is not known; did you mean 'name'?"},
       {"a\n{{ name b }}",
        "! line 2, column 9: an operator or the end is expected here, and not 'b'"},
       {"ü {{ }}", "! line 1, column 6: an expression is expected here"},
       {"{{ name", "! line 1, column 1: the '{{' that begins here has no '}}'"},
       {"\n{% if x", "! line 2, column 1: the '{%' that begins here has no '%}'"},
       {"{% if yes %}a", "! line 1, column 4: the '{% if %}' that begins here has no end"},
       {"{% for x in list %}a", "! line 1, column 4: the '{% for %}' that begins here has no end"},
       {"{% endif %}", "! line 1, column 4: there is no '{% if %}' for this 'endif'"},
       {"{% for x in list %}{% endif %}",
        "! line 1, column 23: there is no '{% if %}' for this 'endif'"},
       {"{% else %}", "! line 1, column 4: there is no '{% if %}' for this 'else'"},
       {"{% if yes %}{% else %}{% else %}{% endif %}",
        "! line 1, column 26: there is no '{% if %}' for this 'else'"},
       {"{% for x in list %}{% else %}{% endfor %}",
        "! line 1, column 23: there is no '{% if %}' for this 'else'"},
       {"{% endif x %}", "! line 1, column 10: '%}' is expected after 'endif'"},
       {"{% esle %}", "! line 1, column 4: 'esle' is no statement; did you mean 'else'?"},
       {"{%- if yes %}", "! line 1, column 3: a statement is expected here, such as 'if'"},
       {"{% for 1 in list %}{% endfor %}",
        "! line 1, column 8: 'name in list' is expected after 'for'"},
       {"{% for x, y in list %}{% endfor %}",
        "! line 1, column 8: 'name in list' is expected after 'for'"},
       {"{% for x in %}{% endfor %}", "! line 1, column 12: an expression is expected here"},
       {"{% if %}{% endif %}", "! line 1, column 6: an expression is expected here"},
       {"{{ name | defualt('x') }}",
        "! line 1, column 11: the filter 'defualt' is not known; did you mean 'default'?"},
       {"{{ name | default }}", "! line 1, column 11: 'default' takes 1 argument"},
       {"{{ name | join x }}", "! line 1, column 16: '(' or '|' is expected after a filter"},
       {"{{ name | join( }}", "! line 1, column 15: '(' or '|' is expected after a filter"},
       {"\xff", "! line 1, column 1: the template is not UTF-8"}});
}

TEST(Template, ListsWhatItUsesWithoutItsOwnVariables) {
  const auto parsed = TextTemplate::parse(
      "{{ a.k }}{% for x in tasks %}{{ x.title }}{{ b | default(c) }}{% endfor %}{% if f(x) %}{% "
      "endif %}");
  ASSERT_TRUE(parsed);
  std::string names;
  for (const auto& use : parsed->uses()) names += use.name + (use.function ? "() " : " ");
  EXPECT_EQ(names, "a tasks b c f() x ");
  const ExpressionVocabulary known{
      .names = {"a", "tasks", "b", "c", "x"}, .functions = {"g"}, .keys = {{"a", {"key"}}}};
  EXPECT_EQ(check_uses(parsed->text(), parsed->uses(), known).error().message,
            "column 6: 'a' has no 'k'; did you mean 'key'?");
}

// --- bounds --------------------------------------------------------------------------------------

TEST(Template, SizeAndNestingAreBounded) {
  EXPECT_TRUE(rendered(std::string(65537, 'a')).contains("longer than 65536 bytes"));
  std::string deep, wide;
  for (int i = 0; i < 20; ++i) deep += "{% if yes %}";
  for (int i = 0; i < 1200; ++i) wide += "{{ no }}";
  EXPECT_TRUE(rendered(deep).contains("nested deeper than 16"));
  EXPECT_TRUE(rendered(wide).contains("more than 1000 parts"));
}

TEST(Template, OutputAndRoundsAreBounded) {  // issue 9
  TestScope scope;
  scope.values["long"] = std::string(40'000, 'a');
  scope.values["many"] = boost::json::array(2000, boost::json::value(1));
  const auto error = [&](std::string_view text) {
    const auto out = TextTemplate::parse(text)->render(scope);
    return out ? "" : out.error().message;
  };
  EXPECT_EQ(error("{{ long }}"), "");
  EXPECT_EQ(error("{{ long }}{{ long }}"),
            "line 1, column 14: the text becomes longer than 65536 bytes");
  EXPECT_TRUE(error("{{ [long, long] | join }}").contains("longer than 65536"));
  EXPECT_TRUE(error("{{ [long, long] }}").contains("longer than 65536"));
  EXPECT_EQ(error("{% for x in many %}{{ x }}{% endfor %}"), "");
  EXPECT_TRUE(
      error("{% for x in many %}{% for y in many %}{% endfor %}{% endfor %}").contains("steps"));
}

TEST(Template, RandomOnesNeitherCrashNorHang) {
  constexpr std::array<std::string_view, 18> kPieces{"{{ ",
                                                     " }}",
                                                     "{% if ",
                                                     " %}",
                                                     "{% endif %}",
                                                     "{% for x in ",
                                                     "{% endfor %}",
                                                     "{% else %}",
                                                     "{% elif ",
                                                     "list",
                                                     "tasks",
                                                     "x",
                                                     "name",
                                                     " | default('d')",
                                                     " | join(', ')",
                                                     "text",
                                                     "'",
                                                     "{"};
  SeededRandom random(20261116);
  TestScope scope(kValues);
  int written = 0;
  for (int i = 0; i < 10'000; ++i) {
    std::string text;
    for (auto left = random.below(16); left > 0; --left)
      text += kPieces.at(random.below(kPieces.size()));
    const auto parsed = TextTemplate::parse(text);
    if (!parsed) {
      ASSERT_TRUE(parsed.error().message.starts_with("line ")) << text;
      continue;
    }
    const auto out = parsed->render(scope);
    ASSERT_TRUE(!out || out->size() <= limits::kTemplateOutputBytes) << text;
    written += out.has_value() ? 1 : 0;
  }
  EXPECT_GT(written, 500);
}

}  // namespace
}  // namespace rouse
