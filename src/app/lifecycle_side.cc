#include "app/lifecycle_side.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include <fmt/format.h>

#include "base/files.h"

namespace rouse {
namespace {

namespace fs = std::filesystem;

std::string folder_in(const std::string& data_dir) { return data_dir + "/workflows"; }

}  // namespace

WorkflowFolder read_workflow_folder(const std::string& data_dir) {
  WorkflowFolder out;
  std::error_code failed;
  for (fs::directory_iterator at(folder_in(data_dir), failed), end; !failed && at != end;
       at.increment(failed)) {
    const std::string name = at->path().filename().string();
    const bool yaml = name.ends_with(".yaml") || name.ends_with(".yml");
    if (!yaml || name.starts_with('.')) continue;
    auto text = read_file(at->path().string(), kWorkflowBytes + 1);
    if (text) {
      out.files.push_back({name, std::move(*text)});
    } else {
      out.problems.push_back({"workflows/" + name, 1, 1, text.error().message});
    }
  }
  return out;
}

LifecycleSide::LifecycleSide(Parts parts, AgentSide& agent)
    : parts_(std::move(parts)),
      git_(parts_.loop, parts_.clock, parts_.pool),
      book_(parts_.clock),
      kept_(parts_.data_dir + "/last-good/workflows"),
      engine_({parts_.clock, parts_.database, parts_.kernel, agent.house().tools(), book_,
               hands(agent), parts_.log, real_microseconds}),
      routes_(book_, engine_, parts_.kernel, parts_.workspaces) {
  agent.house().hooks().plug_in(&engine_);
  agent.house().runner().add_participant(engine_);
  parts_.kernel.on_session_closed([this](const Session& session) {
    parts_.loop.spawn("session end", engine_.session_ended(session));
  });
}

LifecycleHands LifecycleSide::hands(AgentSide& agent) {
  LifecycleHands out;
  out.loop = &parts_.loop;
  out.clock = &parts_.clock;
  out.database = &parts_.database;
  out.kernel = &parts_.kernel;
  out.tasks = &agent.tasks();
  out.memory = &agent.memory();
  out.recall = &agent.recall();
  out.files = &agent.files();
  out.notifications = &agent.house().notifications();
  out.summariser = &parts_.summariser;
  out.pool = &parts_.pool;
  out.git = &git_;
  out.log = &parts_.log;
  out.events = &agent.house().events();
  out.data_dir = parts_.data_dir;
  return out;
}

std::vector<std::string> LifecycleSide::files() const {
  const std::string folder = folder_in(parts_.data_dir);
  std::vector<std::string> out{folder};
  std::error_code ignored;
  if (fs::is_directory(folder, ignored)) out.push_back(folder + "/*");
  return out;
}

void LifecycleSide::read_files() {
  WorkflowFolder folder = read_workflow_folder(parts_.data_dir);
  // One that can't be read is broken, not gone.
  for (WorkflowFile& file : kept_.read()) {
    const auto unread =
        std::ranges::find(folder.problems, "workflows/" + file.name, &WorkflowProblem::file);
    if (unread != folder.problems.end()) folder.files.push_back(std::move(file));
  }
  std::vector<WorkflowProblem> problems = put_into_force(book_, folder.files, kept_);
  std::ranges::move(folder.problems, std::back_inserter(problems));
  for (const WorkflowProblem& problem : problems) {
    parts_.log.error("workflow.refused", {{"message", problem.str()}});
  }
  parts_.board.note("workflows", problems.empty() ? std::string() : problems.front().str());
}

}  // namespace rouse
