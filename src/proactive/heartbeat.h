// The heartbeat: "is anything worth acting on right now?" (S2-18). Each heartbeat is one of rouse's
// own jobs, so claims, missed instants, crash hold and the ledger are the scheduler's. It runs in
// no conversation; a beat ends in one typed verdict: nothing, notify, or wake.
//
// - Free before paid: off, outside of the hours, budget spent, a busy conversation, somebody who
//   just wrote: no model. Then the checks of the standing orders, which cost nothing. A model is
//   asked, once, only if the orders need one and something can have changed (HB-4).
// - Each beat that was carried out is exactly one row of the activity log, silent ones too (S2-31);
//   each that was not is a skip in the ledger, with its reason. Row, end of the occurrence,
//   notification and what the next beat must know are one write.
// - A wake goes to the configured conversation and no other, as a message like any other in the
//   queue's last lane: a beat never runs inside a turn, and nobody ever waits for one (HB-7).
// - A quiet beat leaves nothing but its row: no message, no counter, nothing in a prompt (HB-3).
// - The same alert is not repeated within a day unless it got worse (HB-14).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "activity/activity_log.h"
#include "agent/spend.h"
#include "base/log.h"
#include "proactive/beat_prompt.h"
#include "proactive/beat_state.h"
#include "proactive/checks.h"
#include "proactive/heartbeat_file.h"
#include "proactive/standing_orders.h"
#include "schedule/automation_desk.h"
#include "schedule/job_book.h"
#include "schedule/occurrence_ledger.h"
#include "schedule/outcome.h"
#include "session/notification/notification.h"
#include "session/one_shot.h"

namespace rouse {

inline constexpr Millis kLongestDeferral = minutes(10);
inline constexpr Millis kBeatDeadline = seconds(60);  // of the model
inline constexpr Millis kRefusedRest = hours(1);  // before a key that was refused is tried again
inline constexpr Millis kLongestLookBack = hours(36);  // at rows that nobody has judged
inline constexpr std::string_view kPriceUnknown = "price_unknown";  // why nobody was asked

// What became of a beat.
struct Beat {
  std::string heartbeat = {};  // its name
  std::string state = {};      // "ok", "empty" (nothing to report), "error", "skipped"
  std::string verdict = {};    // "nothing", "notify", "wake"; "": it was skipped or failed
  std::string outcome = {};  // "spoke", "silent_token", "silent_empty", "silent_dedup", "skipped",
                             // "failed"
  std::string reason = {};   // a word: "nothing_changed", "no_model", "budget_spent" …
  std::string summary = {};  // what its row says
  WallTime at = {};
  std::optional<WallTime> due = {};  // none: somebody asked for it
  std::int64_t calls = 0, tokens_in = 0, tokens_out = 0;
  std::optional<std::int64_t> cost_micros = {};  // none: the price is unknown
  bool late = false;
  std::optional<TurnId> turn = {};  // of a wake
};

Beat beat_of(const Activity& row);

// Everything there is to know of one heartbeat.
struct HeartbeatStatus {
  HeartbeatSettings settings;
  std::string job_id;
  std::string zone;                   // of its hours and its day
  std::optional<WallTime> next = {};  // none: it is off
  std::optional<Beat> last = {};      // that was carried out
  struct Skip {
    WallTime due;
    std::string state, reason;  // "skipped" or "missed"
    std::int64_t count = 1;
  };
  std::optional<Skip> last_skip = {};
  std::optional<std::string> deferred = {};  // the open one waits: "conversation_busy" …
  BeatDay today = {};
  std::string problem = {};  // for a person, or ""
};

class Heartbeat {
 public:
  struct Parts {
    Clock& clock;
    Random& random;
    Database& database;
    SessionKernel& kernel;
    Workspaces& workspaces;
    TurnRunner& runner;
    JobBook& book;
    OccurrenceLedger& ledger;
    AutomationDesk& desk;
    EventLog& events;
    Notifications& notifications;
    SpendBook& spend;
    ActivityLog& activity;
    const Log& log;
    Loop& loop;
  };
  explicit Heartbeat(Parts parts);

  // The model of a role, or null if there is none that can read. Asked before each question.
  using FindOneShot = std::function<OneShot*(const std::string& role)>;
  void use_models(FindOneShot find);
  // What a question to that model may cost at most; none: nobody knows. So no answer passes a cap.
  using PriceOf = std::function<std::optional<std::int64_t>(const std::string& role,
                                                            const OneShotQuestion& question)>;
  void use_prices(PriceOf price) { price_of_ = std::move(price); }
  // Runs the owner's command checks; without it they are reported as not run.
  void use_commands(Checks::RunCommand run) { checks_.use_commands(std::move(run)); }
  // A file of a workspace by its name; none: it isn't there. See read_workspace_file().
  using ReadFile = std::function<Result<std::optional<std::string>>(
      const WorkspaceId& workspace, const std::string& name, std::size_t most)>;
  void use_files(ReadFile read) { read_ = std::move(read); }
  // A key that was refused may be right now: call it after each reload of the configuration.
  // Without that it is tried again after kRefusedRest.
  void configuration_changed() { refused_.clear(); }

  // Reads heartbeat.json and makes the jobs what it says: at a start, and when the file, a
  // workspace's zone or the configuration changed. The answer is what a person should know, "" if
  // nothing: a broken file changes nothing, and what held before goes on.
  Task<std::string> reload(WorkspaceId workspace);
  // Told after a reload that changed when something is due (HeartbeatWatch).
  void on_change(std::function<void()> told) { on_change_ = std::move(told); }

