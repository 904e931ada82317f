// Why did an automation run, or why not? For any automation, removed ones too, and any instant the
// answer is one of a few (UX-1): it ran, it runs, it is queued, it is put off by something, it was
// skipped or missed for a reason, it wasn't due, it was paused, removed, done, or not made yet.
// There is always an answer, because each due instant is covered by a row of the ledger or by the
// day that its row was folded into. A pure read: asking changes nothing.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "schedule/job_book.h"
#include "schedule/occurrence_ledger.h"
#include "session/turn_queue.h"

namespace rouse {

struct AutomationAnswer {
  // ran, running, queued, deferred, skipped, missed, not_due, paused, removed, quarantined, done,
  // not_yet
  std::string code;
  std::string reason = {};  // of a skip, a deferral or a pause: a word
  std::string text = {};    // all of it for a person
  WallTime at = {};         // the instant it is about
  std::string status = {};  // how the occurrence stands or ended: "ok", "error", "queued" …
  std::string by = {};      // who paused or removed it
  std::optional<WallTime> since = {};          // paused, removed or done since
  std::optional<WallTime> scheduled_for = {};  // the occurrence; of several the first
  std::optional<WallTime> until = {};          // of several the last; of a deferral its end
  std::int64_t count = 0;                      // how many instants share this answer
  bool folded = false;                         // only the sums of that day are left
  std::optional<WallTime> next = {}, previous = {};
  std::optional<std::string> run = {};
  std::optional<TurnId> turn = {}, waits_for = {};
  std::optional<ConversationId> conversation = {};
};

class AutomationStory {
 public:
  AutomationStory(JobBook& book, OccurrenceLedger& ledger, TurnQueue& turns, Clock& clock)
      : book_(book), ledger_(ledger), turns_(turns), clock_(clock) {}

  // Without an instant: how it stands now, what it did last, and what would have to happen.
  Result<AutomationAnswer> tell(const Job& job, std::optional<WallTime> at = {});

 private:
  Result<AutomationAnswer> at(const Job& job, WallTime asked);
  Result<AutomationAnswer> now(const Job& job);
  Result<AutomationAnswer> of_occurrence(const Job& job, const Occurrence& occurrence);
  Result<void> add_open(AutomationAnswer& out, const Job& job, const Occurrence& occurrence,
                        const std::optional<Run>& run);
  Result<std::optional<AutomationAnswer>> folded(const Job& job, WallTime asked);
  AutomationAnswer by_state(const Job& job) const;
  AutomationAnswer unclaimed(const Job& job) const;
  AutomationAnswer not_due(const Job& job, WallTime asked,
                           const std::optional<Occurrence>& before) const;
  [[nodiscard]] std::string when(const Job& job, WallTime time) const;

  JobBook& book_;
  OccurrenceLedger& ledger_;
  TurnQueue& turns_;
  Clock& clock_;
};

}  // namespace rouse
