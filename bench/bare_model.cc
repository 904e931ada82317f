// A model that answers at once, for benchmarks of everything around it, rouse or another gateway.
// Speaks as much of the two wire formats as a client that streams needs: POST …/v1/chat/completions
// and POST …/v1/messages. Requests of any size are counted and thrown away as they arrive. One
// thread, callbacks, keep-alive, no limits, no deadlines.
//
// It says "ok", in one piece and at once. What stands in the path before /v1 asks for more:
//
//   http://127.0.0.1:PORT/tokens=200&gap_us=5000&first_us=2000&stamp=1/v1
//
//   tokens=N     so many pieces of text, an event each
//   first_us=N   so long until the first
//   gap_us=N     so long from one to the next; 0: all of them in one write
//   stamp=1      each piece is the moment it was written (bench/wire.h)
//
// GET /stats: {"requests":N,"last_body_bytes":N,"max_body_bytes":N}, of the POSTs alone.
//
// Usage: bare_model PORT (0: any). Prints "listening on http://127.0.0.1:PORT" when it is ready.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>

#include "bench/wire.h"

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;

namespace {

// --- what it says --------------------------------------------------------------------------------

// A wire format: what comes before the text, around each piece of it, and after it.
struct Voice {
  std::string begin, before_text, after_text, end;
};

// An event a chunk, as the services send it.
std::string chunk(std::string_view event) {
  return fmt::format("{:x}\r\n{}\n\n\r\n", event.size() + 2, event);
}

constexpr std::string_view kHead =
    "HTTP/1.1 200 OK\r\n"
    "Content-Type: text/event-stream; charset=utf-8\r\n"
    "Cache-Control: no-cache\r\n"
    "Transfer-Encoding: chunked\r\n\r\n";

const Voice& completions() {
  constexpr std::string_view kStart =
      R"(data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1760000000,)"
      R"("model":"bench","choices":[)";
  static const Voice voice{
      .begin = std::string(kHead) +
               chunk(fmt::format(R"({}{{"index":0,"delta":{{"role":"assistant","content":""}},)"
                                 R"("finish_reason":null}}],"usage":null}})",
                                 kStart)),
      .before_text = fmt::format(R"({}{{"index":0,"delta":{{"content":")", kStart),
      .after_text = R"("},"finish_reason":null}],"usage":null})",
      .end =
          chunk(fmt::format(
              R"({}{{"index":0,"delta":{{}},"finish_reason":"stop"}}],"usage":null}})", kStart)) +
          chunk(fmt::format(R"({}],"usage":{{"prompt_tokens":100,"completion_tokens":1,)"
                            R"("total_tokens":101}}}})",
                            kStart)) +
          chunk("data: [DONE]") + "0\r\n\r\n"};
  return voice;
}

const Voice& messages() {
  static const Voice voice{
      .begin =
          std::string(kHead) +
          chunk("event: message_start\n"
                R"(data: {"type":"message_start","message":{"id":"msg_bench","type":"message",)"
                R"("role":"assistant","model":"bench","content":[],"stop_reason":null,)"
                R"("stop_sequence":null,"usage":{"input_tokens":100,)"
                R"("cache_creation_input_tokens":0,"cache_read_input_tokens":0,)"
                R"("output_tokens":1}}})") +
          chunk("event: content_block_start\n"
                R"(data: {"type":"content_block_start","index":0,)"
                R"("content_block":{"type":"text","text":""}})"),
      .before_text =
          "event: content_block_delta\n"
          R"(data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":")",
      .after_text = R"("}})",
      .end = chunk("event: content_block_stop\n"
                   R"(data: {"type":"content_block_stop","index":0})") +
             chunk("event: message_delta\n"
                   R"(data: {"type":"message_delta","delta":{"stop_reason":"end_turn",)"
                   R"("stop_sequence":null},"usage":{"output_tokens":1}})") +
             chunk("event: message_stop\n"
                   R"(data: {"type":"message_stop"})") +
             "0\r\n\r\n"};
  return voice;
}

// What the path asks for.
struct Wish {
  std::int64_t tokens = 1, first_us = 0, gap_us = 0, stamp = 0;

  explicit Wish(std::string_view path) {
    const auto read = [path](std::string_view name, std::int64_t& into) {
      const std::size_t at = path.find(name);
      if (at == std::string_view::npos) return;
      std::from_chars(path.data() + at + name.size(), path.data() + path.size(), into);
    };
    read("tokens=", tokens);
    read("first_us=", first_us);
    read("gap_us=", gap_us);
    read("stamp=", stamp);
  }
  [[nodiscard]] bool at_once() const { return first_us == 0 && gap_us == 0; }
  [[nodiscard]] std::string piece(const Voice& voice, std::int64_t number) const {
    const std::string text = stamp != 0    ? fmt::format("@{}@", rouse::bench::now_ns())
                             : number == 0 ? "ok"
                                           : " ok";
    return chunk(fmt::format("{}{}{}", voice.before_text, text, voice.after_text));
  }
};

