#include "tool/shell/shell_tool.h"

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "tool/visible_text.h"

namespace rouse {
namespace {

constexpr std::size_t kOutputBytes = 60 * 1024;
constexpr std::size_t kSummaryBytes = 2000;
constexpr Millis kProbeDeadline = seconds(10);

struct ShellArguments {
  std::string command;
  std::optional<std::string> folder;
};
auto shape(const ShellArguments*) {
  return fields(field("command", &ShellArguments::command, "").length(1, 16'000),
                field("folder", &ShellArguments::folder, ""));
}

// What a yes covers, member by member.
struct ShellCovers {
  std::string command, folder;
  bool network = false, sandbox = true;
};
auto shape(const ShellCovers*) {
  return fields(
      field("command", &ShellCovers::command, ""), field("folder", &ShellCovers::folder, ""),
      field("network", &ShellCovers::network, ""), field("sandbox", &ShellCovers::sandbox, ""));
}

Result<ShellArguments> read_arguments(const std::string& text) {
  TRY(ShellArguments arguments, decode_json<ShellArguments>(text));
  // The system would end the command at a NUL, and a person would not see it.
  if (arguments.command.find('\0') != std::string::npos) {
    return fail(Errc::kInvalid, "the command has a NUL character in it");
  }
  return arguments;
}

ToolResult failed(std::string text) { return {.text = std::move(text), .failed = true}; }

ToolResult told(const ChildEnd& end, const ShellSettings& settings, const std::string& why_killed) {
  std::string status;
  if (end.killed) {
    status = fmt::format("killed: it {}; outcome unknown, it may have done a part of its work",
                         why_killed);
  } else if (end.signal != 0) {
    status = fmt::format(
        "ended by signal {} ({}); outcome unknown, it may have done a part of its "
        "work",
        end.signal, ::strsignal(end.signal));
  } else {
    status = fmt::format("exit status {}", end.exit_code);
  }
  const bool bad = end.killed || end.signal != 0 || end.exit_code != 0;
  return {.text = fmt::format("{}{}[{}]", end.output,
                              end.output.empty() || end.output.ends_with('\n') ? "" : "\n", status),
          .failed = bad,
          .untrusted = settings.network || !settings.sandbox};
}

// The first words of what bubblewrap said.
Result<void> probe_verdict(const Result<ChildEnd>& end) {
  if (!end) return fail(Errc::kUnavailable, end.error().message);
  if (end->killed) return fail(Errc::kTimeout, "bubblewrap did not answer within 10 seconds");
  if (end->exit_code == 0 && end->signal == 0) return {};
  return fail(Errc::kUnavailable, std::string(trim(utf8_prefix(end->output, 400))));
}

Task<void> pull_later(Clock& clock, Millis deadline, std::shared_ptr<KillSwitch> kill,
                      std::stop_token stop) {
  if (co_await clock.wait_for(deadline, std::move(stop))) kill->pull();
}

}  // namespace

ShellTool::ShellTool(Loop& loop, Clock& clock, std::string data_dir, ShellSettings settings)
    : loop_(loop), clock_(clock), data_dir_(std::move(data_dir)) {
  configure(std::move(settings));
}

ShellTool::~ShellTool() {
  for (const auto& kill : running_) kill->pull();
}

void ShellTool::configure(ShellSettings settings) {
  const bool other = settings.sandbox != settings_.sandbox || settings.bwrap != settings_.bwrap ||
                     settings.network != settings_.network;
  settings_ = std::move(settings);
  if (!settings_.sandbox) {
    settle(true, "");
  } else if (other) {
    offered_ = false;
    trouble_ = "the sandbox was not tried yet";
    if (!untried()) tried_ = std::stop_source();
  }
}

void ShellTool::settle(bool offered, std::string trouble) {
  offered_ = offered;
  trouble_ = std::move(trouble);
  tried_.request_stop();
}

Task<void> ShellTool::wait_for_probe(std::stop_token stop) {
  std::stop_source wake;
  const auto wakes = [&wake] { wake.request_stop(); };
  const std::stop_callback on_tried(tried_.get_token(), wakes);
  const std::stop_callback on_stop(stop, wakes);
  co_await clock_.wait_for(kProbeDeadline, wake.get_token());
}

const ToolInfo& ShellTool::info() const {
  static const ToolInfo info{
      .name = "shell",
      .description =
          "Runs a shell command in this conversation's folder, without a network "
          "unless granted. Nothing outside of the folder is kept.",
      .schema = R"({"type":"object","properties":{"command":{"type":"string","minLength":1},)"
                R"("folder":{"type":"string","description":"below the folder"}},)"
                R"("required":["command"],"additionalProperties":false})",
      .tool_class = ToolClass::kShell,
      .risk = RiskTier::kRequiresApproval,
      .side_effects = true,
      .owner_only = true};
  return info;
}

Result<ShellPlace> ShellTool::place_of(const WorkFolder& folder, const std::string& below,
                                       WorkFolder::Missing missing) const {
  TRY(const std::string path, normal_path(folder.root(), below));
  TRY(const OpenFile root, folder.open_root(missing));
  ShellPlace place;
  TRY(place.root, root.real_path());
  TRY_VOID(check_shell_root(place.root));
  TRY(const OpenFile start, folder.open_folder(path));
  TRY(place.folder, start.real_path());
  const OpenFile data(::open(data_dir_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (data) {
    TRY(std::string real, data.real_path());
    if (lies_in(real, place.root)) {
      // Only a direct child can be hidden: of what lies deeper, a command could move the folders
      // above it out of the way.
      if (real.substr(0, real.rfind('/')) != place.root) {
        return fail(Errc::kInvalid,
                    "rouse's own data lies deep inside this project's folder, so there is no shell "
                    "in it; use a project folder beside the data");
      }
      place.hidden = std::move(real);
    }
  }
  return place;
}

ApprovalAsk ShellTool::ask_for(const ToolCall& call) const {
  const auto arguments = read_arguments(call.arguments);
  if (!arguments) return Tool::ask_for(call);  // it will be refused
  const WorkFolder folder(data_dir_, call);
  const auto place = place_of(folder, arguments->folder.value_or(""), WorkFolder::Missing::kIsMade);
  if (!place) return Tool::ask_for(call);
  return {
      .summary = fmt::format("run `{}` in {}{}{}", visible_text(arguments->command, kSummaryBytes),
                             visible_text(place->folder, kSummaryBytes),
                             settings_.network ? ", with the network" : "",
                             settings_.sandbox ? "" : ", WITHOUT a sandbox"),
      .covers = encode_json(
          ShellCovers{arguments->command, place->folder, settings_.network, settings_.sandbox})};
}

Task<Result<ChildEnd>> ShellTool::run_spec(ChildSpec spec, Millis deadline, std::stop_token stop) {
  const auto kill = std::make_shared<KillSwitch>();
  running_.insert(kill);
  std::stop_source timer;
  loop_.spawn("shell deadline", pull_later(clock_, deadline, kill, timer.get_token()));
  const std::stop_callback on_stop(stop, [kill] { kill->pull(); });
  auto end = co_await pool_.run<ChildEnd>(
      [spec = std::move(spec), kill] { return run_child(spec, *kill, kOutputBytes); });
  timer.request_stop();
  running_.erase(kill);
  co_return end;
}

Task<Result<void>> ShellTool::probe() {
  const ShellSettings tried = settings_;
  if (!tried.sandbox) co_return Result<void>();
  Result<void> verdict;
  if (::access(tried.bwrap.c_str(), X_OK) != 0) {
    verdict = fail(Errc::kUnavailable,
                   "bubblewrap is not installed; as root run: apt-get install bubblewrap");
  } else {
    // A folder that is there on every machine stands for the workspace's.
    const ShellPlace place{"/var/tmp", "/var/tmp"};
    verdict = probe_verdict(
        co_await run_spec(shell_child(tried, place, "true"), kProbeDeadline, std::stop_token()));
  }
  if (tried != settings_) co_return verdict;  // somebody has asked for another meanwhile
  settle(verdict.has_value(), verdict ? "" : verdict.error().message);
  co_return verdict;
}

Task<ToolResult> ShellTool::run(ToolCall call, std::stop_token stop) {
  const ShellSettings settings = settings_;
  if (untried()) co_await wait_for_probe(stop);
  if (!offered_) co_return failed("the shell is not available here: " + trouble_);
  // A person's word was about the network and the sandbox as they were (AP-4).
  if (settings != settings_) co_return failed("the shell's settings have changed; try again");
  const auto arguments = read_arguments(call.arguments);
  if (!arguments) co_return failed(arguments.error().message);
  const WorkFolder folder(data_dir_, call);
  const auto place = place_of(folder, arguments->folder.value_or(""), WorkFolder::Missing::kIsMade);
  if (!place) co_return failed(place.error().message);
  const auto own = commands_.find(call.workspace);
  if (running_.size() >= kCommandsAtOnce ||
      (own != commands_.end() && own->second >= kCommandsOfOne)) {
    co_return failed("it did not run: too many commands run already; try again when one has ended");
  }
  ++commands_[call.workspace];
  const auto end =
      co_await run_spec(shell_child(settings, *place, arguments->command), settings.deadline, stop);
  if (--commands_[call.workspace] == 0) commands_.erase(call.workspace);
  if (!end) co_return failed(end.error().message);
  co_return told(*end, settings,
                 stop.stop_requested()
                     ? "was stopped"
                     : fmt::format("did not end within {}", to_words(settings.deadline)));
}

}  // namespace rouse
