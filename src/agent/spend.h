// What turns cost, and the caps. Tokens and money are counted per turn (its row), conversation,
// workspace and day; a cap is checked before each model call, with what is under way counted as
// spent (UX-6). At a cap the call is not made: the turn ends with a notice, and the workspace
// pauses until the day is over or the cap is raised.
//
// A day ends at midnight in the workspace's zone. A model that costs nothing (the offline model, a
// price of 0) always passes and is not counted. One whose price nobody knows is held by day_tokens
// alone: there is no money to count.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "model/model.h"
#include "store/database.h"

namespace rouse {

struct SpendCaps {                         // none: no cap
  std::optional<std::int64_t> day_micros;  // a workspace a day, in millionths of a dollar
  std::optional<std::int64_t> day_tokens;  // for models whose price nobody knows
  std::optional<std::int64_t> conversation_micros;
};

struct Spent {
  std::string day;  // "2026-11-15" in the workspace's zone, or "" for all time
  std::int64_t turns = 0;
  ModelUsage usage;
  std::int64_t micros = 0;
  bool price_unknown = false;  // some of it had no known price: the money is a lower bound
};

// What one turn used, as its close writes it down.
struct TurnSpend {
  ModelUsage usage;        // of all its model calls
  ModelUsage billed = {};  // those of models that cost something: what the book counts
  std::int64_t micros = 0;
  bool price_unknown = false;
  std::string model;  // of the last answer
  void add(const ModelInfo& info, const ModelUsage& more, const std::string& answered_by);
};

// No cap holds it and nothing of it is counted.
bool is_free(const ModelInfo& info);

// "2026-11-15": the day that it is there. A zone that nobody knows is taken for UTC.
std::string day_in_zone(WallTime time, const std::string& zone);

class SpendBook {
  struct Tally;
  using Tallies = std::map<WorkspaceId, Tally>;

 public:
  SpendBook(Database& database, Clock& clock) : database_(database), clock_(clock) {}
  void configure(const SpendCaps& caps) { caps_ = caps; }
  [[nodiscard]] const SpendCaps& caps() const { return caps_; }

  // Held while a model call is under way; its estimate counts as spent until it ends. May outlive
  // the book: whoever waits for a model is let go only when the loop ends.
  class Reservation {
   public:
    Reservation() = default;
    Reservation(std::weak_ptr<Tallies> tallies, WorkspaceId workspace, ConversationId conversation,
                std::int64_t micros, std::int64_t tokens)
        : tallies_(std::move(tallies)),
          workspace_(std::move(workspace)),
          conversation_(std::move(conversation)),
          micros_(micros),
          tokens_(tokens) {}
    Reservation(Reservation&& o) noexcept
        : tallies_(std::exchange(o.tallies_, {})),
          workspace_(std::move(o.workspace_)),
          conversation_(std::move(o.conversation_)),
          micros_(o.micros_),
          tokens_(o.tokens_) {}
    Reservation& operator=(Reservation&&) = delete;
    ~Reservation();

    // The call is over and this is what it used: from here to record() that counts, instead of the
    // estimate. Without it a turn that works on between two calls looks as if it had cost nothing
    // yet, and others may take what it has used.
    void used(const ModelInfo& info, const ModelUsage& usage);

   private:
    void end();
    std::weak_ptr<Tallies> tallies_;
    WorkspaceId workspace_;
    ConversationId conversation_;
    std::int64_t micros_ = 0, tokens_ = 0;
  };

  // Fails with ModelErrc::kSpendCap and words for a person when the cap would be passed. `so_far`
  // is what the turn has used already and the book doesn't know yet. A one-shot belongs to no
  // conversation: then that is empty.
  Result<Reservation> reserve(const WorkspaceId& workspace, const ConversationId& conversation,
                              const std::string& zone, const ModelInfo& info,
                              std::int64_t input_tokens, std::int64_t output_tokens,
                              const TurnSpend& so_far);

  // For the write that closes the turn, once a turn; nothing when nothing was used. It counts in
  // memory at once and for good: the money is gone, whether the write succeeds or not.
  std::vector<Statement> record(const WorkspaceId& workspace, const ConversationId& conversation,
                                const std::string& zone, const TurnSpend& spend);

  Result<Spent> of_day(const WorkspaceId& workspace, const std::string& day);
  Result<Spent> of_conversation(const ConversationId& conversation);
  // Newest first, those before the given day; "": all.
  Task<Result<std::vector<Spent>>> days(WorkspaceId workspace, std::string before_day,
                                        std::size_t limit);

  // Why the workspace waits for the next day, in words; none: it doesn't.
  Result<std::optional<std::string>> paused(const WorkspaceId& workspace, const std::string& zone);

  // Hears each time the day's cap stands in the way, in words (spend_notice.h).
  using OnPaused =
      std::function<void(const WorkspaceId&, const std::string& zone, const std::string& words)>;
  void on_paused(OnPaused told) { on_paused_ = std::move(told); }
  void tell_paused(const WorkspaceId& workspace, const std::string& zone,
                   const std::string& words) const;
  // For the write of the day's one notice: it fails with kConflict if there was one (UX-6).
  [[nodiscard]] Statement first_notice(const WorkspaceId& workspace, const std::string& zone) const;

 private:
  struct Sum {
    std::int64_t micros = 0, tokens = 0;
    Sum& operator+=(const Sum& more);
    [[nodiscard]] bool nothing() const { return micros == 0 && tokens == 0; }
    friend bool operator==(const Sum&, const Sum&) = default;
  };
  static constexpr Sum kLeast{1, 1};  // is there any room at all?
  // A workspace's day as the book knows it: what is in the store or on its way there, what running
  // turns have used, and what calls under way may use.
  struct Tally {
    std::string day;
    Sum recorded;
    std::map<ConversationId, Sum> running;
    Sum reserved;
    std::optional<std::string> refused;  // the words of the last refusal
    std::optional<Sum> refused_at;       // what the day would have come to
    MonoTime touched;
    [[nodiscard]] Sum total() const;
  };
  static constexpr std::size_t kTallies = 4'096;  // more are read from the store again

  Result<Tally*> tally_of(const WorkspaceId& workspace, const std::string& day);
  void forget_idle();
  [[nodiscard]] Result<void> check_day(const Sum& total, const Sum& next,
                                       const std::string& zone) const;
  Result<void> check_conversation(const ConversationId& conversation, const Sum& next,
                                  const TurnSpend& so_far);
  Result<Spent> read(const std::string& owner, const std::string& day);

  Database& database_;
  Clock& clock_;
  SpendCaps caps_;
  OnPaused on_paused_;
  std::shared_ptr<Tallies> tallies_ = std::make_shared<Tallies>();
};

}  // namespace rouse
