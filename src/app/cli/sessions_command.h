// What the commands about sessions share. ID is what a person has at hand: sess_…, conv_…, or the
// key of a conversation (whatsapp:+1555…); the server finds the conversation by any of them.
#pragma once

#include <string>

#include "app/cli/api_client.h"
#include "app/cli/command.h"
#include "app/cli/export_file.h"
#include "gateway/routes/conversation_views.h"

namespace rouse::cli {

struct SessionOptions {
  ServerOption server;
  bool json = false;
  bool all = false;
  std::string id, workspace, text, in;
  std::int64_t limit = 0;
  ExportOptions how;
};

// "/api/conversations/ID" with what follows it, and the workspace if one was named.
std::string conversation_path(const SessionOptions& options, std::string_view rest = {},
                              std::string_view query = {});
// The session that was named itself, else the newest one of the conversation.
std::string session_id_of(const SessionOptions& options, const ConversationView& conversation);

Result<void> list_sessions(const SessionOptions& options);
Result<void> show_session(const SessionOptions& options);
Result<void> close_session(const SessionOptions& options);
Result<void> export_session(const SessionOptions& options);
Result<void> search_sessions(const SessionOptions& options);

}  // namespace rouse::cli
