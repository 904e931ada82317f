// A connected socket, with TLS on top or without, as one type for Asio and Beast. Inside this room
// only. It can hold bytes that were read too early: they are given out before the socket is asked.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/append.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>

#include "base/task.h"

namespace rouse {

using TcpSocket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, Executor>;
using TlsStream = boost::asio::ssl::stream<TcpSocket>;

class NetStream {
 public:
  using executor_type = Executor;

  explicit NetStream(TcpSocket socket) : plain_(std::move(socket)) {}
  NetStream(NetStream&&) = default;

  // From here on everything goes through TLS. The handshake is the caller's.
  void start_tls(boost::asio::ssl::context& context) {
    tls_ = std::make_unique<TlsStream>(std::move(plain_), context);
  }
  [[nodiscard]] TlsStream* tls() { return tls_.get(); }

  [[nodiscard]] TcpSocket& socket() { return tls_ ? tls_->next_layer() : plain_; }
  executor_type get_executor() { return socket().get_executor(); }
  void close() {
    boost::system::error_code ignored;
    socket().close(ignored);
  }
  void cancel() {
    boost::system::error_code ignored;
    socket().cancel(ignored);
  }

  // Bytes that reads give out first.
  void unread(std::string_view bytes) {
    if (!bytes.empty()) early_ = std::make_unique<std::string>(bytes);
  }

  template <class Buffers, class Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, std::size_t)>(
        [this](auto handler, const Buffers& into) {
          if (early_) {
            const std::size_t size = boost::asio::buffer_copy(into, boost::asio::buffer(*early_));
            early_->erase(0, size);
            if (early_->empty()) early_.reset();
            auto executor = boost::asio::get_associated_executor(handler, get_executor());
            boost::asio::post(
                boost::asio::bind_executor(executor, [h = std::move(handler), size]() mutable {
                  std::move(h)(boost::system::error_code{}, size);
                }));
          } else if (tls_) {
            tls_->async_read_some(into, std::move(handler));
          } else {
            plain_.async_read_some(into, std::move(handler));
          }
        },
        token, buffers);
  }

  template <class Buffers, class Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, std::size_t)>(
        [this](auto handler, const Buffers& from) {
          if (tls_) {
            tls_->async_write_some(from, std::move(handler));
          } else {
            plain_.async_write_some(from, std::move(handler));
          }
        },
        token, buffers);
  }

 private:
  TcpSocket plain_;
  std::unique_ptr<TlsStream> tls_;
  std::unique_ptr<std::string> early_;
};

}  // namespace rouse
