#include "gateway/rate_limit.h"

#include <algorithm>

namespace rouse {

double RateLimit::left(const Bucket& bucket, MonoTime now) const {
  const double gained =
      static_cast<double>((now - bucket.at).count) * static_cast<double>(per_minute_) / 60'000.0;
  return std::min(bucket.left + gained, static_cast<double>(per_minute_));
}

std::optional<Millis> RateLimit::check(const std::string& key, MonoTime now) const {
  if (per_minute_ <= 0) return std::nullopt;
  const auto it = buckets_.find(key);
  if (it == buckets_.end()) return std::nullopt;
  const double have = left(it->second, now);
  if (have >= 1) return std::nullopt;
  return Millis{
      static_cast<std::int64_t>((1 - have) * 60'000.0 / static_cast<double>(per_minute_)) + 1};
}

std::optional<Millis> RateLimit::take(const std::string& key, MonoTime now) {
  if (per_minute_ <= 0) return std::nullopt;
  if (auto wait = check(key, now)) return wait;
  auto it = buckets_.find(key);
  if (it == buckets_.end()) {
    if (buckets_.size() >= max_keys_) make_room(now);
    it = buckets_.emplace(key, Bucket{static_cast<double>(per_minute_), now}).first;
  }
  it->second = {left(it->second, now) - 1, now};
  return std::nullopt;
}

void RateLimit::make_room(MonoTime now) {
  const auto full = static_cast<double>(per_minute_);
  std::erase_if(buckets_, [&](const auto& entry) { return left(entry.second, now) >= full; });
  if (buckets_.size() < max_keys_) return;
  // Everybody is busy: the one who has used the least loses the least.
  buckets_.erase(std::ranges::max_element(
      buckets_, {}, [&](const auto& entry) { return left(entry.second, now); }));
}

}  // namespace rouse
