// Projects: places on this machine a conversation can be about, by a short key ("rouse"), a name
// for people and a path. Those of rouse.yaml belong to the owner's workspace and stand above those
// made through the API: while a key stands in both, the file's is in force and the other one waits.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "store/database.h"

namespace rouse {

enum class ProjectErrc : std::uint8_t {
  kNotFound,    // "project_not_found"
  kConfigured,  // "project_in_config": it stands in rouse.yaml and is changed there
};
ErrorInfo error_info(ProjectErrc code);

inline constexpr std::size_t kProjectsPerWorkspace = 500;

struct Project {
  std::string key;
  std::string alias;  // what people call it; the key if nobody said
  std::string path;
  friend bool operator==(const Project&, const Project&) = default;
};

// 1 to 64 of a-z, 0-9, '_' and '-': the name of a project or an agent. `field` is for the message.
Result<void> check_short_name(std::string_view field, std::string_view name);
// Key, alias and path; an empty alias becomes the key.
Result<Project> check_project(Project project);

class Projects {
 public:
  Projects(Database& database, Clock& clock) : database_(database), clock_(clock) {}

  // What rouse.yaml names now; checked by whoever read it.
  void configure(std::vector<Project> from_config);

  struct Listed {
    Project project;
    bool from_config = false;
    std::optional<std::string> hidden_path;  // of the stored one that the config stands above
  };
  Result<Listed> get(const WorkspaceId& workspace, const std::string& key);
  // Makes it or replaces it. Refused for a key that stands in rouse.yaml.
  Task<Result<Project>> put(WorkspaceId workspace, Project project);
  Task<Result<void>> remove(WorkspaceId workspace, std::string key);
  // In order of their keys, after the given one.
  Task<Result<std::vector<Listed>>> list(WorkspaceId workspace, std::string after,
                                         std::size_t limit);

 private:
  [[nodiscard]] const Project* configured(const WorkspaceId& workspace,
                                          const std::string& key) const;
  Result<std::optional<Project>> stored(const WorkspaceId& workspace, const std::string& key);

  Database& database_;
  Clock& clock_;
  std::map<std::string, Project> configured_;
};

}  // namespace rouse
