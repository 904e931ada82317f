// Deadlines of many connections on one timer. A deadline is a number in an entry; setting one costs
// a store and a compare, not a system call. The timer sweeps the entries when the earliest could be
// due and is not armed at all while there is none, so an idle server sleeps.
//
// Deadlines are coarse on purpose: they are rounded up to a share of their length, so that ten
// thousand idle connections wake the process once and not ten thousand times.
#pragma once

#include <memory>

#include "base/loop.h"
#include "base/time.h"

namespace rouse {

class Deadlines {
 public:
  class Entry {
   public:
    Entry() = default;
    virtual ~Entry();  // leaves the list
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

   protected:
    // The deadline has passed; it is cleared before the call. May set a new one, must not destroy
    // or add entries.
    virtual void on_deadline(MonoTime now) = 0;

   private:
    friend class Deadlines;
    Entry* prev_ = nullptr;
    Entry* next_ = nullptr;
    MonoTime at_ = kNever;
    Deadlines* owner_ = nullptr;
  };

  explicit Deadlines(Loop& loop);
  ~Deadlines();

  void add(Entry& entry);
  void remove(Entry& entry);

  // Fires between `length` and `length + length / share` from now.
  void set(Entry& entry, Millis length, int share = 8);
  void clear(Entry& entry) { entry.at_ = kNever; }

  [[nodiscard]] MonoTime now() const;
  // How often the timer woke the process: tests hold it low.
  [[nodiscard]] std::uint64_t sweeps() const { return sweeps_; }

 private:
  struct Timer;
  void arm(MonoTime at);
  void sweep();

  std::shared_ptr<Timer> timer_;  // shared with the pending wait, which may outlive this
  Entry* first_ = nullptr;
  MonoTime armed_for_ = kNever;
  std::uint64_t sweeps_ = 0;
};

}  // namespace rouse
