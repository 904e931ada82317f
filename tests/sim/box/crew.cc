#include "tests/sim/box/crew.h"

#include <csignal>
#include <cstdlib>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/text.h"

namespace rouse::sim {
namespace {

constexpr char kBetween = '\x1F';
constexpr int kHungMs = 300'000;  // no world takes that long

std::string on_one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == kBetween) c = ' ';
  }
  return text;
}

void put(int pipe, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(pipe, text.data(), text.size());
    if (n <= 0) ::_exit(3);
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

Outcome crashed(std::string how) {
  Outcome out;
  out.failure = Failure{"0: the process lives", std::move(how), {}, 0};
  return out;
}

}  // namespace

std::string to_line(const Outcome& outcome) {
  std::string out = fmt::format("{}{}{}{}{}", outcome.digest, kBetween, outcome.lived_ms, kBetween,
                                outcome.lives);
  const Failure none;
  const Failure& failure = outcome.failure ? *outcome.failure : none;
  out += fmt::format("{}{}{}{}{}{}{}{}", kBetween, on_one_line(failure.invariant), kBetween,
                     on_one_line(failure.words), kBetween, failure.wall.unix_ms, kBetween,
                     failure.at_ms);
  for (const auto& [what, times] : outcome.counts.all()) {
    out += fmt::format("{}{}{}{}", kBetween, what, kBetween, times);
  }
  return out;
}

Outcome from_line(const std::string& line) {
  const auto parts = split(line, kBetween);
  const auto number = [&](std::size_t i) {
    return std::strtoll(std::string(parts.at(i)).c_str(), nullptr, 10);
  };
  Outcome out;
  out.digest = std::strtoull(std::string(parts.at(0)).c_str(), nullptr, 10);
  out.lived_ms = number(1);
  out.lives = number(2);
  if (!parts.at(3).empty()) {
    out.failure = Failure{std::string(parts[3]), std::string(parts.at(4)), {number(5)}, number(6)};
  }
  for (std::size_t i = 7; i + 1 < parts.size(); i += 2) out.counts.hit(parts[i], number(i + 1));
  return out;
}

// A worker plays every workers_-th plan, beginning with the first.
Crew::Worker Crew::hire(std::size_t first) const {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
  std::fflush(nullptr);
  const int pid = ::fork();
  if (pid < 0) throw std::runtime_error("no process");
  if (pid == 0) {
    ::close(ends[0]);
    for (std::size_t i = first; i < count_; i += static_cast<std::size_t>(workers_)) {
      put(ends[1], to_line(play(plan_(i))) + "\n");
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  return {pid, ends[0], first};
}

// False when it is over, with whatever the worker left behind.
bool Crew::take(Worker& worker, const Told& told) const {
  char buffer[65536];
  const ssize_t n = ::read(worker.pipe, buffer, sizeof buffer);
  if (n <= 0) return false;
  worker.heard.append(buffer, static_cast<std::size_t>(n));
  for (std::size_t end = worker.heard.find('\n'); end != std::string::npos;
       end = worker.heard.find('\n')) {
    Outcome outcome = from_line(worker.heard.substr(0, end));
    worker.heard.erase(0, end + 1);
    const std::size_t played = worker.next;
    worker.next += static_cast<std::size_t>(workers_);
    if (!told(plan_(played), std::move(outcome))) throw std::logic_error("enough");
  }
  return true;
}

void Crew::work(const Told& told) {
  std::vector<Worker> all;
  for (int i = 0; i < workers_; ++i) all.push_back(hire(static_cast<std::size_t>(i)));
  bool enough = false;
  while (!all.empty() && !enough) {
    std::vector<pollfd> waits;
    for (const Worker& worker : all) waits.push_back({worker.pipe, POLLIN, 0});
    const int ready = ::poll(waits.data(), waits.size(), kHungMs);
    for (std::size_t i = all.size(); i-- > 0 && !enough;) {
      Worker& worker = all[i];
      if (ready > 0 && waits[i].revents == 0) continue;
      bool goes_on = false;
      try {
        goes_on = ready > 0 && take(worker, told);
      } catch (const std::logic_error&) {
        enough = true;
        break;
      }
      if (goes_on) continue;
      if (ready == 0) ::kill(worker.pid, SIGKILL);
      int status = 0;
      ::waitpid(worker.pid, &status, 0);
      ::close(worker.pipe);
      const std::size_t at = worker.next;
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
      if (at >= count_) continue;
      enough = !told(plan_(at),
                     crashed(ready == 0 ? "it hangs" : fmt::format("it ended with {}", status)));
      const std::size_t next = at + static_cast<std::size_t>(workers_);
      if (!enough && next < count_) all.push_back(hire(next));
    }
  }
  for (const Worker& worker : all) {
    ::kill(worker.pid, SIGKILL);
    ::waitpid(worker.pid, nullptr, 0);
    ::close(worker.pipe);
  }
}

}  // namespace rouse::sim
