// `shell`: a command line, shut in (sandbox.h), with a deadline, killed as a whole, its output
// bounded. For the owner's people only, and never without a person's word; what they allow is this
// very command in this very folder, with this network and this sandbox (AP-4).
//
// Where the sandbox doesn't work (the probe says why) the tool is not offered, unless the person
// wrote `tools.shell.sandbox: off`. While the probe is under way a call waits for it.
//
// What a command prints taints the turn if it could fetch it from outside: with the network, or
// without the sandbox.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>

#include "base/blocking_pool.h"
#include "base/clock.h"
#include "base/loop.h"
#include "tool/files/work_folder.h"
#include "tool/shell/sandbox.h"
#include "tool/tool.h"

namespace rouse {

inline constexpr std::size_t kCommandsAtOnce = 16;
inline constexpr std::size_t kCommandsOfOne = 4;  // workspace

class ShellTool final : public Tool {
 public:
  ShellTool(Loop& loop, Clock& clock, std::string data_dir, ShellSettings settings);
  ~ShellTool() override;  // kills what runs

  // Takes effect with the next call. A change of the sandbox needs a new probe.
  void configure(ShellSettings settings);

  // Runs `true` as a command would run. Until it has succeeded the tool is not offered to people.
  Task<Result<void>> probe();
  [[nodiscard]] bool offered() const { return offered_; }
  // Why it is not; for doctor and health. "" if it is.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

  [[nodiscard]] const ToolInfo& info() const override;
  // Nobody knows better before it was tried.
  [[nodiscard]] bool available() const override { return offered_ || untried(); }
  [[nodiscard]] ApprovalAsk ask_for(const ToolCall& call) const override;
  Task<ToolResult> run(ToolCall call, std::stop_token stop) override;

 private:
  [[nodiscard]] Result<ShellPlace> place_of(const WorkFolder& folder, const std::string& below,
                                            WorkFolder::Missing missing) const;
  [[nodiscard]] bool untried() const { return !tried_.stop_requested(); }
  void settle(bool offered, std::string trouble);
  Task<void> wait_for_probe(std::stop_token stop);
  Task<Result<ChildEnd>> run_spec(ChildSpec spec, Millis deadline, std::stop_token stop);

  Loop& loop_;
  Clock& clock_;
  std::string data_dir_;
  ShellSettings settings_;
  bool offered_ = false;
  std::string trouble_ = "the sandbox was not tried yet";
  std::stop_source tried_;  // asked to stop when it is known whether the present settings work
  std::set<std::shared_ptr<KillSwitch>> running_;
  std::map<WorkspaceId, std::size_t> commands_;  // that run, by workspace
  // Commands take long: they have threads of their own, and none waits for one, since its deadline
  // would run meanwhile.
  BlockingPool pool_{kCommandsAtOnce, kCommandsAtOnce};
};

}  // namespace rouse
