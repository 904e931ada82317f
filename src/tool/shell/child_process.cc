#include "tool/shell/child_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/text.h"
#include "tool/files/work_folder.h"

namespace rouse {
namespace {

struct Pipe {
  OpenFile read, write;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail(os_error("cannot make a pipe", errno));
  return Pipe{OpenFile(ends[0]), OpenFile(ends[1])};
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

void limit(decltype(RLIMIT_CPU) what, std::uint64_t most) {
  const rlimit both{most, most};
  ::setrlimit(what, &both);
}

// --- in the child, between fork and exec: system calls only, no memory, no locks ---------------

struct ChildPlan {
  char* const* command;
  char* const* environment;
  const char* folder;
  const ChildLimits* limits;
  int input, output, errors, trouble;
};

[[noreturn]] void give_up(int trouble) {
  const int code = errno;
  (void)!::write(trouble, &code, sizeof code);
  ::_exit(127);
}

void apply_limits(const ChildLimits& limits) {
  limit(RLIMIT_AS, limits.address_bytes);
  limit(RLIMIT_DATA, limits.data_bytes);
  limit(RLIMIT_FSIZE, limits.file_bytes);
  limit(RLIMIT_NOFILE, limits.open_files);
  limit(RLIMIT_CPU, limits.cpu_seconds);
  limit(RLIMIT_CORE, 0);
}

void reset_signals() {
  struct sigaction normal{};
  normal.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &normal, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void become(const ChildPlan& plan) {
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // if the server dies, so does it
  reset_signals();
  constexpr int kTrouble = 3;
  // The order keeps each descriptor until it has been copied.
  const int trouble = ::fcntl(plan.trouble, F_DUPFD_CLOEXEC, 10);
  const int output = ::fcntl(plan.output, F_DUPFD_CLOEXEC, 10);
  const int errors = ::fcntl(plan.errors, F_DUPFD_CLOEXEC, 10);
  const int input = ::fcntl(plan.input, F_DUPFD_CLOEXEC, 10);
  if (::dup2(input, 0) < 0 || ::dup2(output, 1) < 0 || ::dup2(errors, 2) < 0 ||
      ::dup3(trouble, kTrouble, O_CLOEXEC) < 0) {
    give_up(plan.trouble);
  }
  ::close_range(kTrouble + 1, ~0U, 0);
  apply_limits(*plan.limits);
  if (::chdir(plan.folder) != 0) give_up(kTrouble);
  ::execve(plan.command[0], plan.command, plan.environment);
  give_up(kTrouble);
}

// --- in the parent -------------------------------------------------------------------------------

// A child that is still there when this ends is killed with its group and waited for.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pid_ > 0) wait();
  }
  void kill_group() const { ::kill(-pid_, SIGKILL); }
  void release() { pid_ = -1; }  // somebody else waits for it
  // The group first: what the child left running must not outlive it, and until it is waited for
  // nobody else can get its number.
  int wait() {
    kill_group();
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
  }

