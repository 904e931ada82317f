#include "app/cli/doctor_checks.h"

#include <cerrno>
#include <filesystem>
#include <optional>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "app/cli/api_client.h"
#include "app/cli/local_store.h"
#include "app/config_keeper.h"
#include "app/owner_token.h"
#include "app/server_file.h"
#include "app/tool_settings.h"
#include "base/clock.h"
#include "base/files.h"
#include "gateway/server_status.h"
#include "gateway/web_assets.h"
#include "tool/mcp/stdio_transport.h"
#include "tool/shell/shell_tool.h"

namespace rouse::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kTooLittleDisk = 100 * kMiB;
constexpr std::uint64_t kLittleDisk = 1024 * kMiB;

Finding fine(std::string what) { return {Level::kFine, std::move(what), "", {}}; }
Finding warn(std::string what, std::string to_do) {
  return {Level::kWarn, std::move(what), std::move(to_do), {}};
}
Finding bad(std::string what, std::string to_do) {
  return {Level::kFail, std::move(what), std::move(to_do), {}};
}

std::optional<struct stat> stat_of(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  return info;
}

Finding with_chmod(Finding finding, const std::string& path, mode_t mode) {
  finding.to_do = fmt::format("chmod {:o} {}", mode, path);
  finding.fix = [path, mode]() -> Result<std::string> {
    if (::chmod(path.c_str(), mode) != 0) {
      return fail(os_error(fmt::format("cannot change the mode of {}", path), errno));
    }
    return fmt::format("changed the mode of {} to {:o}", path, mode);
  };
  return finding;
}

ConfigPlace place_of(const Patient& patient) {
  ConfigPlace place;
  place.data_dir = patient.data_dir;
  place.environment = process_environment();
  return place;
}

}  // namespace

std::vector<Finding> check_data_folder(const Patient& patient) {
  const std::string& dir = patient.data_dir;
  const auto info = stat_of(dir);
  if (!info) {
    Finding missing = warn(fmt::format("there is no data folder {} yet", dir),
                           "it is made by the first start: rouse serve");
    missing.fix = [dir]() -> Result<std::string> {
      TRY_VOID(make_private_dir(dir));
      return fmt::format("made the folder {}", dir);
    };
    return {missing};
  }
  if (!S_ISDIR(info->st_mode)) return {bad(dir + " is not a folder", "name another with --data")};
  if (::access(dir.c_str(), R_OK | W_OK | X_OK) != 0) {
    return {bad(fmt::format("the data folder {} can't be written by you", dir),
                fmt::format("run rouse as its owner, or: sudo chown -R $(id -un) {}", dir))};
  }
  if ((info->st_mode & 077) != 0) {
    return {with_chmod(bad(fmt::format("the data folder {} is open to others (mode {:o})", dir,
                                       info->st_mode & 0777),
                           ""),
                       dir, 0700)};
  }
  return {fine(fmt::format("the data folder {} is yours alone", dir))};
}

std::vector<Finding> check_private_files(const Patient& patient) {
  std::vector<Finding> out;
  const auto look = [&](const std::string& path) {
    const auto info = stat_of(path);
    if (!info || (info->st_mode & 077) == 0) return;
    const mode_t mode = S_ISDIR(info->st_mode) ? 0700 : 0600;
    out.push_back(with_chmod(
        bad(fmt::format("{} is open to others (mode {:o})", path, info->st_mode & 0777), ""), path,
        mode));
  };
  for (const char* name : {"settings.json", "server.json", "rouse.db", "rouse.db-wal",
                           "rouse.db-shm", "secrets", "backups"}) {
    look(patient.data_dir + "/" + name);
  }
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator(patient.data_dir + "/secrets", ec)) {
    look(entry.path().string());
  }
  if (out.empty()) out.push_back(fine("no file of rouse can be read by others"));
  return out;
}

std::vector<Finding> check_token(const Patient& patient) {
  const auto token = read_owner_token(patient.data_dir, process_environment());
  if (token) return {fine(fmt::format("the owner's token is in {}", token->origin))};
  if (token.error().is(Errc::kNotFound)) {
    return {
        warn("there is no owner's token yet", "it is made by the first start, or by: rouse token")};
  }
  const std::string path = owner_token_path(patient.data_dir);
  const auto info = stat_of(path);
  if (info && (info->st_mode & 077) != 0) {
    return {with_chmod(bad(fmt::format("the token in {} can be read by others (mode {:o})", path,
                                       info->st_mode & 0777),
                           ""),
                       path, 0600)};
  }
  return {bad(token.error().message, fmt::format("move {} away; a new one is made", path))};
}

