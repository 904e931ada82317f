#include "agent/cheap_model.h"

#include <gtest/gtest.h>

#include "session/summary/summariser.h"
#include "session/workspaces.h"
#include "tests/sim/world.h"

namespace rouse {
namespace {

// Answers after a while with what it was told to; remembers what it was asked.
class SlowModel final : public Model {
 public:
  SlowModel(Clock& clock, ModelInfo info) : clock_(clock), info_(std::move(info)) {}
  [[nodiscard]] const ModelInfo& info() const override { return info_; }
  Task<Result<ModelAnswer>> answer(const ModelRequest& request, ModelStream&,
                                   std::stop_token stop_now) override {
    asked.push_back(request);
    most = std::max(most, ++now);
    const bool in_time = takes <= request.deadline;
    const bool waited = co_await clock_.wait_for(in_time ? takes : request.deadline, stop_now);
    --now;
    if (!waited) co_return fail(ModelErrc::kUnreachable, "the connection was cut");
    if (!in_time) co_return fail(ModelErrc::kTimeout, "no byte in time");
    if (error) co_return fail(*error);
    ModelAnswer out;
    out.blocks.emplace_back().text = says;
    for (const std::string& arguments : fills_in) {
      out.blocks.push_back({.kind = BlockKind::kToolCall,
                            .call_id = "c" + std::to_string(out.blocks.size()),
                            .tool = "report",
                            .arguments = arguments});
    }
    out.stop = stop;
    out.usage = {.in = 100, .out = 10};
    out.model = info_.full_name();
    co_return out;
  }

  Millis takes = millis(100);
  std::string says = "fine";
  std::vector<std::string> fills_in;
  StopReason stop = StopReason::kEnd;
  std::optional<Error> error;
  std::vector<ModelRequest> asked;
  int now = 0, most = 0;

 private:
  Clock& clock_;
  ModelInfo info_;
};

ModelInfo haiku() {
  return {.provider = "anthropic",
          .name = "haiku",
          .price = ModelPrice{.in = 1'000'000, .out = 5'000'000}};
}

class CheapModelTest : public testing::Test {
 protected:
  void SetUp() override {
    database_ = *world_.open_store();
    book_ = std::make_unique<SpendBook>(*database_, world_.clock());
  }
  Result<std::string> ask(OneShotQuestion question) {
    return world_.run(cheap_.ask(std::move(question)));
  }
  static Task<void> keep(Task<Result<std::string>> task, std::vector<Result<std::string>>& out) {
    out.push_back(co_await std::move(task));
  }
  void ask_many(int count, Millis deadline) {
    for (int i = 0; i < count; ++i) {
      world_.loop().spawn("question",
                          keep(cheap_.ask({"", std::to_string(i), 350, deadline}), answers_));
    }
    world_.settle();
  }

