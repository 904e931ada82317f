// What the yardsticks of the disk write to: a file that is there at its full size, like a log that
// has grown, so that a sync changes its blocks and nothing else. It is gone with the program.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace rouse::bench {

class GrownFile {
 public:
  // Exits with words if there can be none.
  explicit GrownFile(const std::string& dir) {
    std::string path = dir + "/grown_file.XXXXXX";
    fd_ = ::mkstemp(path.data());
    if (fd_ < 0) give_up();
    ::unlink(path.c_str());
    for (long page = 0; page < kPages; ++page) write(page);
    if (::fsync(fd_) != 0) give_up();
  }
  ~GrownFile() { ::close(fd_); }
  GrownFile(const GrownFile&) = delete;
  GrownFile& operator=(const GrownFile&) = delete;

  // The next 4 KB, durable.
  void rewrite_durably() {
    write(next_++ % kPages);
    if (::fdatasync(fd_) != 0) give_up();
  }

 private:
  static constexpr long kPages = 1024;
  static constexpr ssize_t kPageBytes = 4096;

  void write(long page) {
    if (::pwrite(fd_, page_.data(), page_.size(), page * kPageBytes) != kPageBytes) give_up();
  }
  [[noreturn]] static void give_up() {
    std::perror("grown_file");
    std::exit(1);
  }

  int fd_;
  long next_ = 0;
  const std::string page_ = std::string(kPageBytes, 'x');
};

}  // namespace rouse::bench
