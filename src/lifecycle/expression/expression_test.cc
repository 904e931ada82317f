#include "lifecycle/expression/expression.h"

#include <gtest/gtest.h>

#include "lifecycle/expression/expression_values.h"
#include "lifecycle/expression/scope_for_tests.h"

namespace rouse {
namespace {

constexpr std::string_view kValues = R"({
  "zero": 0, "one": 1, "two": 2, "half": 0.5, "yes": true, "no": false, "nothing": null,
  "empty": "", "word": "Hello", "umlaut": "Grüße", "spaces": "  a b  ", "list": [1, 2, 3], "none_yet": [],
  "names": ["ann", "bob"], "object": {"a": 1, "b": {"c": "deep"}}, "bare": {},
  "big": 9007199254740993, "huge": 18446744073709551615
})";

// The value as JSON, or "! " and the message.
std::string value_of(std::string_view text) {
  TestScope scope(kValues);
  const auto parsed = Expression::parse(text);
  if (!parsed) return "! " + parsed.error().message;
  const auto value = parsed->value(scope);
  return value ? json_excerpt(*value, 1000) : "! " + value.error().message;
}

struct ExpressionCase {
  std::string_view text, value;
};

void check(std::initializer_list<ExpressionCase> cases) {
  for (const auto& [text, value] : cases) EXPECT_EQ(value_of(text), value) << text;
}

TEST(Expression, ReadsLiterals) {  // S4-C8
  check({{"1", "1"},
         {"-7", "-7"},
         {"- 7", "-7"},
         {"1.5", "1.5"},
         {"-.5", "-0.5"},
         {"1e3 == 1000", "true"},
         {"2.5e-1 == 0.25", "true"},
         {"'single'", "\"single\""},
         {"\"double\"", "\"double\""},
         {R"('it\'s')", "\"it's\""},
         {R"("a\n\t\r\\\"b")", R"("a\n\t\r\\\"b")"},
         {"'Grüße'", "\"Grüße\""},
         {"True", "true"},
         {"true", "true"},
         {"False", "false"},
         {"false", "false"},
         {"None", "null"},
         {"none", "null"},
         {"null", "null"},
         {"[]", "[]"},
         {"[1, 'a', None,]", R"([1,"a",null])"},
         {"[one, [two]]", "[1,[2]]"},
         {"{}", "{}"},
         {"{'a': 1, 'b': [2],}", R"({"a":1,"b":[2]})"},
         {"{'a': one, word: two}", R"({"a":1,"Hello":2})"},
         {"  ( 1 )\n", "1"}});
}

TEST(Expression, JoinsConditionsAsPythonDoes) {  // S4-C8
  check({{"yes and no", "false"},
         {"yes or no", "true"},
         {"not yes", "false"},
         {"not not word", "true"},
         {"zero or empty or word", "\"Hello\""},
         {"one and list and word", "\"Hello\""},
         {"one and zero and word", "0"},
         {"no and unknown_name", "false"},
         {"yes or unknown_name", "true"},
         {"1 if yes else 2", "1"},
         {"1 if no else 2 if no else 3", "3"},
         {"unknown_name if no else 'b'", "\"b\""}});
}

TEST(Expression, BindsTighterWherePythonDoes) {
  check({{"yes or no and no", "true"},
         {"(yes or no) and no", "false"},
         {"not no and no", "false"},
         {"not (no and no)", "true"},
         {"not one == two", "true"},
         {"not 'x' in word", "true"},
         {"no == no in list", "false"},  // (no == no) and (no in list)
         {"1 if no or no else 2", "2"},
         {"not object.get('x') is None", "false"},
         {"one < two and two < one or yes", "true"}});
}

