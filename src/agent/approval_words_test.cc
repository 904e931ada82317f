#include "agent/approval_words.h"

#include <gtest/gtest.h>

namespace rouse {
namespace {

TEST(ApprovalWords, APersonIsToldWhatIsWantedInTheirWords) {
  const auto words = [](std::string tool, std::string arguments) {
    Approval approval;
    approval.tool = std::move(tool);
    approval.arguments = std::move(arguments);
    return wish_words(approval);
  };
  EXPECT_EQ(words("write_file", R"({"path":"a/notes.txt","text":"x"})"),
            "Wants to write a file: notes.txt");
  EXPECT_EQ(words("write_file", R"({"path":"notes.txt","text":"x","append":true})"),
            "Wants to add to a file: notes.txt");
  EXPECT_EQ(words("write_file", "no json"), "Wants to write a file");
  EXPECT_EQ(words("shell", R"({"command":"make"})"), "Wants to run a command");
  EXPECT_EQ(words("water_plants", "{}"), "Wants to use a tool: water plants");
}

}  // namespace
}  // namespace rouse
