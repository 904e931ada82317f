#include "base/log.h"

#include <gtest/gtest.h>

namespace rouse {
namespace {

class LogTest : public testing::Test {
 protected:
  Redactor redactor_;
  std::string out_;
  Log log_{[] { return WallTime{1'767'225'600'123}; }, redactor_,
           [this](std::string_view l) { out_ += l; }};
};

TEST_F(LogTest, ALineHasTimeLevelEventAndFields) {
  log_.info("http.listening",
            {{"address", "127.0.0.1:1"}, {"count", 3}, {"tls", false}, {"note", "two words"}});
  EXPECT_EQ(out_,
            "2026-01-01T00:00:00.123Z info  http.listening address=127.0.0.1:1 count=3 tls=false "
            "note=\"two words\"\n");
}

TEST_F(LogTest, JsonLinesCarryTheSame) {
  log_.set_json(true);
  log_.warn("x", {{"text", "a \"b\"\n"}});
  EXPECT_EQ(out_,
            "{\"time\":\"2026-01-01T00:00:00.123Z\",\"level\":\"warn\",\"event\":\"x\",\"text\":"
            "\"a \\\"b\\\"\\n\"}\n");
}

TEST_F(LogTest, NewlinesInAValueCannotForgeALine) {
  log_.info("x", {{"v", "a\n2026 error forged"}});
  EXPECT_EQ(std::count(out_.begin(), out_.end(), '\n'), 1);
}

// SC-10
TEST_F(LogTest, SecretsNeverReachTheSink) {
  redactor_.set_secrets({"hunter2hunter2", "with \"quotes\" inside"});
  log_.error("x", {{"a", "token=hunter2hunter2"}, {"b", "with \"quotes\" inside"}});
  EXPECT_EQ(out_.find("hunter2"), std::string::npos);
  EXPECT_EQ(out_.find("quotes"), std::string::npos);
}

TEST_F(LogTest, LinesBelowTheLevelAreDropped) {
  log_.debug("x");
  log_.set_level(LogLevel::kError);
  log_.warn("x");
  EXPECT_EQ(out_, "");
}

TEST_F(LogTest, InvalidUtf8AndHugeValuesAreTamed) {
  log_.info("x", {{"v", std::string("\xff\xfe")}, {"big", std::string(100'000, 'a')}});
  EXPECT_NE(out_.find("v=%FF%FE"), std::string::npos);
  EXPECT_LT(out_.size(), 5'000U);
}

}  // namespace
}  // namespace rouse
