// The gateway's side of the server: who may come in, what runs live, and every door that belongs to
// no other side. Part of the wiring: concrete classes are named here, nothing is decided here.
#pragma once

#include <string>

#include "app/agent_side.h"
#include "app/lifecycle_side.h"
#include "app/notify_side.h"
#include "app/proactive_side.h"
#include "app/schedule_side.h"
#include "gateway/gateway.h"
#include "gateway/routes/agent_routes.h"
#include "gateway/routes/backup_routes.h"
#include "gateway/routes/conversation_routes.h"
#include "gateway/routes/export_routes.h"
#include "gateway/routes/file_routes.h"
#include "gateway/routes/kernel_routes.h"
#include "gateway/routes/model_routes.h"
#include "gateway/routes/project_routes.h"
#include "gateway/routes/search_routes.h"
#include "gateway/routes/settings_routes.h"
#include "gateway/routes/sign_in_routes.h"
#include "gateway/routes/status_routes.h"
#include "gateway/routes/token_routes.h"
#include "gateway/routes/why_routes.h"
#include "gateway/routes/workspace_routes.h"

namespace rouse {

class GatewaySide {
 public:
  struct Parts {
    Clock& clock;
    Random& random;
    Database& database;
    SettingsSource& settings;
    SessionKernel& kernel;
    Workspaces& workspaces;
    MessageSearch& search;
    Blobs& blobs;
    ConversationDelete& removal;
    SessionStory& story;
    Projects& projects;
    Agents& agents;
    BlockingPool& pool;
    HealthBoard& board;
    Log& log;
    std::string data_dir;
  };
  struct Sides {
    AgentSide& agent;
    ScheduleSide& schedule;
    NotifySide& notify;
    ProactiveSide& proactive;
    LifecycleSide& lifecycle;
  };
  GatewaySide(const Parts& parts, Sides sides);

  // Who may come in.
  Task<Result<void>> load(std::string owner_token);
  // Those of the other sides too. In this order they are listed.
  void add_routes();

  std::string sign_in_code(const std::string& token) {
    return browsers_.make_code(tokens_.find(token)->principal.token);
  }
  Gateway& gateway() { return gateway_; }
  LiveHub& hub() { return hub_; }
  ServerStatus& status() { return status_; }

 private:
  Sides sides_;
  TokenBook tokens_;
  BrowserSessions browsers_;
  ServerStatus status_;
  LiveHub hub_;
  RouteTable table_;
  Gateway gateway_;
  StatusRoutes status_routes_;
  SignInRoutes sign_in_routes_;
  TokenRoutes token_routes_;
  WorkspaceRoutes workspace_routes_;
  ConversationRoutes conversation_routes_;
  SearchRoutes search_routes_;
  ExportRoutes export_routes_;
  FileRoutes file_routes_;
  KernelRoutes kernel_routes_;
  WhyRoutes why_routes_;
  ProjectRoutes project_routes_;
  AgentRoutes agent_routes_;
  SettingsRoutes settings_routes_;
  ModelRoutes model_routes_;
  BackupRoutes backup_routes_;
};

}  // namespace rouse
