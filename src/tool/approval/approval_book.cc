#include "tool/approval/approval_book.h"

#include <algorithm>
#include <array>

#include "store/values.h"

namespace rouse {
namespace {

constexpr std::array kStates{kApprovalPending, kApprovalApproved, kApprovalDenied, kApprovalExpired,
                             kApprovalWithdrawn};
constexpr std::string_view kAfterAllApprovals = "apr_~";  // '~' stands behind every letter of an id
constexpr std::string_view kAfterAllPermissions = "perm_~";

#define APPROVAL_COLUMNS                                                                        \
  "approval_id, workspace_id, conversation_id, session_id, turn_id, call_id, tool, arguments, " \
  "agent, project_folder, covers, summary, reason, tainted, state, scope, decided_by, note, "   \
  "created_ms, expires_ms, decided_ms"
#define SELECT_APPROVAL "SELECT " APPROVAL_COLUMNS " FROM approvals WHERE "
#define PERMISSION_COLUMNS \
  "permission_id, workspace_id, conversation_id, tool, covers, approval_id, created_ms"

constexpr std::string_view kInsert =
    "INSERT INTO approvals (" APPROVAL_COLUMNS
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, "
    "$19, $20, $21)";
constexpr std::string_view kSettle =
    "UPDATE approvals SET state = $2, scope = $3, decided_by = $4, note = $5, decided_ms = $6 "
    "WHERE approval_id = $1 AND state = 'pending'";
constexpr std::string_view kGet = SELECT_APPROVAL "approval_id = $1";
constexpr std::string_view kPendingIn =
    SELECT_APPROVAL "conversation_id = $1 AND state = 'pending' ORDER BY approval_id DESC LIMIT $2";
constexpr std::string_view kPendingOf =
    SELECT_APPROVAL "turn_id = $1 AND state = 'pending' ORDER BY approval_id LIMIT $2";
constexpr std::string_view kCountPending =
    "SELECT COUNT(*) FROM approvals WHERE conversation_id = $1 AND state = 'pending'";
constexpr std::string_view kPendingFor = SELECT_APPROVAL
    "conversation_id = $1 AND state = 'pending' AND tool = $2 AND covers = $3 AND arguments = $4 "
    "AND agent = $5 AND tainted = $6 LIMIT 1";
constexpr std::string_view kDecidedBy =
    SELECT_APPROVAL "conversation_id = $1 AND decided_by = $2 ORDER BY approval_id DESC LIMIT 1";
constexpr std::string_view kOverdue = SELECT_APPROVAL
    "state = 'pending' AND expires_ms <= $1 AND (expires_ms > $2 OR (expires_ms = $2 AND "
    "approval_id > $3)) ORDER BY expires_ms, approval_id LIMIT $4";
constexpr std::string_view kNextExpiry =
    "SELECT expires_ms FROM approvals WHERE state = 'pending' ORDER BY expires_ms, approval_id "
    "LIMIT 1";
constexpr std::string_view kPage = SELECT_APPROVAL
    "workspace_id = $1 AND approval_id < $2 AND ($3 = '' OR state = $3) "
    "ORDER BY approval_id DESC LIMIT $4";
constexpr std::string_view kPageOfConversation = SELECT_APPROVAL
    "workspace_id = $1 AND approval_id < $2 AND ($3 = '' OR state = $3) AND conversation_id = $5 "
    "ORDER BY approval_id DESC LIMIT $4";

constexpr std::string_view kPermit = "INSERT INTO permissions (" PERMISSION_COLUMNS
                                     ") VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING";
constexpr std::string_view kPermits =
    "SELECT 1 FROM permissions WHERE workspace_id = $1 AND tool = $2 AND covers = $3 AND "
    "conversation_id IN ($4, '') LIMIT 1";
constexpr std::string_view kPermissions =
    "SELECT " PERMISSION_COLUMNS
    " FROM permissions WHERE workspace_id = $1 AND permission_id < $2 "
    "ORDER BY permission_id DESC LIMIT $3";
constexpr std::string_view kForget =
    "DELETE FROM permissions WHERE permission_id = $1 AND workspace_id = $2";

Result<Approval> approval_from(const Row& row) {
  Approval out;
  TRY(out.id, ApprovalId::parse(row.text(0)));
  TRY(out.workspace, WorkspaceId::parse(row.text(1)));
  TRY(out.conversation, ConversationId::parse(row.text(2)));
  TRY(out.session, SessionId::parse(row.text(3)));
  TRY(out.turn, TurnId::parse(row.text(4)));
  out.call_id = row.text(5);
  out.tool = row.text(6);
  out.arguments = row.text(7);
  out.agent = row.text(8);
  out.project_folder = row.text(9);
  out.covers = row.text(10);
  out.summary = row.text(11);
  out.reason = row.text(12);
  out.tainted = row.integer(13) != 0;
  out.state = row.text(14);
  out.scope = text_or_null(row, 15);
  out.decided_by = text_or_null(row, 16);
  out.note = text_or_null(row, 17);
  out.created = {row.integer(18)};
  out.expires = {row.integer(19)};
  out.decided = time_or_null(row, 20);
  return out;
}

Result<std::vector<Approval>> approvals_from(const Rows& rows) {
  std::vector<Approval> out;
  for (const Row& row : rows) {
    TRY(auto one, approval_from(row));
    out.push_back(std::move(one));
  }
  return out;
}

Result<Permission> permission_from(const Row& row) {
  Permission out;
  TRY(out.id, PermissionId::parse(row.text(0)));
  TRY(out.workspace, WorkspaceId::parse(row.text(1)));
  if (!row.text(2).empty()) {
    TRY(out.conversation, ConversationId::parse(row.text(2)));
  }
  out.tool = row.text(3);
  out.covers = row.text(4);
  TRY(out.approval, ApprovalId::parse(row.text(5)));
  out.created = {row.integer(6)};
  return out;
}

std::int64_t rows_wanted(std::size_t limit) { return static_cast<std::int64_t>(limit); }

}  // namespace

bool ApprovalBook::is_state(std::string_view word) {
  return std::ranges::find(kStates, word) != kStates.end();
}

Statement ApprovalBook::insert(const Approval& a) {
  return {kInsert,
          {a.id.str(),
           a.workspace.str(),
           a.conversation.str(),
           a.session.str(),
           a.turn.str(),
           a.call_id,
           a.tool,
           a.arguments,
           a.agent,
           a.project_folder,
           a.covers,
           a.summary,
           a.reason,
           std::int64_t{a.tainted ? 1 : 0},
           a.state,
           or_null(a.scope),
           or_null(a.decided_by),
           or_null(a.note),
           a.created.unix_ms,
           a.expires.unix_ms,
           or_null(a.decided)},
          1};
}

Statement ApprovalBook::settle(const Approval& after) {
  return {kSettle,
          {after.id.str(), after.state, or_null(after.scope), or_null(after.decided_by),
           or_null(after.note), or_null(after.decided)},
          1};
}

Statement ApprovalBook::permit(const Permission& p) {
  return {kPermit,
          {p.id.str(), p.workspace.str(), p.conversation ? p.conversation->str() : std::string(),
           p.tool, p.covers, p.approval.str(), p.created.unix_ms},
          {}};
}

Result<std::vector<Approval>> ApprovalBook::read(const Query& query) {
  TRY(const Rows rows, database_.read(query));
  return approvals_from(rows);
}

Result<std::optional<Approval>> ApprovalBook::first(const Query& query) {
  TRY(auto found, read(query));
  if (found.empty()) return std::optional<Approval>();
  return std::optional(std::move(found.front()));
}

Result<std::optional<Approval>> ApprovalBook::get(const ApprovalId& id) {
  return first({kGet, {id.str()}});
}

Result<std::vector<Approval>> ApprovalBook::pending_in(const ConversationId& conversation,
                                                       std::size_t limit) {
  return read({kPendingIn, {conversation.str(), rows_wanted(limit)}, limit});
}

Result<std::vector<Approval>> ApprovalBook::pending_of(const TurnId& turn, std::size_t limit) {
  return read({kPendingOf, {turn.str(), rows_wanted(limit)}, limit});
}

Result<std::int64_t> ApprovalBook::count_pending(const ConversationId& conversation) {
  TRY(const Rows rows, database_.read({kCountPending, {conversation.str()}}));
  return rows.front().integer(0);
}

Result<std::optional<Approval>> ApprovalBook::pending_for(const Approval& same) {
  return first({kPendingFor,
                {same.conversation.str(), same.tool, same.covers, same.arguments, same.agent,
                 std::int64_t{same.tainted ? 1 : 0}}});
}

Result<std::optional<Approval>> ApprovalBook::decided_by(const ConversationId& conversation,
                                                         const std::string& by) {
  return first({kDecidedBy, {conversation.str(), by}});
}

Result<std::vector<Approval>> ApprovalBook::overdue(WallTime now,
                                                    const std::optional<Approval>& after,
                                                    std::size_t limit) {
  const std::int64_t passed_ms = after ? after->expires.unix_ms : 0;
  return read(
      {kOverdue,
       {now.unix_ms, passed_ms, after ? after->id.str() : std::string(), rows_wanted(limit)},
       limit});
}

Result<std::optional<WallTime>> ApprovalBook::next_expiry() {
  TRY(const Rows rows, database_.read({kNextExpiry, {}}));
  if (rows.empty()) return std::optional<WallTime>();
  return std::optional(WallTime{rows.front().integer(0)});
}

Task<Result<std::vector<Approval>>> ApprovalBook::page(Wanted wanted) {
  Query query{kPage,
              {wanted.workspace.str(),
               wanted.before ? wanted.before->str() : std::string(kAfterAllApprovals),
               wanted.state.value_or(""), rows_wanted(wanted.limit)},
              wanted.limit};
  if (wanted.conversation) {
    query.sql = kPageOfConversation;
    query.params.emplace_back(wanted.conversation->str());
  }
  CO_TRY(const Rows rows, co_await database_.read_page(std::move(query)));
  co_return approvals_from(rows);
}

Result<bool> ApprovalBook::permits(const WorkspaceId& workspace, const ConversationId& conversation,
                                   const std::string& tool, const std::string& covers) {
  TRY(const Rows rows,
      database_.read({kPermits, {workspace.str(), tool, covers, conversation.str()}}));
  return !rows.empty();
}

Task<Result<std::vector<Permission>>> ApprovalBook::permissions(WorkspaceId workspace,
                                                                std::optional<PermissionId> before,
                                                                std::size_t limit) {
  CO_TRY(const Rows rows,
         co_await database_.read_page(
             {kPermissions,
              {workspace.str(), before ? before->str() : std::string(kAfterAllPermissions),
               rows_wanted(limit)},
              limit}));
  std::vector<Permission> out;
  for (const Row& row : rows) {
    CO_TRY(auto one, permission_from(row));
    out.push_back(std::move(one));
  }
  co_return out;
}

Task<Result<bool>> ApprovalBook::forget(WorkspaceId workspace, PermissionId id) {
  CO_TRY(const Written gone, co_await database_.write(one(kForget, {id.str(), workspace.str()})));
  co_return gone.rows_changed.front() == 1;
}

}  // namespace rouse
