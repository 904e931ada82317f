#include "tool/files/file_tools.h"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "tool/files/work_folder.h"
#include "tool/visible_text.h"

namespace rouse {
namespace {

constexpr std::size_t kReadBytes = 60 * 1024;  // a call; with its note it fits a tool's result
constexpr std::size_t kWriteBytes = 1 << 20;   // a call
constexpr std::size_t kFileGrowsTo = 8 << 20;  // by appending
constexpr std::size_t kListed = 1000;
constexpr std::size_t kNameShown = 300;

struct ReadArguments {
  std::string path;
  std::optional<std::int64_t> offset, limit;
};
auto shape(const ReadArguments*) {
  return fields(field("path", &ReadArguments::path, ""),
                field("offset", &ReadArguments::offset, "").range(0, std::int64_t{1} << 50),
                field("limit", &ReadArguments::limit, "").range(1, kReadBytes));
}

struct WriteArguments {
  std::string path, text;
  std::optional<bool> append;
};
auto shape(const WriteArguments*) {
  return fields(field("path", &WriteArguments::path, ""), field("text", &WriteArguments::text, ""),
                field("append", &WriteArguments::append, ""));
}

struct ListArguments {
  std::optional<std::string> path;
};
auto shape(const ListArguments*) { return fields(field("path", &ListArguments::path, "")); }

ToolResult told(Result<std::string> result) {
  if (result) return {.text = *std::move(result)};
  return {.text = std::move(result.error().message), .failed = true};
}

Result<std::uint64_t> size_of(const OpenFile& file) {
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) return fail(os_error("cannot look at the file", errno));
  return static_cast<std::uint64_t>(info.st_size);
}

Result<std::string> read_range(const OpenFile& file, std::uint64_t offset, std::size_t size) {
  std::string out(size, '\0');
  std::size_t have = 0;
  while (have < size) {
    const ssize_t n =
        ::pread(file.get(), out.data() + have, size - have, static_cast<off_t>(offset + have));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(os_error("cannot read the file", errno));
    if (n == 0) break;
    have += static_cast<std::size_t>(n);
  }
  out.resize(have);
  return out;
}

// The part of the file without secrets, those that only reach into it included.
Result<std::string> clean_part(const OpenFile& file, std::uint64_t offset, std::size_t size,
                               const Redactor& redactor) {
  const std::uint64_t around = redactor.forms()->longest;
  const std::uint64_t before = std::min(offset, around);
  TRY(const std::string wide, read_range(file, offset - before, before + size + around));
  return redactor.redact_part(wide, before, before + size);
}

Result<std::string> read_some(const WorkFolder& folder, const ReadArguments& arguments,
                              const Redactor* redactor) {
  TRY(const std::string path, normal_path(folder.root(), arguments.path));
  TRY(const OpenFile file, folder.open_file(path));
  TRY(const std::uint64_t size, size_of(file));
  const auto offset = static_cast<std::uint64_t>(arguments.offset.value_or(0));
  const auto limit = static_cast<std::size_t>(arguments.limit.value_or(kReadBytes));
  TRY(std::string text, read_range(file, offset, limit));
  if (text.find('\0') != std::string::npos) {
    return fail(Errc::kUnsupported,
                fmt::format("'{}' is no text file ({} bytes); only text can be read", path, size));
  }
  const bool more = offset + text.size() < size;
  // The next part begins with a whole character.
  if (more && limit >= 4) text.resize(utf8_prefix(text, text.size() - 1).size());
  const std::uint64_t end = offset + text.size();
  if (redactor != nullptr) {
    TRY(text, clean_part(file, offset, text.size(), *redactor));
  }
  if (offset == 0 && !more) return text.empty() ? "(the file is empty)" : std::move(text);
  return fmt::format("{}\n[bytes {} to {} of {}{}]", text, offset, end, size,
                     more ? fmt::format("; go on with offset {}", end) : "");
}

Result<void> write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(os_error("cannot write the file", errno));
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  if (::fsync(fd) != 0) return fail(os_error("cannot sync the file", errno));
  return {};
}

