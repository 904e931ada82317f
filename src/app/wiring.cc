#include "app/wiring.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <iterator>
#include <unistd.h>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "app/backup_folder.h"
#include "app/config_keeper.h"
#include "app/file_watch.h"
#include "app/gateway_side.h"
#include "app/owner_token.h"
#include "app/server_file.h"
#include "app/server_settings.h"
#include "app/signals.h"
#include "app/start_memory.h"
#include "base/blocking_pool.h"
#include "base/files.h"
#include "net/descriptors.h"
#include "net/sd_notify.h"
#include "session/people.h"
#include "store/sqlite/open.h"
#include "store/sqlite/sqlite_text_index.h"
#include "store/sqlite/sqlite_word_index.h"

namespace rouse {
namespace {

constexpr std::string_view kVersion = ROUSE_VERSION;

// What is true before anything listens: settings, token, store.
struct Ground {
  std::string data_dir;
  std::unique_ptr<ConfigKeeper> config;
  OwnerToken token;
  std::unique_ptr<Database> database;
  std::map<std::string, std::string> environment;
};

class WiredServer final : public Server {
 public:
  WiredServer(Loop& loop, std::unique_ptr<RealClock> clock, Ground ground)
      : loop_(loop),
        clock_(std::move(clock)),
        data_dir_(std::move(ground.data_dir)),
        config_(std::move(ground.config)),
        owner_token_(std::move(ground.token)),
        database_(std::move(ground.database)),
        environment_(std::move(ground.environment)),
        log_([this] { return clock_->wall_now(); }, redactor_, Log::to_stderr()),
        workspaces_(*database_, *clock_, random_),
        kernel_(*database_, *clock_, random_, workspaces_, summariser_, drift_),
        indexer_(*database_, text_index_, *clock_, loop),
        search_(*database_, text_index_),
        blobs_(*database_, *clock_),
        backup_folder_(pool_, data_dir_ + "/backups"),
        removal_(*database_, *clock_, kernel_, indexer_, backup_folder_),
        story_(*database_, *clock_),
        projects_(*database_, *clock_),
        agents_(*database_, *clock_),
        people_(*database_, *clock_, random_, workspaces_),
        agent_({loop, *clock_, random_, *database_, kernel_, workspaces_, agents_, blobs_, people_,
                summariser_, drift_, projects_, text_index_, word_index_, pool_, log_, redactor_,
                data_dir_},
               client_options(environment_)),
        schedule_({loop, *clock_, random_, *database_, kernel_, workspaces_, agents_,
                   agent_.memory(), removal_, pool_, board_, log_, data_dir_},
                  agent_.house()),
        notify_({loop, *clock_, random_, *database_, kernel_, workspaces_, pool_, redactor_,
                 data_dir_, environment_},
                agent_, client_options(environment_)),
        proactive_({loop, *clock_, random_, *database_, kernel_, workspaces_, projects_,
                    summariser_, board_, log_, data_dir_},
                   agent_, schedule_),
        lifecycle_({loop, *clock_, *database_, kernel_, workspaces_, summariser_, pool_, board_,
                    log_, data_dir_},
                   agent_),
        gateway_({*clock_, random_, *database_, *config_, kernel_, workspaces_, search_, blobs_,
                  removal_, story_, projects_, agents_, pool_, board_, log_, data_dir_},
                 {agent_, schedule_, notify_, proactive_, lifecycle_}),
        signals_(loop, {SIGTERM, SIGINT, SIGHUP}) {}

  Task<void> run(Result<void>& outcome) override {
    try {
      outcome = co_await start();
      if (outcome) co_await serve_until_stopped();
    } catch (const std::exception& e) {
      // A server that nobody steers would answer no signal: better it ends and is started again.
      outcome = fail(Errc::kInternal, fmt::format("stopped by a bug: {}", e.what()));
    }
    co_await stop();
  }

