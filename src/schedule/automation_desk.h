// Carries out what the scheduler claimed: an occurrence becomes an internal message in its
// conversation and a turn through the normal queue (S3-14); how that turn ends becomes the
// occurrence's one disposition.
//
// - The message, its turn, the run's record and the occurrence's step from claimed to queued are
//   one write. Before it nothing has happened; after it the turn queue takes care that it runs, and
//   a restart changes nothing about that.
// - The end is part of the write that closes the turn: run, occurrence, streak and pause are there
//   exactly if the answer is (close_participant.h).
// - A conversation that is busy keeps the turn in its own lane; that is `queued`, not running, and
//   costs neither timeout nor failure (CR-16).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/close_participant.h"
#include "agent/occasion.h"
#include "agent/turn_runner.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/random.h"
#include "schedule/job_book.h"
#include "schedule/occurrence_ledger.h"
#include "schedule/outcome.h"

namespace rouse {

class AutomationDesk final : public Occasions, public CloseParticipant {
 public:
  struct Parts {
    Loop& loop;
    Clock& clock;
    Random& random;
    Database& database;
    SessionKernel& kernel;
    TurnRunner& runner;
    JobBook& book;
    OccurrenceLedger& ledger;
    EventLog& events;
    const Log& log;
  };
  explicit AutomationDesk(Parts parts) : parts_(parts) {}

  // What became of an attempt to begin.
  enum class Begun : std::uint8_t {
    kRunning,  // its turn runs; closed() tells when it is over
    kWaiting,  // its conversation is busy
    kOver,     // it ended without a turn
    kLater,    // not now: the store or the queue is full, or somebody was faster
  };
  struct Start {
    Begun begun = Begun::kOver;
    std::optional<TurnId> turn = {};
  };
  Task<Start> begin(Job job, Occurrence occurrence);

  // Ends an occurrence that is claimed and shall not run.
  Task<Result<void>> end_unrun(Job job, Occurrence occurrence, std::string_view state,
                               std::string_view reason);
  // Ends one that is rouse's own, with what belongs into the same write.
  Task<Result<void>> end(Job job, Occurrence occurrence, RunEnd end);
  // A reminder whose time passed for good is told where it would have been said (CR-3), in one
  // write with the rows that record it. False: nobody can be told, and nothing was written.
  Task<bool> tell_missed(Job job, std::vector<Statement> record);
  // A turn that waits for its conversation is not wanted any more: "removed", "paused", "expired".
  Task<void> drop_waiting(TurnId turn, std::string reason);
  void withdraw(const Job& job);

  // At a start, after the turns were recovered: what is queued in the ledger and has no turn any
  // more is `interrupted`. Afterwards everything that is open will end.
  Task<Result<void>> look_around();

  // What an isolated run brought, as a message to a conversation: its turn asks no model, the
  // answer is the run's. `from`: the provenance of the words.
  Result<InboundMessage> output_for(const Job& job, const Run& run, const std::string& session_key,
                                    std::string_view from);

  // Any turn is over; and: a run is, with everything that is known of it.
  void on_over(std::function<void(const TurnId&)> told) { on_over_ = std::move(told); }
  void on_ended(std::function<void(const TurnId&, const Run&)> told) {
    on_ended_ = std::move(told);
  }

  // The rows of an end, for whoever writes them with something else.
  static std::vector<Statement> end_statements(const Job& job, const Occurrence& occurrence,
                                               const RunEnd& end, WallTime now);

  // --- Occasions
  Result<std::optional<Occasion>> of_turn(const Turn& turn) override;
  OccasionEnd closing(const Turn& turn, OccasionEnd end, const std::string& error) override;
  // --- CloseParticipant
  Result<std::vector<Statement>> at_close(const Turn& turn, const Session& session,
                                          const std::string& response,
                                          const Verdict& verdict) override;
  void closed(const TurnId& turn) override;
  void given_up(const TurnId& turn) override;

 private:
  // A run with everything it belongs to, as it is in the store.
  struct Whole {
    Run run;
    Job job;
    Occurrence occurrence;
  };
  Result<std::optional<Whole>> whole(const TurnId& turn);
  Result<std::optional<std::int64_t>> said_since(const Run& run);
  Result<InboundMessage> message_for(const Job& job, const Run& run);
  Result<void> route(InboundMessage& message, const Job& job);
  Result<std::optional<Occasion>> output_of(const Turn& turn);
  Run run_for(const Job& job, const Occurrence& occurrence);
  Result<std::optional<Occasion>> missed_of(std::string_view id);
  Task<bool> fail_unbegun(Job job, Occurrence occurrence, Run run, Error why);
  Task<void> fold(std::int64_t job);
  Task<Result<void>> settle_open(Occurrence open);
  Task<void> settle_unclosed(TurnId turn);

  Parts parts_;
  std::function<void(const TurnId&)> on_over_;
  std::function<void(const TurnId&, const Run&)> on_ended_;
  // What is known of a failure between closing() and at_close().
  struct Failure {
    std::string story;
    Millis retry_after;
  };
  std::map<TurnId, Failure> failures_;
  std::set<TurnId> begun_;        // in this life, and not over
  std::map<TurnId, Run> ending_;  // between at_close() and closed()
};

}  // namespace rouse
