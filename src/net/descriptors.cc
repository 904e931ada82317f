#include "net/descriptors.h"

#include <sys/resource.h>

namespace rouse {

std::size_t raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) return static_cast<std::size_t>(before);
  return static_cast<std::size_t>(limit.rlim_cur);
}

}  // namespace rouse
