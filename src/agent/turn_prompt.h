// Puts a turn's request together: the sections of the prompt, the conversation's tail, the message
// itself, the tools. Reads and builds only, so the same turn can be shown before it is sent and
// rebuilt after it is over.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/conversation_tail.h"
#include "agent/prompt/prompt.h"
#include "model/model_book.h"
#include "session/agents.h"
#include "session/blobs.h"
#include "session/session_kernel.h"
#include "session/turn_ledger.h"
#include "tool/registry.h"

namespace rouse {

struct HistoryBounds {
  std::size_t messages = 120;
  std::int64_t tokens = 0;  // 0: half of what the model's window leaves
};

struct TurnPrompt {
  TurnContext turn;
  Prompt prompt;
  ModelRequest request;
  std::shared_ptr<Model> model;
  std::string message;                              // what was said, in words
  std::optional<std::int64_t> first_seq, last_seq;  // of the tail
  std::vector<Message> tail;  // oldest first; the message itself is the last of it, if there is one
};

class TurnPrompts {
 public:
  using Models = std::function<std::shared_ptr<const ModelBook>()>;

  TurnPrompts(Clock& clock, SessionKernel& kernel, TurnLedger& ledger, Workspaces& workspaces,
              Agents& agents, Blobs& blobs, ToolRegistry& tools, PromptBuilder& builder,
              Models models)
      : clock_(clock),
        kernel_(kernel),
        ledger_(ledger),
        workspaces_(workspaces),
        agents_(agents),
        blobs_(blobs),
        tools_(tools),
        builder_(builder),
        models_(std::move(models)),
        tail_(kernel.messages(), kernel.sessions()) {}

  void configure(const HistoryBounds& bounds, std::string zone) {
    bounds_ = bounds;
    default_zone_ = std::move(zone);
  }

  // As it would be sent now, or as it was sent if the turn is over.
  Task<Result<TurnPrompt>> of_turn(Turn turn);
  // As the next message of a person would be sent, without the message.
  Task<Result<TurnPrompt>> of_conversation(WorkspaceId workspace, ConversationId conversation);

  // Which model answers here; ModelErrc::kNotConfigured.
  Result<std::shared_ptr<Model>> model_for(const Conversation& conversation);

 private:
  Task<Result<TurnPrompt>> assemble(TurnContext context, Session session, Conversation conversation,
                                    std::optional<std::int64_t> before,
                                    std::optional<std::int64_t> from, Content message);
  Result<Agent> agent_of(const Conversation& conversation);
  // By hash; of the newest few, if the model takes any.
  Task<Result<std::map<std::string, std::string>>> image_bytes(WorkspaceId workspace,
                                                               const std::vector<Message>& tail,
                                                               const Model& model);
  std::string zone_of(const WorkspaceId& workspace);

  Clock& clock_;
  SessionKernel& kernel_;
  TurnLedger& ledger_;
  Workspaces& workspaces_;
  Agents& agents_;
  Blobs& blobs_;
  ToolRegistry& tools_;
  PromptBuilder& builder_;
  Models models_;
  ConversationTail tail_;
  HistoryBounds bounds_;
  std::string default_zone_ = "UTC";
};

}  // namespace rouse
