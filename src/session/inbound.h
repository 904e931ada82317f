// The ledger of what came in: one row a message, appended before anybody is told that it arrived
// (SE-5), with what the resolver decided about it and on which facts. The rows of a conversation
// are a chain, newest to oldest: each names the one before it, the session names the newest. So a
// message costs one append, and the story of a session is a walk back.
//
// The content waits in the row until its turn takes it into the transcript; then it is only there.
// A message id is taken once per (workspace, channel, account), across restarts (SE-11).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "session/content.h"
#include "session/session.h"
#include "store/database.h"

namespace rouse {

struct InboundRow {
  std::int64_t number = 0;
  std::optional<std::int64_t> previous;
  WorkspaceId workspace;
  ConversationId conversation;
  SessionId session;
  std::string channel;
  std::string account;
  std::optional<std::string> peer = {};  // who wrote it, where the session's key doesn't say
  std::optional<std::string> message_id;
  std::optional<Content> content;  // none once it is in the transcript
  std::string decision;            // "new", "continue"
  std::string reason;
  std::string facts;           // JSON of DecisionFacts (resolver/policy.h)
  std::optional<TurnId> turn;  // that answers it, queued or done
  WallTime received;
  std::optional<std::string> meta = {};  // of the messages it leads to (messages.h)
};

class InboundLedger {
 public:
  explicit InboundLedger(Database& database) : database_(database) {}

  static Statement append(const InboundRow& row);
  // Its content went into the transcript with this turn.
  static Statement take(std::int64_t number, const TurnId& turn);

  Result<std::optional<InboundRow>> find(const WorkspaceId& workspace, const std::string& channel,
                                         const std::string& account, const std::string& message_id);
  Result<std::optional<InboundRow>> get(std::int64_t number);

 private:
  Database& database_;
};

}  // namespace rouse