 private:
  Task<Result<void>> start() {
    raise_descriptor_limit();
    backup_folder_.remove_downloads();
    apply_config();
    log_notices();
    loop_.on_bug([this](const std::string& task, const std::string& what) {
      log_.error("bug", {{"task", task}, {"what", what}});
    });
    board_.on_change([this] { gateway_.hub().broadcast_health(); });
    CO_TRY_VOID(co_await workspaces_.ensure_default());
    CO_TRY_VOID(kernel_.load());
    schedule_.use_channels([this](std::string_view channel) { return agent_.serves(channel); },
                           [this] { agent_.nudge_outbox(); });
    CO_TRY_VOID(schedule_.load());
    CO_TRY_VOID(proactive_.load());
    lifecycle_.load();
    CO_TRY_VOID(co_await agent_.recover());
    gateway_.hub().connect(agent_.live_parts());
    kernel_.on_messages([this](const WorkspaceId& workspace, const Transcript& said) {
      indexer_.messages_were_added(workspace, said);
      proactive_.messages_were_added();
    });
    loop_.spawn("tidy up", tidy_up());
    CO_TRY_VOID(co_await gateway_.load(owner_token_.token));
    removal_.record_events(&agent_.house().events());
    gateway_.add_routes();
    CO_TRY_VOID(listen());
    watch_config();
    announce();
    loop_.spawn("look back", proactive_.look_back());
    co_return Result<void>{};
  }

  // What an earlier life left to do. Nobody waits for it; what fails is done at the next start.
  Task<void> tidy_up() {
    note_leftover("turns", co_await agent_.start());
    co_await proactive_.start();
    schedule_.start();
    note_leftover("deletes", co_await removal_.finish_deletes());
    note_leftover("search", co_await indexer_.catch_up());
    const auto pruned = co_await blobs_.prune();
    note_leftover("files", pruned ? Result<void>() : std::unexpected(pruned.error()));
  }
  void note_leftover(std::string_view what, const Result<void>& done) {
    if (done || stopping_.stop_requested()) return;
    log_.warn("start.left_undone", {{"what", what}, {"message", done.error().message}});
  }

  Result<void> listen() {
    const Config& config = config_->config();
    std::optional<TlsFiles> tls;
    if (config.tls.enabled()) tls = TlsFiles{config.tls.cert, config.tls.key};
    server_ = make_http_server(loop_, gateway_.gateway(), server_limits(config));
    gateway_.status().set_server(server_.get());
    for (const std::string& text : config.listen) {
      TRY(const ListenAddress address, parse_listen(text));
      TRY(const std::uint16_t port, server_->listen(address.host, address.port, tls));
      const bool v6 = address.host.find(':') != std::string::npos;
      urls_.push_back(fmt::format("{}://{}{}{}:{}", tls ? "https" : "http", v6 ? "[" : "",
                                  address.host, v6 ? "]" : "", port));
    }
    note_tls("");
    return {};
  }

  void announce() {
    const std::string base =
        config_->config().public_url.empty() ? urls_.front() : config_->config().public_url;
    if (const auto written = write_server_file(
            data_dir_,
            {urls_.front(), ::getpid(), gateway_.status().boot_id(), to_iso(clock_->wall_now())});
        !written) {
      log_.warn("server_file.failed", {{"message", written.error().message}});
    }
    for (const std::string& url : urls_) fmt::print("rouse {} listening on {}\n", kVersion, url);
    // A journal can be read by more people than the owner, and keeps what it is told.
    if (!stdout_is_journal()) {
      fmt::print("sign-in link: {}/signin?code={}\n", base,
                 gateway_.sign_in_code(owner_token_.token));
    } else {
      fmt::print("for a sign-in link: rouse token link --data {}\n", data_dir_);
    }
    fmt::print("data: {}\n", data_dir_);
    std::fflush(stdout);
    for (const std::string& url : urls_)
      log_.info("listening", {{"url", url}, {"version", kVersion}});
    sd_notify("READY=1");
    feed_watchdog();
    loop_.spawn("give back", give_back_soon());
  }