  sim::World world_{3};
  Database* database_ = nullptr;
  std::unique_ptr<SpendBook> book_;
  std::shared_ptr<SlowModel> model_ = std::make_shared<SlowModel>(world_.clock(), haiku());
  std::shared_ptr<Model> current_ = model_;
  CheapModel cheap_{[this] { return current_; }, world_.clock()};
  std::vector<Result<std::string>> answers_;
};

// HB-15
TEST_F(CheapModelTest, TheFirstFormThatIsFilledInIsTheAnswerAndItsPriceIsKnown) {
  OneShotQuestion question{"", "Anything?"};
  question.form = OneShotForm{"report", "Say it", R"({"type":"object"})"};
  model_->fills_in = {R"({"verdict":"nothing"})", R"({"verdict":"wake"})"};
  const auto answer = world_.run(cheap_.consult(question));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->form, R"({"verdict":"nothing"})");
  EXPECT_EQ(answer->tokens_in, 100);
  EXPECT_EQ(answer->tokens_out, 10);
  EXPECT_EQ(answer->cost_micros, 150);
  ASSERT_EQ(model_->asked.front().tools.size(), 1u);
  EXPECT_EQ(model_->asked.front().tools.front().name, "report");
  question.form->name = "another";
  EXPECT_FALSE(world_.run(cheap_.consult(question))->form);
}

TEST_F(CheapModelTest, AsksAModelThatKnowsNothingButTheQuestion) {  // S2-16
  EXPECT_EQ(*ask({"Be brief.", "What is up?", 77, seconds(9)}), "fine");
  ASSERT_EQ(model_->asked.size(), 1u);
  const ModelRequest& request = model_->asked.front();
  EXPECT_TRUE(request.tools.empty());
  EXPECT_EQ(request.system, (std::vector<SystemPart>{{"Be brief.", false}}));
  ASSERT_EQ(request.messages.size(), 1u);
  EXPECT_EQ(request.messages.front().role, PromptRole::kUser);
  ASSERT_EQ(request.messages.front().blocks.size(), 1u);
  EXPECT_EQ(request.messages.front().blocks.front().text, "What is up?");
  EXPECT_EQ(request.max_output_tokens, 77);
  EXPECT_EQ(request.deadline, seconds(9));
  EXPECT_LE(request.first_byte, seconds(9));
}

TEST_F(CheapModelTest, ThreeAtATimeAndTheOthersWaitInOrder) {
  ask_many(8, seconds(20));
  EXPECT_EQ(cheap_.asking(), 3u);
  EXPECT_EQ(cheap_.waiting(), 5u);
  world_.run_for(seconds(2));
  EXPECT_EQ(model_->most, 3);
  ASSERT_EQ(model_->asked.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(model_->asked[i].messages.front().blocks.front().text, std::to_string(i));
  }
  EXPECT_EQ(answers_.size(), 8u);
  for (const auto& one : answers_) EXPECT_TRUE(one);
  EXPECT_EQ(cheap_.asking(), 0u);
}

TEST_F(CheapModelTest, WaitingEndsWithTheDeadlineOfTheQuestion) {
  model_->takes = seconds(15);
  ask_many(3, seconds(20));
  ask_many(2, seconds(5));
  world_.run_for(seconds(6));
  ASSERT_EQ(answers_.size(), 2u);
  for (const auto& one : answers_) {
    EXPECT_EQ(one.error().kind, Kind::kTimeout);
    EXPECT_EQ(one.error().message,
              "the cheap model gave no answer within 5 s; it is slow, or too many questions wait "
              "for it");
  }
  EXPECT_EQ(cheap_.waiting(), 0u);
  ask_many(1, seconds(20));
  world_.run_for(seconds(10));
  EXPECT_EQ(answers_.size(), 5u);
  EXPECT_EQ(model_->asked.back().deadline, seconds(11)) << "what is left of it";
  world_.run_for(seconds(30));
  ASSERT_EQ(answers_.size(), 6u);
  EXPECT_FALSE(answers_.back());
  EXPECT_EQ(cheap_.asking(), 0u);
}

TEST_F(CheapModelTest, ErrorsAreThoseThatAskersWerePromised) {
  const auto kind_of = [&](ModelErrc code) {
    model_->error = Error(code, "words");
    return ask({"", "x"}).error().kind;
  };
  EXPECT_EQ(kind_of(ModelErrc::kUnauthorized), Kind::kUnauthorized);
  EXPECT_EQ(kind_of(ModelErrc::kNoCredit), Kind::kUnauthorized);
  EXPECT_EQ(kind_of(ModelErrc::kRateLimited), Kind::kRateLimited);
  EXPECT_EQ(kind_of(ModelErrc::kOverloaded), Kind::kUnavailable);
  EXPECT_EQ(kind_of(ModelErrc::kUnreachable), Kind::kUnavailable);
  EXPECT_EQ(kind_of(ModelErrc::kTimeout), Kind::kTimeout);
  model_->error.reset();
  model_->stop = StopReason::kRefusal;
  EXPECT_EQ(ask({"", "x"}).error().kind, Kind::kUnavailable);
  model_->takes = minutes(1);
  EXPECT_EQ(ask({"", "x"}).error().kind, Kind::kTimeout);
}

TEST_F(CheapModelTest, WithTheOfflineModelThereIsNone) {  // S1-20
  EXPECT_TRUE(cheap_.available());
  current_ = std::make_shared<SlowModel>(
      world_.clock(),
      ModelInfo{.provider = "offline", .name = "rouse", .price = {}, .built_in = true});
  EXPECT_FALSE(cheap_.available());
  EXPECT_TRUE(ask({"", "x"}).error().is(ModelErrc::kNotConfigured));
  current_ = nullptr;
  EXPECT_FALSE(cheap_.available());
  Summariser summariser(&cheap_);
  const Summary summary = world_.run(summariser.summarise(
      SummaryProfile::kContext, {.previous = "", .exchanges = {{"Plan a trip", "Sure.", ""}}}));
  EXPECT_FALSE(summary.by_model);
  EXPECT_TRUE(summary.text.starts_with("GOAL:"));
}

TEST_F(CheapModelTest, AReloadedBookIsUsedFromTheNextQuestion) {
  EXPECT_TRUE(ask({"", "x"}));
  auto other = std::make_shared<SlowModel>(world_.clock(), haiku());
  other->says = "other";
  current_ = other;
  EXPECT_EQ(*ask({"", "x"}), "other");
}

TEST_F(CheapModelTest, OneShotsCountForTheirWorkspaceAndStopAtItsCap) {  // UX-6
  BookMeter meter(*book_, *database_);
  CheapModel metered([this] { return current_; }, world_.clock(), &meter);
  const auto spent = [&](const std::string& day) {
    return book_->of_day(Workspaces::default_id(), day)->micros;
  };
  EXPECT_TRUE(world_.run(metered.ask({"", "x"})));
  EXPECT_EQ(spent("2026-01-01"), 0) << "nobody knows for whom";
  OneShotQuestion question{.instructions = "", .text = "x"};
  question.workspace = Workspaces::default_id();
  EXPECT_TRUE(world_.run(metered.ask(question)));
  EXPECT_EQ(spent("2026-01-01"), 150);
  question.zone = "Pacific/Honolulu";
  EXPECT_TRUE(world_.run(metered.ask(question)));
  EXPECT_EQ(spent("2025-12-31"), 150) << "its day ends there";
  book_->configure({.day_micros = 1'000, .day_tokens = {}, .conversation_micros = {}});
  const auto refused = world_.run(metered.ask(question));
  EXPECT_TRUE(refused.error().is(ModelErrc::kSpendCap));
  EXPECT_EQ(model_->asked.size(), 3u);
}

TEST_F(CheapModelTest, AStopCutsOffWhatIsAskedAndRefusesWhatComes) {
  model_->takes = seconds(15);
  ask_many(5, seconds(20));
  EXPECT_EQ(cheap_.waiting(), 2u);
  cheap_.stop();
  world_.settle();
  ASSERT_EQ(answers_.size(), 5u) << "at once, not at the deadline";
  for (const auto& one : answers_) EXPECT_EQ(one.error().kind, Kind::kCancelled);
  EXPECT_EQ(cheap_.asking(), 0u);
  EXPECT_EQ(cheap_.waiting(), 0u);
  EXPECT_EQ(ask({"", "x"}).error().kind, Kind::kCancelled);
  EXPECT_EQ(model_->asked.size(), 3u);
}

}  // namespace
}  // namespace rouse
