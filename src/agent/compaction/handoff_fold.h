// Messages on their way into a handoff summary: taken in one by one, oldest first, and given on as
// exchanges in portions of a bounded size. Keeps count of what they took up in the prompt and of
// whom they came from.
#pragma once

#include <cstdint>
#include <vector>

#include "agent/prompt/history.h"
#include "session/messages.h"
#include "session/summary/summariser.h"

namespace rouse {

inline constexpr std::size_t kPortionExchanges = 40;

class HandoffFold {
 public:
  // `shown_from`: the first message of the prompt as it was.
  HandoffFold(HistoryLimits limits, std::int64_t shown_from, bool untrusted, bool tainted)
      : limits_(limits), shown_from_(shown_from), untrusted_(untrusted), tainted_(tainted) {}

  void take(Message message);
  void end();  // nothing more comes

  // What is ready; it is gone from here then.
  [[nodiscard]] bool has_portion() const { return ready_.size() >= kPortionExchanges; }
  [[nodiscard]] std::vector<TurnText> take_ready();

  [[nodiscard]] bool untrusted() const { return untrusted_; }
  [[nodiscard]] bool tainted() const { return tainted_; }
  [[nodiscard]] std::int64_t tokens() const { return tokens_; }
  [[nodiscard]] std::int64_t shown_tokens() const { return shown_tokens_; }

 private:
  void note_provenance(const Message& message);
  void close_exchange();

  HistoryLimits limits_;
  std::int64_t shown_from_;
  bool untrusted_, tainted_;
  std::int64_t tokens_ = 0, shown_tokens_ = 0;
  TurnText open_;
  std::vector<TurnText> ready_;
};

}  // namespace rouse
