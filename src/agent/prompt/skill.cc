#include "agent/prompt/skill.h"

#include <array>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/text.h"

namespace rouse {
namespace {

constexpr std::array<std::string_view, 3> kKeys = {"name", "description", "always_apply"};

Result<std::string> unquoted(std::string_view value) {
  const char quote = value.front();
  std::string out;
  for (std::size_t i = 1; i < value.size(); ++i) {
    const bool doubled = quote == '\'' && value.substr(i).starts_with("''");
    const bool escaped = quote == '"' && value[i] == '\\' && i + 1 < value.size();
    if (escaped && value[i + 1] != '"' && value[i + 1] != '\\') {
      return fail(Errc::kInvalid, "only \\\" and \\\\ can be written with a backslash");
    }
    if (doubled || escaped) {
      out += value[++i];
    } else if (value[i] == quote) {
      const std::string_view rest = trim(value.substr(i + 1));
      if (rest.empty() || rest.starts_with('#')) return out;
      return fail(Errc::kInvalid, "something stands behind the closing quote");
    } else {
      out += value[i];
    }
  }
  return fail(Errc::kInvalid, fmt::format("the closing {} is missing", quote));
}

Result<std::string> scalar(std::string_view raw) {
  const std::string_view value = trim(raw);
  if (value.empty() || value.starts_with('#')) return std::string();
  if (value.front() == '"' || value.front() == '\'') return unquoted(value);
  if (value.starts_with('|') || value.starts_with('>')) {
    return fail(Errc::kInvalid, "it must stand on one line");
  }
  if (std::string_view("[]{}&*!%@`,").find(value.front()) != std::string_view::npos) {
    return fail(Errc::kInvalid,
                fmt::format("a text that begins with {} needs quotes around it", value.front()));
  }
  return std::string(trim(value.substr(0, value.find(" #"))));
}

class SkillReader {
 public:
  SkillReader(std::string_view file, std::string_view text) : lines_(split(text, '\n')) {
    skill_.file = file;
  }

  Result<Skill> read() {
    if (lines_.empty() || trim(lines_[0]) != "---") {
      return wrong(1, "a skill begins with a line ---, then name: and description:, then ---");
    }
    std::size_t at = 1;
    for (; at < lines_.size() && trim(lines_[at]) != "---"; ++at) TRY_VOID(take(at));
    if (at == lines_.size()) return wrong(1, "the front matter is not closed; it needs a line ---");
    if (skill_.name.empty()) return wrong(1, "the front matter needs a name");
    if (skill_.description.empty()) return wrong(1, "the front matter needs a description");
    read_body(at + 1);
    if (skill_.body.empty()) return wrong(at + 1, "there is no text below the front matter");
    return skill_;
  }

 private:
  [[nodiscard]] std::unexpected<Error> wrong(std::size_t line, std::string_view what) const {
    return fail(Errc::kInvalid, fmt::format("{} line {}: {}", skill_.file, line, what));
  }

  Result<void> take(std::size_t at) {
    const std::string_view line = lines_[at];
    if (trim(line).empty() || trim(line).starts_with('#')) return {};
    if (line.front() == ' ' || line.front() == '\t' || line.starts_with("- ")) {
      if (below_foreign_key_) return {};
      return wrong(at + 1, "a key must stand at the beginning of the line");
    }
    const std::size_t colon = line.find(':');
    const std::string key(trim(line.substr(0, colon)));
    const bool separated =
        colon != std::string_view::npos &&
        (colon + 1 == line.size() || line[colon + 1] == ' ' || line[colon + 1] == '\r');
    if (!separated || key.empty()) return wrong(at + 1, "this must be 'key: value'");
    if (!seen_.insert(key).second) return wrong(at + 1, fmt::format("'{}' is here twice", key));
    return take(at, key, line.substr(colon + 1));
  }

  Result<void> take(std::size_t at, const std::string& key, std::string_view raw) {
    below_foreign_key_ = std::ranges::find(kKeys, key) == kKeys.end();
    if (below_foreign_key_) {
      const auto near = nearest(key, kKeys);
      if (!near) return {};
      return wrong(at + 1, fmt::format("'{}' is unknown; did you mean '{}'?", key, *near));
    }
    const auto value = scalar(raw);
    if (!value) return wrong(at + 1, fmt::format("'{}': {}", key, value.error().message));
    if (key == "always_apply") return take_flag(at, *value);
    const bool is_name = key == "name";
    const std::size_t most = is_name ? kSkillNameBytes : kSkillDescriptionBytes;
    if (value->empty() || value->size() > most) {
      return wrong(at + 1, fmt::format("'{}' must have 1 to {} bytes", key, most));
    }
    (is_name ? skill_.name : skill_.description) = *value;
    return {};
  }

  Result<void> take_flag(std::size_t at, std::string_view value) {
    if (value != "true" && value != "false") {
      return wrong(at + 1, "'always_apply' must be true or false");
    }
    skill_.always_apply = value == "true";
    return {};
  }

  void read_body(std::size_t from) {
    std::string body;
    for (std::size_t i = from; i < lines_.size(); ++i) {
      std::string_view line = lines_[i];
      if (line.ends_with('\r')) line.remove_suffix(1);
      body.append(line).push_back('\n');
    }
    skill_.body = trim(body);
  }

  std::vector<std::string_view> lines_;
  std::set<std::string> seen_;
  bool below_foreign_key_ = false;
  Skill skill_;
};

}  // namespace

Result<Skill> parse_skill(std::string_view file, std::string_view text) {
  return SkillReader(file, text).read();
}

}  // namespace rouse
