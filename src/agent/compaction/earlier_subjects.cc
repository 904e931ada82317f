#include "agent/compaction/earlier_subjects.h"

#include <algorithm>

#include "base/text.h"
#include "session/summary/observe.h"
#include "session/summary/plain_text.h"

namespace rouse {
namespace {

constexpr std::string_view kHeading = "\n\n## Earlier subjects\n";
constexpr std::string_view kBullet = "- ";

}  // namespace

EarlierSubjects EarlierSubjects::taken_from(std::string& handoff) {
  EarlierSubjects out;
  const std::size_t at = handoff.rfind(kHeading);
  if (at == std::string::npos) return out;
  const std::string section = handoff.substr(at + kHeading.size());
  handoff.resize(at);
  for (const std::string_view line : split(section, '\n')) {
    if (line.starts_with(kBullet) && out.lines_.size() < kLines) {
      out.lines_.emplace_back(line.substr(kBullet.size()));
    }
  }
  return out;
}

void EarlierSubjects::add(const std::vector<TurnText>& exchanges) {
  for (const TurnText& exchange : exchanges) {
    const std::string wanted = summary::clean_line(summary::objective_in(exchange.user));
    if (wanted.empty()) continue;
    std::string line = summary::cut(wanted, kLineBytes);
    if (std::ranges::find(lines_, line) != lines_.end()) return;
    if (lines_.size() >= kLines) {
      std::vector<std::string> every_other;
      for (std::size_t i = 0; i < lines_.size(); i += 2) every_other.push_back(lines_[i]);
      lines_ = std::move(every_other);
    }
    lines_.push_back(std::move(line));
    return;
  }
}

void EarlierSubjects::append_to(std::string& handoff) const {
  if (lines_.empty()) return;
  handoff += kHeading.substr(0, kHeading.size() - 1);
  for (const std::string& line : lines_) handoff.append("\n").append(kBullet).append(line);
}

}  // namespace rouse