TEST(Expression, ComparesAsPythonDoes) {
  check({{"1 == 1.0", "true"},
         {"1 == True", "true"},
         {"0 == False", "true"},
         {"1.0 == True", "true"},
         {"2 == True", "false"},
         {"1 == '1'", "false"},
         {"None == False", "false"},
         {"None == None", "true"},
         {"'a' != 'b'", "true"},
         {"[1, 2] == [1.0, 2]", "true"},
         {"[1] == [1, 2]", "false"},
         {"{'a': 1, 'b': 2} == {'b': 2, 'a': True}", "true"},
         {"{'a': 1} == {'b': 1}", "false"},
         {"half < one", "true"},
         {"one <= 1.0", "true"},
         {"-1 < 0.5 < one", "true"},
         {"0 < two < 2", "false"},
         {"3 > two > one >= 1", "true"},
         {"one < two > one", "true"},
         {"'a' < 'b'", "true"},
         {"'Z' < 'a'", "true"},
         {"True > False", "true"},
         {"big == 9007199254740992.0", "false"},
         {"big > 9007199254740992.0", "true"},
         {"9007199254740992.0 < big", "true"},
         {"huge > big", "true"},
         {"-1 < huge", "true"},
         {"huge == huge", "true"},
         {"huge < 1e300", "true"},
         {"huge == 1.5", "false"},
         {"-1 >= huge", "false"},
         {"-2 < -1", "true"},
         {"-1.5 < -1", "true"},
         {"-1 > -1.5", "true"}});
}

TEST(Expression, AsksForMembershipAndIdentity) {  // S4-C8
  check({{"2 in list", "true"},
         {"True in list", "true"},
         {"'2' in list", "false"},
         {"4 not in list", "true"},
         {"'ell' in word", "true"},
         {"'' in word", "true"},
         {"'xyz' not in word", "true"},
         {"'a' in object", "true"},
         {"1 in object", "false"},
         {"nothing in [None]", "true"},
         {"nothing is None", "true"},
         {"zero is None", "false"},
         {"one is True", "false"},
         {"yes is True", "true"},
         {"yes is not False", "true"},
         {"object.get('missing') is None", "true"},
         {"word is not None", "true"}});
}

TEST(Expression, ReachesIntoValues) {
  check({{"object.a", "1"},
         {"object.b.c", "\"deep\""},
         {"object['b']['c']", "\"deep\""},
         {"object.get('a')", "1"},
         {"object.get('x')", "null"},
         {"object.get('x', 'y')", "\"y\""},
         {"object.get(1)", "null"},
         {"object.get('b').get('c')", "\"deep\""},
         {"object.get('x', {}).get('y')", "null"},
         {"list[0]", "1"},
         {"list[-1]", "3"},
         {"names[one]", "\"bob\""},
         {"'a,b'.split(',')[1]", "\"b\""},  // a part of a temporary
         {"{'k': list}.get('k')[0]", "1"}});
}

TEST(Expression, HasAFewMethodsAndFunctions) {  // S4-C8
  check({{"word.startswith('He')", "true"},
         {"word.endswith('x')", "false"},
         {"word.lower()", "\"hello\""},
         {"word.upper()", "\"HELLO\""},
         {"umlaut.upper()", "\"GRüßE\""},
         {"spaces.strip()", "\"a b\""},
         {"''.strip()", "\"\""},
         {"spaces.split()", R"(["a","b"])"},
         {"''.split()", "[]"},
         {"''.split(',')", R"([""])"},
         {"'a--b'.split('--')", R"(["a","b"])"},
         {"object.keys()", R"(["a","b"])"},
         {"object.values()", R"([1,{"c":"deep"}])"},
         {"len(umlaut)", "5"},
         {"len(list)", "3"},
         {"len(object)", "2"},
         {"str(one)", "\"1\""},
         {"str(half)", "\"0.5\""},
         {"str(yes)", "\"True\""},
         {"str(nothing)", "\"None\""},
         {"str(list)", "\"[1,2,3]\""},
         {"int('42')", "42"},
         {"int(' -3 ')", "-3"},
         {"int(2.9)", "2"},
         {"int(-2.9)", "-2"},
         {"int(yes)", "1"},
         {"int(huge)", "18446744073709551615"},
         {"list[count(1)]", "2"},
         {"count(1) == 1 and count() < 1", "true"},
         {"is_plan_file()", "false"},
         {"bool(none_yet)", "false"},
         {"bool(bare)", "false"},
         {"bool(half)", "true"},
         {"any(list)", "true"},
         {"any([])", "false"},
         {"all([1, 0])", "false"},
         {"all([])", "true"},
         {"count()", "0"},
         {"count(1, word, list)", "3"},
         {"is_plan_file('/x/plans/a.md', word)", "true"}});
}

