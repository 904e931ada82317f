// Time from exec to an answered GET /health, the median of N starts: start_time ROUSE DATA_DIR PORT
// N. Prints milliseconds: median, then each run.
#include <algorithm>
#include <arpa/inet.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <signal.h>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

bool ask_health(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  bool answered = false;
  if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
    const std::string request =
        "GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
    char answer[512] = {};
    if (::write(fd, request.data(), request.size()) > 0 &&
        ::read(fd, answer, sizeof answer - 1) > 0) {
      answered = std::strncmp(answer, "HTTP/1.1 200", 12) == 0;
    }
  }
  ::close(fd);
  return answered;
}

double start_once(const char* rouse, const char* data, int port) {
  const std::string listen = "127.0.0.1:" + std::to_string(port);
  const auto begin = Clock::now();
  const pid_t child = ::fork();
  if (child == 0) {
    if (::freopen("/dev/null", "w", stdout) == nullptr) ::_exit(127);
    if (::freopen("/dev/null", "w", stderr) == nullptr) ::_exit(127);
    ::execl(rouse, rouse, "serve", "--data", data, "--listen", listen.c_str(), nullptr);
    ::_exit(127);
  }
  while (!ask_health(port)) {
    if (::waitpid(child, nullptr, WNOHANG) == child) {
      std::fprintf(stderr, "start_time: the server ended by itself\n");
      std::exit(1);
    }
    ::usleep(50);  // a tight loop would take the CPU that the server starts on
  }
  const std::chrono::duration<double, std::milli> took = Clock::now() - begin;
  ::kill(child, SIGTERM);
  ::waitpid(child, nullptr, 0);
  return took.count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: start_time ROUSE DATA_DIR PORT RUNS\n");
    return 2;
  }
  std::vector<double> times;
  for (int i = 0; i < std::atoi(argv[4]); ++i)
    times.push_back(start_once(argv[1], argv[2], std::atoi(argv[3])));
  std::vector<double> sorted = times;
  std::ranges::sort(sorted);
  std::printf("%.2f\n", sorted[sorted.size() / 2]);
  for (const double t : times) std::printf("%.2f ", t);
  std::printf("\n");
}
