// The book of automations over a simulated world, with a conversation or two.
#pragma once

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "schedule/job_book.h"
#include "session/kernel_for_tests.h"

namespace rouse {

class JobsTest : public testing::Test {
 protected:
  void SetUp() override {
    world_.set_longest_disk_delay(millis(0));
    world_.clock().step_wall(*from_iso("2026-11-15T10:00:00.000Z") - world_.clock().wall_now());
    auto opened = world_.open_store();
    ASSERT_TRUE(opened) << opened.error();
    database_ = *opened;
    house_ = std::make_unique<KernelHouse>(world_, *database_);
    ASSERT_TRUE(world_.run(house_->start()));
    events_ = std::make_unique<EventLog>(*database_);
    book_ = std::make_unique<JobBook>(*database_, world_.clock(), world_.random(),
                                      house_->workspaces, *events_);
    ASSERT_TRUE(book_->load());
    book_->configure({.default_zone = "Europe/Berlin"});
  }

  // A conversation that somebody has begun.
  Conversation talk(std::string channel, std::string peer) {
    auto heard = world_.run(
        house_->kernel.resolve(message_from(peer, "hello", std::nullopt, std::move(channel))));
    EXPECT_TRUE(heard) << heard.error();
    auto found = house_->kernel.find_conversation(here_, heard->session.id.str());
    EXPECT_TRUE(found) << found.error();
    return *found;
  }
  std::int64_t count(std::string_view sql) {
    return database_->read({sql, {}})->front().integer(0);
  }
  std::int64_t jobs() { return count("SELECT COUNT(*) FROM jobs WHERE state <> 'removed'"); }
  Job job(const std::string& id) {
    auto found = book_->get(here_, id);
    EXPECT_TRUE(found) << found.error();
    return found ? *found : Job{};
  }

  sim::World world_{7};
  Database* database_ = nullptr;
  const WorkspaceId here_ = Workspaces::default_id();
  std::unique_ptr<KernelHouse> house_;
  std::unique_ptr<EventLog> events_;
  std::unique_ptr<JobBook> book_;
};

}  // namespace rouse
