#include "session/people.h"

#include <set>

#include <gtest/gtest.h>

#include "tests/sim/world.h"

namespace rouse {
namespace {

class PeopleTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = world_.open_store();
    ASSERT_TRUE(opened) << opened.error();
    database_ = *opened;
    workspaces_ = std::make_unique<Workspaces>(*database_, world_.clock(), world_.random());
    people_ = std::make_unique<People>(*database_, world_.clock(), world_.random(), *workspaces_);
    ASSERT_TRUE(world_.run(workspaces_->ensure_default()));
  }
  WorkspaceId ensure(const std::string& sender) {
    auto found = world_.run(people_->ensure(*SessionKey::parse(sender)));
    EXPECT_TRUE(found) << found.error();
    return found.value_or(WorkspaceId());
  }
  std::int64_t count(std::string_view sql) {
    return database_->read({sql, {}})->front().integer(0);
  }

  sim::World world_{5};
  Database* database_ = nullptr;
  std::unique_ptr<Workspaces> workspaces_;
  std::unique_ptr<People> people_;
};

TEST_F(PeopleTest, ASenderGetsAWorkspaceOnceAndKeepsItAcrossRestarts) {  // S1-03
  const WorkspaceId made = ensure("whatsapp:+1");
  EXPECT_EQ(ensure("whatsapp:+1"), made);
  const auto workspace = workspaces_->get(made);
  EXPECT_EQ(workspace->kind, "sender");
  EXPECT_EQ(workspace->name, "whatsapp:+1");
  world_.close_store();
  SetUp();
  EXPECT_EQ(ensure("whatsapp:+1"), made);
}

TEST_F(PeopleTest, TwoSendersNeverShare) {  // SE-10
  std::set<std::string> seen;
  for (const char* sender : {"whatsapp:+1", "whatsapp:+2", "telegram:+1", "whatsapp:+1:group",
                             "whatsapp: +1", "telegram:42"}) {
    EXPECT_TRUE(seen.insert(ensure(sender).str()).second) << sender;
  }
  EXPECT_FALSE(seen.contains("ws_default"));
}

TEST_F(PeopleTest, WhoeverWritesInWhateverOrderItIsOneWorkspaceASender) {  // SE-10, a property
  SeededRandom chance(20261115);
  std::map<std::string, WorkspaceId> known;
  for (int i = 0; i < 500; ++i) {
    const std::string bytes = chance.hex(1);
    const std::string channel = bytes[0] < '8' ? "whatsapp" : "telegram";
    const std::string sender = channel + ":" + bytes.substr(1) + (bytes[0] % 2 ? "" : ":group");
    const WorkspaceId given = ensure(sender);
    EXPECT_EQ(known.emplace(sender, given).first->second, given) << sender;
  }
  std::set<std::string> apart;
  for (const auto& [sender, workspace] : known) apart.insert(workspace.str());
  EXPECT_EQ(apart.size(), known.size());
  EXPECT_GT(known.size(), 40u);
}

TEST_F(PeopleTest, ManyMessagesAtTheSameInstantMakeOneWorkspace) {
  std::vector<std::optional<Result<WorkspaceId>>> answers(50);
  const auto ask = [](People& people, std::optional<Result<WorkspaceId>>& out) -> Task<void> {
    out = co_await people.ensure(*SessionKey::parse("whatsapp:+1"));
  };
  for (auto& one : answers) world_.loop().spawn("ask", ask(*people_, one));
  world_.run_while([&] { return !answers.back() || !answers.front(); });
  world_.run_for(seconds(1));
  for (const auto& one : answers) {
    ASSERT_TRUE(one && *one);
    EXPECT_EQ(**one, **answers.front());
  }
  EXPECT_EQ(count("SELECT COUNT(*) FROM workspaces"), 2) << "the owner's and theirs";
  EXPECT_EQ(count("SELECT COUNT(*) FROM peers"), 1);
}

TEST_F(PeopleTest, RouseYamlHasTheFirstWord) {
  const WorkspaceId before = ensure("whatsapp:+1");
  people_->configure({{"whatsapp:+1", Workspaces::default_id()}});
  EXPECT_EQ(ensure("whatsapp:+1"), Workspaces::default_id());
  people_->configure({});
  EXPECT_EQ(ensure("whatsapp:+1"), before);
}

TEST_F(PeopleTest, AskingAloneMakesNothing) {
  EXPECT_EQ(people_->find(*SessionKey::parse("whatsapp:+1")).value(), std::nullopt);
  EXPECT_EQ(count("SELECT COUNT(*) FROM workspaces"), 1);
}

TEST_F(PeopleTest, AWorkspaceThatIsNotThereIsNamed) {
  people_->configure({{"whatsapp:+1", *WorkspaceId::parse("ws_gone")}});
  const auto found = world_.run(people_->ensure(*SessionKey::parse("whatsapp:+1")));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message,
            "people in rouse.yaml maps whatsapp:+1 to ws_gone: there is no workspace ws_gone");
}

}  // namespace
}  // namespace rouse
