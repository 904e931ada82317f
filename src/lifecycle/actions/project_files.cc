#include "lifecycle/actions/project_files.h"

#include <fmt/format.h>

namespace rouse::actions {
namespace {

constexpr std::size_t kPage = 500;

}  // namespace

void say_in_trace(ActionCall& call, std::string_view words) {
  if (!call.end.detail.empty()) call.end.detail += ", ";
  call.end.detail += words;
}

std::optional<SyncPlace> shared_file(ActionCall& call, std::string_view usual) {
  const TurnContext& turn = call.event.turn;
  if (turn.stranger || turn.project_folder.empty()) {
    say_in_trace(call, turn.stranger ? "nothing to do: a stranger's turn"
                                     : "nothing to do: the conversation has no project");
    return std::nullopt;
  }
  return SyncPlace{call.hands.data_dir, turn.project_folder, call.arguments.text("path", usual)};
}

Task<Result<std::optional<std::string>>> read_beside(ActionCall& call, SyncPlace place) {
  const std::string path = place.path;
  const std::function<Result<std::optional<std::string>>()> work = [place = std::move(place)] {
    return read_sync_file(place);
  };
  auto file = co_await run_beside(call.hands.pool, work);
  if (file && !*file) say_in_trace(call, fmt::format("there is no {}", path));
  co_return file;
}

MemoryOwner memory_owner(const ActionCall& call) {
  return {call.event.turn.workspace, call.event.turn.agent};
}

Task<Result<std::vector<Note>>> notes_to_share(ActionCall& call) {
  CO_TRY(MemoryBook * book, need(call.hands.memory, "the memory"));
  const MemoryOwner owner = memory_owner(call);
  std::vector<Note> out;
  std::optional<std::int64_t> before;
  while (out.size() < kSyncFileLines) {
    CO_TRY(std::vector<Note> page, co_await book->page(owner, before, kPage));
    const bool more = page.size() == kPage;
    if (more) before = page.back().place;
    std::ranges::move(page, std::back_inserter(out));
    if (!more) break;
  }
  co_return out;
}

Result<std::optional<std::string>> project_of(ActionCall& call) {
  TRY(SessionKernel * kernel, need(call.hands.kernel, "the conversation"));
  TRY(const Conversation conversation,
      kernel->conversations().get(call.event.turn.workspace, call.event.turn.conversation));
  return conversation.project;
}

void say_imported(ActionCall& call, const std::string& path, const Imported& done) {
  std::string words = fmt::format("{}: {} added, {} renewed", path, done.added, done.renewed);
  if (done.without_room > 0) words += fmt::format(", {} without room", done.without_room);
  if (!done.troubles.empty()) words += ", " + done.troubles;
  say_in_trace(call, words);
}

}  // namespace rouse::actions
