#include "lifecycle/engine/variables.h"

#include <gtest/gtest.h>

namespace rouse {
namespace {

using Object = boost::json::object;

TEST(SessionVariables, StoreOnlyWhatWasSet) {
  SessionVariables variables(Object{{"kept", 1}});
  variables.use_defaults(Object{{"kept", 0}, {"free", 2}});
  EXPECT_EQ(variables.all(), (Object{{"kept", 1}, {"free", 2}}));
  EXPECT_EQ(variables.stored()->get_object(), (Object{{"kept", 1}}));
  EXPECT_FALSE(variables.set("free", 2)) << "it has this value";
  EXPECT_TRUE(variables.set("free", 3));
  EXPECT_EQ(variables.stored()->get_object(), (Object{{"kept", 1}, {"free", 3}}));
}

TEST(SessionVariables, ACopyIsOnItsOwnOnceItChanges) {
  SessionVariables variables;
  variables.use_defaults(Object{{"list", boost::json::array{}}});
  const SessionVariables before = variables;
  const StoredVariables stored = variables.stored();
  EXPECT_EQ(&before.value(), &variables.value()) << "nothing is copied";
  EXPECT_TRUE(variables.add("list", "one"));
  EXPECT_TRUE(variables.has("list", "one"));
  EXPECT_FALSE(before.has("list", "one"));
  EXPECT_TRUE(stored->get_object().empty());
  EXPECT_FALSE(same_variables(stored, variables.stored()));
  SessionVariables other = before;
  other.use_defaults(Object{{"more", true}});
  EXPECT_TRUE(other.is("more"));
  EXPECT_EQ(before.find("more"), nullptr);
}

TEST(SessionVariables, GoBackToOlderDefaultsWithAnOlderCopy) {
  SessionVariables variables;
  EXPECT_TRUE(variables.is_new(1));
  const SessionVariables before = variables;
  EXPECT_TRUE(variables.is_new(2));
  EXPECT_FALSE(variables.is_new(2));
  variables = before;
  EXPECT_TRUE(variables.is_new(2));
}

}  // namespace
}  // namespace rouse