  Task<void> serve_until_stopped() {
    while (true) {
      const int signal = co_await signals_.next();
      if (signal == SIGHUP) {
        schedule_.files_changed();
        proactive_.files_changed();
        lifecycle_.files_changed();
        reload_files();
        continue;
      }
      log_.info("stopping", {{"signal", signal == SIGTERM ? "SIGTERM" : "SIGINT"}});
      co_return;
    }
  }

  // Stop accepting, let running work end within the deadline, commit, leave.
  Task<void> stop() {
    sd_notify("STOPPING=1");
    stopping_.request_stop();
    watch_.reset();
    const Millis grace = seconds(config_->config().shutdown.deadline_seconds);
    co_await schedule_.stop();
    co_await proactive_.stop();
    co_await agent_.stop(grace);
    if (server_) co_await server_->shutdown(grace);
    remove_server_file(data_dir_, gateway_.status().boot_id());
    indexer_.stop();
    co_await database_->close();
    signals_.cancel();
    log_.info("stopped");
    loop_.stop();
  }

  void apply_config() {
    const Config& config = config_->config();
    log_.set_level(config.log.level);
    log_.set_json(config.log.json);
    auto secrets = config_->secret_values();
    secrets.push_back(owner_token_.token);
    redactor_.set_secrets(secrets);
    gateway_.gateway().configure(gateway_options(config, config_->secrets()));
    kernel_.configure(
        {.timeout = minutes(config.session.timeout_minutes), .unified = config.unified_session});
    drift_.set_enabled(config.session.drift_classifier);
    story_.set_timeout(minutes(config.session.timeout_minutes));
    projects_.configure(projects_of(config));
    people_.configure(people_of(config));
    agent_.apply(config, config_->models(), config_->secrets());
    schedule_.use_model(agent_.one_shot());
    schedule_.apply(config);
    notify_.apply(config, config_->secrets());
    proactive_.apply(config);
    lifecycle_.use_model(agent_.one_shot());
  }

  // What works, but perhaps not as meant: said at the start and at each reload.
  void log_notices() {
    for (const std::string& notice : config_->notices()) {
      log_.warn("config.notice", {{"message", notice}});
    }
  }

  void reload_config() {
    const bool had_problem = !config_->problem().empty();
    const auto what = config_->reload();
    board_.note("config", config_->problem());
    if (!what.ok) {
      log_.error("config.invalid", {{"message", config_->problem()}});
      return;
    }
    if (!what.changed.empty())
      log_.info("config.reloaded", {{"changed", fmt::format("{}", fmt::join(what.changed, ", "))}});
    if (had_problem) log_.info("config.good_again");
    log_notices();
    watch_files();
  }

  void note_restart(const ConfigKeeper::Reload& what) {
    if (what.needs_restart.empty()) return;
    log_.warn("config.needs_restart",
              {{"keys", fmt::format("{}", fmt::join(what.needs_restart, ", "))}});
  }

  void watch_config() {
    config_->on_change([this](const ConfigKeeper::Reload& what) {
      apply_config();
      note_restart(what);
    });
    auto watch =
        FileWatch::open(loop_, *clock_, [this](const auto& which) { files_changed(which); });
    if (!watch) {
      log_.warn("config.not_watched", {{"message", watch.error().message}});
      return;
    }
    watch_ = std::move(*watch);
    watch_files();
  }

  void watch_files() {
    if (!watch_) return;
    auto files = config_->watched_files();
    std::ranges::copy(schedule_.files(), std::back_inserter(files));
    std::ranges::copy(proactive_.files(), std::back_inserter(files));
    std::ranges::copy(lifecycle_.files(), std::back_inserter(files));
    const Config& config = config_->config();
    if (config.tls.enabled()) {
      files.push_back(config.tls.cert);
      files.push_back(config.tls.key);
    }
    for (const std::string& problem : watch_->set_files(files))
      log_.warn("config.not_watched", {{"message", problem}});
  }

  void files_changed(const std::vector<std::string>& which) {
    bool others = false;
    for (const std::string& path : which) {
      if (path.ends_with("/schedule.json")) {
        schedule_.files_changed();
      } else if (path.ends_with("/heartbeat.json") || path.ends_with("/heartbeat-prompt.md")) {
        proactive_.files_changed();
      } else if (path.ends_with("/workflows") || path.ends_with("/workflows/*")) {
        lifecycle_.files_changed();
        watch_files();  // the folder may be there since now
      } else {
        others = true;
      }
    }
    if (others) reload_files();
  }

