// The durable life of a turn: what was accepted is begun, each step is kept, and one write closes
// it. After a crash the ledger alone says what is to be done (design.md, 2):
//
// - an intent without a result: its outcome is unknown, it is never run again, and the turn is
//   closed as interrupted;
// - intents with results: the turn is closed as interrupted as well;
// - no intent: the turn goes on from the steps it has, unless it took the process down twice; then
//   it is parked.
//
// A turn without tools costs two writes: its accept, which begins it at once if its conversation is
// free, and its close, which begins the next one that waits. Steps live in a table of their own
// until the close moves them into the transcript, so a transcript is always whole: each call has
// its one result (SE-4).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "session/content.h"
#include "session/event_log.h"
#include "session/session_kernel.h"
#include "session/turn_queue.h"

namespace rouse {

enum class TurnErrc : std::uint8_t { kNotFound };  // "turn_not_found"
ErrorInfo error_info(TurnErrc code);

struct TurnStep {
  std::string kind;  // "answer": the model's blocks; "intent": one call; "result": one result
  Content content;
  WallTime created;
};

struct Verdict {
  std::string kind;    // "spoke", "silent", "failed", "interrupted"
  std::string reason;  // "" for "spoke"; "cancelled", "deadline", "model_timeout", "restart" …
};

// A message that waited and was heard by the turn that ran: it needs no answer of its own.
struct JoinedTurn {
  Turn turn;
  std::size_t after_steps = 0;  // how many steps the running turn had kept by then
};

// How a turn ended, and everything that belongs into the same write.
struct TurnClose {
  Verdict verdict;
  bool without_steps = false;  // they are too large to be told, or can't be read
  bool kept_none = false;      // no step was ever kept, says whoever ran it
  bool parked = false;         // it is put aside for good, not done
  bool unsaid = false;         // it never began, and nothing of it enters the transcript
  std::string error;           // for the run's record, not for the transcript; redacted
  Content answer;              // the last assistant message; empty: nothing was said
  std::vector<JoinedTurn> joined = {};
  std::vector<Statement> also = {};  // outbox, spend, job state …
  std::string model = {};
  std::int64_t tokens_in = 0, tokens_out = 0, cache_read = 0, cache_write = 0;
  std::optional<std::int64_t> cost_micros = {};
  std::optional<std::int64_t> history_from = {};  // first message of the prompt's tail
  std::shared_ptr<ContextAhead> summary = {};     // begun while there was time; or null
};

struct ClosedTurn {
  Turn turn;
  Session session;
  std::string response;      // the last assistant text
  std::vector<Turn> joined;  // closed by the same write
  std::optional<Turn> next;  // begun by the same write
  SummaryInput summary;      // for a model to do better than the plain words
};

class TurnLedger {
 public:
  TurnLedger(Database& database, Clock& clock, SessionKernel& kernel, EventLog& events)
      : database_(database), clock_(clock), kernel_(kernel), events_(events) {}

  Result<Turn> get(const TurnId& id);  // kNotFound
  Result<std::vector<TurnStep>> steps(const TurnId& id);
  Task<Result<void>> keep(TurnId id, std::int64_t first_number, std::vector<TurnStep> steps,
                          std::vector<Statement> also = {});

  // The turn's message as it came in; after the close it is in the transcript.
  Result<std::optional<InboundRow>> message_of(const Turn& turn);
  // What the turn said last, of one that is closed: for whoever asks again.
  Result<std::string> response_of(const Turn& turn);

  // The session it belongs to, as it is now.
  Result<Session> session_of(const Turn& turn);

  // Running, or still waiting: then it never ran. Begins the next one that waits. With a pass: that
  // of its own message, which is still on its way to the disk.
  Task<Result<ClosedTurn>> close(Turn turn, TurnClose how,
                                 std::shared_ptr<ConversationGate::Pass> pass = nullptr);

  // The server stops in good order while it runs: it begins again with the next start, and this
  // try doesn't count. Not for a turn with intents.
  Task<Result<void>> put_back(Turn turn);

  // Who has something to add to the write that closes a turn.
  using AtClose = std::function<Result<std::vector<Statement>>(
      const Turn& turn, const Session& session, const std::string& words, const Verdict& verdict)>;

  // Who may close an interrupted turn with other words, or another verdict.
  using Wording = std::function<void(const Turn& turn, TurnClose& how)>;

  // At a start, before anything is admitted: what can't go on is closed, what can waits again.
  // Doing it twice changes nothing more. A turn that can't even be read is put aside; it never
  // keeps the server from starting.
  Task<Result<void>> recover(AtClose at_close = {}, Wording wording = {});

 private:
  struct Told;  // a turn as it goes into the transcript
  enum class Next : std::uint8_t { kBegin, kLeave };
  Task<Result<ClosedTurn>> close(Turn turn, TurnClose how, Next next,
                                 std::shared_ptr<ConversationGate::Pass> pass);
  Result<Told> tell(const Turn& turn, const TurnClose& how);
  Result<void> tell_joined(Told& told, const TurnClose& how, std::size_t steps_before);
  void close_row(Turn& turn, const TurnClose& how, std::int64_t last_seq, std::size_t messages);
  Transcript append_messages(Write& write, const Turn& turn, Told& told, std::int64_t last_seq,
                             std::vector<Turn>& joined);
  Result<std::optional<Turn>> begin_next(Write& write, const Turn& ended,
                                         const std::vector<Turn>& joined);
  void remember(ConversationGate::Pass& pass, const ClosedTurn& closed, const Transcript& said,
                bool was_known);
  struct Closers {  // of what was interrupted
    AtClose at_close;
    Wording wording;
  };
  Task<Result<void>> recover_one(Turn turn, const Closers& closers);
  Task<Result<void>> close_interrupted(Turn turn, bool intent, const Closers& closers,
                                       bool without_steps);
  Task<Result<void>> put_aside(Turn turn, Error why);
  Result<void> still_as_it_was(const Turn& turn);

  Database& database_;
  Clock& clock_;
  SessionKernel& kernel_;
  EventLog& events_;
};

}  // namespace rouse
