#include "gateway/live_hub.h"

#include <charconv>

#include "base/json.h"
#include "base/text.h"

namespace rouse {
namespace {

constexpr std::uint16_t kPolicyViolation = 1008;
constexpr std::uint16_t kTryAgainLater = 1013;

struct Hello {
  std::string type = "hello";
  std::int64_t protocol = 1;
  std::string boot_id, version;
  std::int64_t seq = 0;
};
auto shape(const Hello*) {
  return fields(field("type", &Hello::type, ""), field("protocol", &Hello::protocol, ""),
                field("boot_id", &Hello::boot_id, ""), field("version", &Hello::version, ""),
                field("seq", &Hello::seq, ""));
}

std::optional<std::string> query_value(std::string_view query, std::string_view name) {
  for (const std::string_view pair : split(query, '&')) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos || pair.substr(0, equals) != name) continue;
    return percent_decode(pair.substr(equals + 1));
  }
  return std::nullopt;
}

Result<std::int64_t> event_number(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || value < 0) {
    return fail(Errc::kInvalid, "'after' must be the seq of a durable event");
  }
  return value;
}

}  // namespace

Result<PageOwner> page_owner(const Principal& principal, std::string browser,
                             std::string_view query) {
  PageOwner out{principal.token, std::move(browser)};
  TRY(out.workspace, choose_workspace(principal, query_value(query, "workspace_id")));
  if (const auto after = query_value(query, "after")) {
    TRY(out.after, event_number(*after));
  }
  return out;
}

void LiveHub::connect(const LiveParts& parts) {
  parts_ = parts;
  desk_ = PageDesk(parts);
  parts.events->on_commit([this](const WorkspaceId& workspace) {
    const auto found = streams_.find(workspace.str());
    if (found == streams_.end()) return;
    // If the store can't be read now, the next commit tries again from the same place.
    if (const Stream stream = found->second.lock()) (void)stream->publish_new();
  });
}

LiveFrame LiveHub::health_frame() const {
  std::string text = encode_json(status_.view());
  text.replace(0, 1, R"({"type":"health",)");
  return live_frame(std::move(text));
}

LiveHub::Stream LiveHub::stream_of(const WorkspaceId& workspace) {
  if (!parts_ || workspace.empty()) return nullptr;
  auto& known = streams_[workspace.str()];
  Stream stream = known.lock();
  if (!stream) known = stream = std::make_shared<WorkspaceStream>(*parts_, workspace);
  return stream;
}

Task<void> LiveHub::serve(PageOwner owner, std::shared_ptr<WebSocket> socket) {
  pages_[socket.get()] = {std::move(owner.token), std::move(owner.browser)};
  Stream stream = stream_of(owner.workspace);
  try {
    co_await greet(owner.after, stream, socket);
    while (true) {
      auto message = co_await socket->receive();
      if (!message) break;
      co_await answer(owner.workspace, std::move(*message), socket);
    }
  } catch (...) {
    forget(owner.workspace, std::move(stream), *socket);  // or the next frame finds a dead socket
    throw;
  }
  forget(owner.workspace, std::move(stream), *socket);
}

void LiveHub::forget(const WorkspaceId& workspace, Stream stream, WebSocket& socket) {
  pages_.erase(&socket);
  if (!stream) return;
  stream->leave(socket);
  stream.reset();
  const auto found = streams_.find(workspace.str());
  if (found != streams_.end() && found->second.expired()) streams_.erase(found);
}

Task<void> LiveHub::greet(std::optional<std::int64_t> after, Stream stream,
                          std::shared_ptr<WebSocket> socket) {
  Result<void> ready;
  if (stream) ready = stream->publish_new();
  Hello hello;
  hello.boot_id = status_.boot_id();
  hello.version = status_.version();
  if (stream) hello.seq = stream->last_seq();
  socket->send(live_frame(encode_json(hello)));
  socket->send(health_frame());
  if (!stream) co_return;
  if (ready) {
    const auto resumed = co_await stream->resume(socket, after);
    if (!resumed) ready = fail(resumed.error());
  }
  if (ready) co_return;
  socket->send(error_frame(ready.error()));
  socket->close(kTryAgainLater, "the store can't be read");
}

Task<void> LiveHub::answer(WorkspaceId workspace, std::string message,
                           std::shared_ptr<WebSocket> socket) {
  auto asked = decode_json<PageAsk>(message);
  if (!asked) {
    socket->send(error_frame(asked.error()));
  } else if (asked->type == "health") {
    socket->send(health_frame());
  } else if (asked->type == "ping") {
    socket->send(live_frame(R"({"type":"pong"})"));
  } else if (!parts_ || workspace.empty()) {
    co_return;
  } else if (asked->type == "chat") {
    co_await desk_.chat(std::move(workspace), std::move(*asked), std::move(socket));
  } else if (asked->type == "cancel") {
    desk_.cancel(workspace, std::move(*asked), std::move(socket));
  } else if (asked->type == "clear_chat") {
    desk_.clear(workspace, std::move(*asked), std::move(socket));
  }
  // Unknown types are ignored: a newer page may ask for more than this server has.
}

std::optional<std::string> LiveHub::check_store() {
  std::string problem = status_.store().problem;
  if (problem == store_problem_) return std::nullopt;
  store_problem_ = std::move(problem);
  broadcast_health();
  return store_problem_;
}

void LiveHub::broadcast_health() {
  if (pages_.empty()) return;
  const auto text = health_frame();
  for (auto& [socket, page] : pages_) socket->send(text);
}

void LiveHub::close_token(const TokenId& token) {
  for (auto& [socket, page] : pages_) {
    if (page.token == token) socket->close(kPolicyViolation, "the token was revoked");
  }
}

void LiveHub::close_browser(std::string_view browser) {
  for (auto& [socket, page] : pages_) {
    if (page.browser == browser) socket->close(kPolicyViolation, "signed out");
  }
}

}  // namespace rouse
