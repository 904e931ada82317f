// The whole gateway over the simulator's world: real store on a disk in memory, virtual clock,
// seeded chance, no sockets. A test says what a client sends and looks at the answer.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"
#include "gateway/gateway.h"
#include "gateway/routes/agent_routes.h"
#include "gateway/routes/automation_routes.h"
#include "gateway/routes/conversation_routes.h"
#include "gateway/routes/export_routes.h"
#include "gateway/routes/file_routes.h"
#include "gateway/routes/kernel_routes.h"
#include "gateway/routes/project_routes.h"
#include "gateway/routes/run_routes.h"
#include "gateway/routes/search_routes.h"
#include "gateway/routes/settings_routes.h"
#include "gateway/routes/sign_in_routes.h"
#include "gateway/routes/status_routes.h"
#include "gateway/routes/token_routes.h"
#include "gateway/routes/why_routes.h"
#include "gateway/routes/workspace_routes.h"
#include "store/sqlite/sqlite_text_index.h"
#include "tests/sim/world.h"

namespace rouse {

inline constexpr std::string_view kOwnerToken = "rouse_owner-token-for-tests";

struct Ask {
  std::string method = "GET";
  std::string target = "/";
  std::string body = {};
  std::map<std::string, std::string> headers = {};
  bool owner = true;  // sends the owner's token
  bool upgrade = false;
};

struct Answer {
  int status = 0;
  std::string body;
  std::map<std::string, std::string> headers;  // names in lower case, static ones included
  bool broken = false;                         // a streamed body ended without its last chunk
  [[nodiscard]] std::string error() const {
    const auto parsed = decode_json<ErrorBody>(body);
    return parsed ? parsed->error : "";
  }
};

class SettingsForTests final : public SettingsSource {
 public:
  [[nodiscard]] std::vector<SettingView> list() const override { return settings; }
  Result<void> set(const std::map<std::string, boost::json::value>& changes) override {
    for (auto& view : settings) {
      if (const auto it = changes.find(view.key); it != changes.end()) view.value = it->second;
    }
    return {};
  }
  std::vector<SettingView> settings{
      {"log.level", "info", "default", false, false, "How much is logged"}};
};

class BackupsForTests final : public BackupShelf {
 public:
  Task<Result<std::vector<BackupFile>>> since(WallTime time) override {
    asked = time;
    co_return files;
  }
  WallTime asked;
  std::vector<BackupFile> files;
};

// Takes what is streamed; hangs up after so many pieces.
class StreamForTests final : public ResponseStream {
 public:
  Task<Result<void>> write(std::string chunk) override {
    if (before_piece) before_piece(pieces);
    if (pieces == pieces_taken) co_return fail(Errc::kCancelled, "the client is gone");
    ++pieces;
    text += chunk;
    co_return Result<void>{};
  }
  [[nodiscard]] std::stop_token stop() const override { return {}; }

  std::string text;
  int pieces = 0;
  int pieces_taken = 1 << 30;
  std::function<void(int)> before_piece;
};

class SocketForTests final : public WebSocket {
 public:
  Task<Result<std::string>> receive() override {
    return complete_later<Result<std::string>>(
        [this](Completer<Result<std::string>> done) { waiting = std::move(done); });
  }
  bool send(std::shared_ptr<const std::string> text) override {
    sent.push_back(*text);
    return true;
  }
  void close(std::uint16_t code, std::string_view) override {
    closed = code;
    if (waiting) std::exchange(waiting, nullptr)(fail(Errc::kCancelled, "closed"));
  }
  [[nodiscard]] std::size_t queued_bytes() const override { return 0; }
  void say(std::string text) { std::exchange(waiting, nullptr)(std::move(text)); }

