#include "agent/turn_prompt.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "agent/compaction/handoff.h"
#include "agent/prompt/attached_file.h"
#include "agent/prompt/history.h"
#include "model/known_models.h"

namespace rouse {
namespace {

constexpr std::size_t kImagesSent = 4, kFilesSent = 8;  // the newest ones

std::vector<PromptTool> tools_for_model(const std::vector<const ToolInfo*>& tools) {
  std::vector<PromptTool> out;
  out.reserve(tools.size());
  for (const ToolInfo* tool : tools) out.push_back({tool->name, tool->description, tool->schema});
  return out;
}

// What is left of the window for the past: half of what the answer doesn't need.
std::int64_t history_budget(const ModelInfo& info) {
  return std::max<std::int64_t>((info.context_window - info.max_output) / 2, 1'000);
}

std::vector<const ContentBlock*> newest_of(std::string_view type, std::size_t most,
                                           const Transcript& oldest_first) {
  std::vector<const ContentBlock*> out;
  for (auto message = oldest_first.rbegin(); message != oldest_first.rend(); ++message) {
    for (const ContentBlock& block : (*message)->content) {
      if (block.type == type && block.hash && out.size() < most) out.push_back(&block);
    }
  }
  return out;
}

// What a prompt takes of the newest files, by hash: their text, together no longer than one message
// may be; the bytes of a PDF, if the model reads them.
Task<Result<std::map<std::string, std::string>>> attached_files(Blobs& blobs, WorkspaceId workspace,
                                                                const Transcript& tail,
                                                                const ModelInfo& model,
                                                                std::size_t most_bytes) {
  std::map<std::string, std::string> out;
  const auto files = newest_of("file", kFilesSent, tail);
  for (const ContentBlock* block : files) {
    const FileKind kind = file_kind(*block);
    if (kind == FileKind::kOther || (kind == FileKind::kPdf && !takes_pdfs(model))) continue;
    auto stored = co_await blobs.get(workspace, *block->hash);
    if (!stored && stored.error().is(BlobErrc::kNotFound)) continue;
    if (!stored) co_return std::unexpected(stored.error());
    out[*block->hash] = kind == FileKind::kPdf
                            ? std::move(stored->bytes)
                            : file_text(stored->bytes, most_bytes / files.size());
  }
  co_return out;
}

// Is there more to show than the share of the window takes? (How many messages are shown is no
// matter of the window.)
bool is_full(const Transcript& newest_first, const HistoryLimits& limits) {
  std::int64_t tokens = 0;
  for (const MessagePtr& message : newest_first) tokens += history_tokens(*message, limits);
  return tokens > limits.tokens;
}

// The words of the occasion, from whoever the stored ones are.
Content told_instead(const Content& stored, std::string words) {
  const std::string from = stored.empty() ? std::string(kFromAgent) : stored.front().from;
  return text_content(std::move(words), from);
}

// The message as it will stand in the transcript.
MessagePtr said_now(const TurnContext& context, std::int64_t last_seq, Content content) {
  Message said;
  said.conversation = context.conversation;
  said.seq = last_seq + 1;
  said.session = context.session;
  said.role = "user";
  said.source = context.transport;
  said.content = std::move(content);
  return std::make_shared<Message>(std::move(said));
}

}  // namespace

// Who asks, where and for whom: everything that rules and tools go by.
Result<void> TurnPrompts::fill_context(TurnContext& context, const Conversation& conversation) {
  TRY(const Workspace workspace, workspaces_.get(context.workspace));
  context.zone = workspace.timezone.value_or(default_zone_);
  context.stranger = workspace.kind == kSenderWorkspace;
  context.agent = conversation.agent.value_or("");
  if (folder_of_ && conversation.project) {
    context.project_folder = folder_of_(context.workspace, *conversation.project);
  }
  return {};
}

// What nobody may call here is not offered either.
// A choice that can't be read lets nothing through.
void TurnPrompts::narrow_tools(TurnContext& context, const Agent& agent) const {
  if (agent.tools == "{}") return;
  const ToolChoice nothing{.allow = std::vector<std::string>{}};
  const ToolChoice choice = parse_tool_choice(agent.tools).value_or(nothing);
  std::vector<std::string> left;
  for (const ToolInfo* tool : tools_.all()) {
    if (may_use(context, tool->name) && choice.lets(tool->name)) left.push_back(tool->name);
  }
  context.only_tools = std::move(left);
}

std::vector<const ToolInfo*> TurnPrompts::offered_tools(const TurnContext& context) const {
  const PolicySettings none;
  std::vector<const ToolInfo*> out = tools_.all();
  std::erase_if(out, [&](const ToolInfo* tool) {
    const PolicySettings& policy = policy_ != nullptr ? *policy_ : none;
    return !may_use(context, tool->name) || !why_withheld(*tool, context.stranger, policy).empty();
  });
  return out;
}

Result<void> TurnPrompts::add_memory(PromptInput& input, bool has_past, const Session& session) {
  input.new_user = !has_past && session.epoch == 1;
  if (memory_ == nullptr) return {};
  TRY(const auto memory, memory_->of({input.turn.workspace, input.turn.agent}));
  input.memory = memory->notes;
  input.instructions = memory->instructions;
  input.new_user = input.new_user && memory->new_user;
  return {};
}

Result<bool> TurnPrompts::knows_nothing(const WorkspaceId& workspace, const std::string& agent) {
  if (memory_ == nullptr) return true;
  TRY(const auto memory, memory_->of({workspace, agent}));
  return memory->new_user;
}

Result<std::optional<Compaction>> TurnPrompts::compaction_for(const Session& session,
                                                              const Seen& seen) {
  if (compactions_ == nullptr) return std::optional<Compaction>();
  return seen.then ? compactions_->latest_at(session, *seen.then) : compactions_->latest(session);
}

// An agent that was removed since leaves nobody more tools than it had: there are none until the
// conversation is given to another one.
Result<Agent> TurnPrompts::agent_of(const Conversation& conversation) {
  if (!conversation.agent) return Agent{};
  auto agent = agents_.get(conversation.workspace, *conversation.agent);
  if (agent || !agent.error().is(AgentErrc::kNotFound)) return agent;
  return Agent{
      .name = *conversation.agent,
      .instructions = fmt::format("The agent '{}' that answered here was removed. No tools "
                                  "are at hand until the conversation is given to another "
                                  "agent; say so if one would be needed.",
                                  *conversation.agent),
      .model = {},
      .tools = R"({"allow":[]})"};
}

// What the conversation's reader chose goes first, as long as it is configured.
Result<std::shared_ptr<Model>> TurnPrompts::model_for(const Conversation& conversation) {
  if (conversation.model) {
    if (auto chosen = models_()->find(*conversation.model)) return chosen;
  }
  TRY(const Agent agent, agent_of(conversation));
  const std::string name = agent.model.empty() ? "main" : agent.model;
  auto model = models_()->find(name);
  if (model) return model;
  return fail(ModelErrc::kNotConfigured,
              fmt::format("there is no model '{}'; name it under `models` in rouse.yaml", name));
}

// A name that is not configured any more doesn't keep a schedule from its work.
Result<std::shared_ptr<Model>> TurnPrompts::model_for(const Occasion& occasion,
                                                      const Conversation& conversation) {
  if (occasion.model) {
    if (auto model = models_()->find(*occasion.model)) return model;
  }
  return model_for(conversation);
}

Result<std::optional<Occasion>> TurnPrompts::occasion_of(const Turn& turn) {
  Occasions* const occasions = occasions_for(turn.kind);
  if (occasions == nullptr) return std::optional<Occasion>();
  return occasions->of_turn(turn);
}

Occasions* TurnPrompts::occasions_for(TurnKind kind) const {
  if (kind == TurnKind::kSessionOpen) return openings_;
  return kind == TurnKind::kAutomation || kind == TurnKind::kIsolated ? occasions_ : nullptr;
}

Result<Conversation> TurnPrompts::conversation_of(const Turn& turn) {
  if (const auto* live = kernel_.live(turn.conversation)) return live->conversation;
  return kernel_.conversations().get(turn.workspace, turn.conversation);
}

Task<Result<TurnPrompt>> TurnPrompts::of_turn(Turn turn, std::optional<InboundRow> asked,
                                              Looks looks) {
  CO_TRY(Session session, ledger_.session_of(turn));
  CO_TRY(auto conversation, conversation_of(turn));
  if (turn.over()) session.context_summary.clear();  // what it was then is not kept
  if (!asked) {
    CO_TRY(asked, ledger_.message_of(turn));
  }
  TurnContext context{.workspace = turn.workspace,
                      .conversation = turn.conversation,
                      .session = turn.session,
                      .turn = turn.id,
                      .kind = std::string(turn_kind_name(turn.kind)),
                      .transport = asked ? asked->channel : session.key.channel};
  CO_TRY(auto occasion, occasion_of(turn));
  Seen seen{.before = turn.first_seq, .from = turn.history_from, .then = turn.ended};
  seen.whole = looks == Looks::kWhole;
  if (occasion) {
    context.only_tools = occasion->tools;
    // What it saw then, whatever was the last word since.
    seen.since = seen.from ? std::optional(*seen.from - 1) : occasion->since;
  }
  Content message;
  if (asked && asked->content) {
    message = std::move(*asked->content);
  } else if (turn.first_seq) {
    CO_TRY(auto first, kernel_.messages().at(turn.conversation, *turn.first_seq));
    if (first && first->role == "user") message = std::move(first->content);
  }
  co_return co_await assemble(std::move(context), std::move(session), std::move(conversation), seen,
                              std::move(message), std::move(occasion).value_or(Occasion{}));
}

Task<Result<TurnPrompt>> TurnPrompts::of_conversation(WorkspaceId workspace, ConversationId id) {
  CO_TRY(auto conversation, kernel_.conversations().get(workspace, id));
  CO_TRY(auto session, kernel_.sessions().latest_of(id));
  if (!session) co_return fail(SessionErrc::kNotFound, "this conversation has no session yet");
  if (!session->active) {  // the next message opens a new one
    const bool forgets = is_hard_boundary(session->close_reason.value_or(""));
    session->id = {};
    session->epoch += 1;
    session->turn_count = 0;
    session->context_summary = forgets ? "" : carried_over(session->context_summary);
  }
  TurnContext context{.workspace = workspace,
                      .conversation = id,
                      .session = session->id,
                      .turn = {},
                      .kind = "user",
                      .transport = session->key.channel};
  co_return co_await assemble(std::move(context), std::move(*session), std::move(conversation), {},
                              {}, {});
}

// A turn like any other is shown what the one before it was, and a little more.
std::shared_ptr<KeptHistory> TurnPrompts::kept_history(const Message& now,
                                                       const HistoryLimits& limits) {
  LiveConversation* live = kernel_.live(now.conversation);
  if (live == nullptr) return nullptr;
  auto kept = std::dynamic_pointer_cast<KeptHistory>(live->made_of_tail);
  if (kept && kept->follow(*live, now, limits)) return kept;
  live->made_of_tail.reset();
  return nullptr;
}

Result<TurnPrompts::Past> TurnPrompts::look_back(const TurnContext& context, const Session& session,
                                                 const Seen& seen, const Compaction* compaction,
                                                 const HistoryLimits& limits, Content message) {
  Past out;
  const LiveConversation* live = kernel_.live(context.conversation);
  const bool as_ever = seen.anything_else() || compaction != nullptr || message.empty();
  if (!as_ever && live != nullptr && live->last_seq > 0) {
    const MessagePtr now = said_now(context, live->last_seq, message);
    out.kept = kept_history(*now, limits);
    if (out.kept) {
      out.last_seq = live->last_seq;
      out.tainted = is_tainted(*now, live->tail);
      out.newest_first = {now};
      return out;
    }
  }
  TRY(out.newest_first, tail_.read(session, seen.before, bounds_.messages, seen.since));
  Transcript& newest_first = out.newest_first;
  if (seen.from) {
    std::erase_if(newest_first, [&](const MessagePtr& m) { return m->seq < *seen.from; });
  }
  const bool past_taints = seen.nothing && is_tainted(newest_first);  // its summary goes along
  if (seen.nothing) newest_first.clear();
  if (!newest_first.empty()) out.last_seq = newest_first.front()->seq;
  if (compaction != nullptr) {
    std::erase_if(newest_first,
                  [&](const MessagePtr& m) { return m->seq <= compaction->through_seq; });
  }
  out.can_be_kept = !as_ever;
  if (!message.empty()) {
    const std::int64_t last = newest_first.empty() ? 0 : newest_first.front()->seq;
    newest_first.insert(newest_first.begin(), said_now(context, last, std::move(message)));
  }
  out.tainted = past_taints || is_tainted(newest_first) ||
                (compaction != nullptr && still_taints(*compaction, newest_first));
  out.full = is_full(newest_first, limits);
  return out;
}

Task<Result<void>> TurnPrompts::show(Past past, TurnPrompt& out) {
  Transcript tail = choose_tail(past.newest_first, out.limits);
  CO_TRY(auto attached, co_await image_bytes(out.turn.workspace, tail, *out.model));
  CO_TRY(auto files, co_await attached_files(blobs_, out.turn.workspace, tail, out.model->info(),
                                             longest_message_bytes(out.limits)));
  attached.merge(files);
  out.request.messages = to_prompt(tail, [&](const ContentBlock& block) {
    const auto found = attached.find(block.hash.value_or(""));
    return found == attached.end() ? std::nullopt : std::optional(found->second);
  });
  if (past.kept) {
    out.first_seq = past.kept->first_seq();
    out.request.past = past.kept->past();
    if (out.request.messages.empty()) out.request = without_past(out.request);  // nothing is said
  } else if (past.last_seq && !tail.empty()) {
    out.first_seq = tail.front()->seq;
  }
  if (past.can_be_kept && out.first_seq) keep_history(past.newest_first, out);
  out.last_seq = past.last_seq;
  out.tail = std::move(tail);
  co_return Result<void>{};
}

void TurnPrompts::keep_history(const Transcript& newest_first, const TurnPrompt& shown) {
  LiveConversation* live = kernel_.live(shown.turn.conversation);
  if (live == nullptr || live->tail.empty()) return;
  live->made_of_tail =
      KeptHistory::make(newest_first, shown.request.messages, *shown.first_seq, shown.limits);
}

Task<Result<TurnPrompt>> TurnPrompts::assemble(TurnContext context, Session session,
                                               Conversation conversation, Seen seen,
                                               Content message, Occasion occasion) {
  TurnPrompt out;
  CO_TRY(out.model, model_for(occasion, conversation));
  CO_TRY(Agent agent, agent_of(conversation));
  out.limits = {.tokens = bounds_.tokens, .messages = bounds_.messages};
  if (out.limits.tokens == 0) out.limits.tokens = history_budget(out.model->info());
  out.message = readable_text(message);
  if (!occasion.prompt.empty()) message = told_instead(message, std::move(occasion.prompt));
  const bool opens_app = context.kind == turn_kind_name(TurnKind::kSessionOpen);
  seen.nothing = opens_app;
  std::optional<Compaction> compaction;
  if (!opens_app) {
    CO_TRY(compaction, compaction_for(session, seen));
  }
  CO_TRY(Past past, look_back(context, session, seen, compaction ? &*compaction : nullptr,
                              out.limits, std::move(message)));
  CO_TRY_VOID(fill_context(context, conversation));
  narrow_tools(context, agent);
  if (occasion.folder) context.project_folder = *occasion.folder;
  context.tainted = past.tainted || (occasion.opening && occasion.opening->untrusted);

  PromptInput input{.turn = context,
                    .agent_name = agent.name,
                    .agent_instructions = std::move(agent.instructions),
                    .now = clock_.wall_now(),
                    .tools = offered_tools(context)};
  CO_TRY_VOID(add_memory(input, past.last_seq.has_value(), session));
  if (opens_app) {
    AppOpening opening = std::move(occasion.opening).value_or(AppOpening{});
    input.new_user = opening.is_new_user;
    input.last_message_at = opening.last_message_at;
    input.bootstrap_context = std::move(opening.context);
  }
  // Behind a soft boundary the summary of the session before goes along as well.
  const bool is_told = compaction && compaction->epoch == session.epoch;
  if (!is_told && (session.turn_count > 0 || session.epoch > 1)) {
    input.context_summary = session.context_summary;
  }
  out.prompt = builder_.build(input);
  out.request.system = out.prompt.system();
  out.request.tools = tools_for_model(input.tools);
  out.request.facts = {
      .now = input.now, .zone = context.zone, .turn_kind = context.kind, .model_hint = {}};
  out.history_full = past.full;
  out.turn = std::move(context);
  CO_TRY_VOID(co_await show(std::move(past), out));
  if (compaction) {
    out.request.messages.insert(out.request.messages.begin(), handoff_message(*compaction));
  }
  co_return out;
}

Task<Result<std::map<std::string, std::string>>> TurnPrompts::image_bytes(WorkspaceId workspace,
                                                                          const Transcript& tail,
                                                                          const Model& model) {
  std::map<std::string, std::string> out;
  if (!model.info().takes_images) co_return out;
  for (const ContentBlock* block : newest_of("image", kImagesSent, tail)) {
    auto stored = co_await blobs_.get(workspace, *block->hash);
    if (!stored && stored.error().is(BlobErrc::kNotFound)) continue;
    if (!stored) co_return std::unexpected(stored.error());
    out[*block->hash] = std::move(stored->bytes);
  }
  co_return out;
}

}  // namespace rouse
