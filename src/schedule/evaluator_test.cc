#include "schedule/evaluator.h"

#include <gtest/gtest.h>

#include "session/workspaces.h"
#include "tests/sim/world.h"

namespace rouse {
namespace {

class OneAnswer final : public OneShot {
 public:
  Task<Result<std::string>> ask(OneShotQuestion question) override {
    asked = question;
    co_return answer;
  }
  Result<std::string> answer = std::string();
  std::optional<OneShotQuestion> asked;
};

class EvaluatorTest : public testing::Test {
 protected:
  Evaluation judge(WhenUnsure when_unsure = WhenUnsure::kDeliver) {
    return world_.run(evaluator_.evaluate_response({.workspace = Workspaces::default_id(),
                                                    .zone = "UTC",
                                                    .task = "look",
                                                    .response = "seen",
                                                    .when_unsure = when_unsure}));
  }
  Evaluation judged(std::string answer, WhenUnsure when_unsure = WhenUnsure::kDeliver) {
    model_.answer = std::move(answer);
    evaluator_.use_model(&model_);
    return judge(when_unsure);
  }
  sim::World world_{5};
  OneAnswer model_;
  Evaluator evaluator_;
};

// S3-32
TEST_F(EvaluatorTest, AClearWordDecides) {
  EXPECT_TRUE(judged("YES").deliver);
  EXPECT_TRUE(judged(" yes, it is urgent", WhenUnsure::kHold).deliver);
  EXPECT_FALSE(judged("NO").deliver);
  EXPECT_FALSE(judged("No.\n").deliver);
  EXPECT_EQ(model_.asked->text, "Task:\nlook\n\nResult:\nseen");
  EXPECT_EQ(model_.asked->workspace, Workspaces::default_id());
}

TEST_F(EvaluatorTest, WithoutAClearWordTheAskerSaysWhatHolds) {
  EXPECT_TRUE(judge().deliver);
  EXPECT_FALSE(judge(WhenUnsure::kHold).deliver);
  EXPECT_EQ(judge().reason, "no_model");
  EXPECT_TRUE(judged("Nothing is more important than this").deliver);
  EXPECT_FALSE(judged("", WhenUnsure::kHold).deliver);
  model_.answer = fail(Errc::kTimeout, "too slow");
  EXPECT_TRUE(judge().deliver);
  EXPECT_FALSE(judge(WhenUnsure::kHold).deliver);
  EXPECT_EQ(judge().reason, "timeout");
}

}  // namespace
}  // namespace rouse
