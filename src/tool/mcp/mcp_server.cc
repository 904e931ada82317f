#include "tool/mcp/mcp_server.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "tool/schema_check.h"

namespace rouse {
namespace json = boost::json;
namespace {

constexpr std::size_t kErrorBytes = 2000;

Result<json::object> read_arguments(const McpTool& tool, const std::string& arguments) {
  // A schema we can't read checks nothing; the server looks at the arguments, too.
  if (const auto schema = ArgumentsSchema::parse(tool.schema)) {
    if (auto fits = schema->check(arguments); !fits) {
      return fail(Errc::kInvalid,
                  fmt::format("the arguments don't fit {}: {}", tool.name, fits.error().message));
    }
  }
  TRY(json::value value, parse_json(arguments));
  if (!value.is_object()) return fail(Errc::kInvalid, "the arguments must be one JSON object");
  return std::move(value.get_object());
}

Result<McpTool> find_in(const McpToolList& list, const std::string& name) {
  const auto found = std::ranges::find(list.tools, name, &McpTool::name);
  if (found != list.tools.end()) return *found;
  std::vector<std::string_view> names;
  for (const McpTool& one : list.tools) names.push_back(one.name);
  const std::string shown(utf8_prefix(name, 100));
  const auto near = nearest(name, names);
  return fail(Errc::kNotFound,
              near ? fmt::format("it has no tool '{}'; did you mean '{}'?", shown, *near)
                   : fmt::format("it has no tool '{}'; ask list_tools for those it has", shown));
}

}  // namespace

struct McpServer::InUse {
  explicit InUse(McpServer& s) : server(s) { ++server.uses_; }
  ~InUse() { --server.uses_; }  // asks no clock: it may be the loop's end that ends the use
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;
  McpServer& server;
};

McpServer::McpServer(const House& house, McpServerSettings settings)
    : house_(house), settings_(std::move(settings)) {
  configure(settings_);
}

void McpServer::configure(McpServerSettings settings) {
  settings_ = std::move(settings);
  const bool off = !settings_.enabled || !settings_.trouble.empty();
  if (off) {
    drop();
    settled(Phase::kOff);
    last_error_ = settings_.trouble;
  } else if (phase_ == Phase::kOff || phase_ == Phase::kBroken) {
    phase_ = Phase::kIdle;
    crashes_ = 0;
    last_error_.clear();
  }
}

McpServerState McpServer::state() const {
  constexpr std::array<std::string_view, 6> kWords{"idle",    "starting", "ready",
                                                   "waiting", "broken",   "off"};
  return {.name = settings_.name,
          .transport = settings_.is_program() ? "stdio" : "http",
          .state = std::string(kWords.at(static_cast<std::size_t>(phase_))),
          .tools = tool_count_,
          .last_error = last_error_,
          .restarts = restarts_};
}

Error McpServer::named(Error error) const {
  return wrap(fmt::format("the MCP server {}", settings_.name), std::move(error));
}

Error McpServer::resting() const {
  const std::string in = to_words(retry_at_ - house_.clock.mono_now() + millis(999));
  if (phase_ == Phase::kBroken) {
    return {McpErrc::kResting,
            fmt::format("it failed {} times in a row and is left alone for {}: {}. Do without it "
                        "and say so",
                        crashes_, in, last_error_)};
  }
  return {McpErrc::kResting,
          fmt::format("it is being restarted, try again in {}. It failed: {}", in, last_error_)};
}

Result<void> McpServer::may_start() const {
  if (stopping_.stop_requested()) return fail(McpErrc::kEnded, "it was stopped");
  if (phase_ == Phase::kOff) {
    return fail(
        Errc::kUnavailable,
        settings_.trouble.empty()
            ? "it is switched off in rouse.yaml. Do without it and say so"
            : fmt::format("it can't be started: {}. Do without it and say so", settings_.trouble));
  }
  const bool rests = phase_ == Phase::kWaiting || phase_ == Phase::kBroken;
  if (rests && house_.clock.mono_now() < retry_at_) return fail(resting());
  return {};
}

// --- starting, and what comes of it --------------------------------------------------------------

void McpServer::start() {
  if (phase_ == Phase::kWaiting || phase_ == Phase::kBroken) ++restarts_;
  phase_ = Phase::kStarting;
  start_over_ = std::stop_source();
  house_.loop.spawn("start mcp server", run_start(shared_from_this(), ++life_));
}

void McpServer::settled(Phase phase) {
  phase_ = phase;
  start_over_.request_stop();
}

Task<void> McpServer::run_start(std::shared_ptr<McpServer> self, std::int64_t life) {
  const std::weak_ptr<McpServer> weak = self;
  const auto client = std::make_shared<McpClient>(
      self->house_.loop, self->house_.clock, self->house_.connect(self->settings_.place),
      McpClient::Ears{.tools_changed =
                          [weak, life] {
                            if (const auto server = weak.lock()) server->tools_changed(life);
                          },
                      .ended =
                          [weak, life](const Error& why) {
                            if (const auto server = weak.lock()) server->ended(life, why);
                          }});
  self->client_ = client;
  // A little less than whoever waits for it has: so they hear why.
  const Millis most = millis(self->settings_.timeout.count * 9 / 10);
  const MonoTime until = self->house_.clock.mono_now() + most;
  auto greeting = co_await client->open(until, self->stopping_.get_token());
  if (life != self->life_) {
    co_await client->close();
  } else if (!greeting) {
    self->crashed(greeting.error());
  } else {
    self->greeting_ = std::move(*greeting);
    self->last_use_ = self->house_.clock.mono_now();
    self->settled(Phase::kReady);
    self->house_.log.info("mcp.started", {{"server", self->settings_.name},
                                          {"is", self->greeting_.server},
                                          {"version", self->greeting_.version}});
    self->house_.loop.spawn("mcp idle", watch_idle(self, life));
  }
}

void McpServer::ended(std::int64_t life, const Error& why) {
  // During the start its outcome says the same.
  if (life == life_ && phase_ == Phase::kReady) crashed(why);
}

void McpServer::tools_changed(std::int64_t life) {
  if (life == life_) tools_.reset();
}

void McpServer::crashed(const Error& why) {
  note_error(why);
  ++crashes_;
  drop();
  const MonoTime now = house_.clock.mono_now();
  const bool broken = crashes_ >= kMcpCrashes;
  Millis rest = kMcpBrokenRest;
  if (!broken)
    rest = std::min(kMcpFirstRest * (std::int64_t{1} << (crashes_ - 1)), kMcpLongestRest);
  retry_at_ = now + rest;
  settled(broken ? Phase::kBroken : Phase::kWaiting);
  house_.log.warn("mcp.failed", {{"server", settings_.name},
                                 {"message", last_error_},
                                 {"in_a_row", crashes_},
                                 {"again_in_ms", rest.count}});
  if (!broken) house_.loop.spawn("restart mcp server", restart_later(shared_from_this(), life_));
}

void McpServer::drop() {
  ++life_;
  tools_.reset();
  greeting_ = {};
  if (client_) house_.loop.spawn("close mcp server", close(std::exchange(client_, nullptr)));
}

Task<void> McpServer::close(std::shared_ptr<McpClient> client) { co_await client->close(); }

Task<void> McpServer::restart_later(std::shared_ptr<McpServer> self, std::int64_t life) {
  if (!co_await self->house_.clock.wait_until(self->retry_at_, self->stopping_.get_token())) {
    co_return;
  }
  if (life == self->life_ && self->phase_ == Phase::kWaiting) self->start();
}

Task<void> McpServer::watch_idle(std::shared_ptr<McpServer> self, std::int64_t life) {
  while (true) {
    const MonoTime over = self->last_use_ + kMcpIdle;
    if (!co_await self->house_.clock.wait_until(over, self->stopping_.get_token())) co_return;
    if (life != self->life_) co_return;
    const MonoTime now = self->house_.clock.mono_now();
    if (self->uses_ > 0) self->last_use_ = now;
    if (now >= self->last_use_ + kMcpIdle) break;
  }
  self->drop();
  self->phase_ = Phase::kIdle;
  self->house_.log.info("mcp.idle", {{"server", self->settings_.name}});
}

Task<void> McpServer::stop() {
  const auto self = shared_from_this();
  stopping_.request_stop();
  ++life_;
  settled(Phase::kOff);
  if (const auto client = std::exchange(client_, nullptr)) co_await client->close();
}

// --- using it ------------------------------------------------------------------------------------

Task<Result<std::shared_ptr<McpClient>>> McpServer::ready(MonoTime until, std::stop_token stop) {
  CO_TRY_VOID(may_start());
  if (phase_ != Phase::kReady) {
    if (phase_ != Phase::kStarting) start();
    std::stop_source wake;
    const auto wakes = [&wake] { wake.request_stop(); };
    const std::stop_callback on_outcome(start_over_.get_token(), wakes);
    const std::stop_callback on_stop(stop, wakes);
    co_await house_.clock.wait_until(until, wake.get_token());
  }
  if (stop.stop_requested()) co_return fail(Errc::kCancelled, "it was stopped");
  if (phase_ == Phase::kReady) co_return client_;
  if (phase_ == Phase::kStarting) {
    co_return fail(McpErrc::kResting, "it is still starting; try again in a while");
  }
  CO_TRY_VOID(may_start());
  co_return fail(resting());
}

Task<Result<McpServer::ToolList>> McpServer::known_tools(std::shared_ptr<McpClient> client,
                                                         MonoTime until, std::stop_token stop) {
  if (tools_) co_return tools_;
  const std::int64_t life = life_;
  auto got = co_await client->list_tools(until, std::move(stop));
  if (!got) {
    forget_if_gone(client, got.error());
    co_return fail(std::move(got).error());
  }
  auto list = std::make_shared<const McpToolList>(std::move(*got));
  if (life == life_) {
    tools_ = list;
    tool_count_ = list->tools.size();
  }
  co_return list;
}

void McpServer::forget_if_gone(const std::shared_ptr<McpClient>& client, const Error& error) {
  if (!error.is(McpErrc::kSessionGone) || client != client_) return;
  drop();
  phase_ = Phase::kIdle;
}

Task<Result<McpServer::ToolList>> McpServer::list_once(bool anew, MonoTime until,
                                                       std::stop_token stop) {
  CO_TRY(const auto client, co_await ready(until, stop));
  if (anew && !client->hears_unasked()) tools_.reset();
  co_return co_await known_tools(client, until, std::move(stop));
}

Task<Result<McpServer::ToolList>> McpServer::list(bool anew, std::stop_token stop) {
  const auto self = shared_from_this();
  const InUse use(*this);
  const MonoTime until = house_.clock.mono_now() + settings_.timeout;
  auto found = co_await list_once(anew, until, stop);
  // It forgot us: once more, from the beginning.
  if (!found && found.error().is(McpErrc::kSessionGone)) {
    found = co_await list_once(anew, until, stop);
  }
  last_use_ = house_.clock.mono_now();
  if (!found) co_return fail(noted(std::move(found).error()));
  co_return found;
}

Task<Result<std::shared_ptr<const McpToolList>>> McpServer::tools(std::stop_token stop) {
  return list(true, std::move(stop));
}

Task<Result<McpTool>> McpServer::tool(std::string name, std::stop_token stop) {
  CO_TRY(const ToolList all, co_await list(false, std::move(stop)));
  auto found = find_in(*all, name);
  if (!found) co_return fail(named(std::move(found).error()));
  co_return found;
}

Task<Result<McpCallResult>> McpServer::call_once(std::string name, std::string arguments,
                                                 MonoTime until, std::stop_token stop) {
  CO_TRY(const auto client, co_await ready(until, stop));
  CO_TRY(const ToolList all, co_await known_tools(client, until, stop));
  CO_TRY(const McpTool tool, find_in(*all, name));
  CO_TRY(json::object fitting, read_arguments(tool, arguments));
  auto result = co_await client->call_tool(tool.name, std::move(fitting), until, stop);
  if (result) {
    crashes_ = 0;
    co_return result;
  }
  forget_if_gone(client, result.error());
  // What was set is for all of the call; how much of it was left when it was sent tells nobody
  // anything.
  if (result.error().is(McpErrc::kTimeout)) {
    result.error().message =
        fmt::format("it did not answer within {}", to_words(settings_.timeout));
  }
  if (!result.error().is(McpErrc::kRefused) && !result.error().is(McpErrc::kSessionGone)) {
    result.error().message += "; outcome unknown: it may have happened";
  }
  co_return result;
}

Task<Result<McpCallResult>> McpServer::call(std::string name, std::string arguments,
                                            std::stop_token stop) {
  const auto self = shared_from_this();
  const InUse use(*this);
  const MonoTime until = house_.clock.mono_now() + settings_.timeout;
  auto result = co_await call_once(name, arguments, until, stop);
  // It forgot us and did nothing: once more, from the beginning.
  if (!result && result.error().is(McpErrc::kSessionGone)) {
    result = co_await call_once(name, arguments, until, stop);
  }
  last_use_ = house_.clock.mono_now();
  if (!result) co_return fail(noted(std::move(result).error()));
  co_return result;
}

void McpServer::note_error(const Error& error) {
  last_error_ = utf8_prefix(house_.redactor.redact(error.message), kErrorBytes);
}

// For whoever asks how it is; what ended it has been noted already.
Error McpServer::noted(Error error) {
  const bool its_fault = error.kind == Kind::kUnavailable || error.kind == Kind::kTimeout;
  if (its_fault && phase_ == Phase::kReady) note_error(error);
  return named(std::move(error));
}

}  // namespace rouse
