// heartbeat.json: how often the agent looks around, when, and where it speaks up. The file is the
// person's: rouse reads it again when it changes and never writes into it; when the next beat is
// due stands in the store, so a `nextRunAt` in the file is ignored (S2-20, S2-25).
//
// Without a file the owner has one heartbeat, every 30 minutes between 07:00 and 23:00. A file that
// can't be understood changes nothing: the error names the field and what to do about it. An
// unknown field is an error, too: a misspelt cap would silently be none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/day_hours.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"

namespace rouse {

inline constexpr std::string_view kHeartbeatFile = "heartbeat.json";
inline constexpr std::string_view kOrdersFile = "heartbeat-prompt.md";
inline constexpr std::size_t kHeartbeatFileBytes = 64 * 1024;
inline constexpr std::size_t kOrdersBytes = 16 * 1024;
inline constexpr std::size_t kHeartbeatsOfWorkspace = 20;
inline constexpr Millis kShortestInterval = minutes(1), kLongestInterval = hours(24);

struct HeartbeatSettings {
  std::string name = {};  // "": the one without a name
  bool enabled = true;    // an interval of 0 is off, too (HB-6)
  Millis interval = minutes(30);
  std::optional<DayHours> hours = DayHours{7 * 60, 23 * 60};  // none: the whole day
  std::string zone = {};                                      // of the hours; "": the workspace's
  std::optional<std::string> project = {};                    // a key: only what happened there
  std::string conversation = {};    // what a wake wakes: a session key, an id, an alias; "": none
  std::string agent = {};           // who looks; answers where the conversation begins by a wake
  std::string model = "cheap";      // a role of `models:`
  std::int64_t ack_max = 0;         // letters beside HEARTBEAT_OK that still mean nothing
  Millis quiet_after = minutes(5);  // of a person's message
  std::optional<std::int64_t> day_micros = {};  // what it may cost a day
  std::optional<std::int64_t> day_calls = {};   // how often it may ask a model a day
  std::string orders = std::string(kOrdersFile);
  friend bool operator==(const HeartbeatSettings&, const HeartbeatSettings&) = default;
};

// "heartbeat", or "heartbeat-NAME".
std::string heartbeat_job_id(std::string_view name);
// The name in such an id; none: it is another job's.
std::optional<std::string> heartbeat_name(std::string_view job_id);

struct HeartbeatFile {
  std::vector<HeartbeatSettings> heartbeats;
  std::vector<std::string> notices = {};  // what is worth a line in the log
};
// One heartbeat, or {"heartbeats": [...]} with names that differ; what stands beside the list is
// the default for those in it.
Result<HeartbeatFile> read_heartbeat_file(std::string_view text);
// What holds without a file: one for the owner, none for anybody else.
HeartbeatFile usual_heartbeats(const WorkspaceId& workspace);

// A file of a workspace's folder: the data folder for the owner, workspaces/<id>/ for others. None:
// it isn't there.
Result<std::optional<std::string>> read_workspace_file(const std::string& data_dir,
                                                       const WorkspaceId& workspace,
                                                       const std::string& name, std::size_t most);

}  // namespace rouse
