// The part of a conversation a prompt holds: its newest messages, back to the last hard boundary
// (explicit reset, cleared), bounded. Sessions that ended softly (timeout, drift, closed by the
// API) don't cut the thread: their summary goes along, and the last kSoftMessages they had.
#pragma once

#include <optional>
#include <vector>

#include "session/session_kernel.h"

namespace rouse {

inline constexpr std::size_t kSoftMessages = 12;  // that cross a soft boundary

class ConversationTail {
 public:
  explicit ConversationTail(SessionKernel& kernel) : kernel_(kernel) {}

  // Newest first, as a turn of this session sees it; `before` rebuilds what an earlier turn saw.
  // What was said after `since` crosses soft boundaries uncounted: what people said about an
  // automation's last words, however long ago.
  Result<Transcript> read(const Session& session, std::optional<std::int64_t> before,
                          std::size_t limit, std::optional<std::int64_t> since = {});

 private:
  Result<Transcript> newest(const ConversationId& conversation, std::optional<std::int64_t> before,
                            std::size_t limit);
  SessionKernel& kernel_;
};

// Did untrusted words enter since the owner last spoke (design.md, rule 8)?
bool is_tainted(const Transcript& newest_first);
// The same of what is said now, and of what was said before it, oldest first.
bool is_tainted(const Message& now, const Transcript& before);

}  // namespace rouse
