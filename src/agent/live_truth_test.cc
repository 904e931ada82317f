// What is known of a conversation without a read is what the store says, whatever happened before:
// messages side by side, schedules, tools, cancelled and cleared turns, closed sessions, failures,
// restarts.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "agent/agent_for_tests.h"

namespace rouse {
namespace {

std::vector<std::string> ids_of(const std::vector<TakenTurn>& turns) {
  std::vector<std::string> out;
  for (const TakenTurn& one : turns) out.push_back(one.turn.id.str());
  return out;
}

std::vector<std::int64_t> seqs_of(const Transcript& tail) {
  std::vector<std::int64_t> out;
  for (const MessagePtr& message : tail) out.push_back(message->seq);
  return out;
}

class LiveHouse {
 public:
  LiveHouse() {
    model_->otherwise = [this](const ModelRequest& request) { return answer(request); };
    begin();
  }
  ~LiveHouse() { end(); }
  LiveHouse(LiveHouse&&) = delete;
  LiveHouse& operator=(LiveHouse&&) = delete;

  void submit(int peer) {
    auto taken = world_.run(house_->runner().submit(
        chat_from(std::to_string(peer), fmt::format("message {}", ++said_))));
    RC_ASSERT(bool(taken));
    turns_.push_back(*taken->resolved.turn);
    last_ = taken->resolved.session.conversation;
  }
  void fire(int peer) {
    InboundMessage message = chat_from(std::to_string(peer), "scheduled");
    message.kind = TurnKind::kAutomation;
    message.meta = R"({"automation_id":"job_1"})";
    auto taken = world_.run(house_->runner().submit(std::move(message)));
    RC_ASSERT(bool(taken));
    turns_.push_back(*taken->resolved.turn);
  }
  void drop(std::size_t which) {
    if (turns_.empty()) return;
    (void)world_.run(house_->runner().drop_waiting(turns_[which % turns_.size()], "expired"));
  }
  void wait_for(std::size_t which) {
    if (!turns_.empty()) {
      (void)world_.run(house_->runner().wait(turns_[which % turns_.size()], {}));
    }
  }
  void cancel(std::size_t which) {
    if (!turns_.empty()) (void)world_.run(house_->runner().cancel(turns_[which % turns_.size()]));
  }
  void clear(int peer) {
    (void)world_.run(house_->runner().clear(Workspaces::default_id(), fmt::format("api:{}", peer)));
  }
  void close_session() {
    if (last_.empty()) return;
    const auto session = kernel().sessions().latest_of(last_);
    if (session && *session) {
      (void)world_.run(kernel().close((*session)->id, std::string(kClosedByApi)));
    }
  }
  void answers_plainly() {
    model_->otherwise = [](const ModelRequest&) { return ScriptedAnswer::says("fine"); };
  }
  void restart() {
    end();
    begin();
  }

  // Holds at any moment at which nobody is between a commit and its answer.
  void check() {
    for (const ConversationId& id : kernel().gate().live().ids()) {
      const LiveConversation live = *kernel().live(id);
      const auto seen = kernel().look_at(live.conversation.workspace, id);
      RC_ASSERT(bool(seen));
      RC_ASSERT(live.conversation == seen->conversation);
      RC_ASSERT(live.session == seen->session);
      RC_ASSERT(live.last_seq == seen->last_seq);
      RC_ASSERT(live.running.has_value() == seen->running.has_value());
      if (live.running) RC_ASSERT(live.running->turn.id == seen->running->turn.id);
      RC_ASSERT(ids_of(live.waiting) == ids_of(seen->waiting));
      check_tail(live);
    }
  }
  [[nodiscard]] std::size_t known() { return kernel().gate().live().size(); }
  [[nodiscard]] const ScriptedModel& model() const { return *model_; }

 private:
  SessionKernel& kernel() { return house_->kernel.kernel; }