TEST(Expression, GoesThroughListsWithAnyAndAll) {  // S4-C8
  check({{"any(x == 2 for x in list)", "true"},
         {"any(x > 3 for x in list)", "false"},
         {"all(x > 0 for x in list)", "true"},
         {"all(x > 1 for x in list)", "false"},
         {"all(x > 1 for x in list if x != 1)", "true"},
         {"any(x for x in none_yet)", "false"},
         {"all(x for x in none_yet)", "true"},
         {"any(key == 'b' for key in object)", "true"},
         {"any(n.startswith('b') for n in names)", "true"},
         {"any(any(x == y for y in [3, 9]) for x in list)", "true"},
         {"any(all(x >= y for y in list) for x in list)", "true"},
         {"any(any(x == 2 for x in list) and x == 3 for x in list)", "true"},  // the inner x hides
         {"any(x in 'b' for x in names) or yes", "true"},
         {"any((1 if x == 2 else 0) for x in list)", "true"},
         {"any(1 if x == 9 else 0 for x in list)", "false"},
         {"any(one == x for one in list for x in list)",
          "! column 30: ')' is expected here, and not 'for'"}});
}

TEST(Expression, SaysWhatCannotBeReadAndWhere) {  // issue 9
  check(
      {{"", "! column 1: the expression is empty"},
       {"   ", "! column 1: the expression is empty"},
       {"a and", "! column 6: a value is expected here, and the expression ends"},
       {"a and or b", "! column 7: a value is expected here, and not 'or'"},
       {"a b", "! column 3: an operator or the end is expected here, and not 'b'"},
       {"(a", "! column 3: ')' is expected here, and the expression ends"},
       {"a)", "! column 2: an operator or the end is expected here, and not ')'"},
       {"[1 2]", "! column 4: ',' or ']' is expected here, and not '2'"},
       {"{'a' 1}", "! column 6: ':' is expected here, and not '1'"},
       {"{1: 2}", "! column 2: the key of an object must be text"},
       {"(1, 2)", "! column 3: write a list with '[' and ']'"},
       {"a = 1", "! column 3: '=' sets nothing here; write '==' to compare"},
       {"a && b", "! column 3: write 'and' instead of '&'"},
       {"a || b", "! column 3: write 'or' instead of '|'"},
       {"!a", "! column 1: write 'not' instead of '!'"},
       {"1 + 1", "! column 3: there is no arithmetic in this language"},
       {"a - 1", "! column 3: an operator or the end is expected here, and not '-'"},
       {"-a", "! column 2: a number is expected here, and not 'a'"},
       {"'ü' @ 1", "! column 5: '@' has no meaning here"},
       {"a ≠ b", "! column 3: '≠' has no meaning here"},
       {"'abc", "! column 1: the text that begins here has no closing '"},
       {R"('a\x')", R"(! column 3: this escape is not known; there are \n, \t, \r, \\, \' and \")"},
       {"12monkeys", "! column 3: an operator is missing after the number '12'"},
       {"99999999999999999999", "! column 1: the number '99999999999999999999' is out of range"},
       {"1e999", "! column 1: the number '1e999' is out of range"},
       {"a if b", "! column 7: 'else' is expected here, and the expression ends"},
       {"a not b", "! column 7: 'in' is expected here, and not 'b'"},
       {"a is 1", "! column 6: 'is' takes None, True or False; write '==' to compare values"},
       {"a.", "! column 3: a name is expected here, and the expression ends"},
       {"a.__class__", "! column 3: names that begin with two underscores are not allowed"},
       {"__import__('os')", "! column 1: names that begin with two underscores are not allowed"},
       {"a.strp()", "! column 3: there is no method 'strp'; did you mean 'strip'?"},
       {"a.get()", "! column 3: 'get' takes 1 to 2 arguments"},
       {"a.lower(1)", "! column 3: 'lower' takes no arguments"},
       {"len()", "! column 1: 'len' takes 1 argument"},
       {"any()", "! column 1: 'any' takes 1 argument"},
       {"any(a, b)", "! column 6: 'for' or ')' is expected here, and not ','"},
       {"any(x for 1 in a)", "! column 11: the name of a variable is expected here, and not '1'"},
       {"any(x for x on a)", "! column 13: 'in' is expected here, and not 'on'"},
       {"a[0](1)", "! column 5: only a function can be called"},
       {"f(a=1)", "! column 4: '=' sets nothing here; write '==' to compare"},
       {"lambda x: x", "! column 1: a value is expected here, and not 'lambda'"},
       {"a and\n  b c", "! line 2, column 5: an operator or the end is expected here, and not 'c'"},
       {"\xff", "! column 1: the expression is not UTF-8"}});
}

