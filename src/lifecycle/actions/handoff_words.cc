#include "lifecycle/actions/handoff_words.h"

#include <algorithm>

#include <boost/json/parse.hpp>
#include <fmt/format.h>

#include "base/text.h"
#include "session/summary/digest.h"
#include "session/summary/plain_text.h"
#include "tool/visible_text.h"

namespace rouse::actions {
namespace {

constexpr std::size_t kRecent = 5;
// Together less than kHandoffBytes, so that no section is cut for the sake of another.
constexpr std::size_t kLineBytes = 240;
constexpr std::size_t kItemBytes = 120;
constexpr std::size_t kGoalBytes = 900;
constexpr std::size_t kFiles = 15;
constexpr std::size_t kCommits = 10;

std::string one_line(std::string_view text, std::size_t bytes) {
  return summary::cut(summary::clean_line(text), bytes);
}

bool is_trusted(const ContentBlock& block) { return block.from != kFromUntrusted; }

std::string person_said(const Message& message) {
  Content trusted;
  std::ranges::copy_if(message.content, std::back_inserter(trusted), is_trusted);
  return readable_text(trusted);
}

bool changes_files(std::string_view tool) {
  const std::string name = lower_ascii(tool);
  return name.contains("write") || name.contains("edit") || name.contains("patch");
}

std::string path_in(std::string_view arguments) {
  boost::system::error_code failed;
  const boost::json::value value = boost::json::parse(arguments, failed);
  if (failed || !value.is_object()) return {};
  for (const std::string_view key : {"path", "file_path"}) {
    const auto* path = value.as_object().if_contains(key);
    if (path != nullptr && path->is_string()) return std::string(path->as_string());
  }
  return {};
}

void add_calls(Handoff& out, const Message& message) {
  for (const ContentBlock& block : message.content) {
    if (block.type != kToolCallBlock) continue;
    const std::string tool = block.tool.value_or("a tool");
    const std::string path = path_in(block.arguments.value_or(""));
    out.recent.push_back(
        path.empty() ? fmt::format("called {}", tool)
                     : fmt::format("called {} on {}", tool, visible_text(path, kLineBytes)));
    const bool is_new = std::ranges::find(out.modified, path) == out.modified.end();
    if (!path.empty() && changes_files(tool) && is_new) out.modified.push_back(path);
  }
}

void add_words(Handoff& out, const Message& message) {
  std::string said;
  for (const ContentBlock& block : message.content) {
    if (block.type == kTextBlock && is_trusted(block)) said += block.text.value_or("") + "\n";
  }
  said = one_line(said, kLineBytes);
  if (said.empty()) return;
  out.recent.push_back(fmt::format("{}: {}", message.role == "user" ? "user" : "you", said));
}

void add_section(std::string& out, std::string_view title, std::string_view body) {
  body = trim(body);
  if (body.empty()) return;
  out += fmt::format("{}## {}\n{}\n", out.empty() ? "" : "\n", title, body);
}

std::string list_of(const std::vector<std::string>& items, std::size_t most) {
  std::string out;
  for (std::size_t i = 0; i < items.size() && i < most; ++i) {
    out += fmt::format("- {}\n", visible_text(items[i], kItemBytes));
  }
  if (items.size() > most) out += fmt::format("- … and {} more\n", items.size() - most);
  return out;
}

}  // namespace

std::string goal_in_summary(std::string_view context_summary) {
  return one_line(summary::parse_digest(context_summary).digest.goal, kGoalBytes);
}

void add_transcript(Handoff& out, const std::vector<Message>& messages) {
  for (const Message& message : messages) {
    const bool by_person = message.role == "user";
    if (by_person && out.goal.empty()) out.goal = one_line(person_said(message), kGoalBytes);
    if (by_person || !out.tainted) add_words(out, message);
    if (message.role == "assistant" && !out.tainted) add_calls(out, message);
  }
  if (out.recent.size() > kRecent) {
    out.recent.erase(out.recent.begin(), out.recent.end() - static_cast<std::ptrdiff_t>(kRecent));
  }
}

std::string write_handoff(const Handoff& handoff) {
  std::vector<std::string> commits;
  for (const GitView::Commit& one : handoff.commits) {
    commits.push_back(fmt::format("{} {}", one.hash.substr(0, 10), one.subject));
  }
  std::string recent;
  for (const std::string& line : handoff.recent) recent += fmt::format("- {}\n", line);
  std::string out;
  add_section(out, "Active Task", visible_text(handoff.task, kLineBytes));
  add_section(out, "Worktree", visible_text(handoff.worktree, kLineBytes));
  add_section(out, "Commits", list_of(commits, kCommits));
  add_section(out, "Uncommitted Changes", list_of(handoff.uncommitted, kFiles));
  add_section(out, "Files Being Modified", list_of(handoff.modified, kFiles));
  add_section(out, "Original Goal", handoff.goal);
  add_section(out, "Recent Activity", recent);
  return summary::cut(out, kHandoffBytes);
}

}  // namespace rouse::actions
