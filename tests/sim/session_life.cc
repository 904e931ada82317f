#include "tests/sim/session_life.h"

#include <fmt/format.h>

#include "session/invariants_for_tests.h"

namespace rouse::sim {

SessionLife::SessionLife(std::uint64_t seed) : random_(seed) { begin({}); }

SessionLife::~SessionLife() { end_house(); }

void SessionLife::begin(std::optional<WallTime> at) {
  world_ = std::make_unique<World>(random_.next_u64(), &disk_);
  if (at) world_->clock().step_wall(*at - world_->clock().wall_now());
  auto opened = world_->open_store();
  ASSERT_TRUE(opened) << opened.error();
  database_ = *opened;
  house_ = std::make_unique<KernelHouse>(*world_, *database_);
  const auto started = world_->run(house_->start());
  ASSERT_TRUE(started) << started.error();
  ++lives_;
}

void SessionLife::end_house() {
  world_->run_for(seconds(1));  // whatever is going on ends, well or not
  house_.reset();
}

void SessionLife::restart() {
  end_house();
  const WallTime at = now();
  world_->close_store();
  world_.reset();
  begin(at);
}

void SessionLife::kill(sqlite::Unsynced unsynced) {
  disk_.kill_now();
  end_house();
  const WallTime at = now();
  world_.reset();
  disk_.power_cycle(unsynced, random_.next_u64());
  begin(at);
}

void SessionLife::say(int sender, std::string text) {
  sent_.push_back({.sender = sender,
                   .id = fmt::format("m{}", sent_.size()),
                   .text = std::move(text),
                   .acknowledged = {}});
  deliver(sent_.size() - 1);
}

void SessionLife::redeliver() {
  if (!sent_.empty()) deliver(random_.below(sent_.size()));
}

void SessionLife::repeat_what_got_no_answer() {
  for (std::size_t i = 0; i < sent_.size(); ++i) {
    if (!sent_[i].acknowledged) deliver(i);
    if (sent_[i].acknowledged && !sent_[i].answered) world_->loop().spawn("telling", telling(i));
  }
}

void SessionLife::deliver(std::size_t which) { world_->loop().spawn("delivery", delivery(which)); }

Task<void> SessionLife::delivery(std::size_t which) {
  const auto resolved = co_await house_->kernel.resolve(
      message_from(peer(sent_[which].sender), sent_[which].text, sent_[which].id));
  if (!resolved) {
    EXPECT_TRUE(disk_.killed()) << resolved.error();
    co_return;
  }
  Sent& sent = sent_[which];
  if (resolved->redelivered) ++redelivered_;
  if (sent.acknowledged) {
    EXPECT_EQ(resolved->session.id, sent.acknowledged->session.id) << "another answer the 2nd time";
    EXPECT_EQ(resolved->reason, sent.acknowledged->reason);
    EXPECT_TRUE(resolved->redelivered);
  }
  sent.acknowledged = *resolved;
}

void SessionLife::answer() {
  if (sent_.empty()) return;
  const std::size_t which = random_.below(sent_.size());
  if (sent_[which].acknowledged) world_->loop().spawn("telling", telling(which));
}

Task<void> SessionLife::telling(std::size_t which) {
  const auto recorded =
      co_await house_->kernel.record_turn({.session = sent_[which].acknowledged->session.id,
                                           .workspace = Workspaces::default_id(),
                                           .user_message = sent_[which].text,
                                           .assistant_response = "answer to " + sent_[which].text,
                                           .action_type = {},
                                           .message_id = sent_[which].id});
  if (!recorded) {
    EXPECT_TRUE(disk_.killed()) << recorded.error();
    co_return;
  }
  sent_[which].answered = true;
}

void SessionLife::close(int sender) {
  const auto active =
      house_->kernel.sessions().find_active(Workspaces::default_id(), {"whatsapp", peer(sender)});
  if (active && *active) world_->loop().spawn("closing", closing((*active)->id));
}

Task<void> SessionLife::closing(SessionId id) {
  const auto closed = co_await house_->kernel.close(id, std::string(kClosedByApi));
  if (closed) closed_.insert(id.str());
}

void SessionLife::check_sender(int sender) {
  const auto rows = database_->read(
      {"SELECT COUNT(*), COALESCE(SUM(status = 'active'), 0), COALESCE(MAX(epoch), 0) "
       "FROM sessions WHERE workspace_id = 'ws_default' AND channel = 'whatsapp' "
       "AND remote_jid = $1",
       {peer(sender)}});
  ASSERT_TRUE(rows) << rows.error();
  EXPECT_LE(rows->front().integer(1), 1) << "two active sessions of " << peer(sender);
  EXPECT_EQ(rows->front().integer(0), rows->front().integer(2)) << "an epoch is missing";
}

void SessionLife::check(const std::string& when) {
  world_->settle();
  expect_session_invariants(*database_, when);
  const auto rows = database_->read(
      {"SELECT message_id, session_id, content IS NULL FROM inbound", {}, 1'000'000});
  ASSERT_TRUE(rows) << rows.error();
  std::map<std::string, const Row*> kept;
  for (const Row& row : *rows) kept[row.text(0)] = &row;
  for (const Sent& sent : sent_) {
    if (!sent.acknowledged) continue;
    const auto found = kept.find(sent.id);
    ASSERT_NE(found, kept.end()) << when << ": " << sent.id << " was acknowledged and is lost";
    EXPECT_EQ(found->second->text(1), sent.acknowledged->session.id.str()) << when;
    if (sent.answered) {
      EXPECT_EQ(found->second->integer(2), 1) << when << ": an answer to " << sent.id << " is lost";
    }
  }
  for (const std::string& id : closed_) {
    const auto session = house_->kernel.get(*SessionId::parse(id));
    ASSERT_TRUE(session) << session.error();
    EXPECT_FALSE(session->active) << when << ": " << id << " is active again";
  }
}

void SessionLife::check_everything_was_answered() {
  for (const Sent& sent : sent_) EXPECT_TRUE(sent.acknowledged && sent.answered) << sent.id;
  const auto said = database_->read(
      {"SELECT COUNT(*), COUNT(DISTINCT content) FROM messages WHERE role = 'user'", {}});
  EXPECT_EQ(said->front().integer(0), static_cast<std::int64_t>(sent_.size()))
      << "each message id is one user message";
  const auto waiting =
      database_->read({"SELECT COUNT(*) FROM inbound WHERE content IS NOT NULL", {}});
  EXPECT_EQ(waiting->front().integer(0), 0) << "nothing waits for ever";
}

}  // namespace rouse::sim
