// A chat in a terminal, without the terminal: what a typed line means, and what to write for each
// event of a streamed answer. What an agent says is other people's text and can't steer the
// terminal.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/routes/chat_routes.h"
#include "net/sse.h"

namespace rouse::cli {

enum class LineKind : std::uint8_t {
  kNothing,  // an empty line
  kSay,      // a message
  kHelp,
  kClear,  // also /new: the session is closed with a summary, the next message begins fresh
  kHistory,
  kCancel,
  kQuit,
  kUnknown,  // looks like a command and is none
};
// "/word" is a command; "/etc/hosts" and "/ 2" are messages.
LineKind kind_of_line(std::string_view line);
inline constexpr std::string_view kChatHelp =
    R"(/clear    start fresh; what was said stays readable (/new does the same)
/compact  sum up what was said before, so that the conversation can go on
/history  the newest messages of this conversation
/cancel   stop the turn that was left running
/quit     leave (or Ctrl-D)
Ctrl-C stops the answer that is coming.
)";

// Who watches: somebody at a terminal sees the answer come; a pipe gets the committed words only.
enum class Watcher : std::uint8_t { kPerson, kProgram };

class ChatScreen {
 public:
  explicit ChatScreen(Watcher watcher) : watcher_(watcher) {}

  // What to write now. The error is the server's: the turn could not be followed to its end.
  Result<std::string> take(const SseEvent& event);
  // What is left to write when the answer is known, by event or by asking for the turn.
  std::string finish(std::string_view response, std::string_view verdict, std::string_view reason,
                     const std::vector<ApprovalView>& approvals = {});

  [[nodiscard]] const std::string& turn() const { return turn_; }
  [[nodiscard]] const std::optional<ChatAnswer>& answer() const { return answer_; }

 private:
  Result<std::string> take_delta(const SseEvent& event);
  Result<std::string> take_tool(const SseEvent& event);
  Result<std::string> take_done(const SseEvent& event);
  std::string fresh_line();

  Watcher watcher_;
  std::string turn_;
  std::string shown_;  // the text of the block that is being written
  std::int64_t block_ = 0;
  bool in_line_ = false;  // something was written that no line end followed
  std::optional<ChatAnswer> answer_;
};

}  // namespace rouse::cli
