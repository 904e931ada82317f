#include "agent/memory/memory_prompt.h"
#include "gateway/conversations_for_tests.h"
#include "gateway/routes/memory_routes.h"
#include "store/sqlite/sqlite_word_index.h"

namespace rouse {
namespace {

class MemoryApiTest : public ConversationApiTest {
 protected:
  void SetUp() override {
    ConversationApiTest::SetUp();
    book_ = std::make_unique<MemoryBook>(*database_, index_, world_.clock(), world_.random());
    recall_ = std::make_unique<MemoryRecall>(*database_, index_, *book_, world_.clock());
    routes_ = std::make_unique<MemoryRoutes>(*book_, *recall_, house_->workspaces);
    routes_->add_to(house_->table);
  }
  NoteView keep(const std::string& body) {
    const Answer answer = post("/api/memory", body);
    EXPECT_EQ(answer.status, 201) << answer.body;
    return *decode_json<NoteView>(answer.body);
  }
  std::vector<std::string> texts(const std::string& target) {
    std::vector<std::string> out;
    for (const NoteView& note : get<NotePage>(target).items) out.push_back(note.text);
    return out;
  }

  SqliteWordIndex index_;
  std::unique_ptr<MemoryBook> book_;
  std::unique_ptr<MemoryRecall> recall_;
  std::unique_ptr<MemoryRoutes> routes_;
};

using Texts = std::vector<std::string>;

TEST_F(MemoryApiTest, NotesAreKeptListedAskedForChangedAndForgotten) {
  const NoteView dog = keep(R"({"text":"The dog is named Rex."})");
  EXPECT_EQ(dog.provenance, "owner");
  EXPECT_EQ(dog.importance, 3);
  EXPECT_FALSE(dog.conversation_id);
  keep(R"({"text":"Likes tea.","importance":5})");
  EXPECT_EQ(texts("/api/memory"), (Texts{"Likes tea.", "The dog is named Rex."}));
  EXPECT_EQ(texts("/api/memory?query=what%20is%20my%20dog%20called"),
            Texts{"The dog is named Rex."});
  const auto page = get<NotePage>("/api/memory?limit=1");
  ASSERT_TRUE(page.next_cursor);
  EXPECT_EQ(texts("/api/memory?limit=1&cursor=" + *page.next_cursor),
            Texts{"The dog is named Rex."});

  const Answer changed =
      ask("PATCH", "/api/memory/" + dog.id, "", R"({"text":"The dog is named Max."})");
  EXPECT_EQ(changed.status, 200) << changed.body;
  EXPECT_EQ(texts("/api/memory?query=dog"), Texts{"The dog is named Max."});
  EXPECT_EQ(ask("PATCH", "/api/memory/" + dog.id, "", R"({"text":"likes TEA."})").error(),
            "note_exists");
  EXPECT_EQ(ask("DELETE", "/api/memory/" + dog.id).status, 200);
  EXPECT_EQ(ask("DELETE", "/api/memory/" + dog.id).error(), "note_not_found");
  EXPECT_EQ(texts("/api/memory"), Texts{"Likes tea."});
}

TEST_F(MemoryApiTest, WhatIsWrongIsSaid) {
  EXPECT_EQ(post("/api/memory", R"({"text":" "})").status, 400);
  EXPECT_EQ(post("/api/memory", R"({"text":"x","importance":6})").status, 400);
  EXPECT_EQ(post("/api/memory", R"({"text":"x","agent":"No Name"})").status, 400);
  EXPECT_EQ(ask("GET", "/api/memory?cursor=x").status, 400);
  EXPECT_EQ(ask("GET", "/api/memory?agent=%2F").status, 400);
  EXPECT_EQ(ask("DELETE", "/api/memory/tok_1").status, 400);
}

TEST_F(MemoryApiTest, AWorkspaceAndAnAgentSeeOnlyTheirOwn) {
  const NoteView mine = keep(R"({"text":"mine"})");
  keep(R"({"text":"coder's","agent":"coder"})");
  EXPECT_EQ(texts("/api/memory"), Texts{"mine"});
  EXPECT_EQ(texts("/api/memory?agent=coder"), Texts{"coder's"});
  const std::string other = make_workspace();
  const std::string token = make_token(other);
  EXPECT_TRUE(get<NotePage>("/api/memory", token).items.empty());
  EXPECT_TRUE(get<NotePage>("/api/memory?query=mine", token).items.empty());
  EXPECT_EQ(ask("DELETE", "/api/memory/" + mine.id, token).error(), "note_not_found");
  EXPECT_EQ(ask("PATCH", "/api/memory/" + mine.id, token, R"({"text":"x"})").status, 404);
  EXPECT_EQ(ask("GET", "/api/memory?workspace_id=ws_default", token).status, 403);
  EXPECT_EQ(texts("/api/memory?workspace_id=" + other), Texts{});
}

TEST_F(MemoryApiTest, InstructionsAreReadAndReplaced) {
  EXPECT_EQ(get<InstructionsView>("/api/memory/instructions").instructions, "");
  EXPECT_EQ(ask("PUT", "/api/memory/instructions", "", R"({"instructions":"Be brief."})").status,
            200);
  ask("PUT", "/api/memory/instructions", "", R"({"instructions":"Be kind."})");
  const auto now = get<InstructionsView>("/api/memory/instructions");
  EXPECT_EQ(now.in_force, "Be kind.");
  EXPECT_EQ(now.previous, "Be brief.");
  EXPECT_EQ(now.provenance, "owner");
  EXPECT_EQ(get<InstructionsView>("/api/memory/instructions?agent=coder").in_force, "");
}

TEST_F(MemoryApiTest, AnExportIsAFileThatCanBeReadInAgain) {
  keep(R"({"text":"The dog is named Rex.","importance":5})");
  ask("PUT", "/api/memory/instructions", "", R"({"instructions":"Be brief."})");
  const Answer file = ask("GET", "/api/memory/export");
  EXPECT_EQ(file.headers.at("content-type"), "text/markdown; charset=utf-8");
  EXPECT_EQ(
      file.body,
      "# Memory\n\n## Notes\n\n- [5] The dog is named Rex.\n\n## Instructions\n\nBe brief.\n");
  const auto again = decode_json<MemoryImportView>(
      post("/api/memory/import", encode_json(MarkdownBody{file.body})).body);
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(again->unchanged, 1);
  EXPECT_FALSE(again->instructions_changed);
  const Answer wrong = post("/api/memory/import", R"({"markdown":"- a\nwrong\n"})");
  EXPECT_EQ(wrong.status, 400);
  EXPECT_NE(wrong.body.find("line 2: "), std::string::npos) << wrong.body;
}

TEST_F(MemoryApiTest, ADeletedConversationLeavesItsNotesWithoutALink) {
  talk("+15550001111", "hello");
  const auto list = get<ConversationList>("/api/conversations");
  const std::string conversation = list.items.front().conversation_id;
  ASSERT_TRUE(world_.run(book_->save({*WorkspaceId::parse("ws_default"), ""},
                                     {.text = "dog",
                                      .provenance = "agent",
                                      .conversation = *ConversationId::parse(conversation),
                                      .turn = *TurnId::parse("turn_1")})));
  EXPECT_EQ(get<NotePage>("/api/memory").items.front().conversation_id, conversation);
  EXPECT_EQ(ask("DELETE", "/api/conversations/" + conversation).status, 200);
  const auto notes = get<NotePage>("/api/memory").items;
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_FALSE(notes.front().conversation_id);
  EXPECT_FALSE(notes.front().turn_id);
}

}  // namespace
}  // namespace rouse
