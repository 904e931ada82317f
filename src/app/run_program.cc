#include "app/run_program.h"

#include <memory>

#include "tool/shell/child_process.h"

namespace rouse {
namespace {

constexpr std::size_t kOutputBytes = 1'024;
constexpr Millis kDeadline = seconds(10);

Task<void> pull_at_deadline(Clock& clock, std::shared_ptr<KillSwitch> kill, std::stop_token stop) {
  if (co_await clock.wait_for(kDeadline, std::move(stop))) kill->pull();
}

}  // namespace

Task<Result<std::string>> run_program(Loop& loop, Clock& clock, BlockingPool& pool,
                                      std::vector<std::string> command,
                                      std::vector<std::string> environment, std::stop_token stop) {
  ChildSpec spec{.command = std::move(command),
                 .environment = std::move(environment),
                 .folder = {},
                 .limits = {}};
  const auto kill = std::make_shared<KillSwitch>();
  std::stop_source timer;
  loop.spawn("program deadline", pull_at_deadline(clock, kill, timer.get_token()));
  const std::stop_callback on_stop(stop, [kill] { kill->pull(); });
  auto end = co_await pool.run<ChildEnd>(
      [spec = std::move(spec), kill] { return run_child(spec, *kill, kOutputBytes); });
  timer.request_stop();
  if (!end) co_return std::unexpected(std::move(end).error());
  if (end->killed) co_return std::string("it did not end in time");
  if (end->exit_code == 0 && end->signal == 0) co_return std::string();
  co_return end->output.empty() ? std::string("it said nothing") : std::move(end->output);
}

}  // namespace rouse
