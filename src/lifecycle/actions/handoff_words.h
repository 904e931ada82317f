// The handoff over a compaction as Markdown: sections that have something to say, bounded. Pure.
//
// Names of files and subjects of commits are shown so that they can't break out of their line. In
// a turn that has seen untrusted text, what the agent said and did is left out: that may be made of
// it, and the handoff is told later, when nobody doubts it any more.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lifecycle/engine/hands.h"
#include "session/messages.h"

namespace rouse::actions {

inline constexpr std::size_t kHandoffBytes = 8'000;

struct Handoff {
  std::string task, worktree = {};
  std::vector<GitView::Commit> commits = {};
  std::vector<std::string> uncommitted = {};
  std::vector<std::string> modified = {};  // by tools, in this session
  std::string goal = {};
  std::vector<std::string> recent = {};  // oldest first
  bool tainted = false;
};

// The goal that the five lines of a session's summary name, or "".
std::string goal_in_summary(std::string_view context_summary);

// Recent activity, modified files, and the goal if there is none yet, out of the messages of one
// session, oldest first.
void add_transcript(Handoff& out, const std::vector<Message>& messages);

std::string write_handoff(const Handoff& handoff);

}  // namespace rouse::actions
