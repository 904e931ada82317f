#include "agent/prompt/person_files.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <sys/stat.h>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "session/workspaces.h"

namespace rouse {
namespace {

constexpr Millis kCheckEvery = seconds(1);

// A note is read by whoever the workspace belongs to: it names the file, not where the server
// keeps it.
std::string reason_of(const Error& error, const std::string& path) {
  const std::size_t at = error.message.find(path + ": ");
  return at == std::string::npos ? error.message : error.message.substr(at + path.size() + 2);
}

std::string_view without_byte_order_mark(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
}

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

struct FolderNames {
  std::vector<std::string> names;  // in order
  std::string problem;
};

FolderNames skill_folders(const std::string& path) {
  namespace fs = std::filesystem;
  FolderNames out;
  std::error_code failed;
  fs::directory_iterator at(path, failed);
  if (failed == std::errc::no_such_file_or_directory) return out;
  for (; !failed && at != fs::directory_iterator(); at.increment(failed)) {
    std::string name = at->path().filename().string();
    if (name.starts_with('.') || !is_utf8(name)) continue;
    out.names.push_back(std::move(name));
  }
  if (failed) out.problem = fmt::format("skills can't be read: {}", failed.message());
  std::ranges::sort(out.names);
  if (out.names.size() > kSkillFolders) {
    out.problem = fmt::format("there are {} skills; only the first {} are used", out.names.size(),
                              kSkillFolders);
    out.names.resize(kSkillFolders);
  }
  return out;
}

}  // namespace

std::optional<PersonFiles::Stamp> PersonFiles::stamp_of(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) {
    // Anything but "it isn't there" is found again, with its reason, by whoever reads it.
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    return Stamp{.regular = true};
  }
  return Stamp{.inode = info.st_ino,
               .size = static_cast<std::uint64_t>(info.st_size),
               .modified_ns = nanoseconds(info.st_mtim),
               .changed_ns = nanoseconds(info.st_ctim),
               .regular = S_ISREG(info.st_mode)};
}

// Says whether anything is different from the last time.
bool PersonFiles::refresh(Kept& kept, const std::string& path, const std::string& name) {
  const auto stamp = stamp_of(path);
  if (stamp == kept.stamp) return false;
  kept.stamp = stamp;
  if (stamp) {
    read(kept, path, name);
  } else {
    kept.text = {};
  }
  return true;
}

void PersonFiles::read(Kept& kept, const std::string& path, const std::string& name) {
  const auto keep = [&](std::string_view why) {
    kept.text.note = fmt::format("{} can't be read: {}{}", name, why,
                                 kept.text.text.empty() ? "" : "; what it said before is used");
  };
  if (!kept.stamp->regular) return keep("it is not a file");
  const auto content = read_file_range(path, 0, kPersonFileBytes + 1);
  if (!content) return keep(reason_of(content.error(), path));
  const std::string_view text = utf8_prefix(*content, kPersonFileBytes);
  if (!is_utf8(text)) return keep("it is not UTF-8");
  kept.text = {std::string(trim(without_byte_order_mark(text))), ""};
  if (content->size() > kPersonFileBytes) {
    kept.text.note = fmt::format("{} is {} bytes long; only the first {} are used", name,
                                 kept.stamp->size, kPersonFileBytes);
  }
}

void PersonFiles::parse(KeptSkill& kept, const std::string& name) {
  auto skill = parse_skill(name, kept.file.text.text);
  kept.problem = skill ? "" : skill.error().message;
  if (skill) kept.skill = std::move(*skill);
}

bool PersonFiles::refresh_skills(Folder& folder) {
  FolderNames found = skill_folders(folder.path + "/skills");
  bool changed = found.problem != folder.skills_problem;
  folder.skills_problem = std::move(found.problem);
  changed |= std::erase_if(folder.skills, [&](const auto& entry) {
               return !std::ranges::binary_search(found.names, entry.first);
             }) > 0;
  for (const std::string& one : found.names) {
    const std::string name = fmt::format("skills/{}/SKILL.md", one);
    KeptSkill& kept = folder.skills[one];
    if (!refresh(kept.file, fmt::format("{}/{}", folder.path, name), name)) continue;
    changed = true;
    parse(kept, name);
  }
  return changed;
}

void PersonFiles::collect_skills(Folder& folder) {
  folder.texts.skills.clear();
  folder.texts.problems.clear();
  const auto complain = [&](std::string problem) {
    if (!problem.empty()) folder.texts.problems.push_back(std::move(problem));
  };
  complain(folder.skills_problem);
  std::map<std::string, std::string> taken;  // name -> file
  for (const auto& [name, kept] : folder.skills) {
    complain(kept.file.text.note);
    if (kept.file.text.text.empty() && (!kept.file.stamp || !kept.file.text.note.empty())) continue;
    complain(kept.problem);
    if (!kept.problem.empty()) continue;
    const auto [other, fresh] = taken.emplace(kept.skill.name, kept.skill.file);
    if (fresh) {
      folder.texts.skills.push_back(kept.skill);
    } else {
      complain(fmt::format("{}: the name '{}' is taken by {}", kept.skill.file, kept.skill.name,
                           other->second));
    }
  }
}

void PersonFiles::refresh(Folder& folder) {
  const auto text = [&](Kept& kept, const std::string& name, PersonText& shown) {
    if (refresh(kept, fmt::format("{}/{}", folder.path, name), name)) shown = kept.text;
  };
  text(folder.soul, "SOUL.md", folder.texts.soul);
  text(folder.agents, "AGENTS.md", folder.texts.agents);
  text(folder.user, "USER.md", folder.texts.user);
  if (refresh_skills(folder)) collect_skills(folder);
}

PersonFiles::Folder& PersonFiles::folder_of(const WorkspaceId& workspace) {
  if (folders_.size() >= kPersonFoldersKept && !folders_.contains(workspace)) {
    folders_.erase(std::ranges::min_element(folders_, {},
                                            [](const auto& entry) { return entry.second.used; }));
  }
  const auto [at, made] = folders_.try_emplace(workspace);
  at->second.used = clock_.mono_now();
  if (made) {
    at->second.path = workspace == Workspaces::default_id()
                          ? data_dir_
                          : fmt::format("{}/workspaces/{}", data_dir_, workspace.str());
  }
  return at->second;
}

const PersonTexts& PersonFiles::of(const WorkspaceId& workspace) {
  Folder& folder = folder_of(workspace);
  const MonoTime now = clock_.mono_now();
  if (!folder.checked || now - *folder.checked >= kCheckEvery) {
    folder.checked = now;
    refresh(folder);
  }
  return folder.texts;
}

}  // namespace rouse
