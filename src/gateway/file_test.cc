#include "gateway/conversations_for_tests.h"

namespace rouse {
namespace {

class FileTest : public ConversationApiTest {
 protected:
  Answer put(std::string bytes, const std::string& type, const std::string& token = "") {
    std::map<std::string, std::string> headers{{"content-type", type}};
    if (!token.empty()) headers["authorization"] = "Bearer " + token;
    return send({.method = "POST",
                 .target = "/api/files",
                 .body = std::move(bytes),
                 .headers = std::move(headers),
                 .owner = token.empty()});
  }
};

// Sessions 1: images and files by hash.
TEST_F(FileTest, AFileIsKeptOnceAndComesBackAsItWas) {
  const std::string bytes("\x89PNG\r\n\0\xff", 8);
  const Answer made = put(bytes, "Image/PNG; x=y");
  ASSERT_EQ(made.status, 201) << made.body;
  const auto view = *decode_json<FileView>(made.body);
  EXPECT_EQ(view.hash, to_hex(sha256(bytes)));
  EXPECT_EQ(view.media_type, "image/png");
  EXPECT_EQ(view.size, 8);
  EXPECT_EQ(put(bytes, "image/png").status, 201);
  EXPECT_EQ(count("SELECT COUNT(*) FROM blobs"), 1);
  const Answer got = send({.target = "/api/files/" + view.hash});
  EXPECT_EQ(got.body, bytes);
  EXPECT_EQ(got.headers.at("content-type"), "image/png");
  EXPECT_TRUE(got.headers.at("content-disposition").starts_with("inline; filename="));
  EXPECT_EQ(got.headers.at("x-content-type-options"), "nosniff");
  const Answer again = send({.target = "/api/files/" + view.hash,
                             .headers = {{"if-none-match", got.headers.at("etag")}}});
  EXPECT_EQ(again.status, 304);
  EXPECT_TRUE(again.body.empty());
}

TEST_F(FileTest, NothingButTheFourImageTypesIsShownInPlace) {
  for (const char* type : {"text/html", "image/svg+xml", "application/pdf", "text/plain",
                           "application/xhtml+xml", "text/javascript"}) {
    const auto view = decode_json<FileView>(put("<script>alert(1)</script>", type).body);
    ASSERT_TRUE(view) << type;
    const Answer got = send({.target = "/api/files/" + view->hash});
    EXPECT_TRUE(got.headers.at("content-disposition").starts_with("attachment; ")) << type;
    EXPECT_EQ(got.headers.at("x-content-type-options"), "nosniff");
    EXPECT_NE(got.headers.at("content-security-policy").find("sandbox"), std::string::npos);
  }
}

TEST_F(FileTest, OddUploadsAreRefusedWithAReason) {
  EXPECT_EQ(put("x", "no slash").status, 400);
  EXPECT_EQ(put("x", "a/b\r\nSet-Cookie: c").status, 400);
  EXPECT_EQ(put("", "text/plain").status, 400);
  EXPECT_EQ(put(std::string(limits::kFileBytes + 1, 'x'), "text/plain").status, 413);
  EXPECT_EQ(put(std::string(limits::kFileBytes, 'x'), "text/plain").status, 201);
  EXPECT_EQ(send({.target = "/api/files/..%2F..%2Fetc"}).error(), "file_not_found");
  EXPECT_EQ(send({.target = "/api/files/" + std::string(64, 'a')}).status, 404);
}

// SC-2
TEST_F(FileTest, AFileIsThereForItsWorkspaceOnly) {
  const std::string hash = decode_json<FileView>(put("secret", "text/plain").body)->hash;
  const std::string token = make_token(make_workspace());
  EXPECT_EQ(ask("GET", "/api/files/" + hash, token).status, 404);
  EXPECT_EQ(put("secret", "text/plain", token).status, 201);
  EXPECT_EQ(ask("GET", "/api/files/" + hash, token).body, "secret");
  EXPECT_EQ(count("SELECT COUNT(*) FROM blobs"), 2);
}

TEST_F(FileTest, WhatNobodyUsedForADayIsPruned) {
  talk("+1", "hello");
  const auto id = *ConversationId::parse(
      get<ConversationView>("/api/conversations/whatsapp:%2B1").conversation_id);
  const std::string used = decode_json<FileView>(put("used", "text/plain").body)->hash;
  put("unused", "text/plain");
  const auto note = [&](const std::string& hash) {
    return world_.run(database_->write({Blobs::note_use(Workspaces::default_id(), hash, id)}));
  };
  ASSERT_TRUE(note(used));
  ASSERT_TRUE(note(used)) << "twice is once";
  EXPECT_FALSE(note(std::string(64, 'a'))) << "a use of nothing is a mistake";
  world_.run_for(hours(23));
  EXPECT_EQ(world_.run(house_->blobs.prune()), 0);
  put("renewed", "text/plain");
  world_.run_for(hours(2));
  EXPECT_EQ(world_.run(house_->blobs.prune()), 1);
  EXPECT_EQ(count("SELECT COUNT(*) FROM blobs"), 2);
  EXPECT_EQ(send({.target = "/api/files/" + used}).status, 200);
}

}  // namespace
}  // namespace rouse
