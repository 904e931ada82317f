#include "tests/sim/box/founding.h"

#include <array>
#include <stdexcept>

#include <fmt/format.h>

#include "tests/sim/box/plan.h"

namespace rouse::sim {
namespace {

constexpr int kJobs = 50;

// Nights on which clocks change somewhere, and some on which nothing does.
constexpr std::array kBegins{"2026-03-07T12:00:00.000Z", "2026-03-28T06:00:00.000Z",
                             "2026-04-03T20:00:00.000Z", "2026-06-10T00:00:00.000Z",
                             "2026-09-04T18:00:00.000Z", "2026-10-24T10:00:00.000Z",
                             "2026-10-31T12:00:00.000Z", "2026-12-30T12:00:00.000Z"};

constexpr std::array kZones{"America/New_York",  "Australia/Lord_Howe", "America/Santiago",
                            "Africa/Casablanca", "Asia/Kathmandu",      "Pacific/Apia",
                            "Europe/London",     "Pacific/Chatham",     "UTC"};
constexpr std::array kExpressions{"30 2 * * *",   "30 1 * * *",   "0 0 * * *",  "15 2 * * *",
                                  "45 1 * * *",   "0 7 * * *",    "30 9 * * 1", "0 8 L * *",
                                  "*/30 2 * * 0", "0 9 * * 1-5",  "5 2 15 * *", "0 12 1W * *",
                                  "0 18 * * 5",   "10 4 * * 2,4", "0 */8 * * *"};

std::int64_t small(std::uint64_t dice, std::uint64_t below) {
  return static_cast<std::int64_t>(dice % below);
}

void must(bool well, std::string_view what) {
  if (!well) throw std::logic_error(fmt::format("the world could not be founded: {}", what));
}

Founded found(const char* begins) {
  sqlite::FaultDisk disk;
  Outside outside;
  outside.kind = true;
  outside.papers.cap = day_cap(0);
  Mind mind(outside);
  Founded out;
  {
    World world(7, &disk);
    disk.observe({});
    world.set_longest_disk_delay(millis(0));
    world.clock().step_wall(*from_iso(begins) - world.clock().wall_now());
    auto database = world.open_store();
    must(database.has_value(), "no store");
    Phone phone(outside, world.clock());
    House house(world, **database, mind, outside, phone, {});
    must(world.run(house.start()).has_value(), "no start");
    must(house.life.problem.empty(), house.life.problem);
    for (int i = 0; i < kJobs; ++i) {
      auto wish = some_job(mixed(50, static_cast<std::uint64_t>(i)), world.clock().wall_now());
      wish.key = fmt::format("founded {}", i);
      const auto made = world.run(house.book().create(wish));
      must(made.has_value(), made ? "" : made.error().message);
      out.dues.began(made->job.number, made->job.schedule, made->job.created);
    }
    for (const StandardBeat& beat : standard_beats()) {
      const auto job = house.book().get(Workspaces::default_id(), heartbeat_job_id(beat.name));
      must(job.has_value(), beat.name);
      out.dues.began(job->number, job->schedule, job->created);
    }
    world.run(house.stop());
    world.run_for(seconds(1));
    out.wall = world.clock().wall_now();
    world.close_store();
  }
  out.disk = disk.snapshot();
  return out;
}

}  // namespace

Schedule some_schedule(std::uint64_t dice, WallTime now) {
  Schedule out;
  out.zone = kZones[(dice >> 8) % kZones.size()];
  switch (dice % 8) {
    case 0:
      out.kind = ScheduleKind::kEvery;
      out.every = minutes(360 + small(dice >> 16, 2000));
      out.anchor = now;
      break;
    case 1:
      out.kind = ScheduleKind::kAt;
      out.at = now + minutes(1 + small(dice >> 16, 10'000));
      break;
    default:
      out.expr = kExpressions[(dice >> 16) % kExpressions.size()];
      break;
  }
  return out;
}

JobWish some_job(std::uint64_t dice, WallTime now) {
  JobWish wish{.workspace = Workspaces::default_id(),
               .message = "look after it",
               .session_key = fmt::format("api:p{}", (dice >> 32) % kFirstPhone),
               .schedule = some_schedule(dice, now)};
  if ((dice >> 36) % 5 == 0) {
    wish.session_key = fmt::format("whatsapp:p{}", kFirstPhone + (dice >> 40) % 5);
  }
  wish.catch_up = static_cast<CatchUp>((dice >> 44) % 3);
  wish.catch_up_max = 1 + small(dice >> 46, 4);
  wish.window = (dice >> 48) % 3 == 0 ? hours(2) : days(7);
  wish.timeout = minutes(1 + small(dice >> 50, 10));
  return wish;
}

const Founded& founded(std::uint64_t seed) {
  static std::map<std::size_t, Founded> all;
  const std::size_t which = mixed(seed, 2) % kBegins.size();
  const auto found_before = all.find(which);
  if (found_before != all.end()) return found_before->second;
  return all.emplace(which, found(kBegins[which])).first->second;
}

}  // namespace rouse::sim
