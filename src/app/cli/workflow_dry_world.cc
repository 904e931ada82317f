#include "app/cli/workflow_dry_world.h"

#include <utility>

namespace rouse::cli {
namespace {

class GivenGit final : public GitView {
 public:
  explicit GivenGit(GivenProject project) : project_(std::move(project)) {}

  [[nodiscard]] bool is_repository(const std::string& folder) const override {
    return project_.git.value_or(false);
  }
  Task<Result<std::vector<std::string>>> dirty_files(std::string folder) override {
    co_return project_.dirty_files.value_or(std::vector<std::string>{});
  }
  Task<Result<std::vector<Commit>>> commits_since(std::string folder, WallTime since) override {
    co_return std::vector<Commit>{};
  }
  Task<Result<std::string>> branch(std::string folder) override { co_return std::string("main"); }

 private:
  GivenProject project_;
};

// A store in which there is one task at most, and into which nothing can be written.
class GivenStore final : public Database {
 public:
  explicit GivenStore(const std::optional<GivenTask>& task) {
    if (!task) return;
    const std::int64_t now = 0;
    rows_.emplace_back(
        std::vector<Value>{task->number.value_or(1), task->title.value_or("a task"), std::string(),
                           task->state.value_or("claimed"), Value{}, Value{},
                           encode_json(task->commits.value_or(std::vector<std::string>{})), Value{},
                           std::string(kFromOwner), Value{}, Value{}, now, now, Value{}});
  }

  Result<Rows> read(const Query& query) override {
    const bool that_one = !rows_.empty() && query.params.size() == 2 &&
                          query.params[1] == Value(rows_.front().integer(0));
    return that_one ? rows_ : Rows{};
  }
  Task<Result<Rows>> read_page(Query query) override { co_return Rows{}; }
  Task<Result<Written>> write(Write write) override { co_return refuse(); }
  Task<Result<void>> backup(std::string path) override { co_return refuse(); }
  Task<Result<void>> verify() override { co_return refuse(); }
  [[nodiscard]] std::int64_t owner_epoch() const override { return 0; }
  [[nodiscard]] StoreHealth health() const override { return {}; }
  Task<void> close() override { co_return; }

 private:
  static std::unexpected<Error> refuse() {
    return fail(StoreErrc::kReadOnly, "this is a dry run: nothing is written");
  }
  Rows rows_;
};

}  // namespace

struct DryWorld::Parts {
  explicit Parts(const GivenEvent& given)
      : git(given.project.value_or(GivenProject{})), store(given.task) {}
  GivenGit git;
  GivenStore store;
  VirtualClock clock;
  SeededRandom random{1};
  EventLog events{store};
  TaskBook tasks{store, clock, random, events};
};

DryWorld::DryWorld(const GivenEvent& given) : parts_(std::make_unique<Parts>(given)) {}
DryWorld::~DryWorld() = default;

LifecycleHands DryWorld::hands() {
  LifecycleHands out;
  out.git = &parts_->git;
  out.tasks = &parts_->tasks;
  return out;
}

}  // namespace rouse::cli
