// Token buckets by key: so many events a minute, a minute's worth at once. Bounded in keys: full
// buckets are forgotten first, since they say nothing.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "base/time.h"

namespace rouse {

class RateLimit {
 public:
  explicit RateLimit(std::int64_t per_minute, std::size_t max_keys = 10'000)
      : per_minute_(per_minute), max_keys_(max_keys) {}

  void set_rate(std::int64_t per_minute) { per_minute_ = per_minute; }  // 0: no limit

  // Takes one. If there is none left: how long until there is.
  std::optional<Millis> take(const std::string& key, MonoTime now);
  // Would take() say no? Takes nothing.
  [[nodiscard]] std::optional<Millis> check(const std::string& key, MonoTime now) const;

 private:
  struct Bucket {
    double left;
    MonoTime at;
  };
  [[nodiscard]] double left(const Bucket& bucket, MonoTime now) const;
  void make_room(MonoTime now);

  std::int64_t per_minute_;
  std::size_t max_keys_;
  std::unordered_map<std::string, Bucket> buckets_;
};

}  // namespace rouse
