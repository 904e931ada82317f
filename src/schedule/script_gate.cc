#include "schedule/script_gate.h"

#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>

#include "base/text.h"
#include "session/workspaces.h"
#include "tool/files/work_folder.h"

namespace rouse {
namespace {

constexpr std::size_t kGateOutputBytes = 4 * 1024;
constexpr int kLastNo = 125;  // above are the shell's own: not found, not executable, a signal
// Said before the script begins: a status of 1 without it is the sandbox's own failure.
constexpr std::string_view kBegun = "rouse: begun\n";

Result<void> check_owner(const Job& job) {
  if (!job.extra.gate) return fail(Errc::kInvalid, "the automation has no gate");
  if (job.workspace != Workspaces::default_id()) {
    return fail(Errc::kForbidden, "only the owner's automations can have a gate");
  }
  if (job.source == "agent" || job.provenance != "owner") {
    return fail(Errc::kForbidden, "an automation that an agent made can't have a gate");
  }
  if (job.extra.gate->command.find('\0') != std::string::npos) {
    return fail(Errc::kInvalid, "the gate's command has a NUL character in it");
  }
  return {};
}

// Blocks.
Result<ShellPlace> place_for(const std::string& data_dir, const Job& job) {
  ToolCall call;
  call.workspace = job.workspace;
  call.project_folder = job.extra.project_path.value_or("");
  const WorkFolder folder(data_dir, call);
  TRY(const OpenFile root, folder.open_root(WorkFolder::Missing::kIsMade));
  TRY(std::string real, root.real_path());
  TRY_VOID(check_shell_root(real));
  std::error_code unknown;
  const auto own = std::filesystem::canonical(data_dir, unknown);
  if (unknown || lies_in(own.native(), real)) {
    return fail(Errc::kForbidden, "a gate can't run in a folder that holds rouse's own data");
  }
  return ShellPlace{real, real};
}

Result<bool> verdict_of(const ChildEnd& end) {
  if (end.killed) return fail(Errc::kTimeout, "the gate did not end in time");
  if (!end.output.starts_with(kBegun)) {
    return fail(Errc::kUnavailable,
                fmt::format("the sandbox doesn't work: {}", trim(utf8_prefix(end.output, 400))));
  }
  if (end.signal != 0 || end.exit_code > kLastNo) {
    return fail(Errc::kUnavailable, fmt::format("the gate could not decide ({} {})",
                                                end.signal != 0 ? "signal" : "status",
                                                end.signal != 0 ? end.signal : end.exit_code));
  }
  return end.exit_code == 0;
}

Task<void> pull_later(Clock& clock, Millis deadline, std::shared_ptr<KillSwitch> kill,
                      std::stop_token stop) {
  if (co_await clock.wait_for(deadline, std::move(stop))) kill->pull();
}

}  // namespace

GateRunner::~GateRunner() {
  for (const auto& kill : running_) kill->pull();
}

Task<Result<ChildEnd>> GateRunner::run(ChildSpec spec, Millis deadline, std::stop_token stop) {
  const auto kill = std::make_shared<KillSwitch>();
  running_.insert(kill);
  std::stop_source timer;
  loop_.spawn("gate deadline", pull_later(clock_, deadline, kill, timer.get_token()));
  const std::stop_callback on_stop(stop, [kill] { kill->pull(); });
  auto end = co_await pool_.run<ChildEnd>(
      [spec = std::move(spec), kill] { return run_child(spec, *kill, kGateOutputBytes); });
  timer.request_stop();
  running_.erase(kill);
  co_return end;
}

Task<Result<bool>> GateRunner::ask(Job job, std::stop_token stop) {
  CO_TRY_VOID(check_owner(job));
  ShellSettings settings = settings_;
  if (!settings.sandbox) {
    co_return fail(Errc::kUnavailable, "the sandbox is switched off, so gates don't run");
  }
  if (::access(settings.bwrap.c_str(), X_OK) != 0) {
    co_return fail(Errc::kUnavailable,
                   "bubblewrap is not installed; as root run: apt-get install bubblewrap");
  }
  settings.network = false;
  settings.deadline = millis(job.extra.gate->timeout_ms);
  CO_TRY(const ShellPlace place, co_await pool_.run<ShellPlace>([data_dir = data_dir_, job] {
    return place_for(data_dir, job);
  }));
  ChildSpec spec = shell_child(settings, place,
                               fmt::format("echo '{}'\n{}", trim(kBegun), job.extra.gate->command));
  CO_TRY(const ChildEnd end, co_await run(std::move(spec), settings.deadline, std::move(stop)));
  co_return verdict_of(end);
}

}  // namespace rouse
