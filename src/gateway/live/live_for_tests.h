// Pages of a server over a simulated world: sockets that can be slow or cut off, what a client
// makes of its frames, and a runner that leaves it to the test what happens in a turn.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include "gateway/live_hub.h"
#include "session/kernel_for_tests.h"
#include "tests/sim/world.h"

namespace rouse {

using Json = boost::json::object;

inline std::string text_at(const Json& json, std::string_view name) {
  const auto* value = json.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
}

// A socket whose client reads at once, or not at all while `stuck`, or is cut off after some
// frames.
class PageSocket final : public WebSocket {
 public:
  Task<Result<std::string>> receive() override {
    if (cut_) co_return fail(WebSocketErrc::kLost, "gone");
    if (!said_.empty()) {
      std::string text = std::move(said_.front());
      said_.pop_front();
      co_return text;
    }
    co_return co_await complete_later<Result<std::string>>(
        [this](Completer<Result<std::string>> done) { waiting_ = std::move(done); });
  }
  bool send(std::shared_ptr<const std::string> text) override {
    if (cut_) return false;
    frames.push_back(*text);
    if (stuck) queued_ += text->size();
    most_queued = std::max(most_queued, queued_);
    if (frames.size() == cut_after) cut();
    return true;
  }
  void close(std::uint16_t code, std::string_view) override {
    closed = code;
    cut();
  }
  [[nodiscard]] std::size_t queued_bytes() const override { return queued_; }

  void cut() {
    cut_ = true;
    queued_ = 0;
    if (waiting_) std::exchange(waiting_, nullptr)(fail(WebSocketErrc::kLost, "gone"));
  }
  [[nodiscard]] bool is_cut() const { return cut_; }
  void say(std::string text) {
    if (waiting_) {
      std::exchange(waiting_, nullptr)(std::move(text));
    } else {
      said_.push_back(std::move(text));
    }
  }
  void read_all() { queued_ = 0; }

  [[nodiscard]] std::vector<Json> of_type(std::string_view type) const {
    std::vector<Json> out;
    for (const std::string& frame : frames) {
      Json json = boost::json::parse(frame).as_object();
      if (text_at(json, "type") == type) out.push_back(std::move(json));
    }
    return out;
  }

  std::vector<std::string> frames;
  std::size_t cut_after = 0;
  std::size_t most_queued = 0;
  std::uint16_t closed = 0;
  bool stuck = false;

 private:
  Completer<Result<std::string>> waiting_;
  std::deque<std::string> said_;
  std::size_t queued_ = 0;
  bool cut_ = false;
};

// What a page knows, made from nothing but frames, as docs/websocket.md tells it to.
struct PageModel {
  std::int64_t seq = -1;
  std::map<std::int64_t, std::string> messages;           // of the transcript, by number
  std::map<std::string, std::vector<std::string>> shown;  // provisional, by turn
  std::set<std::string> queued, ended;
  int resets = 0;

  void apply(const std::string& frame) {
    const Json json = boost::json::parse(frame).as_object();
    const std::string type = text_at(json, "type");
    const std::string turn = text_at(json, "turn_id");
    if (type == "hello" && seq < 0) seq = json.at("seq").as_int64();
    if (type == "reset") {
      seq = json.at("seq").as_int64();
      ++resets;
    }
    if (type == "turn_snapshot") take_snapshot(turn, json);
    if (type == "delta") take_delta(turn, json);
    if (type == "turn_again") shown[turn].clear();
    if (type != "hello" && type != "reset" && json.contains("seq")) take_event(type, turn, json);
  }

  void take_snapshot(const std::string& turn, const Json& json) {
    EXPECT_FALSE(ended.contains(turn));
    shown[turn].clear();
    for (const auto& block : json.at("blocks").as_array()) {
      shown[turn].emplace_back(block.as_string());
    }
  }
  void take_delta(const std::string& turn, const Json& json) {
    EXPECT_FALSE(ended.contains(turn));
    auto& blocks = shown[turn];
    const auto block = static_cast<std::size_t>(json.at("block").as_int64());
    blocks.resize(std::max(blocks.size(), block + 1));
    // Nothing is missing and nothing comes twice.
    EXPECT_EQ(static_cast<std::size_t>(json.at("offset").as_int64()), blocks[block].size());
    blocks[block] += std::string_view(json.at("text").as_string());
  }
  void take_event(const std::string& type, const std::string& turn, const Json& json) {
    EXPECT_EQ(json.at("seq").as_int64(), seq + 1) << "a gap, or twice";
    seq = json.at("seq").as_int64();
    if (type == "turn_queued") queued.insert(turn);
    if (type != "turn_ended") return;
    ended.insert(turn);
    shown.erase(turn);
    for (const auto& message : json.at("messages").as_array()) {
      const Json& one = message.as_object();
      std::string text;
      for (const auto& block : one.at("content").as_array()) {
        text += text_at(block.as_object(), "text");
      }
      messages[one.at("seq").as_int64()] = one.at("role").as_string().c_str() + (": " + text);
    }
  }
};

// Runs nothing by itself: the test says what happens in a turn.
class LiveRunner final : public TurnRunner {
 public:
  LiveRunner(SessionKernel& kernel, TurnLedger& ledger) : kernel_(kernel), ledger_(ledger) {}

