// The files a person writes for their agents: SOUL.md (who the agent is), AGENTS.md (how it works),
// USER.md (whom it works for) and skills/<folder>/SKILL.md. Those of ws_default lie in the data
// folder itself; every other workspace has its own folder, workspaces/<id>/, and never sees the
// owner's (design.md, 1).
//
// They are read again when they were changed: a turn looks at their stamps (time, size, inode), at
// most once a second, and reads only what is different. Nothing here waits, watches or writes.
//
// - A file that isn't there is empty text.
// - One that can't be read, or isn't UTF-8, is a note for a person; what it said before stays.
// - A skill that can't be understood is left out and is a problem with a file and a line; the
//   others work.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/prompt/skill.h"
#include "base/clock.h"
#include "base/ids.h"

namespace rouse {

inline constexpr std::size_t kPersonFileBytes = 64 * 1024;  // the rest of a file is not read
inline constexpr std::size_t kSkillFolders = 64;
inline constexpr std::size_t kPersonFoldersKept = 256;  // workspaces whose files stay in memory

struct PersonText {
  std::string text;
  std::string note;  // what is wrong with the file or was cut; "": nothing
};

struct PersonTexts {
  PersonText soul, agents, user;
  std::vector<Skill> skills;          // in the order of their folders' names
  std::vector<std::string> problems;  // with skills
};

class PersonFiles {
 public:
  PersonFiles(std::string data_dir, Clock& clock) : data_dir_(std::move(data_dir)), clock_(clock) {}

  // Good until the next call.
  const PersonTexts& of(const WorkspaceId& workspace);

 private:
  struct Stamp {
    std::uint64_t inode = 0, size = 0;
    std::int64_t modified_ns = 0, changed_ns = 0;  // the second one sees a chmod
    bool regular = false;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  struct Kept {
    std::optional<Stamp> stamp;  // none: it wasn't there
    PersonText text;
  };
  struct KeptSkill {
    Kept file;
    Skill skill;  // if problem is ""
    std::string problem;
  };
  struct Folder {
    std::string path;
    std::optional<MonoTime> checked;
    MonoTime used;
    Kept soul, agents, user;
    std::map<std::string, KeptSkill> skills;  // by the name of the folder
    std::string skills_problem;
    PersonTexts texts;
  };

  static std::optional<Stamp> stamp_of(const std::string& path);
  static bool refresh(Kept& kept, const std::string& path, const std::string& name);
  static void read(Kept& kept, const std::string& path, const std::string& name);
  static bool refresh_skills(Folder& folder);
  static void parse(KeptSkill& kept, const std::string& name);
  static void collect_skills(Folder& folder);
  static void refresh(Folder& folder);
  Folder& folder_of(const WorkspaceId& workspace);

  std::string data_dir_;
  Clock& clock_;
  std::map<WorkspaceId, Folder> folders_;
};

}  // namespace rouse
