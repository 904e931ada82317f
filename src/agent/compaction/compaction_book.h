// A compaction is a view, not a change: a handoff summary that stands for the messages of a
// conversation up to and with through_seq. The prompt shows the summary and what was said after it;
// the messages themselves stay where they are, readable and searchable (SE-3).
//
// The newest one counts. It crosses soft boundaries (timeout, drift) like the rest of the past; a
// hard one (explicit reset, cleared) makes it invisible for good, because its epoch lies behind it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "session/session_table.h"
#include "store/database.h"

namespace rouse {

// Why a conversation was compacted.
inline constexpr std::string_view kCompactWindow = "window";      // the prompt neared the window
inline constexpr std::string_view kCompactOverflow = "overflow";  // the provider said so
inline constexpr std::string_view kCompactAsked = "asked";        // a person did: /compact

struct Compaction {
  ConversationId conversation;
  std::int64_t from_seq = 0;  // the first message it took in; earlier ones came by the one before
  std::int64_t through_seq = 0;  // messages up to and with it are represented by the summary
  SessionId session;
  std::int64_t epoch = 0;  // of that session
  std::optional<TurnId> turn;
  std::string reason;
  std::string summary;
  bool by_model = false;   // else by plain rules
  bool untrusted = false;  // untrusted words are among what it stands for
  bool tainted = false;    // … and the owner had not spoken since, at its end (design.md, rule 8)
  std::int64_t tokens_before = 0, tokens_after = 0;  // of the whole prompt
  WallTime created;
  friend bool operator==(const Compaction&, const Compaction&) = default;
};

class CompactionBook {
 public:
  CompactionBook(Database& database, SessionTable& sessions)
      : database_(database), sessions_(sessions) {}

  // What a turn of this session sees; asked every turn, so it is kept in memory.
  Result<std::optional<Compaction>> latest(const Session& session);
  // What the conversation's next turn sees, whether its session is open or has yet to be.
  Result<std::optional<Compaction>> seen_next(const ConversationId& conversation);
  // What a turn of this session saw that ended then.
  Result<std::optional<Compaction>> latest_at(const Session& session, WallTime then);

  // Newest first; `before` is the through_seq of the last one on the page before.
  Task<Result<std::vector<Compaction>>> list(ConversationId conversation,
                                             std::optional<std::int64_t> before, std::size_t limit);

  // Goes into the write that makes it; that fails with kConflict if the conversation is gone.
  static Statement insert(const Compaction& compaction);
  void committed(const Compaction& compaction);

 private:
  static constexpr std::size_t kRemembered = 128;  // conversations, of some 4 KB each
  Result<std::optional<Compaction>> newest(const ConversationId& conversation, WallTime until);
  Result<std::optional<Compaction>> visible(std::optional<Compaction> found,
                                            const Session& session);
  void remember(const ConversationId& conversation, std::optional<Compaction> newest);

  Database& database_;
  SessionTable& sessions_;
  std::unordered_map<std::string, std::optional<Compaction>> newest_;
};

}  // namespace rouse
