#include "schedule/import/legacy_import.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "session/session_key.h"

namespace rouse {
namespace {

constexpr std::size_t kNotes = 100;

// Both spellings are about: "everyMs" in the file, "every_ms" where its program printed it.
struct ForeignSchedule {
  std::string kind;
  std::optional<std::int64_t> at_ms, at_ms_snake, every_ms, every_ms_snake;
  std::optional<std::string> expr, tz;
};
auto shape(const ForeignSchedule*) {
  return fields(field("kind", &ForeignSchedule::kind, "").one_of({"at", "every", "cron"}),
                field("atMs", &ForeignSchedule::at_ms, ""),
                field("at_ms", &ForeignSchedule::at_ms_snake, ""),
                field("everyMs", &ForeignSchedule::every_ms, ""),
                field("every_ms", &ForeignSchedule::every_ms_snake, ""),
                field("expr", &ForeignSchedule::expr, ""), field("tz", &ForeignSchedule::tz, ""));
}

struct ForeignPayload {
  std::optional<std::string> kind, message, channel, to, session_key, session_key_snake;
  std::optional<bool> deliver;
  std::optional<boost::json::value> channel_meta, channel_meta_snake;
};
auto shape(const ForeignPayload*) {
  return fields(
      field("kind", &ForeignPayload::kind, ""), field("message", &ForeignPayload::message, ""),
      field("channel", &ForeignPayload::channel, ""), field("to", &ForeignPayload::to, ""),
      field("sessionKey", &ForeignPayload::session_key, ""),
      field("session_key", &ForeignPayload::session_key_snake, ""),
      field("deliver", &ForeignPayload::deliver, ""),
      field("channelMeta", &ForeignPayload::channel_meta, ""),
      field("channel_meta", &ForeignPayload::channel_meta_snake, ""));
}

struct ForeignJob {
  std::string id;
  std::optional<std::string> name;
  std::optional<bool> enabled;
  ForeignSchedule schedule;
  ForeignPayload payload;
};
auto shape(const ForeignJob*) {
  return fields(field("id", &ForeignJob::id, "").length(1, 100),
                field("name", &ForeignJob::name, ""), field("enabled", &ForeignJob::enabled, ""),
                field("schedule", &ForeignJob::schedule, ""),
                field("payload", &ForeignJob::payload, ""));
}

struct ForeignFile {
  std::vector<ForeignJob> jobs;
};
auto shape(const ForeignFile*) {
  return fields(field("jobs", &ForeignFile::jobs, "").length(0, kImportedJobs));
}

template <class T>
std::optional<T> first_of(const std::optional<T>& a, const std::optional<T>& b) {
  return a ? a : b;
}

bool says(const std::optional<std::string>& text) { return text && !trim(*text).empty(); }

// An empty object says as little as none.
bool says(const std::optional<boost::json::value>& meta) {
  return meta && !meta->is_null() && !(meta->is_object() && meta->get_object().empty());
}

bool has_delivery_fields(const ForeignPayload& payload) {
  return payload.deliver.value_or(false) || says(payload.channel) || says(payload.to) ||
         says(payload.channel_meta) || says(payload.channel_meta_snake);
}

// S3-06
bool is_of_the_system(const ForeignJob& job) {
  const std::string kind = job.payload.kind.value_or("agent_turn");
  const std::string name = lower_ascii(job.name.value_or(""));
  return kind != "agent_turn" || name == "dream" || name == "heartbeat" || job.id == "dream" ||
         job.id == "heartbeat";
}

Result<Schedule> schedule_of(const ForeignSchedule& from) {
  Schedule schedule{.zone = from.tz.value_or("")};
  if (from.kind == "at") {
    const auto at = first_of(from.at_ms, from.at_ms_snake);
    if (!at) return fail(Errc::kInvalid, "'schedule.atMs' is missing");
    schedule.kind = ScheduleKind::kAt;
    schedule.at = {*at};
  } else if (from.kind == "every") {
    const auto every = first_of(from.every_ms, from.every_ms_snake);
    if (!every) return fail(Errc::kInvalid, "'schedule.everyMs' is missing");
    schedule.kind = ScheduleKind::kEvery;
    schedule.every = {*every};
  } else {
    if (!says(from.expr)) return fail(Errc::kInvalid, "'schedule.expr' is missing");
    schedule.expr = *from.expr;
  }
  return schedule;
}

// Why it is not taken over, or "".
std::string why_not(const ForeignJob& job, const JobWish& wish, WallTime now) {
  if (is_of_the_system(job)) return "it is one of the other system's own";
  if (wish.schedule.kind == ScheduleKind::kAt && wish.schedule.at <= now) return "its time is over";
  if (trim(wish.message).empty()) return "it has no message";
  if (wish.kind == JobKind::kBound && !SessionKey::parse(wish.session_key)) {
    return fmt::format("its session key '{}' is none", utf8_prefix(wish.session_key, 80));
  }
  return "";
}

Result<JobWish> wish_of(const WorkspaceId& workspace, const ForeignJob& job) {
  const ForeignPayload& payload = job.payload;
  JobWish wish{.workspace = workspace,
               .name = std::string(utf8_prefix(trim(job.name.value_or("")), kJobNameBytes)),
               .message = payload.message.value_or(""),
               .source = "import",
               .key = "import:" + job.id,
               .enabled = job.enabled.value_or(true)};
  TRY(wish.schedule, schedule_of(job.schedule));
  const auto session_key = first_of(payload.session_key, payload.session_key_snake);
  if (says(session_key) && !has_delivery_fields(payload)) {
    wish.session_key = *session_key;
    return wish;
  }
  wish.kind = JobKind::kLegacy;
  wish.extra.legacy =
      LegacyDelivery{.deliver = payload.deliver, .channel = payload.channel, .to = payload.to};
  return wish;
}

void note(std::vector<std::string>& notes, const std::string& id, std::string_view why) {
  if (notes.size() < kNotes) {
    notes.push_back(fmt::format("'{}' was left out: {}", utf8_prefix(id, 100), why));
  }
}

}  // namespace

Result<ForeignJobs> read_foreign_jobs(const WorkspaceId& workspace, std::string_view text,
                                      WallTime now) {
  if (text.size() > kImportedFileBytes) {
    return fail(Errc::kTooLarge, fmt::format("the file has {} bytes; at most {} are read",
                                             text.size(), kImportedFileBytes));
  }
  TRY(const ForeignFile file, decode_json<ForeignFile>(text));
  ForeignJobs out;
  for (const ForeignJob& job : file.jobs) {
    auto wish = wish_of(workspace, job);
    if (!wish) return fail(wrap(fmt::format("job '{}'", job.id), wish.error()));
    const std::string why = why_not(job, *wish, now);
    if (why.empty()) {
      out.wishes.push_back(std::move(*wish));
    } else {
      ++out.skipped;
      note(out.notes, job.id, why);
    }
  }
  return out;
}

Task<Result<JobImport>> import_foreign_jobs(JobBook& book, WorkspaceId workspace, std::string text,
                                            WallTime now) {
  CO_TRY(ForeignJobs found, read_foreign_jobs(workspace, text, now));
  for (const JobWish& wish : found.wishes) {
    if (auto checked = book.check(wish); !checked) {
      co_return fail(wrap(fmt::format("job '{}'", wish.key->substr(7)), checked.error()));
    }
  }
  JobImport out{.skipped = found.skipped, .notes = std::move(found.notes)};
  for (JobWish& wish : found.wishes) {
    const std::string id = wish.key->substr(7);
    const auto made = co_await book.create(std::move(wish));
    if (!made && made.error().is(JobErrc::kRemoved)) {  // not brought back behind one's back
      ++out.skipped;
      note(out.notes, id, made.error().message);
      continue;
    }
    if (!made) co_return fail(wrap(fmt::format("job '{}'", id), made.error()));
    ++(made->existed ? out.existed : out.added);
  }
  co_return out;
}

}  // namespace rouse
