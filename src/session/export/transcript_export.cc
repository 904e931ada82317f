#include "session/export/transcript_export.h"

#include <algorithm>
#include <limits>

#include "session/export/transcript_lines.h"
#include "session/story/why_words.h"

namespace rouse {
namespace {

constexpr std::size_t kPageMessages = 200;
constexpr std::size_t kFirstPage = 16;       // messages may be large: begin with few
constexpr std::size_t kPageBytes = 1 << 20;  // what a page should come to
constexpr std::size_t kPageSessions = 50;
constexpr std::size_t kPageConversations = 100;

std::size_t next_page(std::size_t messages, std::size_t bytes) {
  const std::size_t each = std::max<std::size_t>(1, bytes / std::max<std::size_t>(1, messages));
  return std::clamp<std::size_t>(kPageBytes / each, 1, kPageMessages);
}

Error broke_off(const Conversation& conversation) {
  return Error(ConversationErrc::kNotFound,
               fmt::format("{} was deleted while it was exported", conversation.id.str()));
}

std::string count_of(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// The first and the last line of a workspace's export.
std::string head_of(const Workspace& workspace, ExportFormat format) {
  if (format == ExportFormat::kJsonl) {
    return encode_json(WorkspaceLine{.workspace_id = workspace.id.str(),
                                     .name = workspace.name,
                                     .created_at = to_iso(workspace.created)}) +
           "\n";
  }
  return fmt::format("# Workspace {} ({})\n", markdown::inline_text(workspace.name),
                     markdown::inline_text(workspace.id.str()));
}
std::string end_of(const TranscriptCounts& counts, ExportFormat format) {
  if (format == ExportFormat::kJsonl) {
    return encode_json(
               EndLine{.conversations = counts.conversations, .messages = counts.messages}) +
           "\n";
  }
  return fmt::format("\n---\n\nEnd of the workspace: {} in {}.\n",
                     count_of(counts.messages, "message"),
                     count_of(counts.conversations, "conversation"));
}

}  // namespace

// One conversation on its way out.
class TranscriptExport::Walk {
 public:
  Walk(SessionKernel& kernel, Conversation conversation, ExportFormat format, const Out& out)
      : kernel_(kernel),
        conversation_(std::move(conversation)),
        is_jsonl_(format == ExportFormat::kJsonl),
        out_(out) {}

  // All but the last line; answers how many messages there were.
  Task<Result<std::int64_t>> run() {
    CO_TRY(const auto aliases, kernel_.conversations().aliases(conversation_.id));
    piece_ = is_jsonl_ ? jsonl::conversation(conversation_, aliases)
                       : markdown::conversation(conversation_, aliases);
    std::size_t page = kFirstPage;
    while (true) {
      CO_TRY(const auto messages, co_await kernel_.messages().after(conversation_.id, seq_, page));
      if (messages.empty()) break;
      for (const Message& message : messages) CO_TRY_VOID(co_await add(message));
      page = next_page(messages.size(), piece_.size());
      CO_TRY_VOID(co_await out_(std::exchange(piece_, {})));
    }
    CO_TRY_VOID(co_await add_sessions_to(std::numeric_limits<std::int64_t>::max()));
    CO_TRY_VOID(still_there());
    CO_TRY_VOID(co_await out_(std::exchange(piece_, {})));
    co_return seq_;
  }

 private:
  // They are numbered without a gap: a number that is missing is being deleted right now.
  Task<Result<void>> add(const Message& message) {
    if (message.seq != seq_ + 1) co_return fail(broke_off(conversation_));
    seq_ = message.seq;
    if (message.session != session_) CO_TRY_VOID(co_await enter(message.session));
    piece_ += is_jsonl_ ? jsonl::message(message) : markdown::message(message);
    co_return Result<void>{};
  }

  Task<Result<void>> enter(SessionId id) {
    auto found = kernel_.sessions().get(id);
    if (!found && found.error().is(SessionErrc::kNotFound)) {
      co_return fail(broke_off(conversation_));
    }
    if (!found) co_return std::unexpected(std::move(found).error());
    session_ = id;
    if (found->epoch < next_epoch_) {
      if (!is_jsonl_) piece_ += markdown::session_again(*found);
      co_return Result<void>{};
    }
    co_return co_await add_sessions_to(found->epoch);
  }