  static bool is_heartbeat(const Job& job);
  // One due instant. Fits Scheduler::SystemRun for jobs that are heartbeats.
  Task<RunEnd> run(Job job, Occurrence occurrence, std::stop_token stop);
  // `rouse heartbeat run`: the same way, now, beside the schedule. Hours and a person who just
  // wrote don't hold it: somebody asked. kNotFound without such a heartbeat; kConflict while one
  // is under way.
  Task<Result<Beat>> beat_now(WorkspaceId workspace, std::string name);

  // In the order of the file.
  Task<Result<std::vector<HeartbeatStatus>>> status(WorkspaceId workspace);
  // Its beats that were carried out, newest first, before the given row (0: the newest).
  Task<Result<std::vector<Activity>>> history(WorkspaceId workspace, std::string name,
                                              std::int64_t before, std::size_t limit);
  // The text of its standing orders as they are now: the file's, or the shipped ones.
  Result<std::string> orders_text(const WorkspaceId& workspace, const HeartbeatSettings& settings);

  // Everything of a workspace that is deleted.
  Task<Result<void>> forget(WorkspaceId workspace);

 private:
  // One beat on its way.
  struct Tick {
    HeartbeatSettings settings;
    WorkspaceId workspace;
    std::string zone;  // of its hours and its day
    std::string home;  // the workspace's zone: where its budget's day ends
    std::optional<Job> job = {};
    std::optional<Occurrence> occurrence = {};  // none: by hand
    std::optional<SessionKey> target = {};      // what a wake wakes
    std::optional<ConversationId> talk = {};    // the same, if it has begun
    StandingOrders orders = {};
    BeatState state = {};
    std::vector<Finding> findings = {};
    Beat beat = {};
    std::string error = {};                 // the model's
    std::string subject = {}, notice = {};  // what nobody was told today: a budget, a key
    bool untrusted = false;                 // foreign words were in the prompt (rule 8)
    [[nodiscard]] bool by_hand() const { return !occurrence.has_value(); }
  };
  struct Hold {
    std::string_view reason = {};  // "": go on
    WallTime until = {};           // worth another look
  };
  enum class Woke : std::uint8_t { kNow, kBefore, kNot };  // not: it can't be said there
  struct Refusal {
    std::string message;
    MonoTime until;
  };
  struct Ended {
    RunEnd end;
    Beat beat = {};
  };

  // --- heartbeat_jobs.cc
  Result<HeartbeatFile> read_settings(const WorkspaceId& workspace);
  Result<HeartbeatSettings> settings_of(const WorkspaceId& workspace, const std::string& name);
  Result<std::string> zone_of(const WorkspaceId& workspace, const HeartbeatSettings& settings);
  Task<Result<bool>> ensure_jobs(WorkspaceId workspace, std::vector<HeartbeatSettings> wanted);
  Task<Result<bool>> ensure_job(WorkspaceId workspace, HeartbeatSettings wanted);
  Task<Result<void>> clear_broken(WorkspaceId workspace, std::string id);
  Task<Result<HeartbeatStatus>> status_of(WorkspaceId workspace, HeartbeatSettings settings);

  // --- heartbeat.cc: may it, and shall a model be asked?
  Result<Tick> tick_of(const WorkspaceId& workspace, HeartbeatSettings settings);
  void find_target(Tick& tick);
  Result<Hold> held(const Tick& tick);
  OneShot* model_of(const Tick& tick);
  Result<std::string> budget_spent(const Tick& tick);
  Result<bool> workspace_pauses(const Tick& tick);
  Task<Result<Ended>> run_tick(Tick tick, std::stop_token stop);
  Task<Result<Ended>> skip(Tick tick, std::string_view reason, std::string notice);
  Task<Result<Ended>> put_off(Tick tick, Hold hold);
  Task<Result<Tick>> look(Tick tick, std::stop_token stop);
  Task<Result<bool>> has_changed(const Tick& tick);
  Task<Result<Tick>> ask(Tick tick, OneShot* model, std::stop_token stop);
  Task<Result<WallTime>> read_since(const Tick& tick);
  std::vector<CheckOrder> checks_of(const Tick& tick);
  bool is_refused(const std::string& role);
  bool is_wanted(const WorkspaceId& workspace, const std::string& name);
  Task<Result<Ended>> drop(Tick tick, BeatState before);
  bool was_told(const WorkspaceId& workspace, std::string_view subject, const std::string& words);
  static Notification notice_of(const Tick& tick, std::string subject, std::string words,
                                WallTime now);
  bool may_pay(Tick& tick, const std::optional<std::int64_t>& price);
  void note_answer(Tick& tick, const OneShotAnswer& answer, std::int64_t reserved);
  void note_error(Tick& tick, const Error& error);

  // --- beat_end.cc: what it says, and where
  static void speak_of_findings(Tick& tick, WallTime now);
  Result<void> settle_words(Tick& tick, WallTime now);
  Result<bool> wake_waits(const Tick& tick);
  Result<InboundMessage> wake_message(const Tick& tick);
  std::vector<Statement> rows_of(const Tick& tick, WallTime now);
  Task<Result<Ended>> finish(Tick tick);
  Task<Woke> wake(Tick tick, RunEnd end, WallTime now);
  Task<Result<void>> end(const Tick& tick, RunEnd end);

  Parts parts_;
  Checks checks_;
  FindOneShot find_model_;
  PriceOf price_of_;
  ReadFile read_;
  std::function<void()> on_change_;
  std::map<WorkspaceId, std::vector<HeartbeatSettings>> settings_;  // the last good ones
  std::map<WorkspaceId, std::string> problems_;
  std::map<std::string, Refusal, std::less<>> refused_;  // roles whose key or credit is gone
  std::set<std::pair<WorkspaceId, std::string>> under_way_;
};

}  // namespace rouse