// What stands at the place now: its mode, 0600 where nothing is. Only an ordinary file is replaced.
Result<mode_t> mode_of_target(const OpenFile& parent, const std::string& name) {
  struct stat info{};
  if (::fstatat(parent.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return mode_t{0600};
    return fail(os_error(fmt::format("cannot look at '{}'", name), errno));
  }
  if (S_ISREG(info.st_mode)) return info.st_mode & 0777;
  return fail(Errc::kForbidden, fmt::format("'{}' is a {}; only ordinary files are written", name,
                                            S_ISLNK(info.st_mode)   ? "link"
                                            : S_ISDIR(info.st_mode) ? "folder"
                                                                    : "device or pipe"));
}

Result<void> replace(const OpenFile& parent, const std::string& name, std::string_view content,
                     const std::string& call_id) {
  TRY(const mode_t mode, mode_of_target(parent, name));
  // One name a call: two calls never write the same temporary file.
  const std::string temporary =
      fmt::format(".rouse-{}.new", to_hex(sha256(name + '\0' + call_id)).substr(0, 24));
  ::unlinkat(parent.get(), temporary.c_str(), 0);  // left by a crash
  const OpenFile file(::openat(parent.get(), temporary.c_str(),
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return fail(os_error("cannot write into the folder", errno));
  Result<void> written = write_all(file.get(), content);
  if (written && (::fchmod(file.get(), mode) != 0 ||
                  ::renameat(parent.get(), temporary.c_str(), parent.get(), name.c_str()) != 0)) {
    written = fail(os_error(fmt::format("cannot put '{}' in its place", name), errno));
  }
  if (!written) ::unlinkat(parent.get(), temporary.c_str(), 0);
  if (written && ::fsync(parent.get()) != 0) {
    written = fail(os_error("cannot sync the folder", errno));
  }
  return written;
}

Result<std::string> content_before(const WorkFolder& folder, const std::string& path) {
  Result<OpenFile> file = folder.open_file(path);
  if (!file && file.error().is(Errc::kNotFound)) return "";
  if (!file) return fail(std::move(file.error()));
  TRY(const std::uint64_t size, size_of(*file));
  if (size > kFileGrowsTo) {
    return fail(Errc::kTooLarge, fmt::format("'{}' has {} bytes; what has more than {} MB is not "
                                             "appended to",
                                             path, size, kFileGrowsTo >> 20));
  }
  return read_range(*file, 0, size);
}

Result<std::string> write(const WorkFolder& folder, const WriteArguments& arguments,
                          const std::string& call_id) {
  TRY(const std::string path, normal_path(folder.root(), arguments.path));
  if (path.empty()) return fail(Errc::kInvalid, "the path names the folder itself, not a file");
  if (arguments.text.size() > kWriteBytes) {
    return fail(Errc::kTooLarge, "the text is longer than 1 MB; write it in parts with append");
  }
  TRY(const OpenFile parent, folder.make_parent(path));
  const std::string name = path.substr(path.rfind('/') + 1);
  std::string content;
  if (arguments.append.value_or(false)) {
    TRY_VOID(mode_of_target(parent, name));  // a link is refused before it is read through
    TRY(content, content_before(folder, path));
  }
  content += arguments.text;
  TRY_VOID(replace(parent, name, content, call_id));
  return fmt::format("wrote {} ({} bytes)", path, content.size());
}

std::string entry_line(int folder, const std::string& name) {
  struct stat info{};
  if (::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return name;
  if (S_ISDIR(info.st_mode)) return name + "/";
  if (S_ISLNK(info.st_mode)) return name + "  (link)";
  if (!S_ISREG(info.st_mode)) return name + "  (no ordinary file)";
  return fmt::format("{}  {} bytes", name, info.st_size);
}

Result<std::vector<std::string>> names_in(const OpenFile& folder) {
  DIR* entries = ::fdopendir(::fcntl(folder.get(), F_DUPFD_CLOEXEC, 3));
  if (entries == nullptr) return fail(os_error("cannot list the folder", errno));
  const std::unique_ptr<DIR, int (*)(DIR*)> closes(entries, ::closedir);
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(entries)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::ranges::sort(names);
  return names;
}

Result<std::string> list(const WorkFolder& folder, const ListArguments& arguments) {
  TRY(const std::string path, normal_path(folder.root(), arguments.path.value_or("")));
  Result<OpenFile> opened = folder.open_folder(path);
  const bool not_made = !opened && path.empty() && opened.error().is(Errc::kNotFound);
  if (not_made) return "(the folder is empty)";
  if (!opened) return fail(std::move(opened.error()));
  TRY(const std::vector<std::string> names, names_in(*opened));
  std::string out;
  for (std::size_t i = 0; i < names.size() && i < kListed; ++i) {
    out += visible_text(entry_line(opened->get(), names[i]), kNameShown) + "\n";
  }
  if (names.size() > kListed) out += fmt::format("[{} more]\n", names.size() - kListed);
  return out.empty() ? "(the folder is empty)" : out;
}

}  // namespace

const ToolInfo& ReadFileTool::info() const {
  static const ToolInfo info{
      .name = "read_file",
      .description = "The text of a file in this conversation's folder, 60 KB a call.",
      .schema = R"({"type":"object","properties":{"path":{"type":"string"},)"
                R"("offset":{"type":"integer","minimum":0},)"
                R"("limit":{"type":"integer","minimum":1,"maximum":61440}},)"
                R"("required":["path"],"additionalProperties":false})",
      .owner_only = true};
  return info;
}

Task<ToolResult> ReadFileTool::run(ToolCall call, std::stop_token stop) {
  const auto arguments = decode_json<ReadArguments>(call.arguments);
  if (!arguments) co_return told(fail(arguments.error()));
  co_return told(co_await pool_.run<std::string>(
      [folder = WorkFolder(data_dir_, call), given = *arguments, redactor = redactor_] {
        return read_some(folder, given, redactor);
      }));
}

const ToolInfo& WriteFileTool::info() const {
  static const ToolInfo info{
      .name = "write_file",
      .description = "Writes a file in this conversation's folder: replaces it, or appends.",
      .schema = R"({"type":"object","properties":{"path":{"type":"string","minLength":1},)"
                R"("text":{"type":"string"},"append":{"type":"boolean"}},)"
                R"("required":["path","text"],"additionalProperties":false})",
      .tool_class = ToolClass::kEdit,
      .risk = RiskTier::kUserConfigurable,
      .side_effects = true,
      .owner_only = true};
  return info;
}

ApprovalAsk WriteFileTool::ask_for(const ToolCall& call) const {
  const auto arguments = decode_json<WriteArguments>(call.arguments);
  if (!arguments) return Tool::ask_for(call);
  const WorkFolder folder(data_dir_, call);
  const auto path = normal_path(folder.root(), arguments->path);
  if (!path)
    return Tool::ask_for(call);  // it will be refused; nothing else may ride on a yes to it
  const std::string place = folder.root() + "/" + *path;
  return {.summary = fmt::format("{} {} ({} bytes)",
                                 arguments->append.value_or(false) ? "append to" : "write",
                                 visible_text(place, kNameShown), arguments->text.size()),
          .covers = encode_json(std::vector<std::string>{"write_file", place})};
}

Task<ToolResult> WriteFileTool::run(ToolCall call, std::stop_token stop) {
  const auto arguments = decode_json<WriteArguments>(call.arguments);
  if (!arguments) co_return told(fail(arguments.error()));
  co_return told(co_await pool_.run<std::string>(
      [folder = WorkFolder(data_dir_, call), given = *arguments, id = call.turn.str() + call.id] {
        return write(folder, given, id);
      }));
}

const ToolInfo& ListFilesTool::info() const {
  static const ToolInfo info{
      .name = "list_files",
      .description = "What is in this conversation's folder, or in one below it.",
      .schema = R"({"type":"object","properties":{"path":{"type":"string"}},)"
                R"("additionalProperties":false})",
      .owner_only = true};
  return info;
}

Task<ToolResult> ListFilesTool::run(ToolCall call, std::stop_token stop) {
  const auto arguments = decode_json<ListArguments>(call.arguments);
  if (!arguments) co_return told(fail(arguments.error()));
  co_return told(co_await pool_.run<std::string>(
      [folder = WorkFolder(data_dir_, call), given = *arguments] { return list(folder, given); }));
}

}  // namespace rouse
