// A session and its workflows in few words: what is called, what the rules say to it.
#pragma once

#include <memory>
#include <string>

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include "lifecycle/engine/engine.h"
#include "tests/sim/world.h"

namespace rouse {

class GitForTests final : public GitView {
 public:
  bool repository = true;
  std::vector<std::string> dirty;
  std::optional<Error> broken;  // what it answers instead

  [[nodiscard]] bool is_repository(const std::string& folder) const override { return repository; }
  Task<Result<std::vector<std::string>>> dirty_files(std::string folder) override {
    if (broken) co_return fail(*broken);
    co_return dirty;
  }
  Task<Result<std::vector<Commit>>> commits_since(std::string folder, WallTime since) override {
    co_return std::vector<Commit>{};
  }
  Task<Result<std::string>> branch(std::string folder) override { co_return std::string("main"); }
};

// Rules are asked without an engine around them: variables are a value here.
class RulesTest : public testing::Test {
 protected:
  void SetUp() override {
    database_ = *world_.open_store();
    events_ = std::make_unique<EventLog>(*database_);
    tasks_ = std::make_unique<TaskBook>(*database_, world_.clock(), world_.random(), *events_);
    hands_.git = &git_;
    hands_.tasks = tasks_.get();
    hands_.clock = &world_.clock();
  }
  void use(std::string_view name) {
    for (const auto& one : *WorkflowBook(world_.clock()).current()) {
      if (one->name == name) workflow_ = one;
    }
    ASSERT_TRUE(workflow_) << name;
    variables_.use_defaults(workflow_->variables);
  }
  void use_text(std::string_view text) {
    auto loaded = load_workflow("w.yaml", text);
    ASSERT_TRUE(loaded.workflow) << loaded.problems.front().str();
    workflow_ = std::make_shared<const Workflow>(std::move(*loaded.workflow));
    variables_.use_defaults(workflow_->variables);
  }

  LifecycleEvent event(Trigger trigger) {
    LifecycleEvent out{.trigger = trigger};
    out.turn.workspace = Workspaces::default_id();
    out.turn.kind = "user";
    out.turn.project_folder = folder_;
    return out;
  }
  WorkflowRun run(LifecycleEvent event) {
    return world_.run(run_workflow(workflow_, std::move(event), variables_, hands_,
                                   {.dry = true, .clock = &world_.clock()}));
  }
  // "" if it may be called, else why not.
  std::string calls(std::string tool, std::string_view tool_class, std::string_view arguments) {
    LifecycleEvent asked = event(Trigger::kBeforeTool);
    set_tool(asked, std::move(tool), tool_class, arguments);
    const WorkflowRun ran = run(std::move(asked));
    return ran.answer.allowed ? "" : ran.answer.reason;
  }
  WorkflowRun called(std::string tool, std::string_view tool_class, std::string_view arguments,
                     bool failed = false) {
    LifecycleEvent done = event(Trigger::kAfterTool);
    set_tool(done, std::move(tool), tool_class, arguments);
    done.tool_failed = failed;
    return run(std::move(done));
  }
  std::string stops(std::string answer = "done") {
    LifecycleEvent asked = event(Trigger::kStop);
    asked.answer = std::move(answer);
    const WorkflowRun ran = run(std::move(asked));
    return ran.answer.allowed ? "" : ran.answer.reason;
  }
  WorkflowRun prompted(std::string words) {
    LifecycleEvent said = event(Trigger::kBeforeAgent);
    said.prompt = std::move(words);
    return run(std::move(said));
  }
  std::int64_t claim(std::string title, std::vector<std::string> commits = {}) {
    const auto made =
        world_.run(tasks_->add(Workspaces::default_id(), {.title = std::move(title)}));
    TaskChange change{.number = made->number, .step = TaskStep::kClaim, .by = "agent"};
    change.commits = std::move(commits);
    EXPECT_TRUE(world_.run(tasks_->change(Workspaces::default_id(), std::move(change))));
    variables_.set("claimed_task", made->number);
    return made->number;
  }

  sim::World world_{3};
  Database* database_ = nullptr;
  std::unique_ptr<EventLog> events_;
  std::unique_ptr<TaskBook> tasks_;
  GitForTests git_;
  LifecycleHands hands_;
  SessionVariables variables_;
  std::shared_ptr<const Workflow> workflow_;
  std::string folder_ = "/project";
};

}  // namespace rouse
