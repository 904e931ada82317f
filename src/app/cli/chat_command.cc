#include <cstdio>
#include <iostream>
#include <iterator>
#include <memory>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "app/cli/api_client.h"
#include "app/cli/chat_screen.h"
#include "app/cli/command.h"
#include "app/cli/readable.h"
#include "base/random.h"
#include "base/text.h"
#include "gateway/routes/conversation_views.h"

namespace rouse::cli {
namespace {

constexpr Millis kAskAgain = seconds(1);
constexpr int kServerAway = 60;  // how often nobody may answer before we give up
constexpr int kHistoryShown = 20;
constexpr Millis kClearDeadline = seconds(60);  // a model may write the summary

struct ChatOptions {
  ServerOption server;
  std::string message, agent;
  std::string session = "terminal:default";
  bool json = false;
};

std::string request_body(const ChatOptions& options, const std::string& message,
                         const std::string& id) {
  ChatRequest request;
  request.session_id = options.session;
  request.message = boost::json::value(message);
  if (!options.agent.empty()) request.agent_name = options.agent;
  request.client_message_id = id;
  request.stream = true;
  return encode_json(request);
}

void write_out(const std::string& text) {
  fmt::print("{}", text);
  std::fflush(stdout);
}

bool is_lost(const Error& error) {
  return error.is(ClientErrc::kClosed) || error.is(ClientErrc::kProtocol) ||
         error.is(CliErrc::kNotRunning);
}

// One conversation in a terminal, or one message of a script.
class Chat {
 public:
  Chat(ApiClient api, const ChatOptions& options)
      : api_(std::move(api)), options_(options), person_(!options.json && stdout_is_terminal()) {}

  Result<std::string> say(const std::string& message);  // the verdict
  int talk();                                           // until /quit or Ctrl-D

 private:
  Result<void> follow(ChatScreen& screen, const std::string& body);
  Result<TurnView> wait_for(const std::string& turn);
  Result<std::string> catch_up(ChatScreen& screen);
  Result<void> clear();
  Result<void> history();
  Result<void> cancel();
  Result<void> obey(LineKind kind);