  void check_tail(const LiveConversation& live) {
    if (live.tail.empty()) return;
    const auto read =
        kernel().messages().tail(live.conversation.id, std::nullopt, live.tail.size());
    RC_ASSERT(bool(read));
    Transcript newest;
    for (auto message = read->rbegin(); message != read->rend(); ++message) {
      newest.push_back(std::make_shared<Message>(*message));
    }
    RC_ASSERT(seqs_of(live.tail) == seqs_of(newest));
    for (std::size_t i = 0; i < newest.size(); ++i) {
      RC_ASSERT(live.tail[i]->content == newest[i]->content);
      RC_ASSERT(live.tail[i]->session == newest[i]->session);
      RC_ASSERT(live.tail[i]->meta == newest[i]->meta);
    }
  }

  ScriptedAnswer answer(const ModelRequest& request) {
    const bool has_result = request.messages.back().blocks.front().kind == BlockKind::kToolResult;
    switch (has_result ? 0 : ++asked_ % 5) {
      case 1:
        return ScriptedAnswer::calls_tool(fmt::format("c{}", asked_), "look");
      case 2:
        return ScriptedAnswer::calls_tool(fmt::format("c{}", asked_), "change");
      case 3:
        return ScriptedAnswer::fails(ModelErrc::kServerError);
      default:
        return ScriptedAnswer::says("fine");
    }
  }
  void begin() {
    auto opened = world_.open_store();
    RC_ASSERT(bool(opened));
    house_ = std::make_unique<AgentHouseForTests>(world_, **opened, model_, outside_);
    RC_ASSERT(bool(world_.run(house_->start())));
  }
  void end() {
    world_.run(stopping());
    house_.reset();
    world_.close_store();
  }
  Task<void> stopping() { co_await house_->house.runner().stop(seconds(1)); }

  sim::World world_{11};
  OutsideForTests outside_;
  std::shared_ptr<ScriptedModel> model_ = std::make_shared<ScriptedModel>();
  std::unique_ptr<AgentHouseForTests> house_;
  std::vector<TurnId> turns_;
  ConversationId last_;
  int said_ = 0, asked_ = 0;
};

RC_GTEST_PROP(LiveConversations, AreWhatTheStoreSays, ()) {
  LiveHouse house;
  const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 100));
  for (const int step : steps) {
    if (step < 40) house.submit(step % 3);
    if (step >= 40 && step < 47) house.fire(step % 3);
    if (step >= 47 && step < 50) house.drop(static_cast<std::size_t>(step));
    if (step >= 50 && step < 80) house.wait_for(static_cast<std::size_t>(step));
    if (step >= 80 && step < 86) house.cancel(static_cast<std::size_t>(step));
    if (step >= 86 && step < 92) house.clear(step % 3);
    if (step >= 92 && step < 97) house.close_session();
    if (step >= 97) house.restart();
    house.check();
  }
}

TEST(LiveConversations, TheSecondMessageFindsEverythingKnown) {
  LiveHouse house;
  house.submit(1);
  house.wait_for(0);
  EXPECT_EQ(house.known(), 1U);
}

// The same conversation twice: one server stays, the other one begins anew before each turn.
TEST(LiveConversations, AModelIsAskedTheSameWhateverIsKnown) {
  LiveHouse stays, forgets;
  for (LiveHouse* house : {&stays, &forgets}) house->answers_plainly();
  for (std::size_t i = 0; i < 150; ++i) {
    for (LiveHouse* house : {&stays, &forgets}) {
      house->submit(1);
      house->wait_for(i);
    }
    forgets.restart();
  }
  ASSERT_EQ(stays.model().requests.size(), forgets.model().requests.size());
  for (std::size_t i = 0; i < stays.model().requests.size(); ++i) {
    ASSERT_EQ(stays.model().requests[i].messages, forgets.model().requests[i].messages) << i;
    ASSERT_EQ(estimate_tokens(stays.model().requests[i]),
              estimate_tokens(forgets.model().requests[i]));
  }
  EXPECT_GE(stays.model().with_past, 130U);
  EXPECT_EQ(forgets.model().with_past, 0U);
}

}  // namespace
}  // namespace rouse
