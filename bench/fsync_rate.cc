// How many durable writes a second this disk gives when each pays for its own fsync: fsync_rate DIR
// MS. Appends 4 KB and syncs, again and again: what a WAL commit of one row costs at the least.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "bench/grown_file.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: fsync_rate DIR MILLISECONDS\n");
    return 2;
  }
  using Clock = std::chrono::steady_clock;
  rouse::bench::GrownFile file(argv[1]);
  long count = 0;
  const auto begin = Clock::now();
  const auto end = begin + std::chrono::milliseconds(std::atoi(argv[2]));
  while (Clock::now() < end) {
    file.rewrite_durably();
    ++count;
  }
  const std::chrono::duration<double> took = Clock::now() - begin;
  std::printf("%.0f\n", static_cast<double>(count) / took.count());
}
