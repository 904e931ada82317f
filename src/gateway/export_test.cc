#include "gateway/conversations_for_tests.h"
#include "session/export/transcript_lines.h"

namespace rouse {
namespace {

class ExportTest : public ConversationApiTest {
 protected:
  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> out;
    for (const auto line : split(text, '\n')) out.emplace_back(line);
    EXPECT_TRUE(out.back().empty()) << "the last line ends, too";
    out.pop_back();
    return out;
  }
  static std::string type_of(const std::string& line) {
    const auto value = parse_json(line);
    EXPECT_TRUE(value) << line;
    return std::string(value->at("type").as_string());
  }
};

constexpr std::string_view kHostile[] = {"```\nnot closed",
                                         "# a heading\n## another",
                                         "---",
                                         "<!-- swallow the rest",
                                         "</blockquote><script>alert(1)</script>",
                                         "````\n```\n`````",
                                         "line\rreturn\r\nboth",
                                         "\xE2\x80\xA8 separator",
                                         "> quote\n>> more",
                                         "| a | b |\n|---|---|",
                                         "\"quotes\" \\ and {json}"};

// Sessions 6: the round trip.
TEST_F(ExportTest, JsonlHasEveryMessageExactlyOnceInOrderAcrossSessions) {
  std::vector<std::string> said;
  for (int round = 0; round < 25; ++round) {
    for (const std::string_view text : kHostile) {
      said.emplace_back(text);
      said.push_back("reply to " + std::string(text));
      talk("+1", said[said.size() - 2], said.back());
    }
    if (round % 10 == 5)
      ASSERT_EQ(post("/kernel/sessions/" + receive("+1", "x") + "/close", "").status, 200);
  }
  const Answer answer = send({.target = "/api/conversations/whatsapp:%2B1/export?format=jsonl"});
  ASSERT_EQ(answer.status, 200);
  EXPECT_FALSE(answer.broken);
  EXPECT_EQ(answer.headers.at("content-type"), "application/jsonl");
  const auto lines = lines_of(answer.body);
  EXPECT_EQ(type_of(lines.front()), "conversation");
  EXPECT_EQ(lines.back(), R"({"type":"end","messages":550})");
  std::size_t messages = 0;
  std::vector<std::string> sessions;
  for (const std::string& line : lines) {
    if (type_of(line) == "session") sessions.push_back(decode_json<SessionLine>(line)->session_id);
    if (type_of(line) != "message") continue;
    const auto message = *decode_json<MessageLine>(line);
    ASSERT_LT(messages, said.size());
    EXPECT_EQ(message.seq, static_cast<std::int64_t>(messages) + 1);
    EXPECT_EQ(message.content.at(0).text, said[messages]);
    EXPECT_EQ(message.session_id, sessions.back()) << "a session begins before its messages";
    ++messages;
  }
  EXPECT_EQ(messages, said.size());
  EXPECT_EQ(sessions.size(), 3U);
}

// Every line of the file is either one of ours or inside a quote or a fence.
TEST_F(ExportTest, MarkdownKeepsItsStructureWhateverPeopleWrite) {
  for (const std::string_view text : kHostile) talk("+1", std::string(text), "fine");
  const Answer answer = send({.target = "/api/conversations/whatsapp:%2B1/export?format=markdown"});
  ASSERT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body.find('\r'), std::string::npos);
  std::string fence;
  int headings = 0;
  for (const std::string& line : lines_of(answer.body)) {
    if (!fence.empty()) {
      if (line == fence) fence.clear();
      continue;
    }
    if (line.starts_with("```")) fence = line.substr(0, line.find_first_not_of('`'));
    if (line.starts_with("### ")) ++headings;
    EXPECT_TRUE(line.empty() || line.starts_with("#") || line.starts_with("- ") ||
                line.starts_with(">") || line.starts_with("```") || line == "---" ||
                line.starts_with("End of the conversation"))
        << line;
    if (!line.starts_with("```")) {
      EXPECT_EQ(line.find("<!--"), std::string::npos) << line;
      EXPECT_EQ(line.find("<script"), std::string::npos) << line;
    }
  }
  EXPECT_TRUE(fence.empty());
  EXPECT_EQ(headings, 2 * static_cast<int>(std::size(kHostile)));
  EXPECT_NE(answer.body.find("End of the conversation: 22 messages."), std::string::npos);
}

