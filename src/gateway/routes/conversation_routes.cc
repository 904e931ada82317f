#include "gateway/routes/conversation_routes.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "gateway/routes/asked_workspace.h"

namespace rouse {
namespace {

constexpr std::int64_t kSessionsShown = 50;
constexpr std::size_t kTitleCharacters = 200;

std::vector<QueryParameter> page_parameters() {
  return {{"limit", "How many, 1 to 200; default 50"},
          {"cursor", "next_cursor of the page before"},
          workspace_parameter()};
}

Result<std::optional<std::int64_t>> number_of(const Call& call, std::string_view name) {
  const auto text = call.query(name);
  if (!text) return std::optional<std::int64_t>();
  std::int64_t value = 0;
  const char* end = text->data() + text->size();
  const auto [at, ec] = std::from_chars(text->data(), end, value);
  if (ec == std::errc() && at == end && value >= 0) return std::optional(value);
  return fail(Errc::kInvalid, fmt::format("'{}' must be the number of a message", name));
}

Result<void> check_line(std::string_view field, std::string_view text) {
  const bool has_control = std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (!trim(text).empty() && !has_control) return {};
  return fail(Errc::kInvalid, fmt::format("'{}' must be one line of text", field));
}

Result<void> check_title(std::string_view title) {
  const std::size_t characters = count_characters(title);
  if (characters > kTitleCharacters) {
    return fail(Errc::kInvalid, fmt::format("'title' must have at most {} characters, it has {}",
                                            kTitleCharacters, characters));
  }
  return check_line("title", title);
}

struct ChangedBody {
  std::string title;
  std::optional<std::string> project, agent, model;
  bool pinned = false;
  std::int64_t seen_seq = 0;
};
auto shape(const ChangedBody*) {
  return fields(field("title", &ChangedBody::title, ""),
                field("project", &ChangedBody::project, "").or_null(),
                field("agent", &ChangedBody::agent, "").or_null(),
                field("model", &ChangedBody::model, "").or_null(),
                field("pinned", &ChangedBody::pinned, ""),
                field("seen_seq", &ChangedBody::seen_seq, ""));
}

Event changed_event(const Conversation& c, WallTime now) {
  return {.workspace = c.workspace,
          .type = "conversation_changed",
          .conversation = c.id.str(),
          .body = encode_json(
              ChangedBody{c.title, c.project, c.agent, c.model, c.pinned.has_value(), c.seen_seq}),
          .created = now};
}

// An absent field leaves things as they are, null clears them; the struct can't tell them apart.
bool is_null(const boost::json::value& body, std::string_view field) {
  const auto* found = body.is_object() ? body.get_object().if_contains(field) : nullptr;
  return found != nullptr && found->is_null();
}

bool is_yes(std::string_view text) { return text == "true" || text == "1" || text == "yes"; }

Error alias_taken(std::string_view name) {
  return Error(ConversationErrc::kAliasTaken,
               fmt::format("another conversation is called {} already", utf8_prefix(name, 120)));
}

}  // namespace

void ConversationRoutes::add_to(RouteTable& table) {
  const std::string one = "/api/conversations/{id}";
  const std::string tag = "conversations";
  auto message_parameters = page_parameters();
  message_parameters.push_back({"after", "Oldest first, from the message after this number"});
  message_parameters.push_back({"before", "Newest first, from the message before this number"});
  auto list_parameters = page_parameters();
  list_parameters.push_back({"pinned", "true: only those that are pinned"});
  table.add(answer<ConversationList>({.pattern = "/api/conversations",
                                      .summary = "List the conversations",
                                      .tag = tag,
                                      .query = std::move(list_parameters)},
                                     [this](Call& call) { return list(call); }));
  table.add(answer<ConversationView>(
      {.pattern = one,
       .summary = "One conversation, by its id, a session's id, its key or an alias",
       .tag = tag,
       .query = {workspace_parameter()}},
      [this](Call& call) { return get(call); }));
  table.add(answer<MessageList>({.pattern = one + "/messages",
                                 .summary = "What was said, across its sessions",
                                 .tag = tag,
                                 .query = std::move(message_parameters)},
                                [this](Call& call) { return messages(call); }));
  table.add(exchange<ConversationEdit, ConversationView>(
      {.method = "PATCH",
       .pattern = one,
       .summary = "Change its title, project, agent or model; pin it; say what was seen",
       .tag = tag,
       .query = {workspace_parameter()}},
      [this](Call& call, ConversationEdit change) { return edit(call, std::move(change)); }));
  table.add(exchange<NewAlias, ConversationView>(
      {.method = "POST",
       .pattern = one + "/aliases",
       .summary = "Give it another name to be found by",
       .tag = tag,
       .query = {workspace_parameter()}},
      [this](Call& call, NewAlias alias) { return add_alias(call, std::move(alias)); }));
  table.add(answer<DeletedConversation>(
      {.method = "DELETE",
       .pattern = one,
       .summary = "Delete it and all that was said in it",
       .tag = tag,
       .query = {workspace_parameter(),
                 {"delete_automations",
                  "true: along with the automations that belong to it; else they are in the way"}}},
      [this](Call& call) { return remove(call); }));
}

Result<Conversation> ConversationRoutes::conversation_of(const Call& call) {
  TRY(const auto workspace, asked_workspace(call, workspaces_));
  return kernel_.conversations().find_by_name(workspace, call.parameters.at(0));
}

Task<Result<ConversationList>> ConversationRoutes::list(Call& call) {
  CO_TRY(const auto workspace, asked_workspace(call, workspaces_));
  CO_TRY(const std::size_t limit, call.limit());
  std::optional<ConversationPlace> after;
  if (const auto cursor = call.query("cursor")) {
    CO_TRY(after, ConversationPlace::parse(*cursor));
  }
  const Listed which = is_yes(call.query("pinned").value_or("")) ? Listed::kPinned : Listed::kAll;
  CO_TRY(auto found, co_await overviews_.list(workspace, std::move(after), limit + 1, which));
  ConversationList out;
  if (found.size() > limit) {
    found.pop_back();
    const Conversation& last = found.back().conversation;
    out.next_cursor = ConversationPlace{last.last_active, last.id.str()}.str();
  }
  for (const auto& overview : found) out.items.push_back(view_of(overview));
  co_return out;
}

Task<Result<ConversationView>> ConversationRoutes::get(Call& call) {
  CO_TRY(auto conversation, conversation_of(call));
  co_return co_await detail(std::move(conversation));
}

Task<Result<ConversationView>> ConversationRoutes::detail(Conversation conversation) {
  CO_TRY(const auto overview, overviews_.of(conversation));
  ConversationView out = view_of(overview);
  CO_TRY(out.aliases, kernel_.conversations().aliases(conversation.id));
  const std::int64_t first = std::max<std::int64_t>(1, overview.session_epoch - kSessionsShown + 1);
  CO_TRY(const auto sessions, co_await kernel_.sessions().of_conversation(
                                  conversation.id, first, std::size_t{kSessionsShown}));
  out.sessions.emplace();
  for (const Session& session : sessions) out.sessions->push_back(entry_of(session));
  std::ranges::reverse(*out.sessions);
  co_return out;
}

Task<Result<MessageList>> ConversationRoutes::messages(Call& call) {
  CO_TRY(const auto conversation, conversation_of(call));
  CO_TRY(const std::size_t limit, call.limit());
  CO_TRY(const auto cursor, number_of(call, "cursor"));
  CO_TRY(const auto after, number_of(call, "after"));
  CO_TRY(const auto before, number_of(call, "before"));
  Messages& table = kernel_.messages();
  // Oldest first, a cursor is where the page before ended, like a later ?after=.
  auto read =
      after ? co_await table.after(conversation.id, std::max(*after, cursor.value_or(0)), limit)
            : co_await table.before(conversation.id, cursor ? cursor : before, limit);
  if (!read) co_return std::unexpected(std::move(read).error());
  // What is being deleted is not shown by halves.
  CO_TRY_VOID(kernel_.conversations().get(conversation.workspace, conversation.id));
  CO_TRY(const std::int64_t newest, table.last_seq(conversation.id));
  MessageList out;
  if (!read->empty() && read->back().seq != (after ? newest : 1)) {
    out.next_cursor = std::to_string(read->back().seq);
  }
  if (read->empty()) co_return out;
  const auto [first, last] = std::minmax(read->front().seq, read->back().seq);
  CO_TRY(const auto turns, kernel_.turns().of_messages(conversation.id, first, last));
  for (Message& message : *read) {
    out.items.push_back(view_of(std::move(message)));
    add_turn(out.items.back(), turns);
  }
  co_return out;
}

Task<Result<ConversationView>> ConversationRoutes::edit(Call& call, ConversationEdit change) {
  CO_TRY(auto conversation, conversation_of(call));
  auto pass = co_await kernel_.gate().enter(conversation.workspace, conversation.key);
  CO_TRY(conversation, kernel_.conversations().get(conversation.workspace, conversation.id));
  const Conversation before = conversation;
  CO_TRY_VOID(apply(conversation, std::move(change), call.body));
  if (conversation != before) {
    Write write{{ConversationTable::set_details(conversation)}};
    if (events_ != nullptr) {
      write.statements.push_back(EventLog::append(changed_event(conversation, clock_.wall_now())));
    }
    CO_TRY_VOID(co_await database_.write(std::move(write)));
    if (events_ != nullptr) events_->committed(conversation.workspace);
  }
  if (LiveConversation* live = pass.live()) {
    live->conversation = conversation;
    pass.keeps();
  }
  CO_TRY(const auto overview, overviews_.of(conversation));
  co_return view_of(overview);
}

Result<void> ConversationRoutes::apply(Conversation& conversation, ConversationEdit change,
                                       std::string_view body) {
  TRY(const auto json, parse_json(body));
  if (change.title) {
    TRY_VOID(check_title(*change.title));
    conversation.title = trim(*change.title);
  }
  if (change.project) TRY_VOID(projects_.get(conversation.workspace, *change.project));
  if (change.agent) TRY_VOID(agents_.get(conversation.workspace, *change.agent));
  if (change.model && is_model_ && !is_model_(*change.model)) {
    return fail(Errc::kInvalid, fmt::format("there is no model '{}'; GET /api/models lists them",
                                            utf8_prefix(*change.model, 80)));
  }
  if (change.model || is_null(json, "model")) conversation.model = std::move(change.model);
  if (change.pinned && *change.pinned != conversation.pinned.has_value()) {
    conversation.pinned = *change.pinned ? std::optional(clock_.wall_now()) : std::nullopt;
  }
  if (change.seen_seq && *change.seen_seq > conversation.seen_seq) {
    TRY(const std::int64_t newest, kernel_.messages().last_seq(conversation.id));
    conversation.seen_seq = std::min(*change.seen_seq, newest);
  }
  if (change.project || is_null(json, "project")) conversation.project = std::move(change.project);
  if (change.agent || is_null(json, "agent")) conversation.agent = std::move(change.agent);
  return {};
}

// Adding it twice is adding it once.
Task<Result<ConversationView>> ConversationRoutes::add_alias(Call& call, NewAlias alias) {
  CO_TRY_VOID(check_line("external_id", alias.external_id));
  CO_TRY(auto conversation, conversation_of(call));
  const auto pass = co_await kernel_.gate().enter(conversation.workspace, conversation.key);
  ConversationTable& table = kernel_.conversations();
  CO_TRY(conversation, table.get(conversation.workspace, conversation.id));
  const auto called_so = table.find_by_name(conversation.workspace, alias.external_id);
  if (!called_so && !called_so.error().is(ConversationErrc::kNotFound)) {
    co_return std::unexpected(called_so.error());
  }
  if (called_so && called_so->id != conversation.id) co_return fail(alias_taken(alias.external_id));
  if (called_so) co_return co_await detail(std::move(conversation));
  CO_TRY(const auto aliases, table.aliases(conversation.id));
  if (aliases.size() >= limits::kAliases) {
    co_return fail(Errc::kConflict,
                   fmt::format("a conversation may have {} aliases at most", limits::kAliases));
  }
  const auto written = co_await database_.write(
      Write{{ConversationTable::add_alias(conversation, alias.external_id, clock_.wall_now())}});
  if (!written && written.error().is(StoreErrc::kConflict)) {
    co_return fail(alias_taken(alias.external_id));
  }
  if (!written) co_return std::unexpected(written.error());
  co_return co_await detail(std::move(conversation));
}

// Those that stand in the way. What is half deleted, or not there, has none.
Result<std::vector<Job>> ConversationRoutes::bound_to(const WorkspaceId& workspace,
                                                      const std::string& name) {
  if (jobs_ == nullptr) return std::vector<Job>();
  const auto found = kernel_.conversations().find_by_name(workspace, name);
  if (found) return jobs_->bound_to(workspace, found->key.str());
  if (found.error().is(ConversationErrc::kNotFound)) return std::vector<Job>();
  return std::unexpected(found.error());
}

// Nothing goes if the conversation can't: a running turn would keep it.
Task<Result<void>> ConversationRoutes::remove_jobs(std::vector<Job> jobs, std::string name) {
  if (jobs.empty()) co_return Result<void>{};
  CO_TRY(const auto conversation,
         kernel_.conversations().find_by_name(jobs.front().workspace, name));
  CO_TRY(const auto running, kernel_.turns().running(conversation.id));
  if (running) {
    co_return fail(ConversationErrc::kBusy,
                   "a turn is running in it; wait for its end or cancel it first");
  }
  for (const Job& job : jobs) {
    if (job.source != "file") continue;
    co_return fail(JobErrc::kDeclared,
                   fmt::format("'{}' stands in schedule.json; take it out there first", job.id));
  }
  for (const Job& job : jobs) {
    CO_TRY_VOID(co_await jobs_->remove(job.workspace, job.id, "conversation"));
  }
  co_return Result<void>{};
}

Task<Result<DeletedConversation>> ConversationRoutes::remove(Call& call) {
  CO_TRY(const auto workspace, asked_workspace(call, workspaces_));
  const std::string& name = call.parameters.at(0);
  CO_TRY(const auto jobs, bound_to(workspace, name));
  DeletedConversation out;
  if (!jobs.empty()) out.automations.emplace();
  for (const Job& job : jobs) {
    out.automations->push_back({job.id, job.name, job.state == JobState::kActive});
  }
  if (!jobs.empty() && !is_yes(call.query("delete_automations").value_or(""))) {
    out.blocked_by_automations = true;
    co_return out;
  }
  CO_TRY_VOID(co_await remove_jobs(jobs, name));
  CO_TRY(const Deletion done, co_await removal_.remove(workspace, name));
  log_.info("conversation.deleted",
            {{"conversation", done.conversation.str()}, {"by", call.principal.token.str()}});
  const DeletedRows& rows = done.rows;
  out.ok = true;
  out.deleted = true;
  out.conversation_id = done.conversation.str();
  out.counts = {rows.messages, rows.sessions, rows.turns, rows.inbound, rows.files};
  out.backups = entries_of(done.backups.files);
  out.message = deletion_message("The conversation", done.backups);
  co_return out;
}

}  // namespace rouse
