// What a durable turn costs at the least: two writes, each with its own fsync. fsync_pairs DIR MS
// does pairs of them, one after the other, and prints the median and the 99th percentile of a pair,
// in microseconds. The file is there at its full size, like a WAL that has grown.
//
// fsync_pairs DIR MS APART_US: so much time goes by before each, busy and not counted. A disk that
// had a moment's rest takes longer; this is what it does in the rhythm of a turn.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

constexpr int kPages = 1024;
constexpr off_t kPageBytes = 4096;

using Clock = std::chrono::steady_clock;

void let_pass(std::chrono::microseconds time) {
  const auto end = Clock::now() + time;
  while (Clock::now() < end) {
  }
}

bool write_durably(int fd, const std::string& page, long at) {
  return ::pwrite(fd, page.data(), page.size(), (at % kPages) * kPageBytes) == kPageBytes &&
         ::fdatasync(fd) == 0;
}

double percentile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(static_cast<double>(sorted.size() - 1) * share)];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::fprintf(stderr, "usage: fsync_pairs DIR MILLISECONDS [APART_MICROSECONDS]\n");
    return 2;
  }
  const std::chrono::microseconds apart(argc == 4 ? std::atoi(argv[3]) : 0);
  const std::string path = std::string(argv[1]) + "/fsync_pairs.tmp";
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (fd < 0) return 1;
  ::unlink(path.c_str());
  const std::string page(kPageBytes, 'x');
  for (int i = 0; i < kPages; ++i) {
    if (::write(fd, page.data(), page.size()) < 0) return 1;
  }
  ::fsync(fd);
  std::vector<double> took_us;
  const auto end = Clock::now() + std::chrono::milliseconds(std::atoi(argv[2]));
  for (long at = 0; took_us.empty() || Clock::now() < end; at += 2) {
    std::chrono::duration<double, std::micro> took{};
    for (long i = at; i < at + 2; ++i) {
      let_pass(apart);
      const auto begin = Clock::now();
      if (!write_durably(fd, page, i)) return 1;
      took += Clock::now() - begin;
    }
    took_us.push_back(took.count());
  }
  std::ranges::sort(took_us);
  std::printf("%.1f %.1f\n", percentile(took_us, 0.5), percentile(took_us, 0.99));
}
