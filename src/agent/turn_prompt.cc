#include "agent/turn_prompt.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "agent/prompt/history.h"

namespace rouse {
namespace {

constexpr std::size_t kImagesSent = 4;  // the newest ones

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

std::vector<const ContentBlock*> newest_images(const std::vector<Message>& oldest_first) {
  std::vector<const ContentBlock*> out;
  for (auto message = oldest_first.rbegin(); message != oldest_first.rend(); ++message) {
    for (const ContentBlock& block : message->content) {
      if (block.type == "image" && block.hash && out.size() < kImagesSent) out.push_back(&block);
    }
  }
  return out;
}

// The message as it will stand in the transcript.
Message said_now(const TurnContext& context, const std::vector<Message>& newest_first,
                 Content content) {
  Message said;
  said.conversation = context.conversation;
  said.seq = newest_first.empty() ? 1 : newest_first.front().seq + 1;
  said.session = context.session;
  said.role = "user";
  said.source = context.transport;
  said.content = std::move(content);
  return said;
}

}  // namespace

std::string TurnPrompts::zone_of(const WorkspaceId& id) {
  const auto workspace = workspaces_.get(id);
  if (workspace && workspace->timezone) return *workspace->timezone;
  return default_zone_;
}

Result<Agent> TurnPrompts::agent_of(const Conversation& conversation) {
  if (!conversation.agent) return Agent{};
  auto agent = agents_.get(conversation.workspace, *conversation.agent);
  if (!agent && agent.error().is(AgentErrc::kNotFound)) return Agent{};  // it was removed since
  return agent;
}

Result<std::shared_ptr<Model>> TurnPrompts::model_for(const Conversation& conversation) {
  TRY(const Agent agent, agent_of(conversation));
  const std::string name = agent.model.empty() ? "main" : agent.model;
  auto model = models_()->find(name);
  if (model) return model;
  return fail(ModelErrc::kNotConfigured,
              fmt::format("there is no model '{}'; name it under `models` in rouse.yaml", name));
}

Task<Result<TurnPrompt>> TurnPrompts::of_turn(Turn turn) {
  CO_TRY(Session session, kernel_.sessions().get(turn.session));
  CO_TRY(auto conversation, kernel_.conversations().get(turn.workspace, turn.conversation));
  if (turn.over()) session.context_summary.clear();  // what it was then is not kept
  CO_TRY(auto asked, ledger_.message_of(turn));
  TurnContext context{.workspace = turn.workspace,
                      .conversation = turn.conversation,
                      .session = turn.session,
                      .turn = turn.id,
                      .kind = std::string(turn_kind_name(turn.kind)),
                      .transport = asked ? asked->channel : session.key.channel};
  Content message;
  if (asked && asked->content) {
    message = std::move(*asked->content);
  } else if (turn.first_seq) {
    CO_TRY(auto first, kernel_.messages().at(turn.conversation, *turn.first_seq));
    if (first && first->role == "user") message = std::move(first->content);
  }
  co_return co_await assemble(std::move(context), std::move(session), std::move(conversation),
                              turn.first_seq, turn.history_from, std::move(message));
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

Task<Result<TurnPrompt>> TurnPrompts::assemble(TurnContext context, Session session,
                                               Conversation conversation,
                                               std::optional<std::int64_t> before,
                                               std::optional<std::int64_t> from, Content message) {
  TurnPrompt out;
  CO_TRY(out.model, model_for(conversation));
  CO_TRY(Agent agent, agent_of(conversation));
  CO_TRY(auto newest_first, tail_.read(session, before, bounds_.messages));
  out.message = readable_text(message);
  if (from) std::erase_if(newest_first, [&](const Message& m) { return m.seq < *from; });
  const bool has_past = !newest_first.empty();
  if (has_past) out.last_seq = newest_first.front().seq;
  context.zone = zone_of(context.workspace);

  if (!message.empty()) {
    newest_first.insert(newest_first.begin(), said_now(context, newest_first, std::move(message)));
  }
  context.tainted = is_tainted(newest_first);

  PromptInput input{.turn = context,
                    .agent_name = agent.name,
                    .agent_instructions = std::move(agent.instructions),
                    .now = clock_.wall_now(),
                    .tools = tools_.all()};
  input.new_user = !has_past && session.epoch == 1;
  input.context_summary =
      session.turn_count > 0 || session.epoch > 1 ? session.context_summary : "";
  out.prompt = builder_.build(input);

  HistoryLimits limits{.tokens = bounds_.tokens, .messages = bounds_.messages};
  if (limits.tokens == 0) limits.tokens = history_budget(out.model->info());
  std::vector<Message> tail = choose_tail(newest_first, limits);
  if (has_past && !tail.empty()) out.first_seq = tail.front().seq;
  CO_TRY(const auto images, co_await image_bytes(context.workspace, tail, *out.model));
  out.request.messages = to_prompt(tail, [&](const ContentBlock& block) {
    const auto found = images.find(block.hash.value_or(""));
    return found == images.end() ? std::nullopt : std::optional(found->second);
  });
  out.request.system = out.prompt.system();
  out.request.tools = tools_for_model(input.tools);
  out.request.facts = {
      .now = input.now, .zone = context.zone, .turn_kind = context.kind, .model_hint = {}};
  out.turn = std::move(context);
  out.tail = std::move(tail);
  co_return out;
}

Task<Result<std::map<std::string, std::string>>> TurnPrompts::image_bytes(
    WorkspaceId workspace, const std::vector<Message>& tail, const Model& model) {
  std::map<std::string, std::string> out;
  if (!model.info().takes_images) co_return out;
  for (const ContentBlock* block : newest_images(tail)) {
    auto stored = co_await blobs_.get(workspace, *block->hash);
    if (!stored && stored.error().is(BlobErrc::kNotFound)) continue;
    if (!stored) co_return std::unexpected(stored.error());
    out[*block->hash] = std::move(stored->bytes);
  }
  co_return out;
}

}  // namespace rouse
