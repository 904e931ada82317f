// Conversations over the API: list, look, read back, rename, pin, give another name, delete. A {id}
// is whatever a client knows it by: conv_…, sess_…, a session key or an alias. Another workspace's
// conversation doesn't exist for anybody who may not name that workspace.
#pragma once

#include "base/log.h"
#include "gateway/route.h"
#include "gateway/routes/conversation_views.h"
#include "schedule/job_book.h"
#include "session/agents.h"
#include "session/projects.h"

namespace rouse {

class ConversationRoutes {
 public:
  ConversationRoutes(Database& database, Clock& clock, SessionKernel& kernel,
                     Workspaces& workspaces, Projects& projects, Agents& agents,
                     ConversationDelete& removal, const Log& log)
      : database_(database),
        clock_(clock),
        kernel_(kernel),
        workspaces_(workspaces),
        projects_(projects),
        agents_(agents),
        overviews_(database),
        removal_(removal),
        log_(log) {}
  void add_to(RouteTable& table);
  // A conversation that automations belong to is only deleted with them (S3-36).
  void ask_before_deleting(JobBook& jobs) { jobs_ = &jobs; }
  // Other pages are told of what was changed here; null: nobody is.
  void record_events(EventLog* events) { events_ = events; }
  // Is there a model of this role or name? Without it every name is taken.
  void check_models(std::function<bool(std::string_view)> known) { is_model_ = std::move(known); }

 private:
  Task<Result<ConversationList>> list(Call& call);
  Task<Result<ConversationView>> get(Call& call);
  Task<Result<MessageList>> messages(Call& call);
  Task<Result<ConversationView>> edit(Call& call, ConversationEdit change);
  Task<Result<ConversationView>> add_alias(Call& call, NewAlias alias);
  Task<Result<DeletedConversation>> remove(Call& call);
  Result<std::vector<Job>> bound_to(const WorkspaceId& workspace, const std::string& name);
  Task<Result<void>> remove_jobs(std::vector<Job> jobs, std::string name);

  Result<Conversation> conversation_of(const Call& call);
  Result<void> apply(Conversation& conversation, ConversationEdit change, std::string_view body);
  Task<Result<ConversationView>> detail(Conversation conversation);

  Database& database_;
  Clock& clock_;
  SessionKernel& kernel_;
  Workspaces& workspaces_;
  Projects& projects_;
  Agents& agents_;
  ConversationOverviews overviews_;
  ConversationDelete& removal_;
  const Log& log_;
  JobBook* jobs_ = nullptr;
  EventLog* events_ = nullptr;
  std::function<bool(std::string_view)> is_model_;
};

}  // namespace rouse
