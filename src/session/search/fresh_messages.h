// The newest messages as they were committed, kept until they are indexed, so that the index need
// not read again what was said a moment ago: that was a read for each, beside the turns that
// follow.
//
// They are a run of positions without a gap, so it is enough to know that the next message to
// index is one of them: then all after it are, too. Whatever doesn't go on where the run ends
// begins it anew; what is lost from it is read from the store. So nobody has to tell, and nothing
// depends on who does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "session/messages.h"

namespace rouse {

class FreshMessages {
 public:
  struct One {
    WorkspaceId workspace;
    MessagePtr message;
  };

  // More than this are not kept; the run begins anew.
  static constexpr std::size_t kMost = 8'192;
  static constexpr std::size_t kMostBytes = 1 << 20;

  // Committed just now, in the order of their positions.
  void add(const WorkspaceId& workspace, const Transcript& said);
  void clear();
  void drop_through(std::int64_t position);

  [[nodiscard]] bool holds(std::int64_t position) const;
  // Takes out the one of that position, if it is the first and its text is no longer than that.
  std::optional<One> take(std::int64_t position, std::size_t most_bytes);

  [[nodiscard]] std::size_t size() const { return run_.size(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::int64_t first() const { return run_.front().message->position; }  // of some

 private:
  std::deque<One> run_;
  std::size_t bytes_ = 0;  // of their text
};

}  // namespace rouse
