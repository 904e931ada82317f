#include "tests/sim/heartbeat_life.h"

#include <algorithm>
#include <array>

#include <absl/time/civil_time.h>
#include <absl/time/time.h>
#include <fmt/format.h>

#include "base/text.h"
#include "base/time_zone.h"

namespace rouse::sim {
namespace {

constexpr std::size_t kMany = 1'000'000;
constexpr std::int64_t kMinuteMs = 60'000;
constexpr std::int64_t kSlackMs = 3 * kMinuteMs;  // a model that hangs, and a slow disk

Rows read(Database& database, std::string_view sql, std::vector<Value> params = {}) {
  auto rows = database.read({sql, std::move(params), kMany});
  EXPECT_TRUE(rows) << rows.error();
  return rows ? std::move(*rows) : Rows{};
}

// --- the calendar --------------------------------------------------------------------------------

absl::TimeZone zone_named(const std::string& name) {
  absl::TimeZone zone;
  EXPECT_TRUE(absl::LoadTimeZone(name, &zone)) << name;
  return zone;
}

int minute_of_day(const std::string& clock) {
  return std::stoi(clock.substr(0, 2)) * 60 + std::stoi(clock.substr(3));
}

// The first minute at which the clocks show at least this.
std::int64_t first_minute(absl::CivilMinute wanted, const absl::TimeZone& zone) {
  absl::Time at = absl::FromCivil(wanted - 4 * 60, absl::UTCTimeZone()) - absl::Hours(14);
  while (absl::ToCivilMinute(at, zone) < wanted - 3 * 60) at += absl::Hours(1);
  at -= absl::Hours(1);
  while (absl::ToCivilMinute(at, zone) < wanted) at += absl::Minutes(1);
  return absl::ToUnixMillis(at);
}

struct OpenHours {
  std::int64_t from = 0, to = 0;
};
OpenHours hours_of(const WantedBeat& beat, absl::CivilDay day, const absl::TimeZone& zone) {
  const int start = minute_of_day(beat.start), end = minute_of_day(beat.end);
  const absl::CivilMinute midnight(day);
  return {first_minute(midnight + start, zone),
          first_minute(midnight + (end > start ? end : end + 24 * 60), zone)};
}

absl::CivilDay day_of(std::int64_t ms, const absl::TimeZone& zone) {
  return absl::ToCivilDay(absl::FromUnixMillis(ms), zone);
}

// --- models that misbehave -----------------------------------------------------------------------

// The last one could be a person's words where something else is said, too.
constexpr std::array kTokens{"HEARTBEAT_OK",
                             "**HEARTBEAT_OK**",
                             "heartbeat_ok",
                             "`HEARTBEAT_OK`",
                             "_HEARTBEAT_OK_.",
                             "> HEARTBEAT_OK",
                             "NO_REPLY",
                             "no_reply",
                             "\"HEARTBEAT_OK\"",
                             "HEARTBEAT OK",
                             "<b>HEARTBEAT_OK</b>",
                             "HEARTBEAT\xC2\xAD_OK",
                             "***NO_REPLY***",
                             "HEARTBEAT_OK\n",
                             "\xF0\x9F\x91\x8D NO_REPLY",
                             "Heartbeat-OK"};
constexpr std::array kAlerts{"The draft to Henrik waits for six hours.",
                             "The backup failed twice; look at the disk.",
                             "A meeting begins in half an hour, and nothing is prepared.",
                             "Three runs of the importer ended with errors."};

// Gives up at the deadline of its request, as every provider does.
class TimelyModel final : public Model {
 public:
  TimelyModel(std::shared_ptr<Model> inner, Loop& loop, Clock& clock)
      : inner_(std::move(inner)), loop_(loop), clock_(clock) {}
  [[nodiscard]] const ModelInfo& info() const override { return inner_->info(); }
  Task<Result<ModelAnswer>> answer(const ModelRequest& request, ModelStream& stream,
                                   std::stop_token stop) override {
    std::stop_source late, over;
    const std::stop_callback stopped(stop, [&] { late.request_stop(); });
    loop_.spawn("deadline", stop_after(request.deadline, late, over.get_token()));
    auto answer = co_await inner_->answer(request, stream, late.get_token());
    over.request_stop();
    if (!answer && late.stop_requested() && !stop.stop_requested()) {
      co_return fail(ModelErrc::kTimeout, "no answer in time");
    }
    co_return answer;
  }