  Completer<Result<std::string>> waiting;
  std::vector<std::string> sent;
  std::uint16_t closed = 0;
};

class GatewayTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = world_.open_store();
    ASSERT_TRUE(opened) << opened.error();
    database_ = *opened;
    house_ = std::make_unique<House>(*this);
    ASSERT_TRUE(world_.run(house_->workspaces.ensure_default()));
    ASSERT_TRUE(world_.run(house_->kernel.start()));
    ASSERT_TRUE(house_->jobs.load());
    ASSERT_TRUE(house_->ledger.load());
    house_->tokens.set_owner_token(kOwnerToken);
    ASSERT_TRUE(house_->tokens.load());
    ASSERT_TRUE(house_->browsers.load());
    house_->gateway.configure(options_);
  }

  // Forgets all memory and reads it from the store again.
  void restart() {
    leave_house();
    house_.reset();
    world_.close_store();
    SetUp();
  }

  // What holds on to the house lets go of it.
  virtual void leave_house() {}

  Answer send(Ask ask) {
    RequestHead head = head_of(ask);
    Admission admission = house_->gateway.admit(head);
    if (admission.refusal) return answer_of(*admission.refusal);
    if (ask.body.size() > admission.max_body_bytes) return {413, "", {}};
    Response response = world_.run(house_->gateway.handle(head, ask.body));
    Answer answer = answer_of(response);
    if (response.stream && ask.method != "HEAD") take_stream(response, answer);
    return answer;
  }

  // Reads a streamed body into the answer, as a server would hand it out.
  void take_stream(Response& response, Answer& answer) {
    world_.run(drain(response, stream_, answer.broken));
    answer.body = std::exchange(stream_.text, {});
    stream_.pieces = 0;
  }
  static Task<void> drain(Response& response, StreamForTests& stream, bool& broken) {
    try {
      co_await response.stream(stream);
    } catch (const std::exception&) {
      broken = true;
    }
  }

  // Connects a page; null if it was refused, then `refused_` has the answer.
  std::shared_ptr<SocketForTests> connect(Ask ask) {
    ask.upgrade = true;
    ask.target = "/ws";
    auto kept = std::make_shared<std::pair<Ask, RequestHead>>(ask, RequestHead{});
    kept->second = head_of(kept->first);
    const Admission admission = house_->gateway.admit(kept->second);
    if (admission.refusal) {
      refused_ = answer_of(*admission.refusal);
      return nullptr;
    }
    auto socket = std::make_shared<SocketForTests>();
    world_.loop().spawn("page", house_->gateway.websocket(kept->second, socket));
    heads_.push_back(kept);
    world_.settle();
    return socket;
  }

  Answer post(std::string target, std::string body) {
    return send({.method = "POST", .target = std::move(target), .body = std::move(body)});
  }

  struct House {
    explicit House(GatewayTest& test)
        : log([] { return WallTime{0}; }, redactor,
              [&test](std::string_view line) { test.logged_ += line; }),
          workspaces(*test.database_, test.world_.clock(), test.world_.random()),
          kernel(*test.database_, test.world_.clock(), test.world_.random(), workspaces, summariser,
                 drift),
          indexer(*test.database_, text_index, test.world_.clock(), test.world_.loop()),
          search(*test.database_, text_index),
          blobs(*test.database_, test.world_.clock()),
          removal(*test.database_, test.world_.clock(), kernel, indexer, backups),
          story(*test.database_, test.world_.clock()),
          projects(*test.database_, test.world_.clock()),
          agents(*test.database_, test.world_.clock()),
          events(*test.database_),
          jobs(*test.database_, test.world_.clock(), test.world_.random(), workspaces, events),
          ledger(*test.database_),
          automation_story(jobs, ledger, kernel.turns(), test.world_.clock()),
          tokens(*test.database_, test.world_.clock(), test.world_.random()),
          browsers(*test.database_, tokens, test.world_.clock(), test.world_.random()),
          status(test.world_.clock(), *test.database_, board, "0.0.0-test", "boot"),
          hub(status),
          gateway(test.world_.clock(), log, tokens, browsers, hub, table),
          status_routes(status, hub, table),
          sign_in_routes(gateway, tokens, browsers, hub, test.world_.clock()),
          token_routes(tokens, workspaces, hub, log),
          workspace_routes(workspaces, removal, tokens, hub, log),
          conversation_routes(*test.database_, test.world_.clock(), kernel, workspaces, projects,
                              agents, removal, log),
          search_routes(search, kernel, workspaces),
          export_routes(kernel, workspaces),
          file_routes(blobs, workspaces),
          kernel_routes(kernel, workspaces, log),
          why_routes(kernel, story),
          project_routes(projects, workspaces),
          agent_routes(agents, workspaces),
          settings_routes(settings),
          automation_routes(jobs, ledger, automation_story, kernel, workspaces,
                            test.world_.clock()),
          run_routes(jobs, ledger, workspaces) {
      board.on_change([this] { hub.broadcast_health(); });
      kernel.on_messages([this](const WorkspaceId& workspace, const Transcript& said) {
        indexer.messages_were_added(workspace, said);
      });
      status_routes.add_to(table);
      sign_in_routes.add_to(table);
      token_routes.add_to(table);
      workspace_routes.add_to(table);
      kernel_routes.add_to(table);
      conversation_routes.add_to(table);
      search_routes.add_to(table);
      export_routes.add_to(table);
      file_routes.add_to(table);
      why_routes.add_to(table);
      project_routes.add_to(table);
      agent_routes.add_to(table);
      settings_routes.add_to(table);
      automation_routes.add_to(table);
      run_routes.add_to(table);
      conversation_routes.ask_before_deleting(jobs);
      conversation_routes.record_events(&events);
      removal.record_events(&events);
      table.add(answer<OkBody>({.method = "POST",
                                .pattern = "/webhook/test",
                                .access = Access::kBridge,
                                .summary = "A bridge for tests",
                                .bridge = "test"},
                               [](Call&) -> Result<OkBody> { return OkBody{}; }));
      table.add(answer<OkBody>({.pattern = "/api/broken", .summary = "Throws"},
                               [](Call&) -> Result<OkBody> { throw std::runtime_error("a bug"); }));
    }
    Redactor redactor;
    Log log;
    HealthBoard board;
    Workspaces workspaces;
    Summariser summariser;
    DriftGate drift;
    SessionKernel kernel;
    SqliteTextIndex text_index;
    MessageIndexer indexer;
    MessageSearch search;
    Blobs blobs;
    BackupsForTests backups;
    ConversationDelete removal;
    SessionStory story;
    Projects projects;
    Agents agents;
    EventLog events;
    JobBook jobs;
    OccurrenceLedger ledger;
    AutomationStory automation_story;
    TokenBook tokens;
    BrowserSessions browsers;
    ServerStatus status;
    LiveHub hub;
    RouteTable table;
    Gateway gateway;
    SettingsForTests settings;
    StatusRoutes status_routes;
    SignInRoutes sign_in_routes;
    TokenRoutes token_routes;
    WorkspaceRoutes workspace_routes;
    ConversationRoutes conversation_routes;
    SearchRoutes search_routes;
    ExportRoutes export_routes;
    FileRoutes file_routes;
    KernelRoutes kernel_routes;
    WhyRoutes why_routes;
    ProjectRoutes project_routes;
    AgentRoutes agent_routes;
    SettingsRoutes settings_routes;
    AutomationRoutes automation_routes;
    RunRoutes run_routes;
  };

  RequestHead head_of(Ask& ask) {
    if (ask.owner) ask.headers.emplace("authorization", "Bearer " + std::string(kOwnerToken));
    if (!ask.body.empty()) ask.headers.emplace("content-type", "application/json");
    ask.headers.emplace("host", "127.0.0.1:18888");
    RequestHead head;
    head.method = ask.method;
    head.target = ask.target;
    const std::string_view target = ask.target;
    head.path = target.substr(0, target.find('?'));
    if (head.path.size() < target.size()) head.query = target.substr(head.path.size() + 1);
    for (const auto& [name, value] : ask.headers) head.headers.push_back({name, value});
    head.websocket_upgrade = ask.upgrade;
    head.peer = &peer_;
    return head;
  }

  static Answer answer_of(const Response& response) {
    Answer answer{response.status, response.body, {}};
    if (!response.static_body.empty()) answer.body = response.static_body;
    for (const std::string_view line : split(response.static_headers, '\n')) {
      const std::size_t colon = line.find(':');
      if (colon == std::string_view::npos) continue;
      answer.headers[lower_ascii(line.substr(0, colon))] = trim(line.substr(colon + 1));
    }
    for (const auto& [name, value] : response.headers) answer.headers[lower_ascii(name)] = value;
    return answer;
  }

  sim::World world_{1};
  Database* database_ = nullptr;
  GatewayOptions options_;
  Peer peer_{"127.0.0.1", 5000, false};
  std::string logged_;
  Answer refused_;
  StreamForTests stream_;
  std::unique_ptr<House> house_;
  std::vector<std::shared_ptr<std::pair<Ask, RequestHead>>> heads_;
};

}  // namespace rouse
