// How many durable writes a second this disk gives when each pays for its own fsync: fsync_rate DIR
// MS. Appends 4 KB and syncs, again and again: what a WAL commit of one row costs at the least.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: fsync_rate DIR MILLISECONDS\n");
    return 2;
  }
  using Clock = std::chrono::steady_clock;
  const std::string path = std::string(argv[1]) + "/fsync_rate.tmp";
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (fd < 0) return 1;
  const std::string page(4096, 'x');
  // Like a WAL that has grown to its size: the file is there, only its blocks are rewritten.
  constexpr int kPages = 1024;
  for (int i = 0; i < kPages; ++i) {
    if (::write(fd, page.data(), page.size()) < 0) return 1;
  }
  ::fsync(fd);
  long count = 0;
  const auto begin = Clock::now();
  const auto end = begin + std::chrono::milliseconds(std::atoi(argv[2]));
  while (Clock::now() < end) {
    if (::pwrite(fd, page.data(), page.size(), (count % kPages) * 4096) < 0 || ::fdatasync(fd) != 0)
      return 1;
    ++count;
  }
  const std::chrono::duration<double> took = Clock::now() - begin;
  std::printf("%.0f\n", static_cast<double>(count) / took.count());
  ::unlink(path.c_str());
}
