#include "net/chunked.h"

#include <optional>

#include <gtest/gtest.h>

namespace rouse {
namespace {

using Status = ChunkedDecoder::Status;

struct Decoded {
  Status status;
  std::string data;
  std::string rest;
};

Decoded decode(std::string_view bytes, std::size_t step) {
  ChunkedDecoder decoder;
  Decoded out{Status::kNeedMore, "", ""};
  for (std::size_t at = 0; at < bytes.size();) {
    const std::string_view part = bytes.substr(at, step);
    const auto got = decoder.next(part);
    at += got.consumed;
    out.data += got.data;
    out.status = got.status;
    if (got.status == Status::kDone || got.status == Status::kBad) {
      out.rest = bytes.substr(at);
      return out;
    }
  }
  return out;
}

TEST(ChunkedDecoder, ReadsTheSameInPiecesOfAnySize) {
  const std::string_view body =
      "4\r\nWiki\r\n5;ext=\"v\"\r\npedia\r\n00A\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\nGET /";
  for (std::size_t step = 1; step <= body.size(); ++step) {
    const Decoded got = decode(body, step);
    EXPECT_EQ(got.status, Status::kDone) << step;
    EXPECT_EQ(got.data, "Wikipedia0123456789") << step;
    EXPECT_EQ(got.rest, "GET /") << step;
  }
}

TEST(ChunkedDecoder, RefusesWhatTwoReadersCouldReadDifferently) {
  for (const char* body :
       {"\r\n", "x\r\n", "+4\r\nWiki\r\n", "-1\r\n", " 4\r\nWiki\r\n", "4 \r\nWiki\r\n",
        "0x4\r\nWiki\r\n", "4\nWiki\r\n", "4\r\nWikiX\r\n", "4\r\nWiki\n0\r\n\r\n", "4\rWiki",
        "1000000000000000000\r\n", "ffffffffffffffff\r\n", "4;a\nb\r\nWiki\r\n",
        "4;\x01\r\nWiki\r\n", "0\r\nA: b\n\r\n", "0\r\n\rX"}) {
    EXPECT_EQ(decode(body, 100).status, Status::kBad) << body;
    EXPECT_EQ(decode(body, 1).status, Status::kBad) << body;
  }
}

TEST(ChunkedDecoder, BoundsExtensionsTrailersAndZeros) {
  const std::string junk(20'000, 'x');
  EXPECT_EQ(decode("1;" + junk + "\r\na\r\n0\r\n\r\n", 4096).status, Status::kBad);
  EXPECT_EQ(decode("0\r\nA: " + junk + "\r\n\r\n", 4096).status, Status::kBad);
  EXPECT_EQ(decode(std::string(20'000, '0') + "\r\n\r\n", 4096).status, Status::kBad);
}

TEST(ChunkedDecoder, WaitsForMore) {
  for (const char* body :
       {"4", "4\r", "4\r\n", "4\r\nWi", "4\r\nWiki", "4\r\nWiki\r\n", "0\r\n", "0\r\n\r"}) {
    EXPECT_NE(decode(body, 100).status, Status::kDone) << body;
    EXPECT_NE(decode(body, 100).status, Status::kBad) << body;
  }
}

}  // namespace
}  // namespace rouse
