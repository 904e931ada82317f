#include "tool/mcp/stdio_transport.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <limits>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <fmt/format.h>

#include "base/text.h"
#include "tool/mcp/mcp_message.h"
#include "tool/shell/child_process.h"
#include "tool/visible_text.h"

namespace rouse {
namespace {

using Descriptor = boost::asio::posix::basic_stream_descriptor<Executor>;

constexpr std::size_t kErrorTail = 4096;       // kept of the error stream
constexpr std::size_t kLastWords = 600;        // of it, in a message
constexpr std::size_t kNoiseLines = 10'000;    // on the output that are no messages
constexpr std::size_t kQueueBytes = 32 << 20;  // that wait for it to read
constexpr Millis kGrace = seconds(2);

// The owner's programs may use what they need.
constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
constexpr ChildLimits kNoLimits{.address_bytes = kNoLimit,
                                .data_bytes = kNoLimit,
                                .file_bytes = kNoLimit,
                                .open_files = kNoLimit,
                                .cpu_seconds = kNoLimit};

int own(const OpenFile& file) { return ::fcntl(file.get(), F_DUPFD_CLOEXEC, 0); }

std::string end_words(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("it was ended by signal {} ({})", WTERMSIG(status),
                       ::strsignal(WTERMSIG(status)));
  }
  return fmt::format("it ended with exit status {}", WEXITSTATUS(status));
}

void keep_tail(std::string& tail, std::string_view more) {
  tail += more;
  if (tail.size() > kErrorTail) tail.erase(0, tail.size() - kErrorTail);
}

std::string_view last_part(std::string_view text, std::size_t bytes) {
  text = trim(text);
  if (text.size() <= bytes) return text;
  text.remove_prefix(text.size() - bytes);
  while (!text.empty() && !begins_character(text.front())) {
    text.remove_prefix(1);
  }
  return text;
}

}  // namespace

struct StdioTransport::State : std::enable_shared_from_this<State> {
  State(Loop& l, Clock& c, McpServerSettings::Place p)
      : loop(l),
        clock(c),
        place(std::move(p)),
        pidfd(l.executor()),
        input(l.executor()),
        output(l.executor()),
        errors(l.executor()) {}

  Loop& loop;
  Clock& clock;
  McpServerSettings::Place place;
  Ears ears;
  int pid = -1;  // of the leader of its group, until it was waited for
  Descriptor pidfd, input, output, errors;
  std::deque<std::string> queue;
  std::size_t queued_bytes = 0;
  bool writing = false;
  std::string line;  // not whole yet
  std::string error_tail, noise;
  std::size_t noise_lines = 0;
  bool quiet = false;     // closed, or its end was told
  std::stop_source gone;  // asked to stop when the process is no more

  void signal(int number) const {
    if (pid > 0) ::kill(-pid, number);
  }
  void tell_end(Error why) {
    if (std::exchange(quiet, true)) return;
    ears.ended(std::move(why));
  }
  // Waits for the process, which has ended or was just killed.
  int reap() {
    signal(SIGKILL);  // what it left running; nobody else can have its number yet
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    pid = -1;
    return status;
  }
  void close_all() {
    boost::system::error_code ignored;
    for (Descriptor* one : {&pidfd, &input, &output, &errors}) one->close(ignored);
  }

  void take_line(std::string_view text);
  void take_output(std::string_view bytes);
  void drain();

  static Task<Result<void>> start(std::shared_ptr<State> self);
  static Task<void> read_output(std::shared_ptr<State> self);
  static Task<void> read_errors(std::shared_ptr<State> self);
  static Task<void> write_queue(std::shared_ptr<State> self);
  static Task<void> follow(std::shared_ptr<State> self);
  static Task<void> finish(std::shared_ptr<State> self);
  static Task<bool> is_gone(std::shared_ptr<State> self, Millis within);
};

