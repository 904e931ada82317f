#include "app/schedule_side.h"

#include <fmt/format.h>

#include "app/system_zone.h"
#include "app/tool_settings.h"
#include "app/workspace_files.h"
#include "base/files.h"
#include "schedule/cron_tool.h"

namespace rouse {
namespace {

constexpr std::string_view kFileName = "schedule.json";

SchedulerOptions scheduler_options(const Config& config) {
  SchedulerOptions out;
  out.enabled = config.automations.enabled;
  out.at_once = static_cast<std::size_t>(config.automations.at_once);
  out.stagger = millis(config.automations.stagger_ms);
  out.hold = minutes(config.automations.crash_hold_minutes);
  if (config.automations.crash_hold_minutes == 0) out.crashes_to_hold = 0;
  return out;
}

}  // namespace

ScheduleSide::ScheduleSide(Parts parts, AgentHouse& house)
    : parts_(std::move(parts)),
      ledger_(parts_.database),
      book_(parts_.database, parts_.clock, parts_.random, parts_.workspaces, house.events()),
      desk_({parts_.loop, parts_.clock, parts_.random, parts_.database, parts_.kernel,
             house.runner(), book_, ledger_, house.events(), parts_.log}),
      scheduler_({parts_.loop, parts_.clock, parts_.database, book_, ledger_, desk_, house.events(),
                  parts_.log}),
      gates_(parts_.loop, parts_.clock, parts_.data_dir),
      dream_({parts_.clock, parts_.database, book_, parts_.memory, parts_.agents, house.events(),
              parts_.log}),
      story_(book_, ledger_, parts_.kernel.turns(), parts_.clock),
      output_folder_(parts_.data_dir, parts_.pool),
      output_({parts_.loop, parts_.clock, parts_.random, parts_.database, parts_.kernel,
               house.runner(), book_, ledger_, desk_, house.notifications(), parts_.removal,
               evaluator_, parts_.log}),
      file_(book_, parts_.kernel, parts_.clock),
      routes_(book_, ledger_, story_, parts_.kernel, parts_.workspaces, parts_.clock),
      run_routes_(book_, ledger_, parts_.workspaces),
      import_routes_(book_, parts_.workspaces, parts_.clock) {
  house.runner().add_participant(desk_);
  house.use_occasions(&desk_);
  house.tools().add(std::make_unique<CronTool>(book_, parts_.kernel, parts_.clock));
  desk_.on_ended([this](const TurnId&, const Run&) { output_.nudge(); });
  output_.use_files([this](OutputFile file) { return output_folder_.write(std::move(file)); });
  scheduler_.use_gate([this](Job job, std::stop_token stop) {
    return gates_.ask(std::move(job), std::move(stop));
  });
  scheduler_.use_system([this](Job job, Occurrence occurrence, std::stop_token stop) {
    if (job.id == kDreamId || !heartbeat_) return dream_.run(std::move(job), std::move(stop));
    return heartbeat_(std::move(job), std::move(occurrence), std::move(stop));
  });
  scheduler_.on_problem(
      [this](const std::string& problem) { parts_.board.note("automations", problem); });
  routes_.use_model([&house]() -> std::optional<ModelInfo> {
    const auto model = house.models()->main();
    return model ? std::optional(model->info()) : std::nullopt;
  });
  parts_.workspaces.also_clear(
      [this](WorkspaceId workspace) { return book_.forget(std::move(workspace)); });
}

Result<void> ScheduleSide::load() {
  TRY_VOID(ledger_.load());
  return book_.load();
}

void ScheduleSide::start() {
  started_ = true;
  files_changed();
  parts_.loop.spawn("dream", ensure_dream());
  output_.start();
  scheduler_.start();
}

Task<void> ScheduleSide::stop() {
  started_ = false;
  co_await output_.stop();
  co_await scheduler_.stop_in_order();
}

void ScheduleSide::apply(const Config& config) {
  book_.configure({.default_zone = config.timezone.empty() ? system_zone() : config.timezone,
                   .unified = config.unified_session,
                   .held = config.automations.enabled
                               ? ""
                               : "automations are off (automations.enabled in rouse.yaml)"});
  scheduler_.configure(scheduler_options(config));
  gates_.configure(shell_settings(config));
  dreams_ = config.automations.dream;
  dream_at_ = config.automations.dream_at;
  if (!started_) return;
  parts_.loop.spawn("dream", ensure_dream());
  files_changed();  // what could not be made while automations were off
}

Task<void> ScheduleSide::ensure_dream() {
  const auto there = co_await dream_.ensure(dreams_, dream_at_);
  parts_.board.note("dream", there ? "" : "automations.dream_at: " + there.error().message);
}

void ScheduleSide::add_routes(RouteTable& table) {
  routes_.add_to(table);
  run_routes_.add_to(table);
  import_routes_.add_to(table);
}

// --- schedule.json -------------------------------------------------------------------------------

std::vector<std::string> ScheduleSide::files() const {
  std::vector<std::string> out;
  for (WorkspaceFile& file : workspace_files(parts_.data_dir, kFileName)) {
    out.push_back(std::move(file.path));
  }
  return out;
}

void ScheduleSide::files_changed() {
  if (!started_) return;
  if (reading_) {
    read_again_ = true;
    return;
  }
  reading_ = true;
  parts_.loop.spawn("schedule.json", read_files());
}

Task<void> ScheduleSide::read_files() {
  do {
    read_again_ = false;
    for (WorkspaceFile& file : workspace_files(parts_.data_dir, kFileName)) {
      if (!parts_.workspaces.get(file.workspace)) continue;
      co_await read_file_of(std::move(file.workspace), std::move(file.path));
    }
  } while (read_again_ && started_);
  reading_ = false;
}

// A file that is gone declares nothing; one that can't be read or understood changes nothing.
Task<void> ScheduleSide::read_file_of(WorkspaceId workspace, std::string path) {
  const bool there = path_exists(path);
  auto text = there ? read_file(path, kScheduleFileBytes) : std::string(R"({"jobs":[]})");
  std::string problem;
  if (!text) {
    problem = text.error().message;
  } else {
    const auto applied = co_await file_.apply(workspace, std::move(*text));
    if (!applied) problem = fmt::format("{}: {}", path, applied.error().message);
    if (applied && applied->wrote()) {
      parts_.log.info("schedule_file.applied", {{"path", path},
                                                {"added", applied->added},
                                                {"changed", applied->changed},
                                                {"removed", applied->removed}});
    }
    if (applied) {
      for (const std::string& notice : applied->notices) {
        parts_.log.warn("schedule_file.notice", {{"path", path}, {"message", notice}});
      }
    }
  }
  if (!problem.empty()) parts_.log.error("schedule_file.refused", {{"message", problem}});
  parts_.board.note("schedule.json " + workspace.str(), problem);
}

}  // namespace rouse
