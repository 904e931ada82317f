// The yardstick of streaming: a relay that copies a model's answer to the client as fast as bytes
// can be copied. It keeps nothing, reads nothing of what it passes on and asks nobody who you are.
// One thread, callbacks; one connection to the model for each connection of a client.
//
// Usage: bare_relay PORT MODEL_PORT PATH: a POST's body goes to http://127.0.0.1:MODEL_PORT/PATH.
//
// bare_relay PORT MODEL_PORT PATH DIR: the yardstick of a durable turn. 4 KB are made durable
// before the model is asked, and 4 KB before the end of its answer is passed on; nothing else is
// done.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include "bench/grown_file.h"

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

struct Model {
  tcp::endpoint at;
  std::string path;
  rouse::bench::GrownFile* disk;  // null: nothing is kept
};

class Relay : public std::enable_shared_from_this<Relay> {
 public:
  Relay(tcp::socket client, const Model& model)
      : client_(std::move(client)), upstream_(client_.get_executor()), model_(model) {}

  void read() {
    client_.async_read_some(asio::buffer(bytes_),
                            [self = shared_from_this()](error_code ec, std::size_t size) {
                              if (!ec) self->on_read({self->bytes_.data(), size});
                            });
  }

 private:
  void on_read(std::string_view bytes) {
    request_ += bytes;
    const std::size_t head = request_.find("\r\n\r\n");
    if (head == std::string::npos) return read();
    if (request_.starts_with("GET")) {
      wire_ = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
      request_.clear();
      return asio::async_write(client_, asio::buffer(wire_),
                               [self = shared_from_this()](error_code ec, std::size_t) {
                                 if (!ec) self->read();
                               });
    }
    constexpr std::string_view kLength = "Content-Length: ";
    const std::size_t at = request_.find(kLength);
    const long size = at < head ? std::atol(request_.c_str() + at + kLength.size()) : 0;
    if (request_.size() < head + 4 + static_cast<std::size_t>(size)) return read();
    wire_ = "POST " + model_.path +
            " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            "Content-Length: " +
            std::to_string(size) + "\r\n\r\n" + request_.substr(head + 4);
    request_.clear();
    ask();
  }

  void ask() {
    if (model_.disk != nullptr) model_.disk->rewrite_durably();
    error_code ec;
    if (!upstream_.is_open()) {  // once a client
      upstream_.connect(model_.at, ec);
      if (!ec) upstream_.set_option(tcp::no_delay(true), ec);
      if (ec) return;
    }
    asio::async_write(upstream_, asio::buffer(wire_),
                      [self = shared_from_this()](error_code failed, std::size_t) {
                        if (!failed) self->pump();
                      });
  }

  void pump() {
    upstream_.async_read_some(
        asio::buffer(bytes_), [self = shared_from_this()](error_code ec, std::size_t size) {
          if (ec) return;
          const bool last = std::string_view(self->bytes_.data(), size).ends_with("\r\n0\r\n\r\n");
          if (last && self->model_.disk != nullptr) self->model_.disk->rewrite_durably();
          asio::async_write(self->client_, asio::buffer(self->bytes_, size),
                            [self, last](error_code failed, std::size_t) {
                              if (!failed) last ? self->read() : self->pump();
                            });
        });
  }

  tcp::socket client_, upstream_;
  const Model& model_;
  std::string request_, wire_;
  std::array<char, 64 * 1024> bytes_{};
};

void accept(tcp::acceptor& acceptor, const Model& model) {
  acceptor.async_accept([&acceptor, &model](error_code ec, tcp::socket socket) {
    if (!ec) {
      socket.set_option(tcp::no_delay(true), ec);
      std::make_shared<Relay>(std::move(socket), model)->read();
    }
    accept(acceptor, model);
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) {
    std::fprintf(stderr, "usage: bare_relay PORT MODEL_PORT PATH [DIR]\n");
    return 2;
  }
  const auto port = [](const char* text) { return static_cast<unsigned short>(std::atoi(text)); };
  const auto loopback = asio::ip::make_address("127.0.0.1");
  const auto disk = argc == 5 ? std::make_unique<rouse::bench::GrownFile>(argv[4]) : nullptr;
  const Model model{.at = {loopback, port(argv[2])}, .path = argv[3], .disk = disk.get()};
  asio::io_context context(1);
  tcp::acceptor acceptor(context, {loopback, port(argv[1])});
  accept(acceptor, model);
  context.run();
}