void StdioTransport::State::take_line(std::string_view text) {
  text = trim(text);
  if (text.empty() || quiet) return;
  if (text.front() == '{' || text.front() == '[') {
    if (auto heard = ears.heard(text); !heard) tell_end(std::move(heard).error());
    return;
  }
  // Many programs print a line or two where they should not.
  noise = utf8_prefix(text, kLastWords);
  if (++noise_lines > kNoiseLines) {
    tell_end(Error(McpErrc::kBroken, "what it prints on its output is no MCP"));
  }
}

void StdioTransport::State::take_output(std::string_view bytes) {
  while (!bytes.empty() && !quiet) {
    const std::size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    if (line.size() + part.size() > kMcpMessageBytes) {
      tell_end(Error(McpErrc::kBroken,
                     fmt::format("it sent a message larger than {} MB", kMcpMessageBytes >> 20)));
      return;
    }
    line += part;
    if (end == std::string_view::npos) return;
    bytes.remove_prefix(end + 1);
    const std::string whole = std::exchange(line, {});
    take_line(whole);
  }
}

// What is still in the pipes when it is gone: its last answer, its last words.
void StdioTransport::State::drain() {
  std::array<char, 16 * 1024> buffer{};
  constexpr int kRounds = 1024;
  for (int i = 0; i < kRounds; ++i) {
    const ssize_t size = ::read(output.native_handle(), buffer.data(), buffer.size());
    if (size <= 0) break;
    take_output({buffer.data(), static_cast<std::size_t>(size)});
  }
  for (int i = 0; i < kRounds; ++i) {
    const ssize_t size = ::read(errors.native_handle(), buffer.data(), buffer.size());
    if (size <= 0) break;
    keep_tail(error_tail, {buffer.data(), static_cast<std::size_t>(size)});
  }
}

Task<Result<void>> StdioTransport::State::start(std::shared_ptr<State> self) {
  ChildSpec spec{.command = self->place.command,
                 .environment = self->place.environment,
                 .folder = self->place.folder,
                 .limits = kNoLimits};
  CO_TRY(spec.command[0], find_program(self->place));
  CO_TRY(StartedChild child, start_child(spec));
  self->pid = child.pid;
  self->pidfd.assign(own(child.pidfd));
  self->input.assign(own(child.input));
  self->output.assign(own(child.output));
  self->errors.assign(own(child.errors));
  self->output.native_non_blocking(true);
  self->errors.native_non_blocking(true);
  Descriptor trouble(self->loop.executor(), own(child.trouble));
  child = StartedChild();
  int code = 0;
  boost::system::error_code ec;
  const std::size_t size = co_await trouble.async_read_some(
      boost::asio::buffer(&code, sizeof code), boost::asio::redirect_error(use_task, ec));
  if (size == sizeof code) {
    self->reap();
    self->close_all();
    self->gone.request_stop();
    co_return fail(
        os_error(fmt::format("cannot start {}{}", spec.command[0],
                             spec.folder.empty() ? "" : fmt::format(" in {}", spec.folder)),
                 code));
  }
  self->loop.spawn("mcp output", read_output(self));
  self->loop.spawn("mcp errors", read_errors(self));
  self->loop.spawn("mcp process", follow(self));
  co_return Result<void>();
}

Task<void> StdioTransport::State::read_output(std::shared_ptr<State> self) {
  std::string buffer(64 * 1024, '\0');
  boost::system::error_code ec;
  while (!self->quiet) {
    const std::size_t size = co_await self->output.async_read_some(
        boost::asio::buffer(buffer), boost::asio::redirect_error(use_task, ec));
    if (ec) break;
    self->take_output({buffer.data(), size});
  }
  // Nothing more can come: a process that goes on all the same is ended, and then its end is told.
  if (!self->quiet && self->pid > 0) self->loop.spawn("mcp finish", finish(self));
}

Task<void> StdioTransport::State::read_errors(std::shared_ptr<State> self) {
  std::string buffer(4096, '\0');
  boost::system::error_code ec;
  while (true) {
    const std::size_t size = co_await self->errors.async_read_some(
        boost::asio::buffer(buffer), boost::asio::redirect_error(use_task, ec));
    if (ec) co_return;
    keep_tail(self->error_tail, {buffer.data(), size});
  }
}

