#include "proactive/heartbeat.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "base/local_time.h"
#include "base/text.h"

namespace rouse {
namespace {

constexpr Millis kLate = minutes(2);
constexpr Millis kLastMoment = seconds(5);
constexpr Millis kLookAgain = seconds(30);  // while a conversation is busy
constexpr std::size_t kNewRows = 200;
// Of those that are kept, a thousand at most.
constexpr std::string_view kSameNotice =
    "SELECT number FROM notifications WHERE workspace_id = $1 AND subject = $2 AND text = $3 "
    "AND created_ms > $4 ORDER BY number DESC LIMIT 1";
constexpr std::string_view kCapWords = "Another question could pass its daily_cap_usd.";
constexpr std::string_view kBudgetSpent = "budget_spent";
constexpr std::string_view kCapSubject = "The heartbeat pauses until tomorrow";
constexpr std::string_view kRefusedSubject = "The heartbeat's model refuses to answer";

constexpr std::string_view kTurnsOfTalk =
    "SELECT kind, state, queued_ms FROM turns WHERE conversation_id = $1 "
    "ORDER BY number DESC LIMIT 50";
constexpr std::string_view kTurnsOfWorkspace =
    "SELECT kind, state, queued_ms FROM turns WHERE workspace_id = $1 "
    "ORDER BY number DESC LIMIT 50";

// What a beat itself has written is no news to the next one.
bool is_news(const Activity& row) {
  return !(row.type == ActivityType::kHeartbeat && row.job.has_value());
}

struct Strangers {
  std::optional<bool> untrusted;
};
auto shape(const Strangers*) { return fields(field("untrusted", &Strangers::untrusted, "")); }

// Foreign words were in what it tells about: what is made of it inherits that (rule 8).
bool tells_of_strangers(const Activity& row) {
  const auto details = decode_json<Strangers>(row.details);
  return !details || details->untrusted.value_or(false);
}

// What other heartbeats of the workspace see as well: it can't be told by a project.
bool is_of_workspace(const CheckOrder& order) {
  return order.kind == CheckKind::kFailedRuns || order.kind == CheckKind::kOverdueReminders ||
         order.kind == CheckKind::kIdleApprovals;
}

bool is_refusal(const Error& error) {
  return error.kind == Kind::kUnauthorized || error.is(ModelErrc::kUnauthorized) ||
         error.is(ModelErrc::kNoCredit);
}

// Nobody takes money for these; anything else may have been paid for before it failed.
bool is_free(const Error& error) {
  return is_refusal(error) || error.is(ModelErrc::kSpendCap) || error.is(ModelErrc::kRateLimited) ||
         error.kind == Kind::kRateLimited;
}

// A question under way. Whoever asked may leave before it is answered: a server that stops waits
// for nobody. So it is shared by both, and holds nothing of the house.
struct Question {
  using Answer = std::shared_ptr<Result<OneShotAnswer>>;
  Answer answer;
  Completer<Answer> done;
  std::stop_source over;
  void end(Result<OneShotAnswer> with) {
    if (answer) return;
    over.request_stop();
    answer = std::make_shared<Result<OneShotAnswer>>(std::move(with));
    if (done) done(answer);
  }
};

Task<void> put_to(OneShot* model, OneShotQuestion asked, std::shared_ptr<Question> question) {
  question->end(co_await model->consult(std::move(asked)));
}

// Whoever is asked keeps the deadline; this is for the one who doesn't.
Task<void> give_up(Clock& clock, std::shared_ptr<Question> question) {
  const bool late =
      co_await clock.wait_for(kBeatDeadline + kLastMoment, question->over.get_token());
  if (late) question->end(fail(Errc::kTimeout, "the model gave no answer"));
}

Task<Result<OneShotAnswer>> consult(Loop& loop, Clock& clock, OneShot* model, OneShotQuestion asked,
                                    std::stop_token stop) {
  const auto question = std::make_shared<Question>();
  loop.spawn("heartbeat deadline", give_up(clock, question));
  loop.spawn("heartbeat question", put_to(model, std::move(asked), question));
  const std::stop_callback leave(
      stop, [question] { question->end(fail(Errc::kCancelled, "the server is stopping")); });
  auto answer = co_await complete_later<Question::Answer>([question](auto done) {
    question->done = std::move(done);
    if (question->answer) question->done(question->answer);
  });
  co_return std::move(*answer);
}

// Holds a heartbeat's place: one at a time.
class Place {
 public:
  using Places = std::set<std::pair<WorkspaceId, std::string>>;
  Place(Places& places, WorkspaceId workspace, std::string name)
      : places_(places), key_(std::move(workspace), std::move(name)) {
    taken_ = places_.insert(key_).second;
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() {
    if (taken_) places_.erase(key_);
  }
  [[nodiscard]] bool taken() const { return taken_; }

 private:
  Places& places_;
  Places::value_type key_;
  bool taken_ = false;
};

}  // namespace

Heartbeat::Heartbeat(Parts parts)
    : parts_(parts), checks_(parts.database, parts.clock, parts.kernel) {}

void Heartbeat::use_models(FindOneShot find) {
  find_model_ = std::move(find);
  refused_.clear();
}

bool Heartbeat::is_heartbeat(const Job& job) {
  return job.kind == JobKind::kSystem && heartbeat_name(job.id).has_value();
}

// --- the ways in ---------------------------------------------------------------------------------

Task<RunEnd> Heartbeat::run(Job job, Occurrence occurrence, std::stop_token stop) {
  const std::string name = heartbeat_name(job.id).value_or("");
  const auto settings = settings_of(job.workspace, name);
  if (!settings) co_return RunEnd{.state = kSkipped, .reason = "settings_broken"};
  const Place place(under_way_, job.workspace, name);
  if (!place.taken()) co_return RunEnd{.state = kSkipped, .reason = "overlap"};
  auto tick = tick_of(job.workspace, *settings);
  Result<Ended> ended;
  if (tick) {
    tick->job = job;
    tick->occurrence = occurrence;
    ended = co_await run_tick(*tick, stop);
  } else {
    ended = std::unexpected(tick.error());
  }
  // Its person has moved: so do its hours.
  if (tick && job.schedule.zone != tick->zone && !stop.stop_requested() &&
      is_wanted(job.workspace, name)) {
    (void)co_await ensure_job(job.workspace, *settings);
  }
  if (ended) co_return std::move(ended->end);
  if (stop.stop_requested()) co_return RunEnd{.state = kSkipped, .reason = "stop", .written = true};
  parts_.log.warn("heartbeat.failed", {{"heartbeat", job.id}, {"message", ended.error().message}});
  RunEnd end{.state = kRunError, .reason = std::string(ended.error().name)};
  end.failures = job.failures + 1;
  end.also = log_activity(
      {.at = parts_.clock.wall_now(),
       .type = ActivityType::kHeartbeat,
       .summary = fmt::format("The heartbeat could not look around: {}", ended.error().message),
       .workspace = job.workspace,
       .job = job.number,
       .due = occurrence.due,
       .details = R"({"verdict":"","outcome":"failed"})"});
  co_return end;
}

Task<Result<Beat>> Heartbeat::beat_now(WorkspaceId workspace, std::string name) {
  CO_TRY(const HeartbeatSettings settings, settings_of(workspace, name));
  const Place place(under_way_, workspace, name);
  if (!place.taken()) co_return fail(Errc::kConflict, "this heartbeat is beating just now");
  CO_TRY(Tick tick, tick_of(workspace, settings));
  auto job = parts_.book.get(workspace, heartbeat_job_id(name));
  if (!job && settings.enabled) {  // a server that has just begun makes it in a moment
    (void)co_await reload(workspace);
    job = parts_.book.get(workspace, heartbeat_job_id(name));
  }
  if (job) tick.job = std::move(*job);
  CO_TRY(Ended ended, co_await run_tick(std::move(tick), {}));
  co_return std::move(ended.beat);
}

// --- what a beat knows ---------------------------------------------------------------------------

Result<Heartbeat::Tick> Heartbeat::tick_of(const WorkspaceId& workspace,
                                           HeartbeatSettings settings) {
  Tick tick{.settings = std::move(settings), .workspace = workspace, .zone = {}, .home = {}};
  TRY(tick.home, zone_of(workspace, {}));
  tick.zone = tick.settings.zone.empty() ? tick.home : tick.settings.zone;
  TRY(const std::string orders, orders_text(workspace, tick.settings));
  tick.orders = parse_standing_orders(orders);
  TRY(tick.state, read_beat_state(parts_.database, workspace, tick.settings.name));
  const WallTime now = parts_.clock.wall_now();
  tick.state.move_to(now, day_in_zone(now, tick.zone));
  find_target(tick);
  tick.beat.heartbeat = tick.settings.name;
  tick.beat.at = now;
  return tick;
}

// By any name; one that doesn't exist yet begins with the first wake.
void Heartbeat::find_target(Tick& tick) {
  const std::string& said = tick.settings.conversation;
  if (said.empty()) return;
  const auto found = parts_.kernel.find_conversation(tick.workspace, said);
  if (found) {
    tick.target = found->key;
    tick.talk = found->id;
    return;
  }
  const auto key = SessionKey::parse(
      parts_.book.owner_key(said.contains(':') ? said : fmt::format("websocket:{}", said)));
  if (!key) return;
  tick.target = *key;
  const auto talk = parts_.kernel.conversations().find(tick.workspace, *key);
  if (talk && *talk) tick.talk = (*talk)->id;
}

OneShot* Heartbeat::model_of(const Tick& tick) {
  if (!find_model_ || is_refused(tick.settings.model)) return nullptr;
  return find_model_(tick.settings.model);
}

bool Heartbeat::is_refused(const std::string& role) {
  const auto found = refused_.find(role);
  return found != refused_.end() && parts_.clock.mono_now() < found->second.until;
}

// It may have been switched off, or its workspace deleted, while it was under way.
bool Heartbeat::is_wanted(const WorkspaceId& workspace, const std::string& name) {
  if (!settings_.contains(workspace) || !parts_.workspaces.get(workspace)) return false;
  const auto settings = settings_of(workspace, name);
  return settings && settings->enabled;
}

// --- may it? -------------------------------------------------------------------------------------

// A turn of the conversation, or a person's anywhere if there is none; and who wrote last.
Result<Heartbeat::Hold> Heartbeat::held(const Tick& tick) {
  const WallTime now = parts_.clock.wall_now();
  if (tick.talk && parts_.runner.busy(*tick.talk))
    return Hold{"conversation_busy", now + kLookAgain};
  TRY(const Rows rows,
      parts_.database.read({tick.talk ? kTurnsOfTalk : kTurnsOfWorkspace,
                            {tick.talk ? Value(tick.talk->str()) : Value(tick.workspace.str())}}));
  std::optional<WallTime> wrote;
  for (const Row& row : rows) {
    const bool person = row.text(0) == turn_kind_name(TurnKind::kUser);
    const bool open = row.text(1) == "queued" || row.text(1) == "running";
    if (open && (person || tick.talk)) return Hold{"conversation_busy", now + kLookAgain};
    const WallTime at{row.integer(2)};
    if (person && !wrote && at <= now) wrote = at;  // one of the future: the clock was set back
  }
  if (tick.by_hand() || !wrote || *wrote + tick.settings.quiet_after <= now) return Hold{};
  return Hold{"person_wrote", *wrote + tick.settings.quiet_after};
}

// Why, in words; "": there is money left, or none is needed.
Result<std::string> Heartbeat::budget_spent(const Tick& tick) {
  if (!tick.orders.needs_model() || model_of(tick) == nullptr) return std::string();
  const BeatDay& today = tick.state.today;
  const HeartbeatSettings& settings = tick.settings;
  if (settings.day_calls && today.calls >= *settings.day_calls) {
    return fmt::format("It has asked the model {} times today, as often as daily_cap_calls allows.",
                       today.calls);
  }
  // Of the day's first question the price itself is asked: the model may be another one today.
  const std::int64_t next = today.calls > 0 || !price_of_ ? today.dearest_micros : 0;
  const bool dear = settings.day_micros &&
                    today.cost_micros + std::max<std::int64_t>(next, 1) > *settings.day_micros;
  return std::string(dear ? kCapWords : "");
}

// The whole workspace waits for tomorrow: its own notice says so, once for everything (UX-6).
Result<bool> Heartbeat::workspace_pauses(const Tick& tick) {
  if (!tick.orders.needs_model() || model_of(tick) == nullptr) return false;
  TRY(const auto paused, parts_.spend.paused(tick.workspace, tick.home));
  if (paused) parts_.spend.tell_paused(tick.workspace, tick.home, *paused);
  return paused.has_value();
}

Task<Result<Heartbeat::Ended>> Heartbeat::run_tick(Tick tick, std::stop_token stop) {
  const WallTime now = parts_.clock.wall_now();
  if (tick.occurrence) {
    tick.beat.due = tick.occurrence->due;
    tick.beat.late = now - tick.occurrence->due > kLate;
  }
  const auto& hours = tick.settings.hours;
  if (!tick.settings.enabled) co_return co_await skip(std::move(tick), "disabled", "");
  if (!tick.by_hand() && hours && !is_within(*hours, tick.zone, now)) {
    co_return co_await skip(std::move(tick), "outside_hours", "");
  }
  CO_TRY(std::string spent, budget_spent(tick));
  if (!spent.empty()) co_return co_await skip(std::move(tick), kBudgetSpent, std::move(spent));
  CO_TRY(const bool pauses, workspace_pauses(tick));
  if (pauses) co_return co_await skip(std::move(tick), kBudgetSpent, "");
  CO_TRY(const Hold hold, held(tick));
  if (!hold.reason.empty()) co_return co_await put_off(std::move(tick), hold);
  BeatState before = tick.state;
  CO_TRY(tick, co_await look(std::move(tick), stop));
  // Nothing of it is kept: the next life begins it anew.
  if (stop.stop_requested()) co_return fail(Errc::kCancelled, "the server is stopping");
  if (!is_wanted(tick.workspace, tick.settings.name)) {
    co_return co_await drop(std::move(tick), std::move(before));
  }
  co_return co_await finish(std::move(tick));
}

// Nobody wants to hear of it any more. What it has cost counts all the same; of a workspace that is
// deleted nothing is written.
Task<Result<Heartbeat::Ended>> Heartbeat::drop(Tick tick, BeatState before) {
  if (!parts_.workspaces.get(tick.workspace)) {
    Ended out{.end = {.state = kSkipped, .reason = "removed", .written = true}};
    out.beat = std::move(tick.beat);
    out.beat.state = out.beat.outcome = kSkipped;
    out.beat.reason = "removed";
    co_return out;
  }
  before.today = tick.state.today;
  CO_TRY_VOID(co_await parts_.database.write(Write{
      {write_beat_state(tick.workspace, tick.settings.name, before, parts_.clock.wall_now())}}));
  tick.beat.verdict.clear();
  co_return co_await skip(std::move(tick), "disabled", "");
}

// Not now; its occurrence waits in the ledger, where a restart finds it, and not forever.
Task<Result<Heartbeat::Ended>> Heartbeat::put_off(Tick tick, Hold hold) {
  if (tick.by_hand()) co_return co_await skip(std::move(tick), hold.reason, "");
  const Millis longest = std::min(kLongestDeferral, Millis{tick.settings.interval.count / 2});
  const WallTime last = tick.occurrence->claimed + longest;
  if (parts_.clock.wall_now() >= last) co_return co_await skip(std::move(tick), hold.reason, "");
  CO_TRY_VOID(co_await parts_.database.write(Write{
      {OccurrenceLedger::postpone(*tick.occurrence, std::min(hold.until, last), hold.reason)}}));
  Ended out{.end = {.state = kClaimed, .reason = std::string(hold.reason), .written = true}};
  out.beat = std::move(tick.beat);
  co_return out;
}

Notification Heartbeat::notice_of(const Tick& tick, std::string subject, std::string words,
                                  WallTime now) {
  Notification out{.workspace = tick.workspace,
                   .kind = "heartbeat",
                   .subject = std::move(subject),
                   .text = std::move(words),
                   .created = now};
  out.automation = heartbeat_job_id(tick.settings.name);
  return out;
}

// A budget that is spent is told once a day.
Task<Result<Heartbeat::Ended>> Heartbeat::skip(Tick tick, std::string_view reason,
                                               std::string notice) {
  const WallTime now = parts_.clock.wall_now();
  tick.beat.state = kSkipped;
  tick.beat.outcome = "skipped";
  tick.beat.reason = reason;
  tick.beat.summary = fmt::format("skipped: {}", reason);
  Ended out{.end = {.state = kSkipped, .reason = std::string(reason)}, .beat = tick.beat};
  if (notice.empty() || tick.state.notice_day == tick.state.today.day) co_return out;
  tick.state.notice_day = tick.state.today.day;
  out.end.also =
      parts_.notifications.say(notice_of(tick, std::string(kCapSubject), std::move(notice), now));
  out.end.also.push_back(write_beat_state(tick.workspace, tick.settings.name, tick.state, now));
  CO_TRY_VOID(co_await end(tick, std::move(out.end)));
  parts_.notifications.told(tick.workspace);
  out.end = {.state = kSkipped, .reason = std::string(reason), .written = true};
  co_return out;
}

// --- looking around ------------------------------------------------------------------------------

Task<Result<bool>> Heartbeat::has_changed(const Tick& tick) {
  const BeatState& state = tick.state;
  if (!state.is_new() && state.orders != tick.orders.hash) co_return true;
  for (const Finding& one : tick.findings) {
    const bool known = std::ranges::any_of(state.found, [&](const SeenFinding& seen) {
      return seen.key == one.key && seen.severity >= one.severity;
    });
    if (!known) co_return true;
  }
  if (state.is_new()) {
    const WallTime today = at_local_clock(parts_.clock.wall_now(), tick.zone, 0, 0, 0);
    CO_TRY(const auto rows,
           co_await parts_.activity.today(tick.workspace, tick.settings.project, today, kBeatRows));
    co_return std::ranges::any_of(rows, is_news);
  }
  ActivityFilter filter{.workspace = tick.workspace, .project = tick.settings.project};
  filter.without_quiet_beats = true;
  CO_TRY(const NewActivity fresh,
         co_await parts_.activity.after(std::move(filter), state.seen, kNewRows));
  const WallTime oldest = parts_.clock.wall_now() - kLongestLookBack;
  co_return std::ranges::any_of(
      fresh.rows, [&](const Activity& row) { return is_news(row) && row.at >= oldest; });
}

// Today, and what was written after the last beat of a day about that day: nobody has judged it.
Task<Result<WallTime>> Heartbeat::read_since(const Tick& tick) {
  const WallTime now = parts_.clock.wall_now();
  WallTime since = at_local_clock(now, tick.zone, 0, 0, 0);
  if (tick.state.is_new()) co_return since;
  ActivityFilter filter{.workspace = tick.workspace, .project = tick.settings.project};
  filter.without_quiet_beats = true;
  CO_TRY(const NewActivity fresh,
         co_await parts_.activity.after(std::move(filter), tick.state.seen, kNewRows));
  for (const Activity& row : fresh.rows) {
    if (is_news(row) && row.at >= now - kLongestLookBack) since = std::min(since, row.at);
  }
  co_return since;
}

// What is the whole workspace's is looked after by the heartbeat without a project, if there is
// one: else each would tell the same.
std::vector<CheckOrder> Heartbeat::checks_of(const Tick& tick) {
  std::vector<CheckOrder> out = tick.orders.checks;
  if (!tick.settings.project) return out;
  const auto known = settings_.find(tick.workspace);
  const bool is_looked_after = known != settings_.end() &&
                               std::ranges::any_of(known->second, [](const HeartbeatSettings& one) {
                                 return one.enabled && !one.project;
                               });
  if (is_looked_after) std::erase_if(out, is_of_workspace);
  return out;
}

Task<Result<Heartbeat::Tick>> Heartbeat::look(Tick tick, std::stop_token stop) {
  CO_TRY(const std::int64_t newest, parts_.activity.newest_id());
  CO_TRY(tick.findings,
         co_await checks_.run(tick.workspace, tick.settings.project, checks_of(tick), stop));
  tick.untrusted = std::ranges::any_of(tick.findings, &Finding::untrusted);
  OneShot* const model = model_of(tick);
  if (!tick.orders.needs_model()) {
    tick.beat.reason = "checks_only";
  } else if (model == nullptr) {
    tick.beat.reason = is_refused(tick.settings.model) ? "model_refused" : "no_model";
  } else if (tick.orders.always.empty()) {
    CO_TRY(const bool changed, co_await has_changed(tick));
    if (!changed) tick.beat.reason = "nothing_changed";
  }
  if (tick.beat.reason.empty()) {
    CO_TRY(tick, co_await ask(std::move(tick), model, stop));
  }
  const WallTime now = parts_.clock.wall_now();
  if (tick.beat.calls > 0 && tick.error.empty()) {
    CO_TRY_VOID(settle_words(tick, now));
  } else {
    speak_of_findings(tick, now);
  }
  // A question that failed is asked again: for the next beat nothing was read yet.
  if (tick.error.empty() && tick.beat.reason != "model_refused") {
    tick.state.seen = newest;
    tick.state.orders = tick.orders.hash;
    tick.state.found.clear();
    for (const Finding& one : tick.findings) {
      tick.state.found.push_back({one.key, one.severity, now.unix_ms});
    }
  }
  ++tick.state.today.beats;
  co_return tick;
}

// A cap that nobody can reckon with is no cap: then nobody is asked.
bool Heartbeat::may_pay(Tick& tick, const std::optional<std::int64_t>& price) {
  if (!tick.settings.day_micros || !price_of_) return true;
  if (!price) {
    note_error(tick, Error(Errc::kInvalid,
                           fmt::format("daily_cap_usd is set, but the price of the model '{}' is "
                                       "not known, so it is not asked; give its price in the "
                                       "configuration, or take the cap away",
                                       tick.settings.model)));
    tick.beat.reason = kPriceUnknown;
    return false;
  }
  if (tick.state.today.cost_micros + *price <= *tick.settings.day_micros) return true;
  note_error(tick, Error(ModelErrc::kSpendCap, "the question could pass its daily_cap_usd"));
  if (tick.state.notice_day != tick.state.today.day) {
    tick.subject = kCapSubject;
    tick.notice = kCapWords;
  }
  tick.state.notice_day = tick.state.today.day;
  return false;
}

// The call and what it may cost are counted before it is made, so that no death makes it cheaper.
Task<Result<Heartbeat::Tick>> Heartbeat::ask(Tick tick, OneShot* model, std::stop_token stop) {
  const WallTime now = parts_.clock.wall_now();
  CO_TRY(const WallTime since, co_await read_since(tick));
  CO_TRY(auto rows,
         co_await parts_.activity.today(tick.workspace, tick.settings.project, since, kBeatRows));
  tick.untrusted = tick.untrusted || std::ranges::any_of(rows, tells_of_strangers);
  const auto workspace = parts_.workspaces.get(tick.workspace);
  OneShotQuestion question = beat_question({.agent = tick.settings.agent,
                                            .person = workspace ? workspace->name : "",
                                            .now = now,
                                            .zone = tick.zone,
                                            .rows = std::move(rows),
                                            .findings = tick.findings,
                                            .state = &tick.state,
                                            .orders = &tick.orders,
                                            .may_wake = tick.target.has_value()});
  question.workspace = tick.workspace;
  question.zone = tick.home;
  question.deadline = kBeatDeadline;
  const auto price = price_of_ ? price_of_(tick.settings.model, question) : std::nullopt;
  if (!may_pay(tick, price)) co_return tick;
  const std::int64_t reserved = price.value_or(tick.state.today.dearest_micros);
  ++tick.state.today.calls;
  tick.state.today.cost_micros += reserved;
  tick.beat.calls = 1;
  CO_TRY_VOID(co_await parts_.database.write(
      Write{{write_beat_state(tick.workspace, tick.settings.name, tick.state, now)}}));
  const auto answer = co_await consult(parts_.loop, parts_.clock, model, std::move(question), stop);
  if (stop.stop_requested()) co_return fail(Errc::kCancelled, "the server is stopping");
  if (answer) {
    note_answer(tick, *answer, reserved);
    co_return tick;
  }
  if (is_free(answer.error())) tick.state.today.cost_micros -= reserved;
  note_error(tick, answer.error());
  co_return tick;
}

void Heartbeat::note_answer(Tick& tick, const OneShotAnswer& answer, std::int64_t reserved) {
  refused_.erase(tick.settings.model);
  tick.state.last_error.clear();
  BeatDay& today = tick.state.today;
  today.tokens_in += tick.beat.tokens_in = answer.tokens_in;
  today.tokens_out += tick.beat.tokens_out = answer.tokens_out;
  tick.beat.cost_micros = answer.cost_micros;
  const std::int64_t cost = answer.cost_micros.value_or(0);
  today.unpriced += answer.cost_micros ? 0 : 1;
  today.cost_micros += cost - reserved;
  today.dearest_micros = today.calls == 1 ? cost : std::max(today.dearest_micros, cost);
  BeatAnswer said = read_beat_answer(answer, static_cast<std::size_t>(tick.settings.ack_max));
  tick.beat.verdict = verdict_name(said.verdict);
  tick.beat.outcome = said.outcome;
  tick.beat.summary = std::move(said.text);
}

// A key that was refused, or no credit: it is told once a day, and nobody asks again for a while.
void Heartbeat::note_error(Tick& tick, const Error& error) {
  tick.error = error.message;
  tick.beat.reason = error.is(ModelErrc::kSpendCap) ? kBudgetSpent : error.name;
  tick.state.last_error = utf8_prefix(error.message, 300);
  if (!is_refusal(error)) return;
  refused_.insert_or_assign(tick.settings.model,
                            Refusal{error.message, parts_.clock.mono_now() + kRefusedRest});
  std::string words = fmt::format(
      "It asked the model '{}' and was refused: {} It goes on with its checks "
      "and tries again each hour.",
      tick.settings.model, utf8_prefix(error.message, 300));
  if (was_told(tick.workspace, kRefusedSubject, words)) return;
  tick.subject = kRefusedSubject;
  tick.notice = std::move(words);
}

// By any heartbeat of the workspace, within a day (HB-14).
bool Heartbeat::was_told(const WorkspaceId& workspace, std::string_view subject,
                         const std::string& words) {
  const auto rows = parts_.database.read({kSameNotice,
                                          {workspace.str(), std::string(subject), words,
                                           (parts_.clock.wall_now() - days(1)).unix_ms}});
  return rows && !rows->empty();
}

}  // namespace rouse