std::vector<Finding> check_settings(const Patient& patient) {
  const ConfigPlace place = place_of(patient);
  const auto sources = read_sources(place);
  if (!sources) return {bad(sources.error().message, "mend the file or its mode")};
  const ConfigLoad load = load_config(*sources);
  std::vector<Finding> out;
  for (const ConfigProblem& error : load.errors) {
    out.push_back(bad(error.str(), "mend it, then: rouse config check"));
  }
  if (!load.ok()) return out;
  const auto keeper = ConfigKeeper::open(place);
  if (!keeper) return {bad(keeper.error().message, "mend it, then: rouse config check")};
  for (const std::string& notice : (*keeper)->notices()) {
    out.push_back(warn(notice, "see: rouse config check"));
  }
  if (out.empty()) out.push_back(fine("the settings are good"));
  return out;
}

// Which role uses which model, and whether it has a key; never the key.
std::vector<Finding> check_models(const Patient& patient) {
  const ConfigPlace place = place_of(patient);
  const auto sources = read_sources(place);
  if (!sources) return {};  // check_settings() says it
  const ConfigLoad load = load_config(*sources);
  if (!load.ok()) return {};
  const ModelSetup setup = model_setup(load.config, place.environment, place.data_dir);
  std::vector<Finding> out;
  for (const std::string& line : describe_models(setup)) out.push_back(fine("model " + line));
  const auto main = setup.settings.find("main");
  if (main == setup.settings.end() || main->second.provider == "offline") {
    out.front().what +=
        " (to connect a real one, set ANTHROPIC_API_KEY or OPENAI_API_KEY for rouse serve, or "
        "models.main in rouse.yaml)";
  }
  return out;
}

namespace {

Finding stale_server_file(const std::string& dir) {
  Finding stale = warn("server.json is left over from a server that is gone",
                       "nothing; the next start replaces it");
  stale.fix = [dir]() -> Result<std::string> {
    const std::string from = dir + "/server.json";
    const std::string to = from + ".old";
    if (::rename(from.c_str(), to.c_str()) != 0) {
      return fail(os_error(fmt::format("cannot move {}", from), errno));
    }
    return fmt::format("moved {} to {}", from, to);
  };
  return stale;
}

std::vector<Finding> describe_health(const ApiClient& api, const HealthView& health) {
  std::vector<Finding> out{
      fine(fmt::format("the server answers at {} (version {}, up {})", api.url(), health.version,
                       to_words({health.uptime_ms})))};
  if (health.version != ROUSE_VERSION) {
    out.push_back(warn(
        fmt::format("the server is version {}, this command is {}", health.version, ROUSE_VERSION),
        "restart the server to use the new one"));
  }
  for (const std::string& problem : health.problems)
    out.push_back(warn(problem, "see the server's log"));
  return out;
}

}  // namespace

std::vector<Finding> check_server(const Patient& patient) {
  const auto holder = lock_holder(patient.data_dir);
  auto api = ApiClient::find(patient.server);
  if (!api && !api.error().is(CliErrc::kNotRunning)) {
    return {bad(api.error().message, "see the other findings")};
  }
  if (!api && holder) {
    return {bad(fmt::format("{} holds the data folder but can't be reached", *holder),
                "look at its log, or stop it and start again")};
  }
  if (!api) {
    if (path_exists(patient.data_dir + "/server.json"))
      return {stale_server_file(patient.data_dir)};
    return {fine("the server is not running (start it with: rouse serve)")};
  }
  const auto health = api->get<HealthView>("/api/health");
  if (!health) return {bad(health.error().message, "look at the server's log")};
  return describe_health(*api, *health);
}

std::vector<Finding> check_disk(const Patient& patient) {
  struct statvfs info{};
  // The folder may not exist yet; then it will be made on its parent's disk.
  std::string dir = patient.data_dir;
  while (!path_exists(dir) && dir.size() > 1) dir = fs::path(dir).parent_path().string();
  if (::statvfs(dir.c_str(), &info) != 0) {
    return {warn(os_error("cannot ask for the free space", errno).message, "look with: df -h")};
  }
  const std::uint64_t free = std::uint64_t{info.f_bavail} * info.f_frsize;
  const std::string text = fmt::format("{} MiB are free on the disk of {}", free / kMiB, dir);
  if (free < kTooLittleDisk) return {bad(text, "make room: writes will fail soon")};
  if (free < kLittleDisk) return {warn(text, "make room before it is full")};
  return {fine(text)};
}

