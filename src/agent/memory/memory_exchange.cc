#include "agent/memory/memory_exchange.h"

#include "agent/memory/memory_file.h"
#include "session/content.h"

namespace rouse {
namespace {

constexpr std::size_t kNotesPerPiece = 200;

}  // namespace

Task<Result<void>> export_memory(MemoryBook& book, MemoryOwner owner,
                                 std::function<Task<Result<void>>(std::string)> out) {
  CO_TRY(const Instructions instructions, book.instructions(owner));
  std::string piece(memory_file_begin());
  std::optional<std::int64_t> before;
  for (bool more = true; more;) {
    CO_TRY(const auto notes, co_await book.page(owner, before, kNotesPerPiece));
    for (const Note& note : notes) piece += memory_file_line(note);
    more = notes.size() == kNotesPerPiece;
    if (more) {
      before = notes.back().place;
    } else {
      piece += memory_file_end(instructions.in_force());
    }
    CO_TRY_VOID(co_await out(std::exchange(piece, {})));
  }
  co_return Result<void>{};
}

Task<Result<MemoryImport>> import_memory(MemoryBook& book, MemoryOwner owner,
                                         std::string markdown) {
  CO_TRY(MemoryFile file, parse_memory_file(markdown));
  MemoryImport out;
  CO_TRY(out.notes, co_await book.save_all(owner, std::move(file.notes)));
  CO_TRY(const Instructions now, book.instructions(owner));
  if (!file.instructions.empty() && file.instructions != now.in_force()) {
    CO_TRY_VOID(co_await book.set_instructions(owner, std::move(file.instructions),
                                               std::string(kFromOwner)));
    out.instructions_changed = true;
  }
  co_return out;
}

}  // namespace rouse
