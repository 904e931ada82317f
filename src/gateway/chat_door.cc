#include "gateway/chat_door.h"

#include <algorithm>

#include <fmt/format.h>

#include "agent/compaction/handoff.h"
#include "agent/prompt/attached_file.h"
#include "base/text.h"
#include "channel/whatsapp/fast_path.h"

namespace rouse {
namespace {

constexpr std::size_t kMessageBytes = 512 * 1024;
constexpr std::size_t kMessageBlocks = 32;
constexpr std::size_t kSessionIdBytes = 200;

struct SaidBlock {
  std::string type;
  std::optional<std::string> text, hash, media_type, name;
};
auto shape(const SaidBlock*) {
  return fields(field("type", &SaidBlock::type, "").one_of({"text", "image", "file"}),
                field("text", &SaidBlock::text, ""), field("hash", &SaidBlock::hash, ""),
                field("media_type", &SaidBlock::media_type, ""),
                field("name", &SaidBlock::name, "").length(1, 200));
}

Result<ContentBlock> block_of(SaidBlock said, std::string_view from) {
  ContentBlock block;
  block.type = std::move(said.type);
  block.from = from;
  if (block.type == kTextBlock) {
    if (!said.text) return fail(Errc::kInvalid, "a text block needs 'text'");
    block.text = std::move(said.text);
    return block;
  }
  if (!said.hash) {
    return fail(
        Errc::kInvalid,
        fmt::format("a block of type {} needs 'hash'; POST /api/files gives it", block.type));
  }
  block.hash = std::move(said.hash);
  block.media_type = std::move(said.media_type);
  block.name = std::move(said.name);
  return block;
}

bool is_pdf(std::string_view bytes) {
  return bytes.substr(0, 1024).contains("%PDF-");  // readers look for it there
}

// What is attached is what is stored, whatever the message says of it.
Task<Result<void>> note_what_is_stored(Blobs& blobs, const WorkspaceId& workspace,
                                       Content& content) {
  for (ContentBlock& block : content) {
    if (!block.hash) continue;
    CO_TRY(const auto stored, co_await blobs.get(workspace, *block.hash));
    block.media_type = stored.info.media_type;
    block.size = stored.info.size;
    const FileKind kind = file_kind(block);
    if (kind == FileKind::kPdf && !is_pdf(stored.bytes)) {
      co_return fail(Errc::kUnsupported, fmt::format("{} was sent as application/pdf but is none",
                                                     block.name.value_or("the file")));
    }
  }
  co_return Result<void>{};
}

std::string_view door_name(std::string_view transport) {
  if (transport == "websocket") return "web";
  return transport == "terminal" ? "cli" : "api";
}

}  // namespace

bool is_clear_command(std::string_view text) {
  const auto word = trim(text);
  return word == "/clear" || word == "/new";
}

Result<Content> content_of(const boost::json::value& message, std::string_view from) {
  Content out;
  if (message.is_string()) {
    const auto& text = message.get_string();
    out = text_content(std::string(text.data(), text.size()), from);
  } else {
    TRY(auto blocks, from_json<std::vector<SaidBlock>>(message, {nullptr, "message"}));
    if (blocks.size() > kMessageBlocks) {
      return fail(Errc::kInvalid, fmt::format("a message has at most {} blocks", kMessageBlocks));
    }
    for (SaidBlock& one : blocks) {
      TRY(auto block, block_of(std::move(one), from));
      out.push_back(std::move(block));
    }
  }
  const std::string text = readable_text(out);
  if (trim(text).empty()) return fail(Errc::kInvalid, "'message' is empty");
  if (text.size() > kMessageBytes) {
    return fail(Errc::kTooLarge, fmt::format("a message has at most {} bytes of text, this has {}; "
                                             "send it as a file",
                                             kMessageBytes, text.size()));
  }
  return out;
}

Result<InboundMessage> ChatDoor::inbound(const Said& said, Content content) {
  if (trim(said.session_id).empty() || said.session_id.size() > kSessionIdBytes) {
    return fail(Errc::kInvalid,
                fmt::format("'session_id' must have 1 to {} bytes", kSessionIdBytes));
  }
  InboundMessage message{.workspace = said.workspace,
                         .key = {},
                         .account = {},
                         .message_id = said.client_message_id,
                         .content = std::move(content),
                         .heeds_reset_phrases = false};
  if (said.agent_name) {
    const auto agent = agents_.get(said.workspace, *said.agent_name);
    if (agent) message.agent = said.agent_name;
    if (!agent && !agent.error().is(AgentErrc::kNotFound)) return std::unexpected(agent.error());
  }
  TRY(message.key, key_of(said, message));
  // What makes a message id unique must not depend on the door or on the name it was called by.
  message.account = message.key.peer;
  return message;
}

Result<SessionKey> ChatDoor::key_of(const Said& said, InboundMessage& message) {
  auto known = kernel_.find_conversation(said.workspace, said.session_id);
  if (!known && !known.error().is(ConversationErrc::kNotFound)) {
    return std::unexpected(known.error());
  }
  if (known && known->key != SessionKey::unified()) {
    // Somebody else's channel: the reply goes back through this door, not to the channel (DL-5).
    if (is_bridged(known->key.channel)) message.transport = said.transport;
    return known->key;
  }
  const auto key = SessionKey::parse(said.session_id);
  if (key && begins_here(key->channel)) return *key;
  if (!known) message.alias = said.session_id;
  return SessionKey::make(said.transport, said.session_id);
}

// A picture for a model that can't see is refused before anything is kept. Every model takes text;
// one that can't read a PDF is told that there is one.
Task<Result<void>> ChatDoor::check_files(const WorkspaceId& workspace,
                                         const InboundMessage& message, const Content& content) {
  const bool has_files = std::ranges::any_of(
      content, [](const ContentBlock& block) { return block.hash.has_value(); });
  if (!has_files) co_return Result<void>{};
  Conversation conversation;
  conversation.workspace = workspace;
  conversation.agent = message.agent;
  CO_TRY(const auto known, kernel_.conversations().find(workspace, message.key));
  if (known) conversation = *known;
  CO_TRY(const auto model, prompts_.model_for(conversation));
  for (const ContentBlock& block : content) {
    if (!block.hash) continue;
    const std::string type = block.media_type.value_or("");
    if (block.type == kFileBlock) {
      if (file_kind(block) != FileKind::kOther) continue;
      co_return fail(Errc::kUnsupported,
                     fmt::format("{} can't be read ({}); send text, JSON, CSV, Markdown or a PDF",
                                 block.name.value_or("this file"), type));
    }
    if (type.starts_with("image/") && model->info().takes_images) continue;
    co_return fail(Errc::kUnsupported,
                   fmt::format("{} takes no {} ({}); send text, or connect a model that does",
                               model->info().full_name(), block.type, type));
  }
  co_return Result<void>{};
}

// The reply is that of the turn which carries the answer on. A message id makes it safe to say it
// again: it never answers a later question.
Task<Result<std::optional<Submitted>>> ChatDoor::answer_question(const Said& said, std::string name,
                                                                 std::string text) {
  const auto word = desk_ == nullptr ? std::nullopt : reply_word(text);
  const bool yes = word == ReplyWord::kYes || word == ReplyWord::kGoAhead;
  if (!yes && word != ReplyWord::kNo && word != ReplyWord::kCancel) {
    co_return std::optional<Submitted>();
  }
  const auto conversation = kernel_.find_conversation(said.workspace, name);
  if (!conversation) co_return std::optional<Submitted>();
  std::string by(door_name(said.transport));
  std::optional<Approval> asked;
  if (said.client_message_id) {
    by += ":" + *said.client_message_id;
    CO_TRY(asked, desk_->book().decided_by(conversation->id, by));
  }
  if (!asked) {
    CO_TRY(asked, desk_->asked_last(conversation->id));
    if (!asked) co_return std::optional<Submitted>();
    CO_TRY(asked, co_await desk_->decide(said.workspace, asked->id, {.approved = yes, .by = by}));
  }
  CO_TRY(const auto row, desk_->carrier_of(*asked));
  if (!row) co_return std::optional<Submitted>();
  CO_TRY(Session session, kernel_.get(row->session));
  co_return std::optional(Submitted{{.session = std::move(session),
                                     .decision = row->decision,
                                     .reason = row->reason,
                                     .inbound = row->number,
                                     .turn = row->turn}});
}

Task<Result<ChatDoor::Taken>> ChatDoor::take(Said said) {
  CO_TRY(Content content, content_of(said.message, kFromOwner));
  CO_TRY_VOID(co_await note_what_is_stored(blobs_, said.workspace, content));
  CO_TRY(InboundMessage message, inbound(said, content));
  // A command means the conversation that a message would enter.
  const std::string name = message.alias ? message.key.str() : said.session_id;
  if (is_clear_command(readable_text(content))) {
    CO_TRY_VOID(co_await runner_.clear(said.workspace, name));
    co_return Taken{.submitted = {}, .cleared = true};
  }
  if (compaction_ != nullptr && is_compact_command(readable_text(content))) {
    CO_TRY(const auto conversation, kernel_.find_conversation(said.workspace, name));
    CO_TRY(const auto outcome, co_await compaction_->compact(said.workspace, conversation.id));
    co_return Taken{.submitted = {}, .compacted = words_for(outcome)};
  }
  CO_TRY(auto answered, co_await answer_question(said, name, readable_text(content)));
  if (answered) co_return Taken{.submitted = std::move(*answered)};
  CO_TRY_VOID(co_await check_files(said.workspace, message, content));
  auto submitted = co_await runner_.submit(message);
  if (!submitted && submitted.error().is(StoreErrc::kConflict) && message.alias) {
    // Somebody gave a conversation this name at the same moment.
    CO_TRY(message, inbound(said, std::move(content)));
    submitted = co_await runner_.submit(std::move(message));
  }
  if (!submitted) co_return std::unexpected(submitted.error());
  co_return Taken{.submitted = std::move(*submitted)};
}

}  // namespace rouse
