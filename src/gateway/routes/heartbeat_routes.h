// Heartbeats over the API: how they stand, what became of each beat, a beat now, and the two files
// that a person edits. A file is saved as the person wrote it, whole or not at all; one that can't
// be understood, or that somebody changed meanwhile, is refused and nothing is written (rule 9).
#pragma once

#include "gateway/route.h"
#include "gateway/routes/heartbeat_views.h"
#include "session/workspaces.h"

namespace rouse {

class HeartbeatRoutes {
 public:
  HeartbeatRoutes(Heartbeat& heartbeat, JobBook& book, OccurrenceLedger& ledger,
                  Workspaces& workspaces, Clock& clock, std::string data_dir)
      : heartbeat_(heartbeat),
        book_(book),
        ledger_(ledger),
        workspaces_(workspaces),
        clock_(clock),
        data_dir_(std::move(data_dir)) {}
  void add_to(RouteTable& table);
  // Told after a file was saved and is in force: the problem with it, or "" (the health board's).
  void on_saved(std::function<void(const WorkspaceId&, const std::string&)> told) {
    on_saved_ = std::move(told);
  }

 private:
  Task<Result<HeartbeatsView>> show(Call& call);
  Task<Result<HeartbeatsView>> save_settings(Call& call, HeartbeatSave wanted);
  Task<Result<HeartbeatsView>> save_orders(Call& call, HeartbeatSave wanted);
  Task<Result<BeatView>> run(Call& call, BeatAsk wanted);
  Task<Result<BeatPage>> history(Call& call);

  Task<Result<HeartbeatsView>> all_of(WorkspaceId workspace, bool with_files);
  Task<Result<HeartbeatsView>> put(WorkspaceId workspace, std::string name, HeartbeatSave wanted);
  Result<HeartbeatFileView> file_of(const WorkspaceId& workspace, const std::string& name,
                                    std::size_t most, std::string_view otherwise);
  [[nodiscard]] std::string folder_of(const WorkspaceId& workspace) const;

  Heartbeat& heartbeat_;
  JobBook& book_;
  OccurrenceLedger& ledger_;
  Workspaces& workspaces_;
  Clock& clock_;
  std::string data_dir_;
  std::function<void(const WorkspaceId&, const std::string&)> on_saved_;
};

}  // namespace rouse