std::string plain(std::string_view status, std::string_view body) {
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{}", status,
      body.size(), body);
}

struct Stats {
  std::uint64_t requests = 0, last_body_bytes = 0, max_body_bytes = 0;

  void count(std::uint64_t bytes) {
    ++requests;
    last_body_bytes = bytes;
    max_body_bytes = std::max(max_body_bytes, bytes);
  }
  [[nodiscard]] std::string json() const {
    return fmt::format(R"({{"requests":{},"last_body_bytes":{},"max_body_bytes":{}}})", requests,
                       last_body_bytes, max_body_bytes);
  }
};

// --- how it listens ------------------------------------------------------------------------------

// A body for Beast that keeps its length and nothing else.
struct CountedBody {
  struct value_type {
    std::uint64_t bytes = 0;
  };
  class reader {
   public:
    template <bool kRequest, class Fields>
    reader(http::header<kRequest, Fields>&, value_type& value) : value_(value) {}
    void init(const boost::optional<std::uint64_t>&, beast::error_code& ec) { ec = {}; }
    template <class Buffers>
    std::size_t put(const Buffers& buffers, beast::error_code& ec) {
      ec = {};
      const std::size_t size = beast::buffer_bytes(buffers);
      value_.bytes += size;
      return size;
    }
    void finish(beast::error_code& ec) { ec = {}; }

   private:
    value_type& value_;
  };
};

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, Stats& stats) : stream_(std::move(socket)), stats_(stats) {
    buffer_.reserve(64 << 10);  // else a request is read in pieces of 512 bytes
  }

  void read() {
    parser_.emplace();
    parser_->body_limit(boost::none);
    http::async_read(stream_, buffer_, *parser_,
                     beast::bind_front_handler(&Session::on_read, shared_from_this()));
  }

 private:
  void on_read(beast::error_code ec, std::size_t) {
    if (ec) return;
    const http::request<CountedBody>& request = parser_->get();
    const std::string_view target{request.target().data(), request.target().size()};
    voice_ = nullptr;
    if (request.method() == http::verb::post) {
      stats_.count(request.body().bytes);
      if (target.contains("/v1/chat/completions")) voice_ = &completions();
      if (target.contains("/v1/messages")) voice_ = &messages();
    }
    if (voice_ != nullptr) return speak(Wish(target.substr(0, target.find("/v1/"))));
    wire_ = target == "/stats" ? plain("200 OK", stats_.json())
            : target == "/"    ? plain("200 OK", "{}")
                               : plain("404 Not Found", R"({"error":{"message":"no such path"}})");
    write();
  }

  void speak(const Wish& wish) {
    wish_ = wish;
    said_ = 0;
    wire_ = voice_->begin;
    if (wish_.at_once()) {
      while (said_ < wish_.tokens) wire_ += wish_.piece(*voice_, said_++);
      wire_ += voice_->end;
    }
    write();
  }

  void write() {
    asio::async_write(stream_.socket(), asio::buffer(wire_),
                      beast::bind_front_handler(&Session::on_write, shared_from_this()));
  }

  void on_write(beast::error_code ec, std::size_t) {
    if (ec) return;
    if (voice_ != nullptr && !wish_.at_once() && said_ < wish_.tokens) return wait();
    if (parser_->get().keep_alive()) return read();
    stream_.socket().shutdown(tcp::socket::shutdown_send, ec);
  }

  void wait() {
    timer_.expires_after(std::chrono::microseconds(said_ == 0 ? wish_.first_us : wish_.gap_us));
    timer_.async_wait([self = shared_from_this()](beast::error_code ec) {
      if (ec) return;
      self->wire_ = self->wish_.piece(*self->voice_, self->said_);
      if (++self->said_ == self->wish_.tokens) self->wire_ += self->voice_->end;
      self->write();
    });
  }

  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<CountedBody>> parser_;
  asio::steady_timer timer_{stream_.get_executor()};
  const Voice* voice_ = nullptr;  // of the answer that is given, if it is a model's
  Wish wish_{""};
  std::int64_t said_ = 0;
  std::string wire_;  // what is being written
  Stats& stats_;
};

void accept(tcp::acceptor& acceptor, Stats& stats) {
  acceptor.async_accept([&acceptor, &stats](beast::error_code ec, tcp::socket socket) {
    if (!ec) {
      socket.set_option(tcp::no_delay(true), ec);
      std::make_shared<Session>(std::move(socket), stats)->read();
    }
    accept(acceptor, stats);
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: bare_model PORT\n");
    return 2;
  }
  asio::io_context context(1);
  const auto port = static_cast<unsigned short>(std::atoi(argv[1]));
  tcp::acceptor acceptor(context, {asio::ip::make_address("127.0.0.1"), port});
  Stats stats;
  accept(acceptor, stats);
  std::printf("listening on http://127.0.0.1:%d\n", acceptor.local_endpoint().port());
  std::fflush(stdout);
  context.run();
}