TEST_F(ExportTest, MarkdownSaysWhySessionsBeganAndHowTheyEnded) {
  talk("+1", "hello");
  talk("+1", "start over, please: cakes");
  const Answer answer = send({.target = "/api/conversations/whatsapp:%2B1/export?format=markdown"});
  EXPECT_NE(answer.body.find("## Session 1 — opened because it was the first message"),
            std::string::npos)
      << answer.body;
  EXPECT_NE(answer.body.find("## Session 2 — opened because the message said"), std::string::npos)
      << answer.body;
  EXPECT_NE(answer.body.find("It ended by a reset phrase"), std::string::npos) << answer.body;
  EXPECT_NE(answer.body.find("### User · "), std::string::npos);
}

TEST_F(ExportTest, TheFileNameIsSafeWhateverTheTitle) {
  talk("+1", "hello");
  ASSERT_EQ(ask("PATCH", "/api/conversations/whatsapp:%2B1", "",
                R"({"title":"../../etc \"x\" ü; a=b Plan B"})")
                .status,
            200);
  const Answer answer = send({.target = "/api/conversations/whatsapp:%2B1/export"});
  const std::string name = answer.headers.at("content-disposition");
  EXPECT_TRUE(name.starts_with("attachment; filename=\"etc-x-a-b-plan-b-conv_")) << name;
  EXPECT_TRUE(name.ends_with(".jsonl\"")) << name;
  EXPECT_EQ(send({.target = "/api/conversations/whatsapp:%2B1/export?format=pdf"}).status, 400);
}

TEST_F(ExportTest, AnExportThatCannotBeWholeBreaksOff) {
  for (int i = 0; i < 30; ++i) talk("+1", "hello");
  stream_.before_piece = [this](int pieces) {
    if (pieces != 1) return;
    world_.loop().spawn("delete", [](ConversationDelete& removal) -> Task<void> {
      EXPECT_TRUE(co_await removal.remove(Workspaces::default_id(), "whatsapp:+1"));
    }(house_->removal));
  };
  const Answer answer = send({.target = "/api/conversations/whatsapp:%2B1/export"});
  EXPECT_TRUE(answer.broken);
  EXPECT_EQ(answer.body.find("\"end\""), std::string::npos);
}

TEST_F(ExportTest, AClientThatLeavesEndsItQuietly) {
  for (int i = 0; i < 30; ++i) talk("+1", "hello");
  stream_.pieces_taken = 1;
  const Answer answer = send({.target = "/api/conversations/whatsapp:%2B1/export"});
  EXPECT_FALSE(answer.broken);
  EXPECT_EQ(answer.body.find("\"end\""), std::string::npos);
}

TEST_F(ExportTest, AWorkspaceIsOneFileWithEveryConversationInIt) {
  for (int i = 0; i < 120; ++i) talk("+" + std::to_string(i), "hello " + std::to_string(i));
  talk("+1", "theirs", "Yes.", make_workspace());
  const Answer answer = send({.target = "/api/export?format=jsonl"});
  ASSERT_EQ(answer.status, 200);
  const auto lines = lines_of(answer.body);
  EXPECT_EQ(type_of(lines.front()), "workspace");
  EXPECT_EQ(lines.back(), R"({"type":"end","conversations":120,"messages":240})");
  EXPECT_EQ(
      std::ranges::count_if(lines, [](const auto& l) { return type_of(l) == "conversation"; }),
      120);
  EXPECT_EQ(std::ranges::count_if(lines, [](const auto& l) { return type_of(l) == "message"; }),
            240);
  const Answer markdown = send({.target = "/api/export?format=markdown"});
  EXPECT_NE(markdown.body.find("End of the workspace: 240 messages in 120 conversations."),
            std::string::npos);
}

}  // namespace
}  // namespace rouse
