#include "tool/mcp/mcp_content.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "tool/mcp/mcp_message.h"

namespace rouse {
namespace {

boost::json::value json_of(std::string_view text) {
  return parse_json(text, kMcpJsonDepth).value();
}

McpCallResult result_of(std::string_view text) {
  return read_mcp_call_result(json_of(text)).value();
}

TEST(McpMessage, RequestsNotificationsAndAnswersAreToldApart) {
  const auto got = parse_mcp_messages(
      R"([{"jsonrpc":"2.0","id":"a","method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},)"
      R"({"jsonrpc":"2.0","id":3,"result":{}},{"jsonrpc":"2.0","id":4,"error":{"code":-1,"message":"no"}}])");
  ASSERT_TRUE(got);
  ASSERT_EQ(got->size(), 4u);
  EXPECT_EQ(got->at(0).kind, McpMessage::Kind::kRequest);
  EXPECT_EQ(got->at(1).kind, McpMessage::Kind::kNotification);
  EXPECT_EQ(got->at(2).kind, McpMessage::Kind::kAnswer);
  EXPECT_FALSE(got->at(2).fault);
  ASSERT_TRUE(got->at(3).fault);
  EXPECT_EQ(got->at(3).fault->message, "no");
}

TEST(McpMessage, WhatIsNoMessageIsAnErrorThatShowsIt) {
  for (const char* text :
       {"{\"jsonrpc\":\"2.0\"", "5", "{}", R"({"jsonrpc":"1.0","id":1,"result":1})",
        R"({"jsonrpc":"2.0","id":1})", "[5]", "\xff"}) {
    const auto got = parse_mcp_messages(text);
    ASSERT_FALSE(got) << text;
    EXPECT_TRUE(got.error().is(McpErrc::kBroken));
    EXPECT_TRUE(got.error().message.contains("no MCP message")) << got.error().message;
  }
  const std::string deep = R"({"jsonrpc":"2.0","id":1,"result":)" + std::string(200, '[');
  EXPECT_FALSE(parse_mcp_messages(deep));
}

TEST(McpContent, AnUnknownVersionIsRefusedAndOlderOnesAreNot) {
  for (const char* version : {"2025-06-18", "2025-03-26", "2024-11-05"}) {
    EXPECT_TRUE(read_mcp_greeting(boost::json::object{{"protocolVersion", version}}));
  }
  const auto got = read_mcp_greeting(boost::json::object{{"protocolVersion", "1999-01-01"}});
  ASSERT_FALSE(got);
  EXPECT_TRUE(got.error().message.contains("2025-06-18"));
  EXPECT_FALSE(read_mcp_greeting(5));
}

TEST(McpContent, ToolsWithoutANameOrWithAHugeSchemaAreLeftOutAndCounted) {
  boost::json::object huge{{"type", "object"}, {"title", std::string(kMcpSchemaBytes, 'x')}};
  boost::json::array tools{{{"name", "good"}, {"description", "Does it. And more."}},
                           {{"description", "nameless"}},
                           5,
                           {{"name", "huge"}, {"inputSchema", huge}}};
  const auto page = read_mcp_tools(boost::json::object{{"tools", tools}, {"nextCursor", "c"}});
  ASSERT_TRUE(page);
  ASSERT_EQ(page->tools.size(), 1u);
  EXPECT_EQ(page->tools[0].schema, R"({"type":"object"})");
  EXPECT_EQ(page->left_out, 3u);
  EXPECT_EQ(page->next_cursor, "c");
  EXPECT_FALSE(read_mcp_tools(boost::json::object{}));
}

TEST(McpContent, WhatCantBeShownIsSaidInBrackets) {
  const McpCallResult got = result_of(
      R"({"content":[{"type":"text","text":"hello"},{"type":"image","mimeType":"image/png","data":"AAAA"},)"
      R"({"type":"resource_link","name":"notes","uri":"file:///n","description":"mine"},)"
      R"({"type":"resource","resource":{"uri":"x:1","text":"inside"}},)"
      R"({"type":"resource","resource":{"uri":"x:2","mimeType":"a/b","blob":"AAAA"}},{"type":"hologram"}]})");
  EXPECT_FALSE(got.failed);
  EXPECT_EQ(got.text,
            "hello\n[image image/png, 3 bytes; it can't be shown here]\n"
            "[link to the resource notes: file:///n, mine]\n[resource x:1]\ninside\n"
            "[resource x:2: a/b, 3 bytes that can't be shown here]\n"
            "[content of the unknown type 'hologram']");
}

TEST(McpContent, StructuredContentIsSaidOnce) {
  EXPECT_EQ(
      result_of(R"({"content":[{"type":"text","text":"{\"a\": 1}"}],"structuredContent":{"a":1}})")
          .text,
      R"({"a": 1})");
  EXPECT_EQ(
      result_of(R"({"content":[{"type":"text","text":"one"}],"structuredContent":{"a":1}})").text,
      "one\n{\"a\":1}");
  EXPECT_EQ(result_of(R"({"structuredContent":{"a":1}})").text, R"({"a":1})");
}

TEST(McpContent, AnErrorAndAnEmptyAnswerAreSaid) {
  EXPECT_TRUE(result_of(R"({"content":[{"type":"text","text":"no"}],"isError":true})").failed);
  EXPECT_EQ(result_of("{}").text, "(it answered without any content)");
  EXPECT_FALSE(read_mcp_call_result(json_of("[]")));
}

TEST(McpContent, AListShowsTheFirstSentence) {
  EXPECT_EQ(first_sentence("Reads a file. Only text.", 100), "Reads a file.");
  EXPECT_EQ(first_sentence("\n  One line\nand more", 100), "One line");
  EXPECT_EQ(first_sentence("abcdef", 3), "abc…");
}

}  // namespace
}  // namespace rouse
