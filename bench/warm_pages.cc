// Reads a database into the system's memory page by page, as a server reads it: warm_pages FILE
// [anew]. A copy that was just made is in memory too, but in large pieces, and a system that must
// change one page of such a piece works longer than with pages that came one by one. `anew` has it
// forgotten first.
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3 || (argc == 3 && std::strcmp(argv[2], "anew") != 0)) {
    std::fprintf(stderr, "usage: warm_pages FILE [anew]\n");
    return 2;
  }
  const int fd = ::open(argv[1], O_RDONLY);
  if (fd < 0) {
    std::perror(argv[1]);
    return 1;
  }
  if (argc == 3) {  // only what is on the disk can be forgotten
    ::fsync(fd);
    ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  }
  ::posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);  // nothing is read ahead
  char page[4096];
  off_t at = 0;
  while (::pread(fd, page, sizeof page, at) == sizeof page) at += sizeof page;
}