TEST(Expression, SaysWhichValueWasWrongAndWhere) {  // S4-C4
  check({{"wrod", "! column 1: 'wrod' is not known; did you mean 'word'?"},
         {"yes and objct.a", "! column 9: 'objct' is not known; did you mean 'object'?"},
         {"object.aa", "! column 1: 'object' has no 'aa'; did you mean 'a'?"},
         {"object['zebra_crossing']", "! column 1: 'object' has no 'zebra_crossing'"},
         {"nothing.title", "! column 1: '.title' needs an object, and 'nothing' is None"},
         {"list[3]", "! column 1: 'list' has 3 items, and none at 3"},
         {"list[-4]", "! column 1: 'list' has 3 items, and none at -4"},
         {"list['a']", "! column 1: 'list' is a list, and text is no index of it"},
         {"word[0]", "! column 1: 'word' is text, and a number is no index of it"},
         {"one < word", "! column 1: '<' cannot compare a number with text in 'one < word'"},
         {"nothing < 1", "! column 1: '<' cannot compare None with a number in 'nothing < 1'"},
         {"'a' in one", "! column 1: 'in' cannot look for text in a number in ''a' in one'"},
         {"1 in word", "! column 1: 'in' cannot look for a number in text in '1 in word'"},
         {"list.get('a')", "! column 1: '.get()' needs an object, and 'list' is a list"},
         {"one.lower()", "! column 1: '.lower()' needs text, and 'one' is a number"},
         {"word.startswith(1)", "! column 17: '.startswith()' takes text, and '1' is a number"},
         {"word.split('')", "! column 1: the separator is empty"},
         {"len(one)", "! column 1: 'one' is a number and has no length"},
         {"int(nothing)", "! column 1: 'nothing' is None and no whole number"},
         {"int('x1')", "! column 1: the text 'x1' is no whole number"},
         {"int(1e300)", "! column 1: '1e300' is a number and no whole number"},
         {"any(one)", "! column 1: 'any' needs a list, and 'one' is a number"},
         {"any(x for x in word)",
          "! column 16: 'for' goes through a list or an object, and 'word' is text"},
         {"{one: 1}", "! column 2: the key of an object must be text, and 'one' is a number"},
         {"broken_lazy", "! column 1: 'broken_lazy': git did not answer"},
         {"unknown_function(1)", "! column 1: 'unknown_function': there is no such function"}});
}

TEST(Expression, HoldsWhenItsValueIsTrue) {
  TestScope scope(kValues);
  for (const std::string_view text : {"one", "word", "list", "object", "yes", "half"}) {
    EXPECT_TRUE(*Expression::parse(text)->holds(scope)) << text;
  }
  for (const std::string_view text :
       {"zero", "empty", "none_yet", "bare", "no", "nothing", "0.0"}) {
    EXPECT_FALSE(*Expression::parse(text)->holds(scope)) << text;
  }
  EXPECT_FALSE(Expression::parse("nothing.x")->holds(scope));
}

TEST(Expression, TellsErrorsApart) {
  TestScope scope(kValues);
  const auto error = [&](std::string_view text) {
    return Expression::parse(text)->holds(scope).error();
  };
  EXPECT_TRUE(Expression::parse("a b").error().is(ExpressionErrc::kSyntax));
  EXPECT_TRUE(error("wrod").is(ExpressionErrc::kMissing));
  EXPECT_TRUE(error("object.x").is(ExpressionErrc::kMissing));
  EXPECT_TRUE(error("one.x").is(ExpressionErrc::kValue));
  EXPECT_TRUE(error("broken_lazy").is(ExpressionErrc::kHost));
}

TEST(Expression, AsksItsScopeOnlyForWhatItNeeds) {
  TestScope scope(kValues);
  EXPECT_FALSE(*Expression::parse("no and broken_lazy and count()")->holds(scope));
  EXPECT_EQ(scope.finds, 1);
  EXPECT_EQ(scope.calls, 0);
}

}  // namespace
}  // namespace rouse
