// Exports: a whole conversation across its sessions, or every conversation of a workspace, as JSONL
// for programs or Markdown for people. Read in pages and handed out piece by piece, so that memory
// stays small however long it is. An export that can't be whole ends with an error and without its
// last line; nobody can take a part for the whole.
#pragma once

#include <functional>
#include <string>

#include "session/export/transcript_text.h"
#include "session/session_kernel.h"

namespace rouse {

enum class ExportFormat : std::uint8_t { kJsonl, kMarkdown };

class TranscriptExport {
 public:
  // Takes the next piece and answers when the reader can take more; an error ends the export.
  using Out = std::function<Task<Result<void>>(std::string)>;

  TranscriptExport(SessionKernel& kernel, Workspaces& workspaces)
      : kernel_(kernel), workspaces_(workspaces) {}

  Task<Result<void>> conversation(Conversation conversation, ExportFormat format, Out out);
  Task<Result<void>> workspace(WorkspaceId workspace, ExportFormat format, Out out);

 private:
  class Walk;
  Task<Result<std::int64_t>> one_of_many(Conversation conversation, ExportFormat format,
                                         const Out& out);
  SessionKernel& kernel_;
  Workspaces& workspaces_;
};

}  // namespace rouse