std::vector<Finding> check_store(const Patient& patient) {
  if (!store_exists(patient.data_dir))
    return {fine("there is no store yet; the first start makes it")};
  if (lock_holder(patient.data_dir)) {
    auto api = ApiClient::find(patient.server);
    const auto health =
        api ? api->get<HealthView>("/api/health") : Result<HealthView>(fail(api.error()));
    if (!health) return {warn("the store is in use and could not be asked about", "see above")};
    if (health->store == "ok") return {fine("the store works")};
    return {bad("the server says its store has a problem",
                "look at its log; make a copy of the data folder before anything else")};
  }
  const auto checked = check_local_store(patient.data_dir);
  if (checked) return {fine("the store is whole")};
  if (checked.error().is(Errc::kConflict)) {
    return {warn(checked.error().message, "start the server, then ask again")};
  }
  return {bad(checked.error().message,
              fmt::format("keep a copy of {}, then: rouse restore BACKUP", patient.data_dir))};
}

std::vector<Finding> check_web_app(const Patient&) {
  if (web_asset_count() > 0) return {fine("the web app is inside this binary")};
  return {warn("this binary was built without the web app", "build it with: make")};
}

namespace {

Task<void> keep_probe(ShellTool& shell, Result<void>& verdict) { verdict = co_await shell.probe(); }

}  // namespace

// Does what the server does when it starts: runs `true` in the sandbox.
std::vector<Finding> check_shell_sandbox(const Patient& patient) {
  const auto sources = read_sources(place_of(patient));
  if (!sources) return {};  // check_settings() says it
  const ConfigLoad load = load_config(*sources);
  if (!load.ok()) return {};
  const ShellSettings settings = shell_settings(load.config);
  if (!settings.sandbox) {
    return {warn("shell commands run without a sandbox: they may do whatever rouse may",
                 "take tools.shell.sandbox: off out of rouse.yaml")};
  }
  Loop loop;
  RealClock clock(loop);
  ShellTool shell(loop, clock, patient.data_dir, settings);
  Result<void> verdict;
  loop.spawn("probe the sandbox", keep_probe(shell, verdict));
  loop.run();
  if (verdict) return {fine("the shell sandbox works")};
  return {warn(
      fmt::format("there is no shell tool, its sandbox doesn't work: {}", verdict.error().message),
      "mend it (see docs/tools.md), or go without the tool")};
}

// Whether each could be started: its program is there, its secrets can be read. Nothing is started.
std::vector<Finding> check_mcp_servers(const Patient& patient) {
  const ConfigPlace place = place_of(patient);
  const auto sources = read_sources(place);
  if (!sources) return {};  // check_settings() says it
  const ConfigLoad load = load_config(*sources);
  if (!load.ok()) return {};
  std::vector<Finding> out;
  for (const McpServerSettings& server : mcp_setup(load.config, place.environment).servers) {
    if (!server.enabled) {
      out.push_back(fine(fmt::format("the MCP server {} is switched off", server.name)));
    } else if (!server.trouble.empty()) {
      out.push_back(warn(fmt::format("the MCP server {}: {}", server.name, server.trouble),
                         "set what mcp_servers in rouse.yaml names"));
    } else if (!server.is_program()) {
      out.push_back(fine(fmt::format("the MCP server {} is at an address", server.name)));
    } else if (const auto program = find_program(server.place);
               !program || ::access(program->c_str(), X_OK) != 0) {
      out.push_back(
          warn(fmt::format("the MCP server {}: {}", server.name,
                           program ? *program + " can't be run" : program.error().message),
               "install it, or mend its command in rouse.yaml"));
    } else {
      out.push_back(fine(fmt::format("the MCP server {} runs {}", server.name, *program)));
    }
  }
  return out;
}

std::vector<Finding> check_tls(const Patient& patient) {
  const auto sources = read_sources(place_of(patient));
  if (!sources) return {};  // check_settings() says it
  const ConfigLoad load = load_config(*sources);
  if (!load.ok() || !load.config.tls.enabled()) return {};
  std::vector<Finding> out;
  for (const std::string& file : {load.config.tls.cert, load.config.tls.key}) {
    if (::access(file.c_str(), R_OK) != 0) {
      out.push_back(bad(os_error(fmt::format("cannot read {}", file), errno).message,
                        "mend tls.cert and tls.key, or the mode of the files"));
    }
  }
  const auto key = stat_of(load.config.tls.key);
  if (key && (key->st_mode & 07) != 0) {
    out.push_back(
        warn(fmt::format("the private key {} can be read by everybody", load.config.tls.key),
             fmt::format("chmod o= {}", load.config.tls.key)));
  }
  if (out.empty()) out.push_back(fine("certificate and key can be read"));
  return out;
}

}  // namespace rouse::cli
