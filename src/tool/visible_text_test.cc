#include "tool/visible_text.h"

#include <gtest/gtest.h>

namespace rouse {
namespace {

// AP-4: what is shown is what runs.
TEST(VisibleText, ShowsWhatWouldHide) {
  EXPECT_EQ(visible_text("ls -l", 100), "ls -l");
  EXPECT_EQ(visible_text("grüße, 世界", 100), "grüße, 世界");
  EXPECT_EQ(visible_text("ls\nrm -r x", 100), "ls ⏎ rm -r x");
  EXPECT_EQ(visible_text("a\rb\x1b[2Kc", 100), "a\\u{000D}b\\u{001B}[2Kc");
  EXPECT_EQ(visible_text("cat \u202Etxt.exe", 100), "cat \\u{202E}txt.exe");
  EXPECT_EQ(visible_text("who\u200Bami", 100), "who\\u{200B}ami");
}

TEST(VisibleText, LeavesOutTheMiddleOfWhatIsLong) {
  const std::string shown = visible_text(std::string(500, 'a') + "end", 90);
  EXPECT_TRUE(shown.starts_with("aaa"));
  EXPECT_TRUE(shown.ends_with("end"));
  EXPECT_NE(shown.find("413 bytes more"), std::string::npos) << shown;
}

}  // namespace
}  // namespace rouse
