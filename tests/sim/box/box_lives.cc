// The box's time, lives and deaths.
#include <fmt/format.h>

#include "store/sqlite/connection.h"
#include "tests/sim/box/box.h"

namespace rouse::sim {
namespace {

constexpr Millis kStopWithin = minutes(30);

Task<bool> as_value(Task<void> task) {
  co_await std::move(task);
  co_return true;
}

template <class T>
Task<void> keep(Task<T> task, std::shared_ptr<std::optional<T>> result) {
  *result = co_await std::move(task);
}

}  // namespace

Box::Box(const Plan& plan)
    : plan_(plan), bug_(find_bug(plan.bug)), mind_(outside_), dues_(founded(plan.seed).dues) {
  outside_.seed = plan.seed;
  outside_.papers.cap = day_cap(plan.seed);
  outside_.papers.rules = some_rules(0, mixed(plan.seed, 9));
  outside_.papers.workflow = to_yaml(outside_.papers.rules);
  disk_.restore(founded(plan.seed).disk);
  if (bug_ != nullptr && bug_->lying_sync) disk_.lie_about_syncs(true);
  begin(founded(plan.seed).wall);
}

Box::~Box() {
  if (house_) end_house();
}

// Runs a task to its end. One that takes longer than it ever should is a broken promise, not a test
// that hangs.
template <class T>
std::optional<T> Box::finish(Task<T> task, Millis within) {
  const auto result = std::make_shared<std::optional<T>>();
  world_->loop().spawn("box", keep(std::move(task), result));
  const MonoTime latest = world_->clock().mono_now() + within;
  while (true) {
    world_->settle();
    if (*result) return std::move(**result);
    const auto next = world_->clock().next_deadline();
    if (!next || *next > latest) return std::nullopt;
    world_->clock().advance_to(*next);
  }
}

template std::optional<std::string> Box::finish(Task<std::string> task, Millis within);

bool Box::finish(Task<void> task, Millis within) {
  return finish(as_value(std::move(task)), within).has_value();
}

void Box::run_until(std::int64_t at_ms) {
  world_->settle();
  revive_if_dead();
  while (!outside_.failure) {
    const auto next = world_->clock().next_deadline();
    if (!next || base_ms_ + next->ms > at_ms) break;
    world_->clock().advance_to(*next);
    world_->settle();
    revive_if_dead();
  }
  if (now_ms() < at_ms) world_->clock().advance_to(MonoTime{at_ms - base_ms_});
  world_->settle();
  revive_if_dead();
}

void Box::begin(WallTime at) {
  ++lives_;
  seen_ = {};
  checked_at_ = -1;
  world_ =
      std::make_unique<World>(mixed(plan_.seed, static_cast<std::uint64_t>(100 + lives_)), &disk_);
  disk_.observe({});  // the digest has what it needs from elsewhere
  world_->clock().step_wall(at - world_->clock().wall_now());
  world_->loop().on_bug([this](const std::string& task, const std::string& what) {
    outside_.broke("0: no task ends with an exception", fmt::format("{}: {}", task, what));
  });
  disk_.set_quota(std::nullopt);  // somebody has made room before it is started again
  full_until_ms_ = 0;
  auto opened = world_->open_store();
  // A disk that refuses a write in the middle of a start: it is started again.
  for (int again = 0; !opened && alive() && disk_trouble_ms_ >= 0 && again < 3; ++again) {
    opened = world_->open_store();
  }
  if (!opened && !alive()) return;
  if (!opened) {
    outside_.broke("9: the store opens after anything", opened.error().message);
    return;
  }
  database_ = *opened;
  read_papers();
  if (bug_ != nullptr) {
    for (const std::string_view sql : bug_->at_start) {
      (void)finish(database_->write(one(sql, {})), kStopWithin);
    }
    broken_ = std::make_unique<BrokenDatabase>(**opened, *bug_, world_->loop(), world_->clock());
    database_ = broken_.get();
  }
  const auto recorded = recorded_beats();
  phone_ = std::make_unique<Phone>(outside_, world_->clock());
  house_ = std::make_unique<House>(*world_, *database_, mind_, outside_, *phone_,
                                   bug_ != nullptr ? bug_->skips : House::Skips{});
  const auto started = finish(house_->start(), kStopWithin);
  if (!alive()) return;
  if (!started) {
    outside_.broke("9: a start comes to its end", "it hangs");
  } else if (!*started && disk_trouble_ms_ < 0) {
    outside_.broke("9: a start works when the disk does", started->error().message);
  }
  settle_jobs_cut_off();
  settle_beats(recorded);
}

void Box::end_house() {
  if (!house_) return;
  const bool stopped = finish(house_->stop(), kStopWithin);
  if (!stopped) outside_.broke("9: a stop comes to its end", "it hangs");
  world_->run_for(seconds(1));  // whatever is going on ends, well or not
  house_.reset();
}

void Box::restart(Millis down) {
  end_house();
  const WallTime at = wall() + down;
  awake_ms_ = awake_ms();
  base_ms_ = now_ms() + down.count;
  world_->close_store();
  world_.reset();
  begin(at);
}

void Box::die(Millis down, std::uint64_t dice) {
  if (alive()) disk_.kill_now();
  outside_.mix(static_cast<std::uint64_t>(disk_.changes()));
  end_house();
  const WallTime at = wall() + down;
  awake_ms_ = awake_ms();
  base_ms_ = now_ms() + down.count;
  world_.reset();
  constexpr std::array kWays{sqlite::Unsynced::kKeepAll, sqlite::Unsynced::kKeepNone,
                             sqlite::Unsynced::kKeepSome};
  constexpr std::array kWords{"killed, the disk keeps all", "killed, unsynced writes are lost",
                              "killed, unsynced writes are torn"};
  disk_.power_cycle(kWays[dice % 3], dice);
  outside_.counts.hit(kWords[dice % 3]);
  begin(at);
}

void Box::revive_if_dead() {
  for (int again = 0; !alive() && again < 5 && !outside_.failure; ++again) {
    outside_.counts.hit("died at a write");
    const std::uint64_t dice = mixed(plan_.seed, static_cast<std::uint64_t>(lives_ * 7 + 3));
    const bool long_night = dice % 5 == 0;
    die(long_night ? hours(1 + static_cast<std::int64_t>(dice % 30))
                   : seconds(static_cast<std::int64_t>(dice % 900)),
        dice >> 8);
    if (!outside_.failure && alive()) check_all("after a death");
  }
}

// The owner before may be slow, not dead. What it still writes is refused.
void Box::hand_over() {
  {
    auto other = sqlite::Connection::open("/data/rouse.db", sqlite::Access::kReadWrite,
                                          {.vfs = world_->vfs()});
    if (!other || !other->exec("UPDATE rouse_store SET epoch = epoch + 1")) return;
  }
  disk_trouble_ms_ = awake_ms();  // from here on nobody wonders about a refusal
  const auto late =
      finish(database_->write(Write{{{"UPDATE jobs SET name = 'by the one before'", {}, {}}}}),
             minutes(1));
  if (!alive()) return;
  if (late && *late) {
    outside_.broke("7: only the owner writes", "a write of the one before was taken");
  }
  if (late && !*late && late->error().is(StoreErrc::kFenced)) outside_.counts.hit("fenced");
  run_until(now_ms() + minutes(10).count);
  if (!alive() || outside_.failure) return;
  end_house();
  const WallTime at = wall();
  awake_ms_ = awake_ms();
  base_ms_ = now_ms();
  world_.reset();
  begin(at);
}

}  // namespace rouse::sim
