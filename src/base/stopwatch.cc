#include "base/stopwatch.h"

#include <ctime>

namespace rouse {

std::int64_t real_microseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000 + now.tv_nsec / 1'000;
}

}  // namespace rouse
