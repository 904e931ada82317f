// Makes compactions. One run: choose the cut, read what is before it page by page, fold each
// portion into the handoff summary, and write the row. The previous compaction is where the summary
// starts, so nothing is read twice; a conversation of any length takes bounded memory.
//
// - The newest messages before the cut are summarised by the model, if there is one and within
//   kCompactionModelTime; what is older than those, and everything if the model is absent, late or
//   talks nonsense, by plain rules (session/summary). So a summary never fails; only the store can.
// - Nothing to compact is success and says so. A failure writes nothing: the view stays as it was.
// - The rules of the conversation's life (pre_compact) are asked only when something is to be
//   folded: before a model is paid for it, or when the summary by plain rules is worth it.
// - A conversation is compacted by one at a time. How often is the caller's to bound.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>

#include "agent/compaction/compaction_book.h"
#include "agent/compaction/compaction_cut.h"
#include "agent/compaction/handoff_fold.h"
#include "agent/turn_hooks.h"
#include "base/clock.h"
#include "session/event_log.h"
#include "session/session_kernel.h"

namespace rouse {

inline constexpr Millis kCompactionModelTime = seconds(60);  // no question is begun after that
inline constexpr Millis kCompactionQuiet = seconds(90);  // so long a turn may hear nothing of it

struct CompactionRequest {
  Session session;
  HistoryLimits limits;  // of the prompt
  std::string reason;    // kCompactWindow …
  std::optional<TurnId> turn = {};
  std::int64_t tokens_before = 0;                   // of the prompt as it was to be sent
  std::int64_t shown_from = 0;                      // the first message in that prompt
  std::function<Task<HookAnswer>()> may_fold = {};  // none: it may
};

struct CompactionOutcome {
  std::optional<Compaction> made;  // none: there was nothing to do, or it was not allowed
  std::int64_t messages = 0;       // that were taken in
  std::string note;                // why nothing was made, or why the model's words were not used
};

// For a person.
std::string words_for(const CompactionOutcome& outcome);

class Compactor {
 public:
  Compactor(Database& database, Clock& clock, SessionKernel& kernel, Summariser& summariser,
            CompactionBook& book, EventLog& events)
      : database_(database),
        clock_(clock),
        kernel_(kernel),
        summariser_(summariser),
        book_(book),
        events_(events) {}

  // Errc::kConflict while it is compacted already, kCancelled after a stop; else errors of the
  // store.
  Task<Result<CompactionOutcome>> compact(CompactionRequest request, std::stop_token stop);

  CompactionBook& book() { return book_; }

 private:
  struct Handoff {
    std::string text;
    bool by_model = false;
    std::string note;
    bool asks_model = true;
    MonoTime last_question;
  };
  Task<Result<CompactionOutcome>> compact_alone(CompactionRequest request, std::stop_token stop);
  // Nothing: it may. Else why not.
  static Task<std::optional<std::string>> refusal(const CompactionRequest& request);
  // The last message that a hard boundary hides from this session; 0: none.
  Task<Result<std::int64_t>> hidden_through(Session session);
  Task<Result<std::optional<Cut>>> find_cut(ConversationId conversation, std::int64_t after,
                                            HistoryLimits limits, KeepLimits keep);
  Task<Result<void>> read_into(HandoffFold& fold, Handoff& handoff, Session session,
                               std::int64_t after, std::int64_t through, std::stop_token stop);
  Task<void> add_portion(Handoff& handoff, std::vector<TurnText> exchanges, WorkspaceId workspace,
                         bool is_recent);
  Task<Result<void>> write(Compaction compaction, WorkspaceId workspace, std::int64_t messages);

  Database& database_;
  Clock& clock_;
  SessionKernel& kernel_;
  Summariser& summariser_;
  CompactionBook& book_;
  EventLog& events_;
  // Conversations; shared, because a run may outlive the house.
  std::shared_ptr<std::set<std::string>> under_way_ = std::make_shared<std::set<std::string>>();
};

}  // namespace rouse
