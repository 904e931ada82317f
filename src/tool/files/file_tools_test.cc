#include "tool/files/file_tools.h"

#include <filesystem>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/json.h"
#include "base/temp_dir_for_tests.h"
#include "base/text.h"
#include "net/net_for_tests.h"
#include "tool/files/work_folder.h"
#include "tool/registry.h"

namespace rouse {
namespace {

namespace fs = std::filesystem;

class FileToolsTest : public testing::Test {
 protected:
  FileToolsTest() {
    call_.id = "call_1";
    call_.workspace = *WorkspaceId::parse("ws_default");
  }
  ToolResult run(Tool& tool, std::string arguments) {
    call_.arguments = std::move(arguments);
    return run_task(loop_, tool.run(call_, {}));
  }
  ToolResult read(std::string arguments) { return run(read_, std::move(arguments)); }
  ToolResult write(std::string arguments) { return run(write_, std::move(arguments)); }
  ToolResult list(std::string arguments = "{}") { return run(list_, std::move(arguments)); }
  [[nodiscard]] std::string on_disk(const std::string& name) const {
    return read_file(dir_ / name, 1 << 24).value_or("(nothing)");
  }

  TempDir dir_;
  Loop loop_;
  BlockingPool pool_;
  ReadFileTool read_{pool_, dir_.path()};
  WriteFileTool write_{pool_, dir_.path()};
  ListFilesTool list_{pool_, dir_.path()};
  ToolCall call_;
};

TEST_F(FileToolsTest, WhatIsWrittenCanBeListedAndRead) {
  EXPECT_EQ(list().text, "(the folder is empty)");
  EXPECT_TRUE(read(R"({"path":"a.md"})").failed);
  const ToolResult written = write(R"({"path":"notes/a.md","text":"hello\n"})");
  EXPECT_FALSE(written.failed) << written.text;
  EXPECT_EQ(list().text, "notes/\n");
  EXPECT_EQ(list(R"({"path":"notes"})").text, "a.md  6 bytes\n");
  const ToolResult got = read(R"({"path":"notes/a.md"})");
  EXPECT_EQ(got.text, "hello\n");
  EXPECT_FALSE(got.untrusted);  // the folder is the person's own
}

// SC-11
TEST_F(FileToolsTest, FilesAndFoldersAreForTheirOwnerAlone) {
  EXPECT_FALSE(write(R"({"path":"notes/a.md","text":"x"})").failed);
  EXPECT_EQ(dir_.mode("files"), 0700U);
  EXPECT_EQ(dir_.mode("files/notes"), 0700U);
  EXPECT_EQ(dir_.mode("files/notes/a.md"), 0600U);
}

TEST_F(FileToolsTest, AFileThatIsReplacedKeepsItsModeAndLeavesNothingBeside) {
  ASSERT_FALSE(write(R"({"path":"run.sh","text":"one"})").failed);
  ::chmod((dir_ / "files/run.sh").c_str(), 0750);
  ASSERT_FALSE(write(R"({"path":"./run.sh","text":"two"})").failed);
  EXPECT_EQ(dir_.mode("files/run.sh"), 0750U);
  EXPECT_EQ(on_disk("files/run.sh"), "two");
  EXPECT_EQ(list().text, "run.sh  3 bytes\n");
}

TEST_F(FileToolsTest, AppendingAddsToWhatIsThere) {
  EXPECT_FALSE(write(R"({"path":"log","text":"a\n","append":true})").failed);
  EXPECT_FALSE(write(R"({"path":"log","text":"b\n","append":true})").failed);
  EXPECT_EQ(on_disk("files/log"), "a\nb\n");
}

TEST_F(FileToolsTest, WritingBreaksAHardLinkInsteadOfChangingTheOtherFile) {
  ASSERT_FALSE(write(R"({"path":"a","text":"mine"})").failed);
  dir_.write("outside", "theirs");
  ASSERT_EQ(::link((dir_ / "outside").c_str(), (dir_ / "files/hard").c_str()), 0);
  EXPECT_FALSE(write(R"({"path":"hard","text":" more","append":true})").failed);
  EXPECT_EQ(on_disk("outside"), "theirs");
}

TEST_F(FileToolsTest, ALongFileIsReadPartByPartWithoutSplittingACharacter) {
  std::string text;
  while (text.size() < 150'000) text += "grüße ";
  ASSERT_FALSE(
      write(encode_json(std::map<std::string, std::string>{{"path", "l"}, {"text", text}})).failed);
  std::string together;
  while (together.size() < text.size()) {
    const ToolResult part =
        read(R"({"path":"l","offset":)" + std::to_string(together.size()) + "}");
    ASSERT_FALSE(part.failed) << part.text;
    ASSERT_LE(part.text.size(), kToolResultBytes);
    const std::size_t note = part.text.rfind("\n[bytes ");
    ASSERT_NE(note, std::string::npos);
    ASSERT_TRUE(is_utf8(part.text));
    together += part.text.substr(0, note);
  }
  EXPECT_EQ(together, text);
}

// SC-10
TEST_F(FileToolsTest, APartShowsNothingOfASecretItCutsThrough) {
  Redactor redactor;
  redactor.set_secrets({"canary-12345678"});
  ReadFileTool tool(pool_, dir_.path(), &redactor);
  ASSERT_FALSE(write(R"({"path":"k","text":"key: canary-12345678\nend\n"})").failed);
  EXPECT_EQ(run(tool, R"({"path":"k"})").text, "key: [redacted]\nend\n");
  EXPECT_EQ(run(tool, R"({"path":"k","offset":9})").text,
            "[redacted]\nend\n\n[bytes 9 to 25 of 25]");
  EXPECT_EQ(run(tool, R"({"path":"k","offset":10,"limit":3})").text,
            "[redacted]\n[bytes 10 to 13 of 25; go on with offset 13]");
  EXPECT_TRUE(
      run(tool, R"({"path":"k","limit":12})").text.starts_with("key: [redacted]\n[bytes 0"));
  EXPECT_TRUE(run(tool, R"({"path":"k","offset":21})").text.starts_with("end\n"));
}

TEST_F(FileToolsTest, WhatIsNoTextOrTooLongIsRefusedWithAWord) {
  ASSERT_FALSE(write(R"({"path":"b","text":"a\u0000b"})").failed);
  EXPECT_NE(read(R"({"path":"b"})").text.find("no text file"), std::string::npos);
  const std::string big((1 << 20) + 1, 'x');
  const ToolResult refused = write(R"({"path":"big","text":")" + big + R"("})");
  EXPECT_TRUE(refused.failed);
  EXPECT_NE(refused.text.find("1 MB"), std::string::npos);
}

TEST_F(FileToolsTest, EachWorkspaceHasAFolderOfItsOwn) {
  ASSERT_FALSE(write(R"({"path":"a","text":"owner's"})").failed);
  call_.workspace = *WorkspaceId::parse("ws_other");
  EXPECT_TRUE(read(R"({"path":"a"})").failed);
  ASSERT_FALSE(write(R"({"path":"a","text":"theirs"})").failed);
  EXPECT_EQ(on_disk("workspaces/ws_other/files/a"), "theirs");
  EXPECT_EQ(on_disk("files/a"), "owner's");
}

TEST_F(FileToolsTest, AProjectsFolderIsUsedAndNeverMade) {
  const TempDir project;
  call_.project_folder = project.path();
  EXPECT_FALSE(write(R"({"path":"src/a.c","text":"int x;"})").failed);
  EXPECT_EQ(read(R"({"path":")" + project.path() + R"(/src/a.c"})").text, "int x;");
  call_.project_folder = project / "gone";
  EXPECT_TRUE(write(R"({"path":"a","text":""})").failed);
  EXPECT_FALSE(fs::exists(project / "gone"));
}

TEST_F(FileToolsTest, LinksInsideAreReadButNeverWrittenThrough) {
  ASSERT_FALSE(write(R"({"path":"real/a","text":"inside"})").failed);
  fs::create_symlink("real/a", dir_ / "files/link");
  fs::create_directory_symlink("real", dir_ / "files/folder");
  EXPECT_EQ(read(R"({"path":"link"})").text, "inside");
  EXPECT_EQ(read(R"({"path":"folder/a"})").text, "inside");
  EXPECT_TRUE(write(R"({"path":"link","text":"x"})").failed);
  EXPECT_TRUE(write(R"({"path":"link","text":"x","append":true})").failed);
  EXPECT_TRUE(write(R"({"path":"folder/a","text":"x"})").failed);
  EXPECT_EQ(on_disk("files/real/a"), "inside");
}

// SC-10, SC-11: a project may contain rouse's own data.
TEST_F(FileToolsTest, RousesDataIsShutEvenInsideAProject) {
  const TempDir home;
  fs::create_directories(home / ".rouse/secrets");
  home.write(".rouse/secrets/key", "CANARY");
  fs::create_directory_symlink(home / ".rouse", home / "alias");
  ReadFileTool read_tool(pool_, home / ".rouse");
  WriteFileTool write_tool(pool_, home / ".rouse");
  ListFilesTool list_tool(pool_, home / ".rouse");
  call_.project_folder = home.path();
  for (const char* path : {".rouse/secrets/key", "alias/secrets/key", "./.rouse/./secrets/key"}) {
    const std::string arguments = encode_json(std::map<std::string, std::string>{{"path", path}});
    EXPECT_TRUE(run(read_tool, arguments).failed) << path;
    EXPECT_TRUE(run(list_tool, arguments).failed) << path;
    EXPECT_TRUE(run(write_tool,
                    encode_json(std::map<std::string, std::string>{{"path", path}, {"text", "x"}}))
                    .failed);
  }
  EXPECT_TRUE(run(write_tool, R"({"path":".rouse/new/a","text":"x"})").failed);
  EXPECT_FALSE(fs::exists(home / ".rouse/new"));
  EXPECT_EQ(read_file(home / ".rouse/secrets/key", 100).value_or(""), "CANARY");
  call_.project_folder = home / ".rouse/secrets";
  EXPECT_TRUE(run(read_tool, R"({"path":"key"})").failed);
}

// From here on this process has a kernel without openat2.
bool forget_openat2() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{std::size(filter), filter};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST_F(FileToolsTest, OldKernelsAreAskedStepByStepAndNoLinkIsFollowed) {
  ASSERT_FALSE(write(R"({"path":"real/a","text":"inside"})").failed);
  dir_.write("secret", "CANARY");
  fs::create_symlink("real/a", dir_ / "files/link");
  fs::create_symlink("../secret", dir_ / "files/out");
  fs::create_directory_symlink("..", dir_ / "files/up");
  const WorkFolder folder(dir_.path(), call_);
  const pid_t child = ::fork();
  if (child == 0) {
    if (!forget_openat2()) ::_exit(2);
    const bool reads = folder.open_file("real/a") && folder.open_folder("real") &&
                       folder.open_folder("") && !folder.open_file("nothing");
    const bool refuses = !folder.open_file("link") && !folder.open_file("out") &&
                         !folder.open_file("up/secret") && !folder.open_folder("up");
    ::_exit(reads && refuses ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WEXITSTATUS(status) == 2) GTEST_SKIP() << "the kernel takes no filter";
  EXPECT_EQ(status, 0);
}

// AP-4
TEST_F(FileToolsTest, AYesCoversOnePlaceAndSaysHowMuch) {
  call_.arguments = R"({"path":"notes//./a.md","text":"hello"})";
  const ApprovalAsk ask = write_.ask_for(call_);
  EXPECT_EQ(ask.summary, "write " + dir_.path() + "/files/notes/a.md (5 bytes)");
  call_.arguments = R"({"path":"notes/a.md","text":"other"})";
  EXPECT_EQ(write_.ask_for(call_).covers, ask.covers);
  call_.arguments = R"({"path":"notes/b.md","text":"hello"})";
  EXPECT_NE(write_.ask_for(call_).covers, ask.covers);
  call_.arguments = R"({"path":"notes/a.md","text":"hello"})";
  call_.workspace = *WorkspaceId::parse("ws_other");
  EXPECT_NE(write_.ask_for(call_).covers, ask.covers);
}

TEST_F(FileToolsTest, TheirDescriptionsAreShort) {
  for (const Tool* tool :
       {static_cast<Tool*>(&read_), static_cast<Tool*>(&write_), static_cast<Tool*>(&list_)}) {
    const ToolInfo& info = tool->info();
    EXPECT_LT(info.name.size() + info.description.size() + info.schema.size(), 400U);
    EXPECT_TRUE(info.owner_only);
    EXPECT_TRUE(ArgumentsSchema::parse(info.schema));
  }
}

}  // namespace
}  // namespace rouse
