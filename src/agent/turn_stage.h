// What is going on right now: the running turns, as anybody may watch them. Everything here is
// provisional and only in memory; what counts is what the turn's close commits (event_log.h,
// messages.h). A page that comes late gets a snapshot and then what follows: the two fit together
// without a gap, because both happen on the loop.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "agent/turn_hooks.h"
#include "model/model.h"

namespace rouse {

struct TurnEvent {
  enum class Kind : std::uint8_t {
    kStarted,
    kText,        // block, offset, text
    kAgain,       // a new attempt: what was streamed is void
    kToolCall,    // call_id, tool, text = arguments
    kToolResult,  // call_id, tool, text = the beginning of the result, failed
    kUsage,       // usage so far
    kEnded,       // the close is committed; verdict says how it ended
  };
  Kind kind = Kind::kStarted;
  TurnContext turn;
  std::int64_t attempt = 1;
  std::size_t block = 0, offset = 0;  // in bytes of the block's text, at a character's border
  std::string text;
  std::string call_id, tool;
  bool failed = false;
  ModelUsage usage;
  std::string verdict;  // "spoke", "silent", "failed", "interrupted"
};

struct TurnSnapshot {
  TurnContext turn;
  std::int64_t attempt = 1;
  std::vector<std::string> blocks;  // the text of each block so far
  struct Call {
    std::string call_id, tool;
    bool done = false, failed = false;
    std::string arguments = {}, text = {};  // their beginnings, of the newest calls
  };
  std::vector<Call> calls;
};

class TurnStage {
 public:
  using Listener = std::function<void(const TurnEvent&)>;
  // Ends when it goes away; may outlive the stage.
  class Subscription;

  [[nodiscard]] Subscription watch_workspace(const WorkspaceId& workspace, Listener listener);
  [[nodiscard]] Subscription watch_turn(const TurnId& turn, Listener listener);
  [[nodiscard]] std::vector<TurnSnapshot> snapshots(const WorkspaceId& workspace) const;
  [[nodiscard]] const TurnSnapshot* snapshot(const TurnId& turn) const;  // null: not running
  [[nodiscard]] std::size_t running() const { return running_.size(); }

  // The runner and the loop. A listener may end subscriptions while it is called, its own too; one
  // that was ended is not called any more.
  void publish(TurnEvent event);

 private:
  struct Ear {
    Listener listener;
    bool listening = true;
  };
  // By topic, which is a workspace or a turn: an event costs what those who hear it cost.
  struct Ears {
    std::uint64_t next = 0;
    std::unordered_map<std::string, std::map<std::uint64_t, std::shared_ptr<Ear>>> by_topic;
    void end(const std::string& topic, std::uint64_t number);
  };
  Subscription watch(std::string topic, Listener listener);
  TurnSnapshot& running_turn(const TurnEvent& event);
  void end_turn(const std::string& id);

  std::map<std::string, TurnSnapshot, std::less<>> running_;                 // by turn id
  std::unordered_map<std::string, std::set<std::string>> running_turns_of_;  // by workspace
  std::shared_ptr<Ears> ears_ = std::make_shared<Ears>();
};

class TurnStage::Subscription {
 public:
  Subscription() = default;
  Subscription(std::weak_ptr<Ears> ears, std::string topic, std::uint64_t number)
      : ears_(std::move(ears)), topic_(std::move(topic)), number_(number) {}
  Subscription(Subscription&& other) noexcept
      : ears_(std::exchange(other.ears_, {})),
        topic_(std::move(other.topic_)),
        number_(other.number_) {}
  Subscription& operator=(Subscription&& other) noexcept {
    std::swap(ears_, other.ears_);
    std::swap(topic_, other.topic_);
    std::swap(number_, other.number_);
    return *this;
  }
  ~Subscription() {
    if (const auto ears = ears_.lock()) ears->end(topic_, number_);
  }

 private:
  std::weak_ptr<Ears> ears_;
  std::string topic_;
  std::uint64_t number_ = 0;
};

}  // namespace rouse
