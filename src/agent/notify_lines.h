// A line `::notify SUBJECT` in an answer asks for a notification about that answer. The line itself
// is for us: it is taken out before anybody sees it, also while the answer still streams and the
// line arrives letter by letter. Of several the last one counts. Inside of a code fence it is text
// like any other.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rouse {

// Feeds text through in pieces; gives back what may be shown so far.
class NotifyLineFilter {
 public:
  std::string add(std::string_view piece);
  // The text is over: what was held back and is no such line after all.
  std::string end();
  // Of the last line that was taken out; none: there was no such line.
  [[nodiscard]] const std::optional<std::string>& subject() const { return subject_; }

 private:
  [[nodiscard]] bool is_held() const;
  bool take_out();
  void end_line(std::string& out);
  void note_fence();

  std::string line_;    // the present one: all of it while it is held back, else its beginning
  bool shown_ = false;  // the present line is
  char fence_ = '\0';   // the open one's letter, and how many of them
  std::size_t fence_size_ = 0;
  std::optional<std::string> subject_;
};

// Takes them out of a whole text; the subject of the last one, if there was any.
std::optional<std::string> cut_notify_lines(std::string& text);

// What a notification about an answer says: its first sentences.
std::string first_sentences(std::string_view text, std::size_t max_bytes);

}  // namespace rouse
