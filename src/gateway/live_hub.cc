#include "gateway/live_hub.h"

#include "base/json.h"

namespace rouse {
namespace {

constexpr std::uint16_t kPolicyViolation = 1008;

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

struct Asked {
  std::string type;
};
auto shape(const Asked*) { return fields(field("type", &Asked::type, "")); }

struct ErrorFrame {
  std::string type = "error";
  std::string error, message;
};
auto shape(const ErrorFrame*) {
  return fields(field("type", &ErrorFrame::type, ""), field("error", &ErrorFrame::error, ""),
                field("message", &ErrorFrame::message, ""));
}

std::shared_ptr<const std::string> frame(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

}  // namespace

std::shared_ptr<const std::string> LiveHub::health_frame() const {
  std::string text = encode_json(status_.view());
  text.replace(0, 1, R"({"type":"health",)");
  return frame(std::move(text));
}

Task<void> LiveHub::serve(PageOwner owner, std::shared_ptr<WebSocket> socket) {
  Hello hello;
  hello.boot_id = status_.boot_id();
  hello.version = status_.version();
  sockets_[socket.get()] = std::move(owner);
  try {
    socket->send(frame(encode_json(hello)));
    socket->send(health_frame());
    while (true) {
      auto message = co_await socket->receive();
      if (!message) break;
      answer(*socket, *message);
    }
  } catch (...) {
    sockets_.erase(socket.get());  // or the next broadcast would find a dead socket
    throw;
  }
  sockets_.erase(socket.get());
}

void LiveHub::answer(WebSocket& socket, std::string_view message) const {
  const auto asked = decode_json<Asked>(message);
  if (!asked) {
    socket.send(frame(
        encode_json(ErrorFrame{"error", std::string(asked.error().name), asked.error().message})));
  } else if (asked->type == "health") {
    socket.send(health_frame());
  } else if (asked->type == "ping") {
    socket.send(frame(R"({"type":"pong"})"));
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
  if (sockets_.empty()) return;
  const auto text = health_frame();
  for (auto& [socket, owner] : sockets_) socket->send(text);
}

void LiveHub::close_token(const TokenId& token) {
  for (auto& [socket, owner] : sockets_) {
    if (owner.token == token) socket->close(kPolicyViolation, "the token was revoked");
  }
}

void LiveHub::close_browser(std::string_view browser) {
  for (auto& [socket, owner] : sockets_) {
    if (owner.browser == browser) socket->close(kPolicyViolation, "signed out");
  }
}

}  // namespace rouse
