// One child process and what it says: started with a given environment and nothing else of ours (no
// descriptor, no variable, no signal mask), bounded by rlimits, in a process group of its own that
// is killed as a whole. run() blocks and belongs on a pool thread; somebody else pulls the
// KillSwitch when a deadline passes or a stop is asked for. start_child() is for one that goes on
// beside us and is talked with.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "tool/files/work_folder.h"

namespace rouse {

// Wakes and ends a running child from any thread. Pulled before the start, the child never starts.
class KillSwitch {
 public:
  KillSwitch();
  ~KillSwitch();
  KillSwitch(const KillSwitch&) = delete;
  KillSwitch& operator=(const KillSwitch&) = delete;
  void pull() const;
  [[nodiscard]] bool pulled() const;
  [[nodiscard]] int descriptor() const { return fd_; }

 private:
  int fd_;
};

struct ChildLimits {
  std::uint64_t address_bytes = std::uint64_t{16} << 30;  // reserved, which runtimes do generously
  std::uint64_t data_bytes = std::uint64_t{2} << 30;      // really writable memory
  std::uint64_t file_bytes = std::uint64_t{512} << 20;    // one file
  std::uint64_t open_files = 1024;
  std::uint64_t cpu_seconds = 600;  // of one process
};

struct ChildSpec {
  std::vector<std::string> command;  // [0] is the path of the program
  std::vector<std::string> environment;
  std::string folder;  // where it runs; "" is "/"
  ChildLimits limits;
};

// What is kept of an output that is too long: its beginning and its end.
class KeptOutput {
 public:
  explicit KeptOutput(std::size_t bound) : head_bound_(bound / 2), tail_bound_(bound - bound / 2) {}
  void add(std::string_view bytes);
  // Whole characters only; a note stands where something is missing.
  [[nodiscard]] std::string text() const;

 private:
  std::size_t head_bound_, tail_bound_;
  std::uint64_t left_out_ = 0;
  std::string head_, tail_;
};

struct ChildEnd {
  bool killed = false;  // by the switch
  int exit_code = 0;    // of a child that ended by itself
  int signal = 0;       // that ended it otherwise
  std::string output;   // both streams, as they came
};

// Fails if the child could not be started.
Result<ChildEnd> run_child(const ChildSpec& spec, const KillSwitch& kill, std::size_t output_bytes);

// A child under way, with our ends of its pipes. Whoever starts it waits for it (pid) once pidfd
// can be read, after it has killed what is left of the group.
struct StartedChild {
  int pid = -1;
  OpenFile pidfd;
  OpenFile input, output, errors;
  OpenFile trouble;  // gives the errno that kept it from starting; just ends if nothing did
};

// Doesn't wait for the exec. Belongs on a thread that stays: when that ends, so does the child.
Result<StartedChild> start_child(const ChildSpec& spec);

}  // namespace rouse
