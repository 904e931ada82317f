// A model that answers at once, for benchmarks of everything around it. Speaks as much of the two
// wire formats as a client needs: POST /v1/chat/completions and POST /v1/messages get one canned
// stream each, whose text is "ok", whatever was asked. Requests of any size are counted and thrown
// away as they arrive. One thread, callbacks, keep-alive, no limits, no deadlines.
//
// GET /stats: {"requests":N,"last_body_bytes":N,"max_body_bytes":N}, of the POSTs alone.
//
// Usage: bare_model PORT (0: any). Prints "listening on http://127.0.0.1:PORT" when it is ready.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;

namespace {

// --- what it says --------------------------------------------------------------------------------

constexpr std::string_view kCompletionEvents[] = {
    R"(data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1760000000,)"
    R"("model":"bench","choices":[{"index":0,"delta":{"role":"assistant","content":""},)"
    R"("finish_reason":null}],"usage":null})",
    R"(data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1760000000,)"
    R"("model":"bench","choices":[{"index":0,"delta":{"content":"ok"},"finish_reason":null}],)"
    R"("usage":null})",
    R"(data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1760000000,)"
    R"("model":"bench","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null})",
    R"(data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1760000000,)"
    R"("model":"bench","choices":[],"usage":{"prompt_tokens":100,"completion_tokens":1,)"
    R"("total_tokens":101}})",
    "data: [DONE]",
};

constexpr std::string_view kMessageEvents[] = {
    "event: message_start\n"
    R"(data: {"type":"message_start","message":{"id":"msg_bench","type":"message",)"
    R"("role":"assistant","model":"bench","content":[],"stop_reason":null,"stop_sequence":null,)"
    R"("usage":{"input_tokens":100,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,)"
    R"("output_tokens":1}}})",
    "event: content_block_start\n"
    R"(data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})",
    "event: content_block_delta\n"
    R"(data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"ok"}})",
    "event: content_block_stop\n"
    R"(data: {"type":"content_block_stop","index":0})",
    "event: message_delta\n"
    R"(data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},)"
    R"("usage":{"output_tokens":1}})",
    "event: message_stop\n"
    R"(data: {"type":"message_stop"})",
};

// The whole answer as it stands on the wire, an event a chunk, as the services send it.
template <std::size_t kCount>
std::string streamed(const std::string_view (&events)[kCount]) {
  std::string wire =
      "HTTP/1.1 200 OK\r\n"
      "Content-Type: text/event-stream; charset=utf-8\r\n"
      "Cache-Control: no-cache\r\n"
      "Transfer-Encoding: chunked\r\n\r\n";
  for (const std::string_view event : events) {
    wire += fmt::format("{:x}\r\n{}\n\n\r\n", event.size() + 2, event);
  }
  return wire + "0\r\n\r\n";
}

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
  Session(tcp::socket socket, Stats& stats) : stream_(std::move(socket)), stats_(stats) {}

  void read() {
    parser_.emplace();
    parser_->body_limit(boost::none);
    http::async_read(stream_, buffer_, *parser_,
                     beast::bind_front_handler(&Session::on_read, shared_from_this()));
  }

 private:
  void on_read(beast::error_code ec, std::size_t) {
    if (ec) return;
    answer(parser_->get());
    asio::async_write(stream_.socket(), asio::buffer(wire_),
                      beast::bind_front_handler(&Session::on_write, shared_from_this()));
  }

  void answer(const http::request<CountedBody>& request) {
    static const std::string completion = streamed(kCompletionEvents);
    static const std::string message = streamed(kMessageEvents);
    const std::string_view target{request.target().data(), request.target().size()};
    if (request.method() == http::verb::post) {
      stats_.count(request.body().bytes);
      if (target.starts_with("/v1/chat/completions")) return hold(completion);
      if (target.starts_with("/v1/messages")) return hold(message);
    }
    own_ = target == "/stats" ? plain("200 OK", stats_.json())
           : target == "/"    ? plain("200 OK", "{}")
                              : plain("404 Not Found", R"({"error":{"message":"no such path"}})");
    hold(own_);
  }
  void hold(std::string_view wire) { wire_ = wire; }

  void on_write(beast::error_code ec, std::size_t) {
    if (ec) return;
    if (parser_->get().keep_alive()) return read();
    stream_.socket().shutdown(tcp::socket::shutdown_send, ec);
  }

  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<CountedBody>> parser_;
  std::string own_;        // an answer that is not canned
  std::string_view wire_;  // what is being written
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
