// What a durable turn costs at the least: two writes, each with its own fsync. fsync_pairs DIR MS
// does pairs of them, one after the other, and prints the median and the 99th percentile of a pair,
// in microseconds.
//
// fsync_pairs DIR MS APART_US: so much time goes by before each, busy and not counted. A disk that
// had a moment's rest takes longer; this is what it does in the rhythm of a turn.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bench/grown_file.h"

namespace {

using Clock = std::chrono::steady_clock;

void let_pass(std::chrono::microseconds time) {
  const auto end = Clock::now() + time;
  while (Clock::now() < end) {
  }
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
  rouse::bench::GrownFile file(argv[1]);
  std::vector<double> took_us;
  const auto end = Clock::now() + std::chrono::milliseconds(std::atoi(argv[2]));
  while (took_us.empty() || Clock::now() < end) {
    std::chrono::duration<double, std::micro> took{};
    for (int i = 0; i < 2; ++i) {
      let_pass(apart);
      const auto begin = Clock::now();
      file.rewrite_durably();
      took += Clock::now() - begin;
    }
    took_us.push_back(took.count());
  }
  std::ranges::sort(took_us);
  std::printf("%.1f %.1f\n", percentile(took_us, 0.5), percentile(took_us, 0.99));
}
