#include "tool/shell/sandbox.h"

#include <algorithm>
#include <array>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <fmt/format.h>

#include "tool/files/work_folder.h"

namespace rouse {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kTmpBytes = "268435456";
constexpr std::string_view kProcesses = "--nproc=256";
constexpr const char* kLimiter = "/usr/bin/prlimit";
constexpr const char* kEnvironment[][2] = {
    {"PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
    {"HOME", "/tmp"},
    {"LANG", "C.UTF-8"},
    {"TERM", "dumb"}};
// What programs need to find their libraries, names of users, the time, trusted certificates. None
// of it is secret.
constexpr std::string_view kEtc[] = {"/etc/alternatives", "/etc/ld.so.cache",   "/etc/ld.so.conf",
                                     "/etc/ld.so.conf.d", "/etc/passwd",        "/etc/group",
                                     "/etc/localtime",    "/etc/nsswitch.conf", "/etc/ssl/certs",
                                     "/etc/mime.types",   "/etc/services",      "/etc/protocols"};
constexpr std::string_view kEtcForNetwork[] = {"/etc/resolv.conf", "/etc/hosts",
                                               "/etc/ca-certificates.conf"};

// What of /proc changes the machine. Root may write there by owning it, without any capability.
constexpr std::string_view kMachine[] = {"/proc/sys",  "/proc/irq",  "/proc/bus", "/proc/fs",
                                         "/proc/acpi", "/proc/scsi", "/proc/mtrr"};

void add(Words& words, std::initializer_list<std::string_view> more) {
  for (const std::string_view word : more) words.emplace_back(word);
}

// /bin is a link to usr/bin on most systems, a folder on some.
void add_system_folder(Words& words, const char* path) {
  struct stat info{};
  if (::lstat(path, &info) != 0) return;
  if (!S_ISLNK(info.st_mode)) return add(words, {"--ro-bind", path, path});
  std::array<char, PATH_MAX> target{};
  const ssize_t size = ::readlink(path, target.data(), target.size());
  if (size > 0) {
    add(words, {"--symlink", {target.data(), static_cast<std::size_t>(size)}, path});
  }
}

std::string shell_program() { return ::access("/bin/bash", X_OK) == 0 ? "/bin/bash" : "/bin/sh"; }

Words bwrap_words(const ShellSettings& settings, const ShellPlace& place) {
  Words words{settings.bwrap};
  add(words, {"--unshare-all", "--unshare-user", "--disable-userns", "--cap-drop", "ALL",
              "--die-with-parent", "--new-session", "--hostname", "rouse", "--clearenv"});
  if (settings.network) add(words, {"--share-net"});
  for (const auto& [name, value] : kEnvironment) add(words, {"--setenv", name, value});
  add(words, {"--ro-bind", "/usr", "/usr"});
  for (const char* path : {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}) {
    add_system_folder(words, path);
  }
  for (const std::string_view file : kEtc) add(words, {"--ro-bind-try", file, file});
  if (settings.network) {
    for (const std::string_view file : kEtcForNetwork) add(words, {"--ro-bind-try", file, file});
  }
  add(words, {"--proc", "/proc", "--dev", "/dev", "--size", kTmpBytes, "--tmpfs", "/tmp"});
  for (const std::string_view part : kMachine) add(words, {"--ro-bind-try", part, part});
  add(words, {"--bind", place.root, place.root});
  if (place.hidden) add(words, {"--size", "4096", "--tmpfs", *place.hidden});
  add(words, {"--remount-ro", "/dev", "--remount-ro", "/", "--chdir", place.folder, "--"});
  // The number of processes is limited inside, where no others of the same user are counted.
  if (::access(kLimiter, X_OK) == 0) add(words, {kLimiter, kProcesses});
  return words;
}

}  // namespace

Result<void> check_shell_root(const std::string& root) {
  constexpr std::string_view kSystem[] = {"/usr",  "/etc", "/bin",  "/sbin", "/lib",
                                          "/boot", "/dev", "/proc", "/sys",  "/run"};
  const bool system = root == "/" || std::ranges::any_of(kSystem, [&](std::string_view one) {
                        return lies_in(root, one);
                      });
  if (!system) return {};
  return fail(Errc::kForbidden,
              fmt::format("{} belongs to the system; commands run in a project's folder", root));
}

ChildSpec shell_child(const ShellSettings& settings, const ShellPlace& place,
                      const std::string& command) {
  ChildSpec spec;
  // Several threads may work at once, each second of each counts.
  spec.limits.cpu_seconds = static_cast<std::uint64_t>(settings.deadline.count / 1000 + 1) * 4;
  if (settings.sandbox) {
    spec.command = bwrap_words(settings, place);
  } else {
    for (const auto& [name, value] : kEnvironment) {
      spec.environment.push_back(fmt::format("{}={}", name, value));
    }
    spec.folder = place.folder;
  }
  add(spec.command, {shell_program(), "-c", command});
  return spec;
}

}  // namespace rouse
