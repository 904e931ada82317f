#include "net/deadlines.h"

#include <algorithm>

#include <boost/asio/steady_timer.hpp>

#include "base/clock.h"

namespace rouse {

struct Deadlines::Timer {
  using Steady = boost::asio::basic_waitable_timer<
      std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>, Executor>;
  Timer(Loop& loop, Deadlines* o) : clock(loop), steady(loop.executor()), owner(o) {}

  RealClock clock;
  Steady steady;
  Deadlines* owner;  // null once the owner is gone
};

Deadlines::Entry::~Entry() {
  if (owner_ != nullptr) owner_->remove(*this);
}

Deadlines::Deadlines(Loop& loop) : timer_(std::make_shared<Timer>(loop, this)) {}

Deadlines::~Deadlines() {
  while (first_ != nullptr) remove(*first_);
  timer_->owner = nullptr;
  timer_->steady.cancel();
}

void Deadlines::add(Entry& entry) {
  entry.owner_ = this;
  entry.prev_ = nullptr;
  entry.next_ = first_;
  if (first_ != nullptr) first_->prev_ = &entry;
  first_ = &entry;
}

void Deadlines::remove(Entry& entry) {
  if (entry.owner_ != this) return;
  (entry.prev_ != nullptr ? entry.prev_->next_ : first_) = entry.next_;
  if (entry.next_ != nullptr) entry.next_->prev_ = entry.prev_;
  entry.owner_ = nullptr;
  entry.prev_ = entry.next_ = nullptr;
}

void Deadlines::set(Entry& entry, Millis length, int share) {
  const std::int64_t grain = std::max<std::int64_t>(1, length.count / share);
  const std::int64_t at = now().ms + length.count;
  entry.at_ = MonoTime{(at + grain - 1) / grain * grain};
  if (entry.at_ < armed_for_) arm(entry.at_);
}

MonoTime Deadlines::now() const { return timer_->clock.mono_now(); }

void Deadlines::arm(MonoTime at) {
  armed_for_ = at;
  // One more millisecond: the wait must not end within the last one before `at`.
  timer_->steady.expires_after(
      std::chrono::milliseconds(std::max<std::int64_t>(0, (at - now()).count) + 1));
  timer_->steady.async_wait([timer = timer_](boost::system::error_code ec) {
    if (!ec && timer->owner != nullptr) timer->owner->sweep();
  });
}

void Deadlines::sweep() {
  ++sweeps_;
  armed_for_ = kNever;
  const MonoTime time = now();
  MonoTime earliest = kNever;
  for (Entry* entry = first_; entry != nullptr;) {
    Entry* const next = entry->next_;
    if (entry->at_ <= time) {
      entry->at_ = kNever;
      entry->on_deadline(time);
    }
    earliest = std::min(earliest, entry->at_);
    entry = next;
  }
  if (earliest < armed_for_) arm(earliest);
}

}  // namespace rouse
