#include "session/export/transcript_text.h"

#include <gtest/gtest.h>

namespace rouse {
namespace {

TEST(TranscriptText, PlainTextIsQuotedLineByLine) {
  EXPECT_EQ(markdown::block_text("a\n\n# b\r\nc\rd"), "> a\n>\n> # b\n> c\n> d\n");
  EXPECT_EQ(markdown::block_text("1 < 2"), "> 1 < 2\n");
}

TEST(TranscriptText, WhatCouldBeHtmlIsFencedWithMoreBackticksThanItHas) {
  EXPECT_EQ(markdown::block_text("<b>"), "```text\n<b>\n```\n");
  EXPECT_EQ(markdown::block_text("````\n<!--"), "`````text\n````\n<!--\n`````\n");
  EXPECT_EQ(markdown::block_text("</p>"), "```text\n</p>\n```\n");
}

TEST(TranscriptText, InlineTextMeansNothingToMarkdown) {
  EXPECT_EQ(markdown::inline_text("a*b*\n# <x> [y](z) `w`"),
            "a\\*b\\* \\# \\<x\\> \\[y\\](z) \\`w\\`");
}

TEST(TranscriptText, ToolsAndFilesAreShownInAFewWords) {
  Message message{.conversation = {},
                  .session = {},
                  .turn = {},
                  .role = "assistant",
                  .source = "web",
                  .content = {},
                  .created = {0}};
  ContentBlock call{.type = "tool_call",
                    .from = "agent",
                    .text = {},
                    .hash = {},
                    .media_type = {},
                    .name = {},
                    .size = {},
                    .call_id = {},
                    .tool = "shell",
                    .arguments = "{\"a\":1}"};
  ContentBlock image{.type = "image",
                     .from = "owner",
                     .text = {},
                     .hash = "ab",
                     .media_type = "image/png",
                     .name = "x](y).png",
                     .size = {},
                     .call_id = {},
                     .tool = {},
                     .arguments = {}};
  message.content = {call, image};
  EXPECT_EQ(markdown::message(message),
            "\n### Agent · 1970-01-01 00:00:00 UTC · web\n"
            "\nTool call: shell\n\n```text\n{\"a\":1}\n```\n"
            "\n[image: x\\](y).png, image/png, sha256 ab]\n");
}

// S3-28
TEST(TranscriptText, ALineSaysWhatMadeItsMessage) {
  Message message{.conversation = {},
                  .session = {},
                  .turn = {},
                  .role = "user",
                  .source = "web",
                  .content = {},
                  .created = {0}};
  EXPECT_EQ(jsonl::message(message).find("meta"), std::string::npos);
  message.meta = R"({"automation_id":"job_1"})";
  EXPECT_TRUE(jsonl::message(message).ends_with(R"("meta":{"automation_id":"job_1"}})"
                                                "\n"))
      << jsonl::message(message);
}

}  // namespace
}  // namespace rouse