Task<void> StdioTransport::State::write_queue(std::shared_ptr<State> self) {
  self->writing = true;
  boost::system::error_code ec;
  while (!self->queue.empty() && !ec) {
    const std::string message = std::move(self->queue.front());
    self->queue.pop_front();
    self->queued_bytes -= message.size();
    for (std::size_t at = 0; at < message.size() && !ec;) {
      at += co_await self->input.async_write_some(
          boost::asio::buffer(message.data() + at, message.size() - at),
          boost::asio::redirect_error(use_task, ec));
    }
  }
  if (ec) self->queue.clear();  // it doesn't read any more: its end will be told
  self->writing = false;
}

Task<void> StdioTransport::State::follow(std::shared_ptr<State> self) {
  boost::system::error_code ec;
  co_await self->pidfd.async_wait(Descriptor::wait_read, boost::asio::redirect_error(use_task, ec));
  if (ec || self->pid <= 0) co_return;
  const int status = self->reap();
  self->drain();
  self->close_all();
  self->gone.request_stop();
  self->tell_end(Error(McpErrc::kEnded, end_words(status)));
}

Task<bool> StdioTransport::State::is_gone(std::shared_ptr<State> self, Millis within) {
  if (self->pid <= 0) co_return true;
  co_await self->clock.wait_for(within, self->gone.get_token());
  co_return self->pid <= 0;
}

Task<void> StdioTransport::State::finish(std::shared_ptr<State> self) {
  boost::system::error_code ignored;
  self->input.close(ignored);
  if (co_await is_gone(self, kGrace)) co_return;
  self->signal(SIGTERM);
  if (co_await is_gone(self, kGrace)) co_return;
  self->signal(SIGKILL);
  co_await is_gone(self, kGrace);
}

StdioTransport::StdioTransport(Loop& loop, Clock& clock, McpServerSettings::Place place,
                               const Redactor* redactor)
    : redactor_(redactor), state_(std::make_shared<State>(loop, clock, std::move(place))) {}

StdioTransport::~StdioTransport() {
  state_->quiet = true;
  state_->signal(SIGKILL);  // its follower waits for it
}

Task<Result<void>> StdioTransport::open(Ears ears) {
  state_->ears = std::move(ears);
  return State::start(state_);
}

Task<Result<void>> StdioTransport::send(std::string message, Millis time_left,
                                        std::stop_token stop) {
  if (state_->pid <= 0 || !state_->input.is_open()) {
    co_return fail(McpErrc::kEnded, "it is not running any more");
  }
  if (state_->queued_bytes + message.size() > kQueueBytes) {
    co_return fail(McpErrc::kTimeout, "it does not read what it is sent");
  }
  message += '\n';
  state_->queued_bytes += message.size();
  state_->queue.push_back(std::move(message));
  if (!state_->writing) state_->loop.spawn("mcp input", State::write_queue(state_));
  co_return Result<void>();
}

std::string StdioTransport::last_words() const {
  std::string all = trim(state_->error_tail).empty() ? state_->noise : state_->error_tail;
  if (redactor_ != nullptr) all = redactor_->redact(all);  // before it is cut
  return visible_text(last_part(all, kLastWords), 2 * kLastWords);
}

Task<void> StdioTransport::close() {
  state_->quiet = true;
  if (state_->pid > 0) co_await State::finish(state_);
}

Result<std::string> find_program(const McpServerSettings::Place& place) {
  const std::string& name = place.command.front();
  if (name.find('/') != std::string::npos) return name;
  for (const std::string& variable : place.environment) {
    if (!variable.starts_with("PATH=")) continue;
    for (const std::string_view folder : split(std::string_view(variable).substr(5), ':')) {
      if (folder.empty()) continue;
      std::string path = fmt::format("{}/{}", folder, name);
      if (::access(path.c_str(), X_OK) == 0) return path;
    }
  }
  return fail(
      Errc::kNotFound,
      fmt::format("there is no program '{}' in the PATH; write its whole path as command", name));
}

}  // namespace rouse
