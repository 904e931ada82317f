#include "lifecycle/actions/memory_lines.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "base/json.h"
#include "session/content.h"

namespace rouse {
namespace {

struct NoteJson {
  std::string text;
  std::int64_t importance = kUsualImportance;
  std::string provenance, created_at, updated_at;
};
auto shape(const NoteJson*) {
  return fields(field("text", &NoteJson::text, ""), field("importance", &NoteJson::importance, ""),
                field("provenance", &NoteJson::provenance, ""),
                field("created_at", &NoteJson::created_at, ""),
                field("updated_at", &NoteJson::updated_at, ""));
}

bool says_the_same(const NoteLine& a, const NoteLine& b) {
  return a.text == b.text && a.importance == b.importance;
}

bool is_untrusted(const NoteLine& line) { return line.provenance == kFromUntrusted; }

}  // namespace

Result<NoteLine> NoteLine::read(std::string_view line) {
  TRY(const NoteJson json, decode_json<NoteJson>(line));
  NoteLine out;
  TRY(out.text, clean_memory_text(json.text, "text", kNoteCharacters));
  TRY_VOID(check_importance(json.importance));
  out.importance = json.importance;
  out.provenance = is_provenance(json.provenance) ? json.provenance : std::string(kFromUntrusted);
  TRY(out.created, from_iso(json.created_at));
  TRY(out.updated, from_iso(json.updated_at));
  return out;
}

NoteLine NoteLine::of(const Note& note) {
  return {note.text, note.importance, note.provenance, note.created, note.updated};
}

std::string NoteLine::write() const {
  return encode_json(NoteJson{text, importance, provenance, to_iso(created), to_iso(updated)});
}

bool NoteLine::beats(const NoteLine& other) const {
  const auto rank = [](const NoteLine& line) {
    return std::tie(line.updated, line.text, line.importance, line.provenance, line.created);
  };
  return rank(*this) > rank(other);
}

NoteExport export_notes(std::string_view file, const std::vector<Note>& notes, WallTime now) {
  auto lines = read_sync_lines<NoteLine>(file, now);
  NoteExport out{.text = {}, .troubles = troubles_of(lines)};
  // Whoever can't read all of a file must not write it.
  if (lines.left_out > 0) {
    out.text = file;
    out.without_room = notes.size();
    return out;
  }
  std::size_t bytes = lines.text().size();
  for (const Note& note : notes) {
    NoteLine line = NoteLine::of(note);
    const auto known = lines.by_key.find(line.key());
    if (known == lines.by_key.end()) {
      std::string text = line.write();
      const bool has_room = lines.by_key.size() + lines.broken.size() < kSyncFileLines &&
                            bytes + text.size() + 1 <= kSyncFileBytes;
      if (!has_room) {
        ++out.without_room;
        continue;
      }
      bytes += text.size() + 1;
      lines.take(std::move(line), std::move(text));
      ++out.added;
      continue;
    }
    const NoteLine& there = known->second.record;
    if (says_the_same(line, there)) {
      // The same words, found again here: the line stays, unless it claims more than we know.
      if (!is_untrusted(line) || is_untrusted(there)) continue;
      line.created = there.created;
      line.updated = there.updated;
      std::string text = line.write();
      known->second = {std::move(line), std::move(text)};
      ++out.renewed;
      continue;
    }
    line.created = std::min(line.created, there.created);
    std::string text = line.write();
    if (lines.take(std::move(line), std::move(text))) ++out.renewed;
  }
  out.text = lines.text();
  return out;
}

NoteImport import_notes(std::string_view file, const std::vector<Note>& known, WallTime now) {
  const auto lines = read_sync_lines<NoteLine>(file, now);
  std::unordered_map<std::string, const Note*> here;
  for (const Note& note : known) here.emplace(note_fingerprint(note.text), &note);
  std::vector<const NoteLine*> wanted;
  for (const auto& [key, line] : lines.by_key) {
    const auto found = here.find(key);
    const bool is_better =
        found == here.end() || (line.record.updated > found->second->updated &&
                                !says_the_same(line.record, NoteLine::of(*found->second)));
    if (is_better) wanted.push_back(&line.record);
  }
  std::ranges::sort(wanted, [](const NoteLine* a, const NoteLine* b) { return a->beats(*b); });
  NoteImport out{.drafts = {}, .troubles = troubles_of(lines)};
  for (const NoteLine* line : wanted) {
    const auto found = here.find(line->key());
    // What is kept here already stays as trusted as it is; all else is somebody's word.
    out.drafts.push_back({.text = line->text,
                          .importance = line->importance,
                          .provenance = found == here.end() ? std::string(kFromUntrusted)
                                                            : found->second->provenance});
  }
  return out;
}

}  // namespace rouse
