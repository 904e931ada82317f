// What a program or a page says to an agent, on its way in: finds the conversation by whatever the
// client calls it, turns text or blocks into content, knows the slash commands. Every door of the
// gateway (HTTP, WebSocket, terminal) comes through here, so they can't disagree.
#pragma once

#include <optional>
#include <string>

#include <boost/json/value.hpp>

#include "agent/approval_desk.h"
#include "agent/compaction/asked_compaction.h"
#include "agent/turn_prompt.h"
#include "agent/turn_runner.h"
#include "session/agents.h"
#include "session/session_kernel.h"

namespace rouse {

// The message is nothing but /clear or /new.
bool is_clear_command(std::string_view text);

struct Said {
  WorkspaceId workspace;
  std::string session_id;      // conv_…, sess_…, a session key, an alias, or a new name
  boost::json::value message;  // text, or a list of blocks
  std::optional<std::string> agent_name = {}, client_message_id = {};
  std::string transport = "api";  // the channel of a conversation that begins here
};

class ChatDoor {
 public:
  ChatDoor(SessionKernel& kernel, Agents& agents, Blobs& blobs, TurnPrompts& prompts,
           TurnRunner& runner)
      : kernel_(kernel), agents_(agents), blobs_(blobs), prompts_(prompts), runner_(runner) {}

  void use_compaction(AskedCompaction* compaction) { compaction_ = compaction; }
  // A bare "yes" or "no" right after a question answers it; null: nobody asks any.
  void use_approvals(ApprovalDesk* desk) { desk_ = desk; }

  struct Taken {
    Submitted submitted;
    bool cleared = false;                       // the message was /clear or /new: there is no turn
    std::optional<std::string> compacted = {};  // it was /compact: in words, what came of it
  };
  Task<Result<Taken>> take(Said said);

  // Where a message would go, without the message.
  Result<InboundMessage> address(const Said& said) { return inbound(said, {}); }

 private:
  Result<InboundMessage> inbound(const Said& said, Content content);
  Task<Result<std::optional<Submitted>>> answer_question(const Said& said, std::string name,
                                                         std::string text);
  Result<SessionKey> key_of(const Said& said, InboundMessage& message);
  Task<Result<void>> check_files(const WorkspaceId& workspace, const InboundMessage& message,
                                 const Content& content);

  SessionKernel& kernel_;
  Agents& agents_;
  Blobs& blobs_;
  TurnPrompts& prompts_;
  TurnRunner& runner_;
  AskedCompaction* compaction_ = nullptr;
  ApprovalDesk* desk_ = nullptr;
};

// The blocks of a message; the error names the place.
Result<Content> content_of(const boost::json::value& message, std::string_view from);

}  // namespace rouse
