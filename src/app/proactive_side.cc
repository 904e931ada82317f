#include "app/proactive_side.h"

#include "app/workspace_files.h"

namespace rouse {

ProactiveSide::ProactiveSide(Parts parts, AgentSide& agent, ScheduleSide& schedule)
    : parts_(std::move(parts)),
      activity_(parts_.database),
      chronicle_({parts_.loop, parts_.clock, parts_.database, parts_.kernel, parts_.summariser,
                  agent.house().events(), parts_.log}),
      heartbeat_({parts_.clock, parts_.random, parts_.database, parts_.kernel, parts_.workspaces,
                  agent.house().runner(), schedule.book(), schedule.ledger(), schedule.desk(),
                  agent.house().events(), agent.house().notifications(), agent.house().spend(),
                  activity_, parts_.log, parts_.loop}),
      watch_(
          {parts_.loop, parts_.clock, parts_.database, agent.house().notifications(), parts_.log}),
      opens_({parts_.loop, parts_.clock, parts_.random, parts_.database, parts_.kernel,
              agent.house().prompts(), agent.house().ledger(), agent.house().runner(),
              schedule.removal(), parts_.log}),
      activity_routes_(activity_, parts_.kernel, parts_.projects, parts_.workspaces, parts_.clock,
                       [&agent](const Workspace& workspace) { return agent.zone_of(workspace); }),
      heartbeat_routes_(heartbeat_, schedule.book(), schedule.ledger(), parts_.workspaces,
                        parts_.clock, parts_.data_dir),
      session_open_routes_(opens_, agent.chat_door(), parts_.workspaces) {
  agent.house().runner().add_participant(opens_);
  opens_.use_zones([this, &agent](const WorkspaceId& id) {
    const auto workspace = parts_.workspaces.get(id);
    return workspace ? agent.zone_of(*workspace) : std::string("UTC");
  });
  heartbeat_.use_models([&agent](const std::string& role) { return agent.one_shot(role); });
  heartbeat_.use_prices([&agent](const std::string& role, const OneShotQuestion& question) {
    return agent.price_of(role, question);
  });
  heartbeat_.use_commands([&schedule](Job job, std::stop_token stop) {
    return schedule.gates().ask(std::move(job), std::move(stop));
  });
  heartbeat_.use_files(
      [this](const WorkspaceId& workspace, const std::string& name, std::size_t most) {
        return read_workspace_file(parts_.data_dir, workspace, name, most);
      });
  schedule.use_heartbeat([this](Job job, Occurrence occurrence, std::stop_token stop) {
    return heartbeat_.run(std::move(job), std::move(occurrence), std::move(stop));
  });
  heartbeat_.on_change([this] { watch_.nudge(); });
  watch_.on_problem(
      [this](const std::string& problem) { parts_.board.note("heartbeat", problem); });
  heartbeat_routes_.on_saved([this](const WorkspaceId& workspace, const std::string& problem) {
    parts_.board.note("heartbeat.json " + workspace.str(), problem);
  });
  parts_.workspaces.also_clear(
      [this](WorkspaceId workspace) { return forget(std::move(workspace)); });
}

Task<Result<void>> ProactiveSide::forget(WorkspaceId workspace) {
  CO_TRY_VOID(co_await heartbeat_.forget(workspace));
  co_return co_await activity_.forget(std::move(workspace));
}

Task<void> ProactiveSide::start() {
  started_ = true;
  reading_ = true;
  co_await read_files();
  watch_.start();
}

Task<void> ProactiveSide::stop() {
  started_ = false;
  watch_.stop();
  co_await chronicle_.stop();
}

void ProactiveSide::apply(const Config& config) {
  chronicle_.configure(seconds(config.activity.idle_seconds));
  opens_.configure(config.session_open.greeting);
  heartbeat_.configuration_changed();
  watch_.configure(config.automations.enabled);
  files_changed();
}

void ProactiveSide::add_routes(RouteTable& table) {
  activity_routes_.add_to(table);
  heartbeat_routes_.add_to(table);
  session_open_routes_.add_to(table);
}

std::vector<std::string> ProactiveSide::files() const {
  std::vector<std::string> out;
  for (const std::string_view name : {kHeartbeatFile, kOrdersFile}) {
    for (WorkspaceFile& file : workspace_files(parts_.data_dir, name)) {
      out.push_back(std::move(file.path));
    }
  }
  return out;
}

void ProactiveSide::files_changed() {
  if (!started_) return;
  if (reading_) {
    read_again_ = true;
    return;
  }
  reading_ = true;
  parts_.loop.spawn("heartbeat.json", read_files());
}

Task<void> ProactiveSide::read_files() {
  do {
    read_again_ = false;
    for (WorkspaceFile& file : workspace_files(parts_.data_dir, kHeartbeatFile)) {
      if (!parts_.workspaces.get(file.workspace)) continue;
      const std::string problem = co_await heartbeat_.reload(file.workspace);
      if (!problem.empty()) {
        parts_.log.error("heartbeat_file.refused", {{"path", file.path}, {"message", problem}});
      }
      parts_.board.note("heartbeat.json " + file.workspace.str(), problem);
    }
  } while (read_again_ && started_);
  reading_ = false;
}

}  // namespace rouse