  // Every session up to this epoch that was not told yet, also those in which nothing was said.
  Task<Result<void>> add_sessions_to(std::int64_t last) {
    while (next_epoch_ <= last) {
      CO_TRY(const auto sessions, co_await kernel_.sessions().of_conversation(
                                      conversation_.id, next_epoch_, kPageSessions));
      if (sessions.empty()) co_return Result<void>{};
      for (const Session& session : sessions) {
        if (session.epoch > last) co_return Result<void>{};
        next_epoch_ = session.epoch + 1;
        CO_TRY_VOID(add(session));
      }
    }
    co_return Result<void>{};
  }

  Result<void> add(const Session& session) {
    if (is_jsonl_) {
      piece_ += jsonl::session(session);
      return {};
    }
    TRY(const auto opened_by, kernel_.inbound().get(session.opened_by));
    DecisionFacts facts;  // what can't be read is left out: a transcript is not lost for it
    if (opened_by) facts = decode_json<DecisionFacts>(opened_by->facts).value_or(DecisionFacts{});
    piece_ += markdown::session(session, words::why_opened(session.opened_reason, facts));
    return {};
  }

  Result<void> still_there() {
    const auto found = kernel_.conversations().get(conversation_.workspace, conversation_.id);
    if (found) return {};
    if (found.error().is(ConversationErrc::kNotFound)) return fail(broke_off(conversation_));
    return std::unexpected(found.error());
  }

  SessionKernel& kernel_;
  const Conversation conversation_;
  const bool is_jsonl_;
  const Out& out_;
  std::string piece_;  // not handed out yet
  SessionId session_;  // of the last message
  std::int64_t seq_ = 0;
  std::int64_t next_epoch_ = 1;
};

Task<Result<void>> TranscriptExport::conversation(Conversation conversation, ExportFormat format,
                                                  Out out) {
  Walk walk(kernel_, std::move(conversation), format, out);
  CO_TRY(const std::int64_t messages, co_await walk.run());
  if (format == ExportFormat::kJsonl) {
    co_return co_await out(encode_json(EndLine{.messages = messages}) + "\n");
  }
  co_return co_await out(
      fmt::format("\n---\n\nEnd of the conversation: {}.\n", count_of(messages, "message")));
}

Task<Result<void>> TranscriptExport::workspace(WorkspaceId id, ExportFormat format, Out out) {
  CO_TRY(const Workspace workspace, workspaces_.get(id));
  CO_TRY_VOID(co_await out(head_of(workspace, format)));
  TranscriptCounts counts;
  std::string after;
  while (true) {
    CO_TRY(const auto page,
           co_await kernel_.conversations().list_by_key(id, after, kPageConversations));
    if (page.empty()) break;
    for (const Conversation& listed : page) {
      after = listed.key.str();
      auto now = kernel_.conversations().get(id, listed.id);
      if (!now && now.error().is(ConversationErrc::kNotFound)) continue;  // deleted meanwhile
      if (!now) co_return std::unexpected(std::move(now).error());
      CO_TRY(const std::int64_t messages, co_await one_of_many(std::move(*now), format, out));
      counts.conversations += 1;
      counts.messages += messages;
    }
  }
  co_return co_await out(end_of(counts, format));
}

Task<Result<std::int64_t>> TranscriptExport::one_of_many(Conversation conversation,
                                                         ExportFormat format, const Out& out) {
  const std::string id = conversation.id.str();
  const bool is_jsonl = format == ExportFormat::kJsonl;
  if (!is_jsonl) CO_TRY_VOID(co_await out("\n---\n\n"));
  Walk walk(kernel_, std::move(conversation), format, out);
  CO_TRY(const std::int64_t messages, co_await walk.run());
  if (is_jsonl) {
    const EndLine end{.type = "conversation_end", .conversation_id = id, .messages = messages};
    CO_TRY_VOID(co_await out(encode_json(end) + "\n"));
  }
  co_return messages;
}

}  // namespace rouse
