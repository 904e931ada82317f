#include "session/export/transcript_text.h"

#include <algorithm>

#include "base/text.h"
#include "session/export/transcript_lines.h"
#include "session/story/why_words.h"

namespace rouse {

namespace jsonl {

std::string conversation(const Conversation& c, const std::vector<std::string>& aliases) {
  return encode_json(ConversationLine{.conversation_id = c.id.str(),
                                      .session_key = c.key.str(),
                                      .title = c.title,
                                      .project = c.project,
                                      .agent = c.agent,
                                      .created_at = to_iso(c.created),
                                      .last_active_at = to_iso(c.last_active),
                                      .aliases = aliases}) +
         "\n";
}

std::string session(const Session& s) {
  return encode_json(
             SessionLine{.session_id = s.id.str(),
                         .epoch = s.epoch,
                         .status = std::string(s.status()),
                         .opened_reason = s.opened_reason,
                         .close_reason = s.close_reason,
                         .created_at = to_iso(s.created),
                         .closed_at = s.closed ? std::optional(to_iso(*s.closed)) : std::nullopt,
                         .last_message_at = to_iso(s.last_message),
                         .turn_count = s.turn_count,
                         .context_summary = s.context_summary}) +
         "\n";
}

namespace {

std::optional<boost::json::value> readable_meta(const Message& m) {
  if (!m.meta) return std::nullopt;
  auto parsed = parse_json(*m.meta);
  if (!parsed) return std::nullopt;
  return std::move(*parsed);
}

}  // namespace

std::string message(const Message& m) {
  return encode_json(MessageLine{.seq = m.seq,
                                 .session_id = m.session.str(),
                                 .turn_id = m.turn ? std::optional(m.turn->str()) : std::nullopt,
                                 .role = m.role,
                                 .source = m.source,
                                 .content = m.content,
                                 .created_at = to_iso(m.created),
                                 .meta = readable_meta(m)}) +
         "\n";
}

}  // namespace jsonl

namespace markdown {
namespace {

// "2026-11-15 04:40:00 UTC"
std::string when(WallTime time) {
  std::string iso = to_iso(time);
  return fmt::format("{} {} UTC", iso.substr(0, 10), iso.substr(11, 8));
}

std::string_view who(std::string_view role) {
  if (role == "user") return "User";
  if (role == "assistant") return "Agent";
  if (role == "tool") return "Tool";
  if (role == "system") return "System";
  return role;
}

// Could this open a tag, a comment or another piece of raw HTML?
bool may_hold_html(std::string_view text) {
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at + 1)) {
    if (at + 1 == text.size()) return false;
    const char next = text[at + 1];
    const bool letter = (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z');
    if (letter || next == '/' || next == '!' || next == '?') return true;
  }
  return false;
}

// Markdown is read in terminals, too: nobody's message may move the cursor or set the title.
std::string without_controls(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool c1 = c == 0xC2 && i + 1 < text.size() &&
                    static_cast<unsigned char>(text[i + 1]) < 0xA0;  // U+0080 to U+009F
    if (c1) ++i;
    if (!c1 && (c >= 0x20 || c == '\n' || c == '\t') && c != 0x7f) out += text[i];
  }
  return out;
}

// Markdown ends a line at \n, \r\n and \r.
std::string unix_lines(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      out += text[i];
    } else if (i + 1 == text.size() || text[i + 1] != '\n') {
      out += '\n';
    }
  }
  return without_controls(out);
}

std::string quoted(std::string_view text) {
  std::string out;
  for (const std::string_view line : split(text, '\n')) {
    out += line.empty() ? ">" : "> ";
    out += line;
    out += '\n';
  }
  return out;
}

std::string fenced(std::string_view text) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(std::max<std::size_t>(3, longest + 1), '`');
  return fmt::format("{}text\n{}\n{}\n", fence, text, fence);
}

std::string block(const ContentBlock& b) {
  if (b.type == kTextBlock) return block_text(b.text.value_or(""));
  if (b.type == kToolCallBlock) {
    return fmt::format("Tool call: {}\n\n{}", inline_text(b.tool.value_or("unknown")),
                       fenced(unix_lines(b.arguments.value_or(""))));
  }
  if (b.type == kToolResultBlock) {
    return fmt::format("Tool result:\n\n{}", fenced(unix_lines(b.text.value_or(""))));
  }
  return fmt::format("[{}: {}, {}, sha256 {}]\n", inline_text(b.type),
                     inline_text(b.name.value_or("without a name")),
                     inline_text(b.media_type.value_or("unknown type")),
                     inline_text(b.hash.value_or("unknown")));
}

}  // namespace

std::string inline_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += ' ';
      continue;
    }
    if (std::string_view("\\`*_[]<>#|~&!").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string block_text(std::string_view text) {
  const std::string lines = unix_lines(text);
  return may_hold_html(lines) ? fenced(lines) : quoted(lines);
}

std::string conversation(const Conversation& c, const std::vector<std::string>& aliases) {
  std::string out = fmt::format("# {}\n\n- Conversation {} with {}\n- Began {}, last active {}\n",
                                c.title.empty() ? "Without a title" : inline_text(c.title),
                                inline_text(c.id.str()), inline_text(c.key.str()), when(c.created),
                                when(c.last_active));
  if (c.project) out += fmt::format("- Project {}\n", inline_text(*c.project));
  if (c.agent) out += fmt::format("- Agent {}\n", inline_text(*c.agent));
  for (const std::string& alias : aliases) out += fmt::format("- Also {}\n", inline_text(alias));
  return out;
}

std::string session(const Session& s, std::string_view why) {
  std::string out =
      fmt::format("\n## Session {} — opened {}, {}\n", s.epoch, inline_text(why), when(s.created));
  if (s.closed) {
    out +=
        fmt::format("\nIt ended {}, {}.\n",
                    inline_text(words::how_it_ended(s.close_reason.value_or(""))), when(*s.closed));
  }
  return out;
}

std::string session_again(const Session& s) {
  return fmt::format("\n## Session {}, continued\n", s.epoch);
}

std::string message(const Message& m) {
  std::string out = fmt::format("\n### {} · {} · {}\n", inline_text(who(m.role)), when(m.created),
                                inline_text(m.source));
  for (const ContentBlock& one : m.content) out += "\n" + block(one);
  return out;
}

}  // namespace markdown
}  // namespace rouse