 private:
  pid_t pid_;
};

// What kept it from starting, as it told; 0 once the exec has happened.
int trouble_of(const OpenFile& pipe) {
  int code = 0;
  ssize_t size = 0;
  do {
    size = ::read(pipe.get(), &code, sizeof code);
  } while (size < 0 && errno == EINTR);
  return size == sizeof code ? code : 0;
}

// False at the end of the stream.
bool read_into(KeptOutput& kept, int fd) {
  std::array<char, 16 * 1024> buffer{};
  const ssize_t size = ::read(fd, buffer.data(), buffer.size());
  if (size > 0) kept.add({buffer.data(), static_cast<std::size_t>(size)});
  return size > 0 || (size < 0 && (errno == EINTR || errno == EAGAIN));
}

// Until the child is gone; true if that was the switch's doing.
bool follow(const Child& child, int pidfd, int output, const KillSwitch& kill, KeptOutput& kept) {
  bool killed = false;
  std::array<pollfd, 3> waits{pollfd{pidfd, POLLIN, 0}, pollfd{output, POLLIN, 0},
                              pollfd{kill.descriptor(), POLLIN, 0}};
  while (true) {
    if (::poll(waits.data(), waits.size(), -1) < 0) {
      if (errno == EINTR) continue;  // what it said last time is no news
      break;
    }
    if (waits[2].revents != 0) {
      killed = true;
      child.kill_group();
      waits[2].fd = -1;
    }
    if (waits[1].revents != 0 && !read_into(kept, output)) waits[1].fd = -1;
    if (waits[0].revents != 0) break;
  }
  return killed;
}

// What is still in the pipe. Not until its end: something may have left the group and hold it open.
void drain(int output, KeptOutput& kept) {
  ::fcntl(output, F_SETFL, O_NONBLOCK);
  constexpr int kPipeful = 64;  // more than a pipe holds
  for (int i = 0; i < kPipeful; ++i) {
    pollfd ready{output, POLLIN, 0};
    if (::poll(&ready, 1, 0) <= 0 || (ready.revents & POLLIN) == 0 || !read_into(kept, output)) {
      return;
    }
  }
}

}  // namespace

KillSwitch::KillSwitch() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
KillSwitch::~KillSwitch() {
  if (fd_ >= 0) ::close(fd_);
}
void KillSwitch::pull() const {
  const std::uint64_t one = 1;
  (void)!::write(fd_, &one, sizeof one);
}
bool KillSwitch::pulled() const {
  pollfd ready{fd_, POLLIN, 0};
  return ::poll(&ready, 1, 0) > 0;
}

void KeptOutput::add(std::string_view bytes) {
  const std::size_t to_head = std::min(bytes.size(), head_bound_ - head_.size());
  head_ += bytes.substr(0, to_head);
  tail_ += bytes.substr(to_head);
  if (tail_.size() <= tail_bound_) return;
  left_out_ += tail_.size() - tail_bound_;
  tail_.erase(0, tail_.size() - tail_bound_);
}

std::string KeptOutput::text() const {
  if (left_out_ == 0) return head_ + tail_;
  std::string_view end = tail_;
  while (!end.empty() && !begins_character(end.front())) {
    end.remove_prefix(1);
  }
  const std::string_view front = utf8_prefix(head_, head_.size() - 1);
  const std::uint64_t missing =
      left_out_ + (head_.size() - front.size()) + (tail_.size() - end.size());
  return fmt::format("{}\n[… {} bytes left out …]\n{}", front, missing, end);
}

Result<ChildEnd> run_child(const ChildSpec& spec, const KillSwitch& kill,
                           std::size_t output_bytes) {
  if (kill.descriptor() < 0) return fail(Errc::kUnavailable, "there are no descriptors left");
  if (kill.pulled()) return fail(Errc::kCancelled, "it was stopped before it was started");
  TRY(Pipe output, make_pipe());
  TRY(Pipe trouble, make_pipe());
  const OpenFile input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const std::vector<char*> command = pointers_to(spec.command);
  const std::vector<char*> environment = pointers_to(spec.environment);
  const std::string folder = spec.folder.empty() ? "/" : spec.folder;
  const ChildPlan plan{command.data(), environment.data(), folder.c_str(),     &spec.limits,
                       input.get(),    output.write.get(), output.write.get(), trouble.write.get()};
  const pid_t pid = ::fork();
  if (pid < 0) return fail(os_error("cannot start a process", errno));
  if (pid == 0) become(plan);
  Child child(pid);
  output.write = OpenFile();
  trouble.write = OpenFile();
  if (const int code = trouble_of(trouble.read)) {
    return fail(os_error(fmt::format("cannot start {}", spec.command[0]), code));
  }
  const OpenFile pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!pidfd) return fail(os_error("cannot watch a process", errno));
  KeptOutput kept(output_bytes);
  ChildEnd end;
  end.killed = follow(child, pidfd.get(), output.read.get(), kill, kept);
  const int status = child.wait();
  drain(output.read.get(), kept);
  end.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  end.output = kept.text();
  return end;
}

Result<StartedChild> start_child(const ChildSpec& spec) {
  TRY(Pipe input, make_pipe());
  TRY(Pipe output, make_pipe());
  TRY(Pipe errors, make_pipe());
  TRY(Pipe trouble, make_pipe());
  const std::vector<char*> command = pointers_to(spec.command);
  const std::vector<char*> environment = pointers_to(spec.environment);
  const std::string folder = spec.folder.empty() ? "/" : spec.folder;
  const ChildPlan plan{command.data(),     environment.data(), folder.c_str(),
                       &spec.limits,       input.read.get(),   output.write.get(),
                       errors.write.get(), trouble.write.get()};
  const pid_t pid = ::fork();
  if (pid < 0) return fail(os_error("cannot start a process", errno));
  if (pid == 0) become(plan);
  Child child(pid);
  StartedChild out{.pid = pid,
                   .pidfd = OpenFile(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))),
                   .input = std::move(input.write),
                   .output = std::move(output.read),
                   .errors = std::move(errors.read),
                   .trouble = std::move(trouble.read)};
  if (!out.pidfd) return fail(os_error("cannot watch a process", errno));
  child.release();
  return out;
}

}  // namespace rouse
