#include "agent/notify_lines.h"

#include <algorithm>

#include "base/text.h"

namespace rouse {
namespace {

constexpr std::string_view kMark = "::notify";
constexpr std::size_t kIndent = 3;        // more is code, says Markdown
constexpr std::size_t kLookedAt = 64;     // of a line, for its fence
constexpr std::size_t kFenceLetters = 3;  // at least

std::string_view without_indent(std::string_view line) {
  const std::size_t spaces = std::min(line.find_first_not_of(' '), line.size());
  return spaces <= kIndent ? line.substr(spaces) : std::string_view();
}

bool ends_mark(char c) { return c == ' ' || c == '\t' || c == ':' || c == '\r'; }

}  // namespace

// It is such a line, or may still become one.
bool NotifyLineFilter::is_held() const {
  if (fence_ != '\0') return false;
  const std::string_view text = without_indent(line_);
  if (text.empty()) return line_.size() <= kIndent;
  if (text.size() <= kMark.size()) return kMark.starts_with(text);
  return text.starts_with(kMark) && ends_mark(text[kMark.size()]);
}

bool NotifyLineFilter::take_out() {
  const std::string_view text = without_indent(line_);
  if (shown_ || fence_ != '\0' || !text.starts_with(kMark)) return false;
  std::string_view rest = text.substr(kMark.size());
  if (rest.starts_with(':')) rest.remove_prefix(1);
  subject_ = std::string(trim(rest));
  return true;
}

void NotifyLineFilter::note_fence() {
  const std::string_view text = without_indent(line_);
  if (text.empty() || (text.front() != '`' && text.front() != '~')) return;
  const std::size_t size = std::min(text.find_first_not_of(text.front()), text.size());
  if (size < kFenceLetters) return;
  if (fence_ == '\0') {
    // With such letters further on it is a span of code within the line, says Markdown.
    if (text.front() == '`' && text.substr(size).contains('`')) return;
    fence_ = text.front();
    fence_size_ = size;
  } else if (fence_ == text.front() && size >= fence_size_ && trim(text.substr(size)).empty()) {
    fence_ = '\0';
  }
}

void NotifyLineFilter::end_line(std::string& out) {
  if (!take_out()) {
    if (!shown_) out += line_;
    out += '\n';
    note_fence();
  }
  line_.clear();
  shown_ = false;
}

std::string NotifyLineFilter::add(std::string_view piece) {
  std::string out;
  for (const char c : piece) {
    if (c == '\n') {
      end_line(out);
    } else if (shown_) {
      out += c;
      if (line_.size() < kLookedAt || c == '`') line_ += c;
    } else {
      line_ += c;
      if (is_held()) continue;
      out += line_;
      shown_ = true;
    }
  }
  return out;
}

std::string NotifyLineFilter::end() {
  std::string out;
  if (!take_out() && !shown_) out = line_;
  line_.clear();
  shown_ = false;
  return out;
}

std::optional<std::string> cut_notify_lines(std::string& text) {
  NotifyLineFilter filter;
  std::string kept = filter.add(text);
  kept += filter.end();
  if (filter.subject()) text = std::string(trim(kept));
  return filter.subject();
}

std::string first_sentences(std::string_view text, std::size_t max_bytes) {
  text = trim(text);
  if (text.size() <= max_bytes) return std::string(text);
  constexpr std::string_view kMore = "…";
  const std::string_view room = utf8_prefix(text, max_bytes - kMore.size());
  const std::size_t half = room.size() / 2;
  for (std::size_t i = room.size() - 1; i > half; --i) {
    const bool ends = (room[i] == ' ' || room[i] == '\n') &&
                      (room[i - 1] == '.' || room[i - 1] == '!' || room[i - 1] == '?');
    if (ends) return std::string(room.substr(0, i));
  }
  const std::size_t space = text.find_last_of(" \n", room.size());
  const bool far = space != std::string_view::npos && space > half;
  return std::string(far ? room.substr(0, space) : room).append(kMore);
}

}  // namespace rouse
