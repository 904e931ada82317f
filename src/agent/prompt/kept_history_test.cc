#include "agent/prompt/kept_history.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace rouse {
namespace {

// A conversation and what its turns are shown: put together from the transcript each time, and with
// what was kept of the turn before.
class Talk {
 public:
  explicit Talk(HistoryLimits limits) : limits_(limits) {}

  void say(const std::string& role, const std::string& text) {
    add(role, text_content(text, kFromOwner));
  }
  void say_exchange(const std::string& words = "And what will the weather be like?") {
    say("user", words);
    say("assistant", "ok");
  }
  void use_tool() {
    say("user", "look");
    ContentBlock call;
    call.type = kToolCallBlock;
    call.call_id = "c1";
    call.tool = "look";
    add("assistant", {call});
    ContentBlock result;
    result.type = kToolResultBlock;
    result.call_id = "c1";
    result.text = "seen";
    add("tool", {result});
    say("assistant", "done");
  }
  void begin_session() { session_ = *SessionId::parse("sess_" + std::to_string(last_seq_ + 1)); }
  void set_limits(HistoryLimits limits) { limits_ = limits; }

  // One turn; true if what was kept was enough.
  bool turn() {
    const MessagePtr now = message("user", text_content("now", kFromOwner), last_seq_ + 1);
    Transcript newest_first = {now};
    for (auto at = all_.rbegin(); at != all_.rend() && newest_first.size() <= limits_.messages;
         ++at) {
      if ((*at)->session == session_) newest_first.push_back(*at);
    }
    const Transcript tail = choose_tail(newest_first, limits_);
    const std::vector<PromptMessage> whole = to_prompt(tail);
    LiveConversation live;
    live.last_seq = last_seq_;
    const std::size_t known = std::min(all_.size(), kLiveTailMessages);
    live.tail = Transcript(all_.end() - static_cast<std::ptrdiff_t>(known), all_.end());
    if (kept_ && kept_->follow(live, *now, limits_)) {
      std::vector<PromptMessage> shown = kept_->past()->messages();
      std::ranges::copy(to_prompt({fitted(now, limits_)}), std::back_inserter(shown));
      equal_ = equal_ && shown == whole && kept_->first_seq() == tail.front()->seq;
      return true;
    }
    kept_ = KeptHistory::make(newest_first, whole, tail.front()->seq, limits_);
    return false;
  }
  [[nodiscard]] bool always_equal() const { return equal_; }
  [[nodiscard]] const KeptHistory* kept() const { return kept_.get(); }

 private:
  MessagePtr message(const std::string& role, Content content, std::int64_t seq) const {
    Message out;
    out.seq = seq;
    out.session = session_;
    out.role = role;
    out.source = "websocket";
    out.content = std::move(content);
    return std::make_shared<Message>(std::move(out));
  }
  void add(const std::string& role, Content content) {
    all_.push_back(message(role, std::move(content), ++last_seq_));
  }

  HistoryLimits limits_;
  Transcript all_;
  std::int64_t last_seq_ = 0;
  SessionId session_ = *SessionId::parse("sess_1");
  std::shared_ptr<KeptHistory> kept_;
  bool equal_ = true;
};

RC_GTEST_PROP(KeptHistory, ShowsWhatTheTranscriptShows, ()) {
  Talk talk({.tokens = *rc::gen::element<std::int64_t>(600, 4'000, 16'000),
             .messages = *rc::gen::element<std::size_t>(40, 80, 100, 120)});
  const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 200));
  for (int i = 0; i < 20; ++i) talk.say_exchange();
  for (const int step : steps) {
    if (step == 0) talk.begin_session();
    if (step == 1) talk.use_tool();
    if (step == 2) talk.say("user", "nobody answers");
    if (step == 3) talk.say("assistant", "nobody asked");
    if (step == 4) talk.say("system", "a note");
    if (step == 5) talk.say_exchange(std::string(9'000, 'x'));
    if (step == 6) talk.set_limits({.tokens = 9'000, .messages = 90});
    if (step == 7) talk.say("assistant", " ");
    if (step == 8) {
      talk.say("user", " ");
      talk.say("assistant", "to nothing");
    }
    if (step >= 9) talk.say_exchange();
    talk.turn();
    RC_ASSERT(talk.always_equal());
  }
}

TEST(KeptHistory, MostTurnsNeedNothingElse) {
  Talk talk({.tokens = 16'000, .messages = 120});
  int kept = 0;
  for (int i = 0; i < 500; ++i) {
    talk.say_exchange();
    if (talk.turn()) ++kept;
  }
  EXPECT_TRUE(talk.always_equal());
  EXPECT_GE(kept, 460);  // its beginning moves once in 20 turns
}

TEST(KeptHistory, WhoStillLooksAtItSeesWhatItSaw) {
  Talk talk({.tokens = 16'000, .messages = 120});
  for (int i = 0; i < 20; ++i) talk.say_exchange();
  talk.turn();
  ASSERT_NE(talk.kept(), nullptr);
  const std::shared_ptr<const PromptPast> before = talk.kept()->past();
  talk.say_exchange();
  EXPECT_TRUE(talk.turn());
  EXPECT_EQ(before->size(), 40U);
  EXPECT_EQ(talk.kept()->past()->size(), 42U);
}

}  // namespace
}  // namespace rouse
