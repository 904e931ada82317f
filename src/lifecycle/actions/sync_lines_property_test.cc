// Merging is a join: the order, the grouping and the number of merges don't matter, and no key is
// lost.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "lifecycle/actions/memory_lines.h"
#include "lifecycle/actions/task_lines.h"
#include "session/content.h"

namespace rouse {
namespace {

constexpr WallTime kNow{1'767'225'600'000};

WallTime some_time() { return {kNow.unix_ms - *rc::gen::inRange(0, 5) * 1000}; }

NoteLine some_note() {
  return {.text = "note " + std::to_string(*rc::gen::inRange(0, 4)) +
                  *rc::gen::element<std::string>("", "a", "A"),
          .importance = *rc::gen::inRange(1, 6),
          .provenance = *rc::gen::element<std::string>("owner", "agent", "untrusted"),
          .created = some_time(),
          .updated = some_time()};
}

TaskLine some_task() {
  TaskLine out{.id = "task_" + std::to_string(*rc::gen::inRange(0, 4)),
               .title = *rc::gen::element<std::string>("one", "two"),
               .detail = {},
               .state = *rc::gen::element<std::string>("open", "claimed", "done", "closed"),
               .provenance = *rc::gen::element<std::string>("owner", "untrusted"),
               .created = {1},
               .updated = some_time()};
  if (out.state == "done" || out.state == "closed") out.ended = out.updated;
  return out;
}

template <class Record>
std::string file_of(Record (*some)()) {
  std::string out;
  const int count = *rc::gen::inRange(0, 6);
  for (int i = 0; i < count; ++i) out += some().write() + "\n";
  return out;
}

template <class Record>
std::string merged(const std::string& a, const std::string& b) {
  auto lines = read_sync_lines<Record>(a, kNow);
  for (const auto& [key, line] : read_sync_lines<Record>(b, kNow).by_key) {
    lines.take(line.record, line.text);
  }
  return lines.text();
}

template <class Record>
void is_a_join(Record (*some)()) {
  const std::string a = file_of(some), b = file_of(some), c = file_of(some);
  RC_ASSERT(merged<Record>(a, b) == merged<Record>(b, a));
  RC_ASSERT(merged<Record>(merged<Record>(a, b), c) == merged<Record>(a, merged<Record>(b, c)));
  const std::string once = merged<Record>(a, b);
  RC_ASSERT(merged<Record>(once, a) == once);
  const auto all = read_sync_lines<Record>(once, kNow);
  for (const std::string& file : {a, b}) {
    for (const auto& [key, line] : read_sync_lines<Record>(file, kNow).by_key) {
      RC_ASSERT(all.by_key.contains(key));
    }
  }
}

RC_GTEST_PROP(SyncLines, NotesMergeInAnyOrder, ()) { is_a_join<NoteLine>(some_note); }
RC_GTEST_PROP(SyncLines, TasksMergeInAnyOrder, ()) { is_a_join<TaskLine>(some_task); }

RC_GTEST_PROP(SyncLines, ALineIsReadAsItWasWritten, ()) {
  const NoteLine note = some_note();
  RC_ASSERT(*NoteLine::read(note.write()) == note);
  const TaskLine task = some_task();
  RC_ASSERT(*TaskLine::read(task.write()) == task);
}

RC_GTEST_PROP(SyncLines, AnyBytesAreLinesOfSomeKind, (const std::string& bytes)) {
  const auto lines = read_sync_lines<NoteLine>(bytes, kNow);
  RC_ASSERT(lines.by_key.empty());
  const auto again = read_sync_lines<NoteLine>(lines.text(), kNow);
  RC_ASSERT(again.broken == lines.broken);
}

}  // namespace
}  // namespace rouse
