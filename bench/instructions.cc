// What the main paths cost in instructions: instructions DIR, under callgrind
// (bench/instructions.ts runs it, reads what was counted and compares it with
// bench/instructions.json). Each path runs a few rounds to get warm, then kRounds rounds inside of
// rouse_counted(), which is what callgrind looks at. Prints a line for each path, in their order:
// its name, the rounds, and how often they asked for memory.
//
// Nothing is left to chance (still_world.h), so the same build counts the same, whatever the
// machine does at the time.
#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "activity/activity_log.h"
#include "agent/agent_house.h"
#include "agent/notify_tool.h"
#include "agent/prompt/standard_prompt.h"
#include "agent/skill_tool.h"
#include "bench/lifecycle_house.h"
#include "bench/still_world.h"
#include "model/openai/openai_format.h"
#include "schedule/scheduler.h"
#include "tool/calculator.h"
#include "tool/clock_tool.h"

// Memory comes from glibc, which is not counted; so the asking is.
namespace {
long asked_for_memory = 0;
}  // namespace
extern "C" {
void* __libc_malloc(std::size_t);                 // NOLINT
void* __libc_calloc(std::size_t, std::size_t);    // NOLINT
void* __libc_realloc(void*, std::size_t);         // NOLINT
void* __libc_memalign(std::size_t, std::size_t);  // NOLINT
[[gnu::visibility("default")]] void* malloc(std::size_t size) {
  ++asked_for_memory;
  return __libc_malloc(size);
}
[[gnu::visibility("default")]] void* calloc(std::size_t count, std::size_t size) {
  ++asked_for_memory;
  return __libc_calloc(count, size);
}
[[gnu::visibility("default")]] void* realloc(void* old, std::size_t size) {
  ++asked_for_memory;
  return __libc_realloc(old, size);
}
[[gnu::visibility("default")]] void* aligned_alloc(std::size_t to, std::size_t size) {
  ++asked_for_memory;
  return __libc_memalign(to, size);
}
}

namespace {

using namespace rouse;
using namespace rouse::bench;

constexpr int kWarmUp = 20, kRounds = 50;

class InstantModel final : public Model {
 public:
  InstantModel() {
    info_.provider = "bench";
    info_.name = "instant";
  }
  [[nodiscard]] const ModelInfo& info() const override { return info_; }
  Task<Result<ModelAnswer>> answer(const ModelRequest&, ModelStream& stream,
                                   std::stop_token) override {
    ModelAnswer out;
    out.blocks.emplace_back();
    for (const std::string_view piece : {"It will be sunny", " in Lisbon tomorrow."}) {
      stream.text(0, piece);
      out.blocks.front().text += piece;
    }
    out.usage = {.in = 900, .out = 9};
    out.model = info_.full_name();
    co_return out;
  }

 private:
  ModelInfo info_;
};

// The server between its doors and its store, as wiring.cc puts it together.
struct House {
  explicit House(StillWorld& world, const std::string& dir)
      : workspaces(*world.store, world.clock, world.random),
        kernel(*world.store, world.clock, world.random, workspaces, summariser, drift),
        agents(*world.store, world.clock),
        blobs(*world.store, world.clock),
        files(dir, world.clock),
        prompt(files),
        log([&world] { return world.clock.wall_now(); }, redactor, [](std::string_view) {}),
        agent({world.loop, world.clock, *world.store, kernel, workspaces, agents, blobs, summariser,
               prompt, log, world.random},
              std::make_shared<ModelBook>(
                  std::map<std::string, std::shared_ptr<Model>, std::less<>>{{"main", model}})),
        book(*world.store, world.clock, world.random, workspaces, agent.events()),
        ledger(*world.store),
        desk({world.loop, world.clock, world.random, *world.store, kernel, agent.runner(), book,
              ledger, agent.events(), log}),
        scheduler(
            {world.loop, world.clock, *world.store, book, ledger, desk, agent.events(), log}) {
    log.set_level(LogLevel::kError);
    agent.use_occasions(&desk);
    agent.runner().add_participant(desk);
    agent.tools().add(std::make_unique<Calculator>());
    agent.tools().add(std::make_unique<ClockTool>(world.clock));
    agent.tools().add(std::make_unique<NotifyTool>(agent.notifications()));
    agent.tools().add(std::make_unique<SkillTool>(files));
    agent.tools().add(std::make_unique<Shell>());
    world.get(start());
  }
  Task<Result<void>> start() {
    CO_TRY_VOID(co_await workspaces.ensure_default());
    CO_TRY_VOID(kernel.load());
    CO_TRY_VOID(book.load());
    CO_TRY_VOID(ledger.load());
    CO_TRY_VOID(co_await agent.recover());
    co_return co_await agent.runner().resume_waiting();
  }
  Task<void> stop() {
    co_await scheduler.stop_in_order();
    co_await agent.runner().stop(seconds(1));
  }

