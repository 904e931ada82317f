// A NetStream for Beast's WebSocket that forgets who waits for its bytes.
//
// Every asynchronous step of Beast is a type of its own. Over a NetStream each of them would bring
// its own copy of Asio's sending and receiving, once plain and once with TLS: 0.7 MB of machine
// code. Here the handler is put behind one virtual call and the buffers into one small list, so
// that there is a single copy. The price is one small allocation for each read or write of a
// socket.
#pragma once

#include <array>
#include <memory>
#include <utility>

#include <boost/asio/associated_cancellation_slot.hpp>

#include "net/stream.h"

namespace rouse {

// Any handler of a read or a write.
class IoHandler {
 public:
  using executor_type = Executor;
  using cancellation_slot_type = boost::asio::cancellation_slot;

  template <class Handler>
  IoHandler(Handler handler, const Executor& loop)  // Beast's handlers all run on the stream's loop
      : executor_(loop),
        slot_(boost::asio::get_associated_cancellation_slot(handler)),
        held_(std::make_unique<Held<Handler>>(std::move(handler))) {}

  [[nodiscard]] executor_type get_executor() const noexcept { return executor_; }
  [[nodiscard]] cancellation_slot_type get_cancellation_slot() const noexcept { return slot_; }

  void operator()(boost::system::error_code ec, std::size_t size) {
    held_.release()->finish(ec, size);
  }

 private:
  struct Holder {
    virtual ~Holder() = default;
    // Ends the holder before it calls: the memory is free again when the handler starts anew.
    virtual void finish(boost::system::error_code ec, std::size_t size) = 0;
  };
  template <class Handler>
  struct Held final : Holder {
    explicit Held(Handler h) : handler(std::move(h)) {}
    void finish(boost::system::error_code ec, std::size_t size) override {
      Handler own(std::move(handler));
      delete this;
      std::move(own)(ec, size);
    }
    Handler handler;
  };

  Executor executor_;
  cancellation_slot_type slot_;
  std::unique_ptr<Holder> held_;
};

// The first few buffers of a sequence. Reading or writing "some" need not take them all.
template <class Buffer>
class FirstBuffers {
 public:
  using value_type = Buffer;
  using const_iterator = const Buffer*;
  template <class Sequence>
  explicit FirstBuffers(const Sequence& all) {
    const auto end = boost::asio::buffer_sequence_end(all);
    for (auto it = boost::asio::buffer_sequence_begin(all); it != end && used_ < kept_.size();
         ++it) {
      const Buffer one(*it);
      if (one.size() > 0) kept_[used_++] = one;
    }
  }
  [[nodiscard]] const_iterator begin() const { return kept_.data(); }
  [[nodiscard]] const_iterator end() const { return kept_.data() + used_; }

 private:
  std::array<Buffer, 4> kept_;
  std::size_t used_ = 0;
};

class ErasedStream : public NetStream {
 public:
  explicit ErasedStream(NetStream stream) : NetStream(std::move(stream)) {}

  template <class Buffers, class Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, std::size_t)>(
        [this](auto handler, FirstBuffers<boost::asio::mutable_buffer> into) {
          read_erased(into, IoHandler(std::move(handler), get_executor()));
        },
        token, FirstBuffers<boost::asio::mutable_buffer>(buffers));
  }

  template <class Buffers, class Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, std::size_t)>(
        [this](auto handler, FirstBuffers<boost::asio::const_buffer> from) {
          write_erased(from, IoHandler(std::move(handler), get_executor()));
        },
        token, FirstBuffers<boost::asio::const_buffer>(buffers));
  }

 private:
  void read_erased(FirstBuffers<boost::asio::mutable_buffer> into, IoHandler handler);
  void write_erased(FirstBuffers<boost::asio::const_buffer> from, IoHandler handler);
};

}  // namespace rouse
