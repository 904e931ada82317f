#include "agent/prompt/attached_file.h"

#include <gtest/gtest.h>

#include "agent/prompt/history.h"

namespace rouse {
namespace {

ContentBlock file(std::string name, std::string media_type, std::int64_t size) {
  ContentBlock out;
  out.type = "file";
  out.from = kFromOwner;
  out.hash = std::string(64, 'a');
  out.name = std::move(name);
  out.media_type = std::move(media_type);
  out.size = size;
  return out;
}

TEST(AttachedFile, ItsKindIsThatOfItsTypeOrOfItsNameIfItCameAsMereBytes) {
  for (const char* type : {"text/plain", "text/markdown", "text/csv", "application/json"}) {
    EXPECT_EQ(file_kind(type, "x"), FileKind::kText) << type;
  }
  EXPECT_EQ(file_kind("application/pdf", "x.txt"), FileKind::kPdf);
  EXPECT_EQ(file_kind("application/octet-stream", "Notes.MD"), FileKind::kText);
  EXPECT_EQ(file_kind("application/vnd.ms-excel", "list.csv"), FileKind::kText);
  EXPECT_EQ(file_kind("application/octet-stream", "run.exe"), FileKind::kOther);
  EXPECT_EQ(file_kind("application/zip", "notes.txt"), FileKind::kOther);
  EXPECT_EQ(file_kind("", ""), FileKind::kOther);
}

TEST(AttachedFile, ATextStandsBetweenTwoLinesThatNameIt) {
  const auto blocks = file_blocks(file("a]\n[b.txt", "text/plain", 5), "hello");
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_EQ(blocks[0].text,
            "[File a   b.txt, text/plain, 5 bytes]\nhello\n[End of the file a   b.txt]");
  EXPECT_EQ(blocks[0].media_type, "text/plain");
  EXPECT_TRUE(file_blocks(file("a.txt", "text/plain", 5), std::nullopt).empty());
}

TEST(AttachedFile, ALongTextIsCutInItsMiddleAndSaysSo) {
  const std::string text = file_text("\xEF\xBB\xBF" + std::string(5'000, 'a') + "\xff end", 1'000);
  EXPECT_LE(text.size(), 1'000U);
  EXPECT_TRUE(text.starts_with("aaa"));
  EXPECT_TRUE(text.ends_with("\xef\xbf\xbd end"));
  EXPECT_EQ(file_text("short", 1'000), "short");
}

TEST(AttachedFile, APdfGoesWholeToWhoReadsItAndAsALineToWhoDoesNot) {
  const ContentBlock pdf = file("plan.pdf", "application/pdf", 20'480);
  const auto line = file_blocks(pdf, std::nullopt);
  ASSERT_EQ(line.size(), 1U);
  EXPECT_EQ(line[0].text, "[PDF plan.pdf, 20 KB: this model can't read it]");
  const auto whole = file_blocks(pdf, "%PDF-1.7");
  ASSERT_EQ(whole.size(), 2U);
  EXPECT_EQ(whole[0].text, "[PDF plan.pdf, 20 KB]");
  EXPECT_EQ(whole[1].bytes, "%PDF-1.7");
  EXPECT_EQ(whole[1].media_type, "application/pdf");
}

TEST(AttachedFile, AFileTakesItsShareOfTheHistory) {
  const HistoryLimits limits{.tokens = 16'000};
  Message message;
  message.content = {file("a.txt", "text/plain", 1'000)};
  const std::int64_t small = history_tokens(message, limits);
  EXPECT_GT(small, estimate_tokens(std::size_t{1'000}));
  message.content = {file("a.txt", "text/plain", 8 << 20)};
  EXPECT_LE(history_tokens(message, limits), limits.tokens / 4 + 16) << "no more than is sent";
}

}  // namespace
}  // namespace rouse
