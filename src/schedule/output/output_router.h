// Brings what an isolated or a legacy run answered to where it belongs, and takes the temporary
// conversation of an isolated one away (S2-42).
//
// - isolated: to a file, to a conversation, or as a notification, as the job says; if it says
//   nothing, as a notification. A failure is always a notification. Nothing of the run stays but
//   its record: no conversation, no session, no tombstone (CR-33).
// - legacy: over the channel its record names, if somebody judges it worth it (evaluator.h).
//
// What is to be brought stands in the ledger (`routed` is "pending"), so a crash changes nothing:
// it is begun again. The file is written first, which may be done twice; then the conversation
// goes; then one write holds the message, the notification, the outbox row and where it went, so
// each of these is there exactly once.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "agent/turn_runner.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/loop.h"
#include "schedule/automation_desk.h"
#include "schedule/evaluator.h"
#include "schedule/output/output_folder.h"
#include "session/notification/notification.h"
#include "session/remove/conversation_delete.h"

namespace rouse {

inline constexpr Millis kRoutingLife = hours(24);  // then a conversation is not waited for any more

class OutputRouter {
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
    AutomationDesk& desk;
    Notifications& notifications;
    ConversationDelete& deletes;
    Evaluator& evaluator;
    const Log& log;
  };
  explicit OutputRouter(Parts parts) : parts_(parts) {}
  OutputRouter(const OutputRouter&) = delete;
  OutputRouter& operator=(const OutputRouter&) = delete;

  using KeepFile = std::function<Task<Result<void>>(OutputFile file)>;
  void use_files(KeepFile keep) { keep_file_ = std::move(keep); }
  // The channels that messages can be sent over, and who is told that one waits in the outbox.
  void use_channels(std::function<bool(std::string_view channel)> serves,
                    std::function<void()> told) {
    serves_ = std::move(serves);
    told_ = std::move(told);
  }

  // Works off what a former life left, then what comes.
  void start();
  // What is under way ends, the rest waits for the next start. When it returns nothing runs here.
  Task<void> stop();
  // A run has ended (AutomationDesk::on_ended).
  void nudge();

 private:
  // What is to be brought, and what came of it so far.
  struct Parcel {
    Run run;
    Job job = {};
    bool failed = false;     // the words tell of a failure
    bool untrusted = false;  // foreign text was in its prompt
    std::string words = {};
    std::string routed = {};  // "file:…, notified"
    std::vector<Statement> statements = {};
    void went(std::string_view where);
  };

  Task<void> run();
  Task<bool> work_off();
  Task<Result<void>> bring(Run run);
  Task<Result<void>> bring_isolated(Run run, Job job);
  Task<Result<void>> bring_legacy(Run run, Job job);
  Result<bool> goes_on(const Run& run);
  Result<bool> was_announced(const Run& run);
  bool is_untrusted(const Run& run, const Job& job);
  Task<void> into_file(Parcel& parcel);
  Task<Result<bool>> into_conversation(Parcel& parcel);
  Task<Result<void>> destroy(const Run& run);
  void notify(Parcel& parcel);
  Task<Result<void>> settle(Parcel parcel);

  Parts parts_;
  KeepFile keep_file_;
  std::function<bool(std::string_view)> serves_;
  std::function<void()> told_;
  bool running_ = false;
  bool nudged_ = false;
  std::stop_source wake_, stopping_;
};

}  // namespace rouse
