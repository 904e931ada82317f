// Exports as downloads: one conversation or a whole workspace, streamed as it is read. If it can't
// be finished the chunked body breaks off, so that no client takes a part for the whole.
#pragma once

#include "gateway/route.h"
#include "session/export/transcript_export.h"

namespace rouse {

class ExportRoutes {
 public:
  ExportRoutes(SessionKernel& kernel, Workspaces& workspaces)
      : kernel_(kernel), workspaces_(workspaces), exports_(kernel, workspaces) {}
  void add_to(RouteTable& table);

 private:
  Result<Response> conversation(Call& call);
  Result<Response> workspace(Call& call);

  SessionKernel& kernel_;
  Workspaces& workspaces_;
  TranscriptExport exports_;
};

// A name for a download made of a title: small ASCII letters, digits and '-', or nothing.
std::string file_slug(std::string_view title);

}  // namespace rouse