 private:
  Task<void> stop_after(Millis length, std::stop_source late, std::stop_token over) {
    if (co_await clock_.wait_for(length, std::move(over))) late.request_stop();
  }
  std::shared_ptr<Model> inner_;
  Loop& loop_;
  Clock& clock_;
};

std::string filled_in(std::string_view verdict, std::string_view text) {
  return fmt::format(R"({{"verdict":"{}","text":"{}","conversation":"api:p2"}})", verdict,
                     json_escape(text));
}

// Without the marks that could hide a token; the signs between JSON fields stay.
std::string bare(std::string_view text) {
  std::string out;
  for (const char c : lower_ascii(text)) {
    if (std::string_view("*_`~ -.>").find(c) == std::string_view::npos && (c & 0x80) == 0) out += c;
  }
  return out;
}

bool shows_token(std::string_view text) {
  const std::string seen = bare(text);
  return seen.find("heartbeatok") != std::string::npos || seen.find("noreply") != std::string::npos;
}

}  // namespace

std::vector<std::int64_t> calendar_dues(const WantedBeat& beat, const std::string& zone_name,
                                        WallTime after, WallTime until) {
  const absl::TimeZone zone = zone_named(zone_name);
  std::vector<std::int64_t> out;
  for (absl::CivilDay day = day_of(after.unix_ms, zone) - 1; day <= day_of(until.unix_ms, zone) + 1;
       ++day) {
    const OpenHours hours = hours_of(beat, day, zone);
    for (std::int64_t due = hours.from; due < hours.to; due += beat.every_minutes * kMinuteMs) {
      if (due > after.unix_ms && due <= until.unix_ms) out.push_back(due);
    }
  }
  return out;
}

bool calendar_allows(const WantedBeat& beat, const std::string& zone_name, WallTime time) {
  const absl::TimeZone zone = zone_named(zone_name);
  for (const int before : {1, 0}) {
    const OpenHours hours = hours_of(beat, day_of(time.unix_ms, zone) - before, zone);
    if (hours.from <= time.unix_ms && time.unix_ms < hours.to + kSlackMs) return true;
  }
  return false;
}

// --- the life ------------------------------------------------------------------------------------

HeartbeatLife::HeartbeatLife(std::uint64_t seed, WallTime begins, std::string zone,
                             std::vector<WantedBeat> beats, std::string orders)
    : random_(seed), zone_(std::move(zone)), beats_(std::move(beats)) {
  std::string all;
  for (const WantedBeat& one : beats_) {
    all += fmt::format(
        R"({}{{"name":"{}","interval_minutes":{},"active_hours":{{"start":"{}","end":"{}","zone":"{}"}})",
        all.empty() ? "" : ",", one.name, one.every_minutes, one.start, one.end, zone_);
    if (!one.conversation.empty()) all += fmt::format(R"(,"conversation":"{}")", one.conversation);
    if (one.cap_micros > 0) {
      all += fmt::format(R"(,"daily_cap_usd":{})", static_cast<double>(one.cap_micros) / 1e6);
    }
    if (one.cap_calls > 0) all += fmt::format(R"(,"daily_cap_calls":{})", one.cap_calls);
    all += "}";
  }
  files_["heartbeat.json"] = fmt::format(R"({{"heartbeats":[{}]}})", all);
  files_["heartbeat-prompt.md"] = std::move(orders);
  begin(begins);
}

HeartbeatLife::~HeartbeatLife() { end_house(); }

void HeartbeatLife::begin(std::optional<WallTime> at) {
  world_ = std::make_unique<World>(random_.next_u64(), &disk_);
  if (at) world_->clock().step_wall(*at - world_->clock().wall_now());
  auto opened = world_->open_store();
  ASSERT_TRUE(opened) << opened.error();
  database_ = *opened;
  model_ = std::make_shared<ScriptedModel>();
  model_->otherwise = [this](const ModelRequest&) { return turn_answer(); };
  cheap_ = std::make_shared<ScriptedModel>();
  cheap_->described.price = ModelPrice{.in = 1'000'000, .out = 5'000'000};
  cheap_->otherwise = [this](const ModelRequest& request) { return cheap_answer(request); };
  house_ = std::make_unique<ProactiveHouseForTests>(
      *world_, *database_, model_,
      std::make_shared<TimelyModel>(cheap_, world_->loop(), world_->clock()), outside_, files_);
  const auto started = world_->run(house_->start());
  ASSERT_TRUE(started) << started.error();
  EXPECT_EQ(house_->problem, "");
  ++lives_;
}

void HeartbeatLife::end_house() {
  house_->schedule.scheduler.stop();
  world_->settle();
  world_->run(house_->stop());
  world_->run_for(seconds(1));  // whatever is going on ends, well or not
  house_.reset();
}

void HeartbeatLife::restart(Millis down) {
  end_house();
  const WallTime at = now() + down;
  world_->close_store();
  world_.reset();
  begin(at);
}

void HeartbeatLife::die_soon() {
  disk_.kill_at(disk_.changes() + 1 + static_cast<std::int64_t>(random_.below(80)));
}

void HeartbeatLife::die_and_come_back(Millis down) {
  constexpr std::array kWays{sqlite::Unsynced::kKeepAll, sqlite::Unsynced::kKeepNone,
                             sqlite::Unsynced::kKeepSome};
  if (alive()) disk_.kill_now();
  end_house();
  const WallTime at = now() + down;
  world_.reset();
  disk_.power_cycle(kWays[random_.below(kWays.size())], random_.next_u64());
  begin(at);
}

ScriptedAnswer HeartbeatLife::turn_answer() {
  const std::uint64_t dice = kind_ ? 99 : random_.below(100);
  if (dice < 4) return ScriptedAnswer::hangs_until_cancelled();
  if (dice < 6) return ScriptedAnswer::fails(ModelErrc::kOverloaded);
  return ScriptedAnswer::says(fmt::format("thing {} is done", random_.below(1'000)));
}

ScriptedAnswer HeartbeatLife::cheap_answer(const ModelRequest& request) {
  if (request.tools.empty()) {  // a punchline
    if (random_.below(10) == 0) return ScriptedAnswer::fails(ModelErrc::kRateLimited);
    return ScriptedAnswer::says(fmt::format("Finished thing {}.", random_.below(1'000)));
  }
  ++questions_;
  const auto any = std::ranges::any_of(
      beats_, [this](const WantedBeat& one) { return calendar_allows(one, zone_, now()); });
  EXPECT_TRUE(any) << "a model was asked outside of all hours, at " << to_iso(now());
  const ModelUsage used{.in = 200 + static_cast<std::int64_t>(random_.below(400)), .out = 20};
  const std::string token = kTokens[random_.below(kTokens.size())];
  const std::string plain_token = kTokens[random_.below(kTokens.size() - 1)];
  const std::string alert = kAlerts[random_.below(kAlerts.size())];
  const auto form = [&](std::string_view verdict, const std::string& text) {
    return ScriptedAnswer::calls_tool("c1", request.tools.front().name, filled_in(verdict, text))
        .using_tokens(used);
  };
  const auto text = [&](std::string said) {
    return ScriptedAnswer::says(std::move(said)).using_tokens(used);
  };
  switch (kind_ ? 8 : random_.below(20)) {
    case 0:
      return ScriptedAnswer::hangs_until_cancelled();
    case 1:
      return ScriptedAnswer::fails(ModelErrc::kRateLimited);
    case 2:
      return ScriptedAnswer::fails(random_.below(8) == 0 ? ModelErrc::kUnauthorized
                                                         : ModelErrc::kOverloaded);
    case 3:
      return text("");
    case 4:
      return form("notify", token);  // the token in the form's text
    case 5:
      return form("wake", token);
    case 6:
      return form("panic", alert);
    case 7:
      return ScriptedAnswer::calls_tool("c1", request.tools.front().name, "{\"verdict\":")
          .using_tokens(used);
    case 8:
      return form("nothing", "");
    case 9:
      return form("nothing", token);
    case 10:
      return form("notify", alert);
    case 11:
      return form("notify", fmt::format("{} {}", plain_token, alert));
    case 12:
      return form("wake", alert);
    case 13:
      return form("wake", fmt::format("{}\n\n{}", alert, plain_token));
    case 14:
      return text(alert);
    case 15:
      return text(fmt::format("{}\n{}", alert, plain_token));
    default:
      return text(token);
  }
}

void HeartbeatLife::wait(Millis length) {
  world_->run_for(length);
  model_->requests.clear();
  cheap_->requests.clear();
}

void HeartbeatLife::chat(int peer) {
  auto message = chat_from(fmt::format("p{}", peer), fmt::format("thought {}", ++said_),
                           fmt::format("m{}", said_));
  const auto taken = world_->run(house_->schedule.runner().submit(std::move(message)));
  EXPECT_TRUE(taken || !alive()) << taken.error();
}

void HeartbeatLife::call_off_turns() {
  for (const Row& row : read(*database_, "SELECT turn_id FROM turns WHERE state = 'running'")) {
    (void)world_->run(house_->schedule.runner().cancel(*TurnId::parse(row.text(0))));
  }
}

void HeartbeatLife::beat_by_hand() {
  const WantedBeat& one = beats_[random_.below(beats_.size())];
  if (!calendar_allows(one, zone_, now())) return;  // the check of the hours knows no hands
  const auto beat = world_->run(house_->heartbeat.beat_now(Workspaces::default_id(), one.name));
  EXPECT_TRUE(beat || !alive() || beat.error().kind == Kind::kConflict) << beat.error();
}

// --- what must hold ------------------------------------------------------------------------------

std::int64_t HeartbeatLife::count(std::string_view sql) {
  return read(*database_, sql).front().integer(0);
}

std::string HeartbeatLife::open_ones() {
  const SchedulerStats& stats = house_->schedule.scheduler.stats();
  std::string out =
      fmt::format("{}: {} wakes, {} claims, {} begun; {} questions under way, {} wait; held {}\n",
                  to_iso(now()), stats.wakes, stats.claims, stats.begun, house_->cheap.asking(),
                  house_->cheap.waiting(), house_->schedule.scheduler.held());
  for (const Row& row : read(*database_,
                             "SELECT job, due_ms, state, reason, ready_ms FROM occurrences WHERE "
                             "ended_ms IS NULL")) {
    out += fmt::format("job {} due {}: {} {}, ready {}\n", row.integer(0), to_iso({row.integer(1)}),
                       row.text(2), row.text(3), to_iso({row.integer(4)}));
  }
  return out;
}

Job HeartbeatLife::job_of(const WantedBeat& beat) {
  auto job = house_->schedule.book.get(Workspaces::default_id(), heartbeat_job_id(beat.name));
  EXPECT_TRUE(job) << job.error();
  return job ? *job : Job{};
}

// Each instant of the calendar is covered by exactly one row or folded count, and nothing else is.
void HeartbeatLife::check_coverage(const WantedBeat& beat) {
  const Job job = job_of(beat);
  ASSERT_EQ(job.state, JobState::kActive) << beat.name;
  ASSERT_TRUE(job.next) << beat.name;
  auto& dues = dues_[beat.name];
  WallTime& counted = counted_.try_emplace(beat.name, job.created).first->second;
  const WallTime until = *job.next - millis(1);
  if (until > counted) {
    for (const std::int64_t due : calendar_dues(beat, zone_, counted, until)) dues.push_back(due);
    counted = until;
  }
  std::int64_t covered =
      read(*database_, "SELECT COALESCE(SUM(count), 0) FROM occurrence_days WHERE job = $1",
           {job.number})
          .front()
          .integer(0);
  for (const Row& row :
       read(*database_,
            "SELECT due_ms, last_ms, count FROM occurrences WHERE job = $1 ORDER BY due_ms",
            {job.number})) {
    const auto from = std::ranges::lower_bound(dues, row.integer(0));
    const auto to = std::ranges::upper_bound(dues, row.integer(1));
    EXPECT_EQ(to - from, row.integer(2)) << beat.name << " at " << to_iso({row.integer(0)});
    covered += row.integer(2);
  }
  EXPECT_EQ(covered, static_cast<std::int64_t>(dues.size())) << beat.name;
  check_rows(beat, job);
  check_spend(beat, job);
}

// A row of the log for each beat that was carried out, none for the others, and each in its hours.
void HeartbeatLife::check_rows(const WantedBeat& beat, const Job& job) {
  constexpr std::string_view kCarriedOut = "('ok', 'empty', 'error', 'timeout')";
  const auto executed =
      read(*database_,
           fmt::format("SELECT (SELECT COUNT(*) FROM occurrences WHERE job = $1 AND state IN {0}) "
                       "+ (SELECT COALESCE(SUM(count), 0) FROM occurrence_days WHERE job = $1 AND "
                       "state IN {0})",
                       kCarriedOut),
           {job.number});
  const Rows rows = read(*database_,
                         "SELECT due_ms, ts FROM activity WHERE job = $1 AND due_ms IS NOT NULL "
                         "ORDER BY due_ms",
                         {job.number});
  EXPECT_EQ(static_cast<std::int64_t>(rows.size()), executed.front().integer(0))
      << beat.name << ": rows in the log and beats in the ledger";
  std::int64_t before = 0;
  for (const Row& row : rows) {
    EXPECT_NE(row.integer(0), before) << beat.name << " is in the log twice";
    before = row.integer(0);
    EXPECT_TRUE(std::ranges::binary_search(dues_[beat.name], row.integer(0)));
    EXPECT_TRUE(calendar_allows(beat, zone_, {row.integer(1)}))
        << beat.name << " outside of its hours: " << to_iso({row.integer(1)});
  }
  if (beat.conversation.empty()) return;
  const Rows inside = read(
      *database_,
      "SELECT a.due_ms, t.turn_id FROM activity a JOIN conversations c ON c.session_key = $2 JOIN "
      "turns t ON t.conversation_id = c.conversation_id AND t.started_ms < a.due_ms - 1000 AND "
      "(t.ended_ms IS NULL OR t.ended_ms > a.ts) WHERE a.job = $1 AND a.due_ms IS NOT NULL",
      {job.number, beat.conversation});
  for (const Row& row : inside) {
    ADD_FAILURE() << beat.name << " at " << to_iso({row.integer(0)}) << " beat inside of "
                  << row.text(1);
  }
}

void HeartbeatLife::check_spend(const WantedBeat& beat, const Job& job) {
  const absl::TimeZone zone = zone_named(zone_);
  std::map<absl::CivilDay, std::pair<std::int64_t, std::int64_t>> days;
  for (const Row& row :
       read(*database_, "SELECT ts, details FROM activity WHERE job = $1", {job.number})) {
    const auto details = parse_json(row.text(1));
    ASSERT_TRUE(details) << row.text(1);
    auto& [micros, calls] = days[day_of(row.integer(0), zone)];
    const auto* cost = details->as_object().if_contains("cost_micros");
    if (cost != nullptr && cost->is_int64()) micros += cost->get_int64();
    const auto* asked = details->as_object().if_contains("calls");
    if (asked != nullptr && asked->is_int64()) calls += asked->get_int64();
  }
  // A question asked right before midnight may be answered after it.
  const bool overnight = minute_of_day(beat.end) < minute_of_day(beat.start);
  for (const auto& [day, spent] : days) {
    if (beat.cap_micros > 0) {
      EXPECT_LE(spent.first, beat.cap_micros + (overnight ? 700 : 0)) << absl::FormatCivilTime(day);
    }
    if (beat.cap_calls > 0) {
      EXPECT_LE(spent.second, beat.cap_calls + (overnight ? 1 : 0)) << absl::FormatCivilTime(day);
    }
  }
}

void HeartbeatLife::check_leaks() {
  for (const std::string_view sql :
       {"SELECT content FROM messages", "SELECT subject || ' | ' || text FROM notifications",
        "SELECT text FROM outbox", "SELECT body FROM events",
        "SELECT summary || ' | ' || details FROM activity"}) {
    for (const Row& row : read(*database_, sql)) {
      EXPECT_FALSE(shows_token(row.text(0))) << sql << ": " << row.text(0);
    }
  }
}

void HeartbeatLife::check_wakes() {
  std::string allowed;
  for (const WantedBeat& one : beats_) {
    if (one.conversation.empty()) continue;
    allowed += fmt::format("{}'{}'", allowed.empty() ? "" : ", ", one.conversation);
  }
  EXPECT_EQ(count(fmt::format("SELECT COUNT(*) FROM turns t JOIN conversations c ON "
                              "c.conversation_id = t.conversation_id WHERE t.kind = "
                              "'heartbeat_wake' AND c.session_key NOT IN ({})",
                              allowed)),
            0)
      << "a wake came to a conversation that nobody configured";
}

// HB-14: the same words not twice within 24 hours; a spent budget once a day (HB-5).
void HeartbeatLife::check_nagging() {
  const absl::TimeZone zone = zone_named(zone_);
  std::map<std::string, std::int64_t> said;
  for (const Row& row :
       read(*database_,
            "SELECT subject || ': ' || text, created_ms FROM notifications WHERE kind = "
            "'heartbeat' ORDER BY number")) {
    const auto [before, first] = said.try_emplace(row.text(0), row.integer(1));
    if (first) continue;
    if (row.text(0).find("until tomorrow") != std::string::npos) {
      EXPECT_NE(day_of(row.integer(1), zone), day_of(before->second, zone)) << row.text(0);
    } else {
      EXPECT_GE(row.integer(1) - before->second, hours(24).count) << row.text(0);
    }
    before->second = row.integer(1);
  }
}

void HeartbeatLife::check(const std::string& when) {
  SCOPED_TRACE(when);
  for (const WantedBeat& one : beats_) check_coverage(one);
  check_leaks();
  check_wakes();
  check_nagging();
}

}  // namespace rouse::sim
