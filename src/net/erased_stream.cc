#include "net/erased_stream.h"

namespace rouse {

void ErasedStream::read_erased(FirstBuffers<boost::asio::mutable_buffer> into, IoHandler handler) {
  NetStream::async_read_some(into, std::move(handler));
}

void ErasedStream::write_erased(FirstBuffers<boost::asio::const_buffer> from, IoHandler handler) {
  NetStream::async_write_some(from, std::move(handler));
}

}  // namespace rouse
