#include "model/answer_check.h"

#include <set>

#include "model/model_for_tests.h"

namespace rouse {
namespace {

TryResult check(std::vector<PromptBlock> blocks, StopReason stop = StopReason::kToolUse) {
  ModelAnswer answer;
  answer.blocks = std::move(blocks);
  answer.stop = stop;
  SeededRandom random(1);
  return check_answer(std::move(answer), random);
}

TEST(AnswerCheck, GivesEachCallAnIdOfItsOwn) {
  const auto answer = check({call_block("", "a", "{}"), call_block("", "b", "{}"),
                             call_block("toolu_same1", "c", "{}"),
                             call_block("toolu_same1", "d", "{}"), call_block("0", "e", "{}")});
  ASSERT_TRUE(answer);
  std::set<std::string> ids;
  for (const PromptBlock* call : answer->calls()) {
    EXPECT_GE(call->call_id.size(), 8u);
    ids.insert(call->call_id);
  }
  EXPECT_EQ(ids.size(), 5u);
  EXPECT_EQ(answer->blocks[2].call_id, "toolu_same1");
}

TEST(AnswerCheck, MakesArgumentsAnObject) {
  const auto answer =
      check({call_block("call_0001", "a", ""), call_block("call_0002", "a", " {\"x\": 1}\n"),
             call_block("call_0003", "a", R"("{\"x\":2}")"), call_block("call_0004", "a", "null")});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->blocks[0].arguments, "{}");
  EXPECT_EQ(answer->blocks[1].arguments, R"({"x": 1})");
  EXPECT_EQ(answer->blocks[2].arguments, R"({"x":2})");
  EXPECT_EQ(answer->blocks[3].arguments, "{}");
}

TEST(AnswerCheck, RefusesHalfArguments) {
  for (const char* bad : {"{\"x\": 1", "[1]", "7", "{x}", "{\"x\":\"\xff"}) {
    const auto answer = check({call_block("call_0001", "write", bad)});
    ASSERT_FALSE(answer) << bad;
    EXPECT_TRUE(answer.error().error.is(ModelErrc::kBroken));
    EXPECT_EQ(answer.error().error.message,
              "the arguments of its call of 'write' are not a JSON object");
    EXPECT_TRUE(answer.error().repeatable);
  }
}

TEST(AnswerCheck, SaysWhenTheOutputLimitCutACallAndThatAskingAgainIsUseless) {
  const auto answer = check({call_block("call_0001", "write", "{\"x\":")}, StopReason::kMaxTokens);
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().error.is(ModelErrc::kBroken));
  EXPECT_NE(answer.error().error.message.find("output limit"), std::string::npos);
  EXPECT_FALSE(answer.error().repeatable);
}

TEST(AnswerCheck, RefusesACallWithoutAName) {
  EXPECT_EQ(in_words(check({call_block("call_0001", " ", "{}")})),
            "model_broken_answer: it called a tool without a name");
}

}  // namespace
}  // namespace rouse
