// Puts a turn's request together: the sections of the prompt, the conversation's tail, the message
// itself, the tools. Reads and builds only, so the same turn can be shown before it is sent and
// rebuilt after it is over.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/compaction/compaction_book.h"
#include "agent/conversation_tail.h"
#include "agent/memory/memory_prompt.h"
#include "agent/occasion.h"
#include "agent/prompt/history.h"
#include "agent/prompt/kept_history.h"
#include "agent/prompt/prompt.h"
#include "model/model_book.h"
#include "session/agents.h"
#include "session/blobs.h"
#include "session/session_kernel.h"
#include "session/turn_ledger.h"
#include "tool/approval/tool_policy.h"
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
  // Oldest first; the message itself is the last of it, if there is one. Without request.past.
  Transcript tail;
  HistoryLimits limits;
  bool history_full = false;  // there is more to show than its share of the window takes
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
        tail_(kernel) {}

  void configure(const HistoryBounds& bounds, std::string zone) {
    bounds_ = bounds;
    default_zone_ = std::move(zone);
  }

  // What the agent remembers, what stands for older messages, and where a project lies.
  using FolderOf = std::function<std::string(const WorkspaceId&, const std::string& project)>;
  void use_memory(MemoryPrompt* memory) { memory_ = memory; }
  void use_compactions(CompactionBook* compactions) { compactions_ = compactions; }
  void use_projects(FolderOf folder_of) { folder_of_ = std::move(folder_of); }
  // Which tools may be offered at all.
  void use_policy(const PolicySettings* policy) { policy_ = policy; }
  // What scheduled turns do differently; null: nothing.
  void use_occasions(Occasions* occasions) { occasions_ = occasions; }
  // The same for turns that greet somebody who opened the app.
  void use_openings(Occasions* openings) { openings_ = openings; }

  // As it would be sent now, or as it was sent if the turn is over. `asked`: its message, if the
  // store does not have it yet. Whoever shows the prompt to a person asks for the whole of it: what
  // was sent before is otherwise in request.past, and not in the tail.
  enum class Looks : std::uint8_t { kToSend, kWhole };
  Task<Result<TurnPrompt>> of_turn(Turn turn, std::optional<InboundRow> asked = {},
                                   Looks looks = Looks::kToSend);
  // As the next message of a person would be sent, without the message.
  Task<Result<TurnPrompt>> of_conversation(WorkspaceId workspace, ConversationId conversation);

  // What called for a turn nobody asked for; none: a turn like any other.
  Result<std::optional<Occasion>> occasion_of(const Turn& turn);
  // Who is asked about turns of this kind, or null.
  [[nodiscard]] Occasions* occasions_for(TurnKind kind) const;

  // Does the agent know nothing of the person: no notes, no instructions (S0-32)?
  Result<bool> knows_nothing(const WorkspaceId& workspace, const std::string& agent);

  // Which model answers here; ModelErrc::kNotConfigured.
  Result<std::shared_ptr<Model>> model_for(const Conversation& conversation);

 private:
  struct Seen {  // of the past: all of it, or what a turn saw that is over
    std::optional<std::int64_t> before = {}, from = {};
    std::optional<WallTime> then = {};
    std::optional<std::int64_t> since = {};  // what was said after it is all seen
    bool nothing = false, whole = false;
    [[nodiscard]] bool anything_else() const {
      return before || from || then || since || nothing || whole;
    }
  };
  // What a turn sees of its conversation: all of it, or what is said now behind what is kept.
  struct Past {
    Transcript newest_first;  // what is said now is the first of it
    std::shared_ptr<KeptHistory> kept = {};
    std::optional<std::int64_t> last_seq = {};  // none: there is none
    bool tainted = false, full = false, can_be_kept = false;
  };
  Result<Past> look_back(const TurnContext& context, const Session& session, const Seen& seen,
                         const Compaction* compaction, const HistoryLimits& limits,
                         Content message);
  std::shared_ptr<KeptHistory> kept_history(const Message& now, const HistoryLimits& limits);
  void keep_history(const Transcript& newest_first, const TurnPrompt& shown);
  Task<Result<void>> show(Past past, TurnPrompt& out);
  Task<Result<TurnPrompt>> assemble(TurnContext context, Session session, Conversation conversation,
                                    Seen seen, Content message, Occasion occasion);
  Result<Conversation> conversation_of(const Turn& turn);
  Result<void> fill_context(TurnContext& context, const Conversation& conversation);
  void narrow_tools(TurnContext& context, const Agent& agent) const;
  [[nodiscard]] std::vector<const ToolInfo*> offered_tools(const TurnContext& context) const;
  Result<void> add_memory(PromptInput& input, bool has_past, const Session& session);
  Result<std::optional<Compaction>> compaction_for(const Session& session, const Seen& seen);
  Result<Agent> agent_of(const Conversation& conversation);
  Result<std::shared_ptr<Model>> model_for(const Occasion& occasion,
                                           const Conversation& conversation);
  // By hash; of the newest few, if the model takes any.
  Task<Result<std::map<std::string, std::string>>> image_bytes(WorkspaceId workspace,
                                                               const Transcript& tail,
                                                               const Model& model);

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
  MemoryPrompt* memory_ = nullptr;
  CompactionBook* compactions_ = nullptr;
  FolderOf folder_of_;
  const PolicySettings* policy_ = nullptr;
  Occasions* occasions_ = nullptr;
  Occasions* openings_ = nullptr;
  HistoryBounds bounds_;
  std::string default_zone_ = "UTC";
};

}  // namespace rouse
