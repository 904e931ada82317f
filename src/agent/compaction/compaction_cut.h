// Where a conversation is cut when it is compacted: what is before the cut becomes the summary,
// what is behind it stays as it was said. Pure, and over marks instead of messages, so that the
// words of a long conversation need not be in memory at once.
//
// A cut never parts a call from its result and never goes through a turn. It keeps at least
// kMessagesKept messages, unless those alone would fill the whole budget, and always the last turn.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/prompt/history.h"
#include "session/messages.h"

namespace rouse {

inline constexpr std::size_t kMessagesKept = 6;  // at least

struct CutMark {
  std::int64_t seq = 0;
  std::int64_t tokens = 0;
  std::string turn;                         // or ""
  bool can_begin = false;                   // an exchange begins with it
  bool is_tool = false;                     // a result, which never stands first
  std::vector<std::string> calls, results;  // ids
};

// `limits` are those of the prompt.
CutMark mark_of(const Message& message, const HistoryLimits& limits);

struct KeepLimits {
  std::int64_t tokens = 4'000;
  std::size_t messages = 30;
  std::int64_t most_tokens = 16'000;  // more than the prompt can show
};

struct Cut {
  std::int64_t through_seq = 0;
  std::size_t kept = 0;     // messages behind it
  std::int64_t before = 0;  // tokens before it, of the marks that were given
  bool settled = false;     // no older mark can change it
};

// The oldest place that keeps within the limits; none if everything must stay. Marks newest first;
// the oldest of them is never a place, because what is before it is not known.
std::optional<Cut> choose_cut(const std::vector<CutMark>& newest_first, const KeepLimits& keep);

}  // namespace rouse
