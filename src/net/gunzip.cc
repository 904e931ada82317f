#include "net/gunzip.h"

#include <boost/beast/zlib/inflate_stream.hpp>

namespace rouse {
namespace {

// RFC 1952 without optional fields: a fixed head, the deflated bytes, checksum and size.
constexpr std::size_t kHead = 10, kTail = 8;

// The last four bytes, the least first.
std::size_t size_in(std::string_view packed) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    size = size << 8 | static_cast<unsigned char>(packed[packed.size() - 1 - i]);
  }
  return size;
}

}  // namespace

Result<std::string> gunzip(std::string_view packed, std::size_t size) {
  const bool plain_head = packed.size() > kHead + kTail && packed[0] == '\x1f' &&
                          packed[1] == '\x8b' && packed[2] == '\x08' && packed[3] == '\0';
  if (!plain_head || size_in(packed) != size) {
    return fail(Errc::kInvalid, "not a gzip file as we write them");
  }
  std::string out(size, '\0');
  boost::beast::zlib::z_params io;
  io.next_in = packed.data() + kHead;
  io.avail_in = packed.size() - kHead - kTail;
  io.next_out = out.data();
  io.avail_out = out.size();
  boost::beast::zlib::inflate_stream stream;
  boost::beast::error_code error;
  stream.write(io, boost::beast::zlib::Flush::finish, error);
  // It wants more buffers even at the end of all.
  const bool over = error == boost::beast::zlib::error::end_of_stream ||
                    error == boost::beast::zlib::error::need_buffers;
  if (!over || io.total_out != size) {
    return fail(Errc::kInvalid, "a gzip file that is not whole");
  }
  return out;
}

}  // namespace rouse
