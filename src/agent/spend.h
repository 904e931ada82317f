// What turns cost, and the caps. Tokens and money are counted per turn (its row), conversation,
// workspace and day; a cap is checked before each model call, with what is under way counted as
// spent (UX-6). At a cap the call is not made: the turn ends with a notice, and the workspace
// pauses until the day is over or the cap is raised.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
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
  ModelUsage usage;
  std::int64_t micros = 0;
  bool price_unknown = false;
  std::string model;  // of the last answer
  void add(const ModelInfo& info, const ModelUsage& more, const std::string& answered_by);
};

class SpendBook {
 public:
  SpendBook(Database& database, Clock& clock) : database_(database), clock_(clock) {}
  void configure(const SpendCaps& caps) { caps_ = caps; }

  // Held while a model call is under way; its estimate counts as spent until it ends.
  class Reservation {
   public:
    Reservation() = default;
    Reservation(SpendBook* book, WorkspaceId workspace, std::int64_t micros, std::int64_t tokens)
        : book_(book), workspace_(std::move(workspace)), micros_(micros), tokens_(tokens) {}
    Reservation(Reservation&& o) noexcept
        : book_(std::exchange(o.book_, nullptr)),
          workspace_(std::move(o.workspace_)),
          micros_(o.micros_),
          tokens_(o.tokens_) {}
    Reservation& operator=(Reservation&&) = delete;
    ~Reservation();

   private:
    SpendBook* book_ = nullptr;
    WorkspaceId workspace_;
    std::int64_t micros_ = 0, tokens_ = 0;
  };

  // Fails with ModelErrc::kSpendCap and words for a person when the cap would be passed. `so_far`
  // is what the turn has used already and the book doesn't know yet.
  Result<Reservation> reserve(const WorkspaceId& workspace, const ConversationId& conversation,
                              const std::string& zone, const ModelInfo& info,
                              std::int64_t input_tokens, std::int64_t output_tokens,
                              const TurnSpend& so_far);

  // For the write that closes the turn; nothing when nothing was used.
  std::vector<Statement> record(const WorkspaceId& workspace, const ConversationId& conversation,
                                const std::string& zone, const TurnSpend& spend);

  Result<Spent> of_day(const WorkspaceId& workspace, const std::string& day);
  Result<Spent> of_conversation(const ConversationId& conversation);
  Task<Result<std::vector<Spent>>> days(WorkspaceId workspace, std::string before_day,
                                        std::size_t limit);

  // True once for each workspace and day: whoever hears it tells the person (one notice, UX-6).
  Task<Result<bool>> first_notice(WorkspaceId workspace, std::string zone);

 private:
  Database& database_;
  Clock& clock_;
  SpendCaps caps_;
  std::map<WorkspaceId, std::pair<std::int64_t, std::int64_t>> reserved_;  // micros, tokens
};

}  // namespace rouse