  ApiClient api_;
  const ChatOptions& options_;
  bool person_;
  std::string last_turn_;
};

Result<void> Chat::follow(ChatScreen& screen, const std::string& body) {
  return api_.follow({.path = "/api/chat",
                      .body = body,
                      .on_event = [&](const SseEvent& event) -> Result<void> {
                        TRY(const std::string text, screen.take(event));
                        if (!options_.json) write_out(text);
                        return {};
                      },
                      .on_interrupt = [&]() -> std::string {
                        if (screen.turn().empty()) return {};
                        return fmt::format("/api/turns/{}/cancel", percent_encode(screen.turn()));
                      }});
}

Result<std::string> Chat::say(const std::string& message) {
  ChatScreen screen(person_ ? Watcher::kPerson : Watcher::kProgram);
  const std::string body = request_body(options_, message, SystemRandom().hex(12));
  Result<void> followed = follow(screen, body);
  // Whether it arrived is unknown; with the same id it arrives once.
  if (!followed && is_lost(followed.error()) && screen.turn().empty() &&
      !followed.error().is(CliErrc::kNotRunning)) {
    followed = follow(screen, body);
  }
  last_turn_ = screen.turn();
  if (screen.answer()) {
    if (options_.json) print_json(*screen.answer());
    return screen.answer()->verdict;
  }
  if (followed || (is_lost(followed.error()) && !last_turn_.empty())) return catch_up(screen);
  return fail(followed.error());
}

// The connection is gone, the turn is not.
Result<std::string> Chat::catch_up(ChatScreen& screen) {
  if (last_turn_.empty()) {
    return fail(Errc::kUnavailable, "the server ended the answer before it began; try again");
  }
  TRY(const TurnView turn, wait_for(last_turn_));
  if (options_.json) {
    ChatAnswer answer;
    answer.session_id = options_.session;
    answer.response = turn.response.value_or("");
    answer.turn_id = turn.turn_id;
    answer.verdict = turn.verdict.value_or("");
    answer.reason = turn.reason.value_or("");
    answer.conversation_id = turn.conversation_id;
    answer.kernel_session_id = turn.session_id;
    print_json(answer);
  } else {
    write_out(screen.finish(turn.response.value_or(""), turn.verdict.value_or(""),
                            turn.reason.value_or("")));
  }
  return turn.verdict.value_or("");
}

Result<TurnView> Chat::wait_for(const std::string& turn) {
  const std::string path = "/api/turns/" + percent_encode(turn);
  for (int away = 0; true;) {
    auto view = api_.get<TurnView>(path);
    if (view && view->ended_at) return view;
    if (!view && (!is_lost(view.error()) || ++away > kServerAway)) return view;
    if (view) away = 0;
    api_.pause(kAskAgain);
  }
}

Result<void> Chat::clear() {
  api_.set_deadline(kClearDeadline);
  TRY(const ClearAnswer cleared,
      api_.post<ClearAnswer>(
          fmt::format("/api/conversations/{}/clear", percent_encode(options_.session)), ""));
  fmt::print("{}\n", safe_text(cleared.message));
  return {};
}

Result<void> Chat::history() {
  const auto page = api_.get<MessageList>(fmt::format(
      "/api/conversations/{}/messages?limit={}", percent_encode(options_.session), kHistoryShown));
  if (!page && page.error().is(Errc::kNotFound)) {
    fmt::print("Nothing was said here yet.\n");
    return {};
  }
  if (!page) return fail(page.error());
  for (auto one = page->items.rbegin(); one != page->items.rend(); ++one) {
    const std::string head = fmt::format("{}  {}: ", short_time(one->created_at), one->role);
    fmt::print("{}{}\n", head, hanging(safe_text(readable_text(one->content)), head.size()));
  }
  return {};
}

Result<void> Chat::cancel() {
  if (last_turn_.empty()) {
    fmt::print("Nothing is running here. Ctrl-C stops an answer while it comes.\n");
    return {};
  }
  TRY(const TurnView turn,
      api_.post<TurnView>(fmt::format("/api/turns/{}/cancel", percent_encode(last_turn_)), ""));
  fmt::print("{} is {}\n", turn.turn_id, turn.verdict.value_or(turn.state));
  return {};
}

Result<void> Chat::obey(LineKind kind) {
  switch (kind) {
    case LineKind::kClear:
      return clear();
    case LineKind::kHistory:
      return history();
    case LineKind::kCancel:
      return cancel();
    case LineKind::kUnknown:
      fmt::print("There is no such command.\n{}", kChatHelp);
      return {};
    case LineKind::kHelp:
      fmt::print("{}", kChatHelp);
      return {};
    default:
      return {};
  }
}

int Chat::talk() {
  fmt::print("Talking to {}, conversation {}. /help lists the commands, Ctrl-D leaves.\n",
             api_.url(), safe_text(options_.session));
  std::string line;
  while (true) {
    write_out("> ");
    if (!std::getline(std::cin, line)) break;
    const LineKind kind = kind_of_line(line);
    if (kind == LineKind::kQuit) return kOk;
    Result<void> done;
    if (kind == LineKind::kSay) {
      const auto verdict = say(line);
      if (!verdict) done = fail(verdict.error());
    } else {
      done = obey(kind);
    }
    // A failure ends the answer, not the conversation.
    if (!done && report(done.error()) == kNotAuthorised) return kNotAuthorised;
  }
  fmt::print("\n");
  return kOk;
}

std::string piped_text() {
  return {std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
}

int run_chat(const ChatOptions& options) {
  auto api = ApiClient::find(options.server);
  if (!api) return report(api.error());
  Chat chat(std::move(*api), options);
  const bool at_terminal = ::isatty(STDIN_FILENO) != 0;
  if (options.message.empty() && at_terminal && !options.json) return chat.talk();
  std::string message = options.message;
  if (message.empty() && !at_terminal) message = piped_text();
  if (trim(message).empty()) {
    return report(Error(Errc::kInvalid, "there is nothing to say: rouse chat MESSAGE"));
  }
  const auto verdict = chat.say(message);
  if (!verdict) return report(verdict.error());
  return *verdict == "spoke" || *verdict == "silent" ? kOk : kFailed;
}

}  // namespace

void add_chat(CLI::App& root, Chosen& chosen) {
  auto options = std::make_shared<ChatOptions>();
  CLI::App& command =
      add_command(root, "chat", "Talk to an agent: a conversation here, or one message.",
                  {"rouse chat", "rouse chat \"what is on my list today?\"",
                   "git diff | rouse chat --session review", "rouse chat \"hello\" --json"});
  command.add_option("MESSAGE", options->message,
                     "What to say; without it a conversation begins, or a pipe is read");
  command
      .add_option("--session", options->session,
                  "Which conversation, by any of its names; a new name begins one")
      ->type_name("ID");
  command.add_option("--agent", options->agent, "Who answers, in a new conversation")
      ->type_name("NAME");
  add_server_options(command, options->server);
  add_json_flag(command, options->json);
  command.callback([options, &chosen] { chosen.run = [options] { return run_chat(*options); }; });
}

}  // namespace rouse::cli