  Workspaces workspaces;
  Summariser summariser;
  DriftGate drift;
  SessionKernel kernel;
  Agents agents;
  Blobs blobs;
  PersonFiles files;
  StandardPrompt prompt;
  Redactor redactor;
  Log log;
  std::shared_ptr<InstantModel> model = std::make_shared<InstantModel>();
  AgentHouse agent;
  JobBook book;
  OccurrenceLedger ledger;
  AutomationDesk desk;
  Scheduler scheduler;
};

// --- the paths -----------------------------------------------------------------------------------

using Round = std::function<void(int)>;  // of one path; told how many there were before

// What callgrind counts: from the entry of this function to its return.
extern "C" [[gnu::noinline]] void rouse_counted(const Round& round) {
  for (int i = 0; i < kRounds; ++i) round(kWarmUp + i);
  std::fflush(stdout);  // not a tail call
}

void count(const char* name, const Round& round) {
  for (int i = 0; i < kWarmUp; ++i) round(i);
  const long before = asked_for_memory;
  rouse_counted(round);
  std::printf("%s %d %ld\n", name, kRounds, asked_for_memory - before);
}

InboundMessage message_of(std::string channel, int peer) {
  const std::string who = fmt::format("+1555{:07}", peer);
  return {
      .workspace = Workspaces::default_id(),
      .key = {std::move(channel), who},
      .account = who,
      .message_id = {},
      .content = text_content("And what will the weather be like in Lisbon tomorrow?", kFromOwner),
      .heeds_reset_phrases = false};
}

void count_conversations(StillWorld& world, House& house) {
  constexpr int kPeers = 10;
  for (int i = 0; i < kPeers; ++i) world.get(house.kernel.resolve(message_of("whatsapp", i)));
  count("resolve",
        [&](int i) { world.get(house.kernel.resolve(message_of("whatsapp", i % kPeers))); });

  count("durable_turn", [&](int i) {
    const Submitted taken = world.get(house.agent.runner().submit(message_of("api", i % kPeers)));
    const TurnOutcome outcome =
        world.get(house.agent.runner().wait(*taken.resolved.turn, std::stop_token{}));
    if (!outcome.response.starts_with("It will be sunny")) die("a turn was not answered");
  });

  const Conversation known =
      must(house.kernel.find_conversation(Workspaces::default_id(), "api:+15550000003"));
  count("prompt_build", [&](int) {
    const TurnPrompt built =
        world.get(house.agent.prompts().of_conversation(known.workspace, known.id));
    const std::string body =
        encode_openai(built.request, built.model->info(), OutputLimitName::kMaxTokens);
    if (body.size() < 1'000) die("the request is too small to be one");
  });
}

// An answer of a hundred pieces, read as it comes from a model.
void count_stream(StillWorld& world) {
  struct Heard final : ModelStream {
    std::size_t bytes = 0;
    void text(std::size_t, std::string_view delta) override { bytes += delta.size(); }
    void again() override {}
  };
  std::string wire;
  for (int i = 0; i < 100; ++i) {
    wire += fmt::format(
        R"(data: {{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1760000000,)"
        R"("model":"m","choices":[{{"index":0,"delta":{{"content":" word{}"}},)"
        R"("finish_reason":null}}]}})"
        "\n\n",
        i);
  }
  wire += R"(data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})"
          "\n\ndata: [DONE]\n\n";
  count("model_stream_100", [&](int) {
    Heard heard;
    const auto reader = make_openai_reader(heard, world.random);
    for (std::size_t at = 0; at < wire.size(); at += 1'000) {
      must(reader->feed(std::string_view(wire).substr(at, 1'000)));
    }
    if (!reader->finish() || heard.bytes < 500) die("the stream was not read");
  });
}

// Each instant is alone in its tick and is settled without a run, which would be a turn.
void count_claims(StillWorld& world, House& house) {
  constexpr int kJobs = kWarmUp + kRounds;
  const WallTime first = world.clock.wall_now() + minutes(1);
  for (int i = 0; i < kJobs; ++i) {
    JobWish wish{.workspace = Workspaces::default_id(),
                 .message = "Look at what came in since yesterday.",
                 .session_key = "websocket:bench"};
    wish.schedule = {
        .kind = ScheduleKind::kEvery, .every = hours(12), .anchor = first + seconds(i) - hours(12)};
    world.get(house.book.create(std::move(wish)));
  }
  world.get(world.store->write(
      one("UPDATE jobs SET backoff_ms = $1", {(world.clock.wall_now() + minutes(20)).unix_ms})));
  house.scheduler.start();
  const auto advance_to = [&](WallTime time) {
    world.run([](Clock& clock, Millis length) -> Task<void> {
      (void)co_await clock.wait_for(length);
    }(world.clock, time - world.clock.wall_now()));
  };
  advance_to(first - seconds(1));
  count("job_claim", [&](int i) { advance_to(first + seconds(i)); });
  const Rows settled = must(world.store->read({"SELECT COUNT(*) FROM occurrences", {}}));
  if (settled.front().integer(0) != kJobs) {
    die(fmt::format("{} of {} instants were settled", settled.front().integer(0), kJobs));
  }
}

void count_activity(StillWorld& world) {
  const WallTime newest = world.clock.wall_now();
  for (int i = 0; i < 2'000; i += 50) {
    Write write;
    for (int j = i; j < i + 50; ++j) {
      Activity row{.at = newest - seconds(2'000 - j),
                   .summary = "Fixed a bug, 7 of 8 tests pass.",
                   .workspace = Workspaces::default_id()};
      row.type = j % 4 == 0 ? ActivityType::kScheduled : ActivityType::kMessage;
      if (j % 3 == 0) row.project = fmt::format("project-{}", j % 7);
      for (Statement& statement : log_activity(row))
        write.statements.push_back(std::move(statement));
    }
    world.get(world.store->write(std::move(write)));
  }
  ActivityLog log(*world.store);
  count("activity_query", [&](int i) {
    ActivityFilter filter{.workspace = Workspaces::default_id()};
    if (i % 2 == 0)
      filter.type = ActivityType::kScheduled;
    else
      filter.project = fmt::format("project-{}", i % 7);
    if (world.get(log.page(std::move(filter), {}, 20)).rows.size() != 20) die("not 20 rows");
  });
}

void count_lifecycle(const std::string& dir) {
  StillWorld world(dir);
  CleanRepository git;
  EngineHouse house(
      world.loop, *world.store, world.clock, world.random, git,
      +[]() -> std::int64_t { return 0; });
  world.get(open_session(house));
  count("lifecycle_turn", [&](int) { world.run(engine_turn(house)); });
  count("lifecycle_tool_call", [&](int) { world.run(engine_call(house)); });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) die("usage: instructions NEW_DIR");
  const std::string dir = argv[1];
  {
    StillWorld world(dir + "/house");
    House house(world, dir + "/house");
    count_conversations(world, house);
    count_stream(world);
    count_activity(world);
    count_claims(world, house);
    world.run(house.stop());
  }
  count_lifecycle(dir + "/lifecycle");
}