  Task<Result<Submitted>> submit(InboundMessage message) override {
    CO_TRY(auto resolved, co_await kernel_.accept(std::move(message), Accept::kBeginIfFree));
    co_return Submitted{std::move(resolved)};
  }
  Task<Result<TurnOutcome>> wait(TurnId, std::stop_token) override {
    co_return fail(Errc::kCancelled, "nobody waits here");
  }
  Task<Result<Turn>> cancel(TurnId turn) override {
    CO_TRY(Turn found, ledger_.get(turn));
    TurnClose how;
    how.verdict = {"interrupted", "cancelled"};
    CO_TRY(ClosedTurn closed, co_await ledger_.close(std::move(found), std::move(how)));
    co_return closed.turn;
  }
  Task<Result<Turn>> drop_waiting(TurnId turn, std::string) override { return cancel(turn); }
  Task<Result<Cleared>> clear(WorkspaceId workspace, std::string conversation) override {
    cleared.push_back(conversation);
    const auto found = kernel_.conversations().find_by_name(workspace, conversation);
    Cleared out;
    if (found) out.conversation = found->id;
    co_return out;
  }
  [[nodiscard]] bool busy(const ConversationId&) const override { return false; }
  [[nodiscard]] std::size_t running() const override { return 0; }

  std::vector<std::string> cleared;

 private:
  SessionKernel& kernel_;
  TurnLedger& ledger_;
};

class NoPrompt final : public PromptBuilder {
 public:
  Prompt build(const PromptInput&) override { return {}; }
};

// One life of a server with its pages.
class LiveHouse {
 public:
  LiveHouse()
      : database_(*world.open_store()),
        house(world, *database_),
        events(*database_),
        ledger(*database_, world.clock(), house.kernel, events),
        runner(house.kernel, ledger),
        agents_(*database_, world.clock()),
        blobs_(*database_, world.clock()),
        tools_(world.clock()),
        prompts_(world.clock(), house.kernel, ledger, house.workspaces, agents_, blobs_, tools_,
                 builder_, [] { return std::shared_ptr<const ModelBook>(); }),
        door_(house.kernel, agents_, blobs_, prompts_, runner),
        status_(world.clock(), *database_, board_, "0.0.0-test", "boot"),
        hub(status_) {
    EXPECT_TRUE(world.run(house.start()));
    house.kernel.record_events(&events);
    hub.connect({.runner = &runner,
                 .stage = &stage,
                 .events = &events,
                 .kernel = &house.kernel,
                 .ledger = &ledger,
                 .door = &door_,
                 .clock = &world.clock(),
                 .loop = &world.loop()});
  }
  ~LiveHouse() {
    for (const auto& socket : sockets_) socket->cut();
    world.settle();
    EXPECT_EQ(hub.size(), 0U);
    EXPECT_EQ(hub.streams(), 0U);
  }
  LiveHouse(const LiveHouse&) = delete;
  LiveHouse& operator=(const LiveHouse&) = delete;

  std::shared_ptr<PageSocket> open(std::optional<std::int64_t> after = {},
                                   WorkspaceId workspace = Workspaces::default_id(),
                                   std::size_t cut_after = 0) {
    auto socket = std::make_shared<PageSocket>();
    socket->cut_after = cut_after;
    return open(socket, after, std::move(workspace));
  }
  std::shared_ptr<PageSocket> open(std::shared_ptr<PageSocket> socket,
                                   std::optional<std::int64_t> after, WorkspaceId workspace) {
    PageOwner owner;
    owner.workspace = std::move(workspace);
    owner.after = after;
    world.loop().spawn("page", hub.serve(std::move(owner), socket));
    sockets_.push_back(socket);
    world.settle();
    return socket;
  }

  Turn begin(const std::string& text, const std::string& peer = "chat",
             const WorkspaceId& workspace = Workspaces::default_id()) {
    InboundMessage message{.workspace = workspace,
                           .key = {"websocket", peer},
                           .account = peer,
                           .message_id = {},
                           .content = text_content(text, kFromOwner)};
    const auto taken = world.run(runner.submit(std::move(message)));
    EXPECT_TRUE(taken) << taken.error();
    return *taken->resolved.accepted;
  }
  ClosedTurn end(const Turn& turn, const std::string& answer) {
    TurnClose how;
    how.verdict = {"spoke", ""};
    how.answer = text_content(answer, kFromAgent);
    auto closed = world.run(ledger.close(turn, std::move(how)));
    EXPECT_TRUE(closed) << closed.error();
    return std::move(*closed);
  }
  static TurnEvent event_of(const Turn& turn, TurnEvent::Kind kind) {
    TurnEvent event;
    event.kind = kind;
    event.turn = {.workspace = turn.workspace,
                  .conversation = turn.conversation,
                  .session = turn.session,
                  .turn = turn.id,
                  .kind = std::string(turn_kind_name(turn.kind)),
                  .transport = "websocket"};
    return event;
  }
  void publish(const Turn& turn, TurnEvent::Kind kind) { stage.publish(event_of(turn, kind)); }
  void stream(const Turn& turn, std::size_t block, std::size_t offset, const std::string& text,
              std::int64_t attempt = 1) {
    TurnEvent event = event_of(turn, TurnEvent::Kind::kText);
    event.attempt = attempt;
    event.block = block;
    event.offset = offset;
    event.text = text;
    stage.publish(std::move(event));
  }
  void again(const Turn& turn, std::int64_t attempt) {
    TurnEvent event = event_of(turn, TurnEvent::Kind::kAgain);
    event.attempt = attempt;
    stage.publish(std::move(event));
  }
  void settle() { world.run_for(seconds(1)); }

  sim::World world{7};

 private:
  Database* database_;
  HealthBoard board_;

 public:
  KernelHouse house;
  EventLog events;
  TurnLedger ledger;
  TurnStage stage;
  LiveRunner runner;

 private:
  Agents agents_;
  Blobs blobs_;
  ToolRegistry tools_;
  NoPrompt builder_;
  TurnPrompts prompts_;
  ChatDoor door_;
  ServerStatus status_;

 public:
  LiveHub hub;
  Database& database() { return *database_; }

 private:
  std::vector<std::shared_ptr<PageSocket>> sockets_;
};

}  // namespace rouse
