// A skill: a text that tells an agent how to do something, in a file a person writes
// (skills/<folder>/SKILL.md). It begins with a few lines about itself:
//
//   ---
//   name: weekly-report
//   description: How the Friday report is written
//   always_apply: false
//   ---
//   The text itself, Markdown.
//
// Only that much of YAML is read: one `key: value` a line, plain or quoted. What other programs
// keep there (license, metadata …) is passed over; a key that looks like a misspelt one of ours is
// not. Errors name the file and the line.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace rouse {

struct Skill {
  std::string name, description;
  bool always_apply = false;  // its text is in every prompt; else only its name and description
  std::string body;
  std::string file;  // "skills/weekly-report/SKILL.md", for messages
  friend bool operator==(const Skill&, const Skill&) = default;
};

inline constexpr std::size_t kSkillNameBytes = 64;
inline constexpr std::size_t kSkillDescriptionBytes = 1024;

Result<Skill> parse_skill(std::string_view file, std::string_view text);

}  // namespace rouse