  void reload_files() {
    if (config_->config().tls.enabled()) {
      const auto reloaded = server_->reload_tls();
      if (!reloaded) log_.error("tls.not_reloaded", {{"message", reloaded.error().message}});
      note_tls(reloaded ? "" : reloaded.error().message);
    }
    reload_config();
  }

  void note_tls(std::string problem) {
    for (const std::string& warning : server_->tls_warnings()) {
      log_.warn("tls.warning", {{"message", warning}});
      problem += (problem.empty() ? "" : "; ") + warning;
    }
    board_.note("tls", problem);
  }

  // The outer watchdog, when there is one: fed at half its time.
  void feed_watchdog() {
    const char* text = std::getenv("WATCHDOG_USEC");
    const std::int64_t period_ms = text == nullptr ? 0 : std::strtoll(text, nullptr, 10) / 2000;
    if (period_ms > 0) loop_.spawn("watchdog", keep_feeding(millis(period_ms)));
  }
  // Not at once: the first visitors use much of the same code.
  Task<void> give_back_soon() {
    if (co_await clock_->wait_for(seconds(2), stopping_.get_token())) give_back_start_memory();
  }
  Task<void> keep_feeding(Millis period) {
    while (co_await clock_->wait_for(period, stopping_.get_token())) sd_notify("WATCHDOG=1");
  }

  Loop& loop_;
  std::unique_ptr<RealClock> clock_;
  SystemRandom random_;
  std::string data_dir_;
  std::unique_ptr<ConfigKeeper> config_;
  OwnerToken owner_token_;
  std::unique_ptr<Database> database_;
  const std::map<std::string, std::string> environment_;
  Redactor redactor_;
  Log log_;
  BlockingPool pool_;
  HealthBoard board_;
  Workspaces workspaces_;
  Summariser summariser_;
  DriftGate drift_;
  SessionKernel kernel_;
  SqliteTextIndex text_index_;
  SqliteWordIndex word_index_;
  MessageIndexer indexer_;
  MessageSearch search_;
  Blobs blobs_;
  BackupFolder backup_folder_;
  ConversationDelete removal_;
  SessionStory story_;
  Projects projects_;
  Agents agents_;
  People people_;
  AgentSide agent_;
  ScheduleSide schedule_;
  NotifySide notify_;
  ProactiveSide proactive_;
  LifecycleSide lifecycle_;
  GatewaySide gateway_;
  Signals signals_;
  std::unique_ptr<HttpServer> server_;
  std::unique_ptr<FileWatch> watch_;
  std::stop_source stopping_;
  std::vector<std::string> urls_;
};

}  // namespace

Result<std::unique_ptr<Server>> wire_server(Loop& loop, const ServeOptions& options) {
  TRY_VOID(make_private_dir(options.data_dir));
  Ground ground{.data_dir = options.data_dir,
                .config = nullptr,
                .token = {},
                .database = nullptr,
                .environment = {}};
  ConfigPlace place{options.data_dir, options.config_file, {}, process_environment()};
  if (!options.listen.empty()) {
    boost::json::array listen;
    for (const std::string& one : options.listen) listen.emplace_back(one);
    place.flags["listen"] = std::move(listen);
  }
  const auto environment = place.environment;
  TRY(ground.config, ConfigKeeper::open(std::move(place)));
  auto clock = std::make_unique<RealClock>(loop);
  // The store before the token: whoever holds the lock is the one who makes things here.
  TRY(ground.database, open_sqlite({.data_dir = options.data_dir, .loop = loop, .clock = *clock}));
  SystemRandom random;
  TRY(ground.token, ensure_owner_token(options.data_dir, environment, random));
  ground.environment = environment;
  return std::make_unique<WiredServer>(loop, std::move(clock), std::move(ground));
}

}  // namespace rouse
