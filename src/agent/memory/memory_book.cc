#include "agent/memory/memory_book.h"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "agent/memory/note_words.h"
#include "base/text.h"
#include "session/content.h"
#include "session/remove/delete_pages.h"
#include "store/values.h"

namespace rouse {
namespace {

// A place is importance * 2^40 + number.
constexpr std::int64_t kNumbers = std::int64_t{1} << 40;
constexpr std::size_t kSavedAtOnce = 100;
constexpr int kTries = 4;
constexpr std::size_t kPromptNotes = 250;

// The source is left out when its conversation is gone: a link must lead somewhere.
#define NOTE_COLUMNS                                                                         \
  "SELECT n.place, n.note_id, n.workspace_id, n.agent, n.text, n.importance, n.provenance, " \
  "c.conversation_id, n.turn_id, n.created_ms, n.updated_ms FROM memory_notes n "            \
  "LEFT JOIN conversations c ON c.conversation_id = n.conversation_id "

constexpr std::string_view kById = NOTE_COLUMNS "WHERE n.note_id = $1 AND n.workspace_id = $2";
constexpr std::string_view kByFingerprint =
    NOTE_COLUMNS "WHERE n.workspace_id = $1 AND n.agent = $2 AND n.fingerprint = $3";
constexpr std::string_view kPage = NOTE_COLUMNS
    "WHERE n.workspace_id = $1 AND n.agent = $2 AND n.place < $3 ORDER BY n.place DESC LIMIT $4";
constexpr std::string_view kFirstTrusted = NOTE_COLUMNS
    "WHERE n.workspace_id = $1 AND n.agent = $2 AND n.provenance <> 'untrusted' "
    "ORDER BY n.place DESC LIMIT $3";
constexpr std::string_view kAt = NOTE_COLUMNS
    "WHERE n.workspace_id = $1 AND n.agent = $2 AND n.place IN ($3, $4, $5, $6, $7, $8, $9, $10, "
    "$11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, "
    "$29, $30, $31, $32, $33, $34)";
#undef NOTE_COLUMNS

constexpr std::string_view kHighestBelow =
    "SELECT COALESCE(MAX(place), 0) FROM memory_notes WHERE place < $1";
constexpr std::string_view kInsert =
    "INSERT INTO memory_notes (place, note_id, workspace_id, agent, text, fingerprint, importance, "
    "provenance, conversation_id, turn_id, created_ms, updated_ms) "
    "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
constexpr std::string_view kRenew =
    "UPDATE memory_notes SET place = $3, text = $4, fingerprint = $5, importance = $6, "
    "provenance = $7, conversation_id = $8, turn_id = $9, updated_ms = $10 "
    "WHERE place = $1 AND note_id = $2";
constexpr std::string_view kDelete = "DELETE FROM memory_notes WHERE place = $1 AND note_id = $2";

constexpr std::size_t kCountsAtHand = 1'024;
constexpr std::string_view kCounts =
    "SELECT notes, untrusted FROM memory_books WHERE workspace_id = $1 AND agent = $2";
// Nothing goes beyond the bound.
constexpr std::string_view kCount =
    "INSERT INTO memory_books (workspace_id, agent, notes, untrusted) VALUES ($1, $2, $3, $4) "
    "ON CONFLICT (workspace_id, agent) DO UPDATE SET notes = memory_books.notes + excluded.notes, "
    "untrusted = memory_books.untrusted + excluded.untrusted "
    "WHERE memory_books.notes + excluded.notes <= $5";

constexpr std::string_view kInstructions =
    "SELECT text, provenance, previous, updated_ms FROM instructions "
    "WHERE workspace_id = $1 AND agent = $2";
constexpr std::string_view kSetInstructions =
    "INSERT INTO instructions (workspace_id, agent, text, previous, provenance, updated_ms) "
    "VALUES ($1, $2, $3, '', $4, $5) ON CONFLICT (workspace_id, agent) DO UPDATE SET "
    "text = excluded.text, provenance = excluded.provenance, updated_ms = excluded.updated_ms, "
    "previous = CASE WHEN instructions.provenance = 'untrusted' THEN instructions.previous "
    "ELSE instructions.text END";

constexpr std::string_view kSomeOfWorkspace =
    "SELECT place, note_id FROM memory_notes WHERE workspace_id = $1 LIMIT $2";
constexpr std::string_view kBooksOfWorkspace =
    "SELECT agent FROM memory_books WHERE workspace_id = $1 UNION "
    "SELECT agent FROM instructions WHERE workspace_id = $1";
constexpr std::string_view kDropBooks = "DELETE FROM memory_books WHERE workspace_id = $1";
constexpr std::string_view kDropInstructions = "DELETE FROM instructions WHERE workspace_id = $1";

Result<Note> from_row(const Row& row) {
  Note note;
  note.place = row.integer(0);
  TRY(note.id, NoteId::parse(row.text(1)));
  TRY(note.owner.workspace, WorkspaceId::parse(row.text(2)));
  note.owner.agent = row.text(3);
  note.text = row.text(4);
  note.importance = row.integer(5);
  note.provenance = row.text(6);
  if (!row.is_null(7)) {
    TRY(note.conversation, ConversationId::parse(row.text(7)));
    if (!row.is_null(8)) {
      TRY(note.turn, TurnId::parse(row.text(8)));
    }
  }
  note.created = {row.integer(9)};
  note.updated = {row.integer(10)};
  return note;
}

Result<std::vector<Note>> from_rows(const Rows& rows) {
  std::vector<Note> out;
  out.reserve(rows.size());
  for (const Row& row : rows) {
    TRY(auto note, from_row(row));
    out.push_back(std::move(note));
  }
  return out;
}

template <class IdType>
Value id_or_null(const std::optional<IdType>& id) {
  return id ? Value(id->str()) : Value(std::monostate{});
}

Error not_found(const NoteId& id) {
  return Error(MemoryErrc::kNotFound, fmt::format("there is no note {}", id.str()));
}

Error same_text(const NoteId& other) {
  return Error(MemoryErrc::kSameText,
               fmt::format("{} says the same; change or forget that one", other.str()));
}

Statement counting(const MemoryOwner& owner, std::int64_t notes, std::int64_t untrusted) {
  return {kCount, {owner.workspace.str(), owner.agent, notes, untrusted, kNotesPerAgent}, 1};
}

Result<NoteDraft> checked(NoteDraft draft) {
  TRY(draft.text, clean_memory_text(draft.text, "text", kNoteCharacters));
  if (draft.importance) TRY_VOID(check_importance(*draft.importance));
  return draft;
}

// Is the note as the draft wants it?
bool says_all(const Note& note, const NoteDraft& draft) {
  return note.text == draft.text && note.importance == draft.importance.value_or(note.importance) &&
         stronger_provenance(note.provenance, draft.provenance) == note.provenance;
}

}  // namespace

const std::string& Instructions::in_force() const {
  return provenance == kFromUntrusted ? previous : text;
}

std::string index_owner(const MemoryOwner& owner) {
  return owner.workspace.str() + "/" + owner.agent;
}

// ---- reading

Result<Note> MemoryBook::get(const WorkspaceId& workspace, const NoteId& id) {
  TRY(const Rows rows, database_.read({kById, {id.str(), workspace.str()}}));
  if (rows.empty()) return fail(not_found(id));
  return from_row(rows.front());
}

Task<Result<std::vector<Note>>> MemoryBook::page(MemoryOwner owner,
                                                 std::optional<std::int64_t> before,
                                                 std::size_t limit) {
  const std::int64_t end = before.value_or((kMostImportance + 1) * kNumbers);
  CO_TRY(const Rows rows, co_await database_.read_page({kPage,
                                                        {owner.workspace.str(), owner.agent, end,
                                                         static_cast<std::int64_t>(limit)},
                                                        limit}));
  co_return from_rows(rows);
}

Task<Result<std::vector<Note>>> MemoryBook::at(MemoryOwner owner,
                                               std::vector<std::int64_t> places) {
  Query query{kAt, {owner.workspace.str(), owner.agent}, kNotesAtOnce};
  for (const std::int64_t place : places) query.params.emplace_back(place);
  query.params.resize(2 + kNotesAtOnce);  // the rest is NULL: no place
  CO_TRY(const Rows rows, co_await database_.read_page(std::move(query)));
  co_return from_rows(rows);
}

Result<std::vector<Note>> MemoryBook::first_trusted(const MemoryOwner& owner, std::size_t bytes) {
  TRY(const Rows rows,
      database_.read({kFirstTrusted,
                      {owner.workspace.str(), owner.agent, static_cast<std::int64_t>(kPromptNotes)},
                      kPromptNotes,
                      bytes}));
  return from_rows(rows);
}

Result<BookCounts> MemoryBook::counts(const MemoryOwner& owner) {
  if (const auto known = counted_.find(owner); known != counted_.end()) return known->second;
  TRY(const Rows rows, database_.read({kCounts, {owner.workspace.str(), owner.agent}}));
  BookCounts counts;
  if (!rows.empty()) counts = {rows.front().integer(0), rows.front().integer(1)};
  if (counted_.size() >= kCountsAtHand) counted_.clear();
  counted_.emplace(owner, counts);
  return counts;
}

Result<Instructions> MemoryBook::instructions(const MemoryOwner& owner) {
  TRY(const Rows rows, database_.read({kInstructions, {owner.workspace.str(), owner.agent}}));
  if (rows.empty()) return Instructions{};
  const Row& row = rows.front();
  return Instructions{row.text(0), row.text(1), row.text(2), {row.integer(3)}};
}

Result<std::optional<Note>> MemoryBook::saying(const MemoryOwner& owner,
                                               const std::string& fingerprint) {
  TRY(const Rows rows,
      database_.read({kByFingerprint, {owner.workspace.str(), owner.agent, fingerprint}}));
  if (rows.empty()) return std::nullopt;
  TRY(auto note, from_row(rows.front()));
  return note;
}

// ---- changing

// The store has one owner, so the loop may give numbers out; the first asks for the highest there
// is, in each importance.
Result<std::int64_t> MemoryBook::next_numbers(std::size_t count) {
  if (!number_) {
    std::int64_t highest = 0;
    for (std::int64_t end = kMostImportance + 1; end > kLeastImportance; --end) {
      TRY(const Rows rows, database_.read({kHighestBelow, {end * kNumbers}}));
      highest = std::max(highest, rows.front().integer(0) % kNumbers);
    }
    number_ = highest;
  }
  *number_ += static_cast<std::int64_t>(count);
  return *number_;
}

Note MemoryBook::renewed(const Note& old, std::string text, std::int64_t importance,
                         std::string_view provenance, std::int64_t number) const {
  Note note = old;
  note.text = std::move(text);
  note.importance = importance;
  note.provenance = provenance;
  note.updated = clock_.wall_now();
  note.place = importance * kNumbers + number;
  return note;
}

MemoryBook::Change MemoryBook::plan(const MemoryOwner& owner, const NoteDraft& draft,
                                    std::optional<Note> old, std::int64_t number) {
  if (old) {
    const bool takes_over = draft.provenance == kFromUntrusted && !old->untrusted();
    if (takes_over) return Change{{*old, Kept::kUnchanged}, old};
    Note note = renewed(*old, draft.text, draft.importance.value_or(old->importance),
                        stronger_provenance(old->provenance, draft.provenance), number);
    if (draft.conversation) {
      note.conversation = draft.conversation;
      note.turn = draft.turn;
    }
    return Change{{std::move(note), Kept::kRenewed}, std::move(old)};
  }
  const WallTime now = clock_.wall_now();
  const std::int64_t importance = draft.importance.value_or(kUsualImportance);
  return Change{{Note{.id = NoteId::make(now, random_),
                      .owner = owner,
                      .text = draft.text,
                      .importance = importance,
                      .provenance = draft.provenance,
                      .conversation = draft.conversation,
                      .turn = draft.turn,
                      .created = now,
                      .updated = now,
                      .place = importance * kNumbers + number},
                 Kept::kAdded},
                {}};
}

void MemoryBook::add_new(Batch& batch, const Note& note) const {
  batch.write.statements.push_back(counting(note.owner, 1, note.untrusted() ? 1 : 0));
  batch.write.statements.push_back(
      {kInsert,
       {note.place, note.id.str(), note.owner.workspace.str(), note.owner.agent, note.text,
        note_fingerprint(note.text), note.importance, note.provenance,
        id_or_null(note.conversation), id_or_null(note.turn), note.created.unix_ms,
        note.updated.unix_ms},
       1});
}

void MemoryBook::add_renewed(Batch& batch, const Note& old, const Note& note) const {
  if (old.untrusted() != note.untrusted()) {
    batch.write.statements.push_back(counting(note.owner, 0, note.untrusted() ? 1 : -1));
  }
  batch.write.statements.push_back(
      {kRenew,
       {old.place, old.id.str(), note.place, note.text, note_fingerprint(note.text),
        note.importance, note.provenance, id_or_null(note.conversation), id_or_null(note.turn),
        note.updated.unix_ms},
       1});
  batch.write.statements.push_back(index_.remove(old.place));
}

void MemoryBook::add_to(Batch& batch, const Change& change) const {
  const Note& note = change.kept.note;
  if (change.kept.how == Kept::kUnchanged) return;
  if (change.old) {
    add_renewed(batch, *change.old, note);
  } else {
    add_new(batch, note);
  }
  const auto words = words_of_note(note.text);
  batch.words += words.size();
  batch.write.statements.push_back(index_.add(note.place, index_owner(note.owner), words));
}

Task<Result<void>> MemoryBook::commit(MemoryOwner owner, Batch batch) {
  if (batch.write.statements.empty()) co_return Result<void>{};
  batch.write.statements.push_back(index_.tidy(batch.words));
  const auto written = co_await database_.write(std::move(batch.write));
  tell(owner);  // whatever came of it: a commit that failed may yet have reached the disk
  if (!written) co_return std::unexpected(written.error());
  co_return Result<void>{};
}

// A conflict means that somebody changed the same notes meanwhile, which another try settles, or
// that there is no room.
Result<void> MemoryBook::explain_conflict(const MemoryOwner& owner, std::size_t added, int tries) {
  TRY(const BookCounts now, counts(owner));
  if (now.notes + static_cast<std::int64_t>(added) > kNotesPerAgent) {
    return fail(
        MemoryErrc::kFull,
        fmt::format("an agent keeps at most {} notes and this one has {}; forget some first",
                    kNotesPerAgent, now.notes));
  }
  if (tries < kTries) return {};
  return fail(Errc::kConflict, "the memory changed meanwhile; try again");
}

Task<Result<KeptNote>> MemoryBook::save(MemoryOwner owner, NoteDraft draft) {
  CO_TRY(draft, checked(std::move(draft)));
  for (int tries = 1;; ++tries) {
    CO_TRY(auto old, saying(owner, note_fingerprint(draft.text)));
    CO_TRY(const std::int64_t number, next_numbers(1));
    Change change = plan(owner, draft, std::move(old), number);
    Batch batch;
    add_to(batch, change);
    const auto done = co_await commit(owner, std::move(batch));
    if (done) co_return std::move(change.kept);
    if (!done.error().is(StoreErrc::kConflict)) co_return std::unexpected(done.error());
    CO_TRY_VOID(explain_conflict(owner, change.old ? 0 : 1, tries));
  }
}

Task<Result<KeptNotes>> MemoryBook::save_all(MemoryOwner owner, std::vector<NoteDraft> drafts) {
  CO_TRY(const std::int64_t last_number, next_numbers(drafts.size()));
  std::unordered_set<std::string> seen;
  KeptNotes total;
  for (std::size_t from = 0; from < drafts.size(); from += kSavedAtOnce) {
    const std::size_t end = std::min(drafts.size(), from + kSavedAtOnce);
    std::vector<Numbered> some;
    for (std::size_t i = from; i < end; ++i) {
      CO_TRY(NoteDraft draft, checked(std::move(drafts[i])));
      std::string fingerprint = note_fingerprint(draft.text);
      if (!seen.insert(fingerprint).second) continue;
      some.push_back(
          {std::move(draft), std::move(fingerprint), last_number - static_cast<std::int64_t>(i)});
    }
    CO_TRY(const KeptNotes kept, co_await save_some(owner, std::move(some)));
    total.added += kept.added;
    total.renewed += kept.renewed;
    total.unchanged += kept.unchanged;
  }
  co_return total;
}

// All in one write.
Task<Result<KeptNotes>> MemoryBook::save_some(MemoryOwner owner, std::vector<Numbered> drafts) {
  for (int tries = 1;; ++tries) {
    KeptNotes kept;
    Batch batch;
    for (const auto& [draft, fingerprint, number] : drafts) {
      CO_TRY(auto old, saying(owner, fingerprint));
      const bool same = old && says_all(*old, draft);
      const Change change =
          same ? Change{{*old, Kept::kUnchanged}, old} : plan(owner, draft, std::move(old), number);
      add_to(batch, change);
      ++(change.kept.how == Kept::kAdded     ? kept.added
         : change.kept.how == Kept::kRenewed ? kept.renewed
                                             : kept.unchanged);
    }
    const auto done = co_await commit(owner, std::move(batch));
    if (done) co_return kept;
    if (!done.error().is(StoreErrc::kConflict)) co_return std::unexpected(done.error());
    CO_TRY_VOID(explain_conflict(owner, static_cast<std::size_t>(kept.added), tries));
  }
}

Task<Result<Note>> MemoryBook::change(WorkspaceId workspace, NoteId id,
                                      std::optional<std::string> text,
                                      std::optional<std::int64_t> importance) {
  if (text) {
    CO_TRY(text, clean_memory_text(*text, "text", kNoteCharacters));
  }
  if (importance) CO_TRY_VOID(check_importance(*importance));
  for (int tries = 1;; ++tries) {
    CO_TRY(const Note old, get(workspace, id));
    if (text) {
      CO_TRY(const auto other, saying(old.owner, note_fingerprint(*text)));
      if (other && other->id != id) co_return fail(same_text(other->id));
    }
    CO_TRY(const std::int64_t number, next_numbers(1));
    Note note = renewed(old, text.value_or(old.text), importance.value_or(old.importance),
                        text ? kFromOwner : std::string_view(old.provenance), number);
    Batch batch;
    add_to(batch, {{note, Kept::kRenewed}, old});
    const auto done = co_await commit(old.owner, std::move(batch));
    if (done) co_return note;
    if (!done.error().is(StoreErrc::kConflict)) co_return std::unexpected(done.error());
    CO_TRY_VOID(explain_conflict(old.owner, 0, tries));
  }
}

Task<Result<void>> MemoryBook::forget(Note note) {
  Batch batch;
  batch.write.statements = {{kDelete, {note.place, note.id.str()}, 1},
                            counting(note.owner, -1, note.untrusted() ? -1 : 0),
                            index_.remove(note.place)};
  auto done = co_await commit(note.owner, std::move(batch));
  if (!done && done.error().is(StoreErrc::kConflict)) {
    done = fail(Errc::kConflict, "this note changed meanwhile; look at it again");
  }
  co_return done;
}

Task<Result<Instructions>> MemoryBook::set_instructions(MemoryOwner owner, std::string text,
                                                        std::string provenance) {
  if (!trim(text).empty()) {
    CO_TRY(text, clean_memory_text(text, "instructions", kKeptInstructionCharacters));
  } else {
    text.clear();
  }
  const auto written = co_await database_.write(
      one(kSetInstructions, {owner.workspace.str(), owner.agent, std::move(text),
                             std::move(provenance), clock_.wall_now().unix_ms}));
  tell(owner);
  if (!written) co_return std::unexpected(written.error());
  co_return instructions(owner);
}

Task<Result<std::int64_t>> MemoryBook::forget_workspace(WorkspaceId workspace) {
  std::int64_t count = 0;
  while (true) {
    CO_TRY(const Rows rows, database_.read({kSomeOfWorkspace,
                                            {workspace.str(), kDeletedRowsAtOnce},
                                            static_cast<std::size_t>(kDeletedRowsAtOnce)}));
    if (rows.empty()) break;
    Batch batch;
    for (const Row& row : rows) {
      batch.write.statements.push_back({kDelete, {row.integer(0), row.text(1)}, {}});
      batch.write.statements.push_back(index_.remove(row.integer(0)));
    }
    CO_TRY_VOID(co_await commit({workspace, ""}, std::move(batch)));
    count += static_cast<std::int64_t>(rows.size());
  }
  CO_TRY(const Rows books, database_.read({kBooksOfWorkspace, {workspace.str()}}));
  CO_TRY_VOID(co_await database_.write(
      Write{{{kDropBooks, {workspace.str()}, {}}, {kDropInstructions, {workspace.str()}, {}}}}));
  for (const Row& row : books) tell({workspace, row.text(0)});
  co_return count;
}

}  // namespace rouse
