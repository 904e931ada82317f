#include "app/cli/command.h"

#include <stdlib.h>

#include <gtest/gtest.h>

#include "net/http_client.h"

namespace rouse::cli {
namespace {

TEST(CliTable, ColumnsAreAsWideAsTheirWidestCellAndNothingTrails) {
  EXPECT_EQ(to_table({{"ID", "NAME"}, {"tok_1", "a"}, {"t", ""}}), "ID     NAME\ntok_1  a\nt\n");
  EXPECT_EQ(to_table({{"größe", "x"}, {"a", "y"}}), "größe  x\na      y\n");
  EXPECT_EQ(to_table({}), "");
}

TEST(CliErrors, TheExitCodeTellsScriptsWhatWentWrong) {
  EXPECT_EQ(report(Error(CliErrc::kNotRunning, "x")), kNotReachable);
  EXPECT_EQ(report(Error(Errc::kUnauthorized, "x")), kNotAuthorised);
  EXPECT_EQ(report(Error(Errc::kForbidden, "x")), kNotAuthorised);
  EXPECT_EQ(report(Error(Errc::kConflict, "x")), kFailed);
  EXPECT_EQ(report(Error(ClientErrc::kTls, "x")), kFailed);
}

TEST(CliData, TheFolderIsAbsoluteAndHasNoSlashAtItsEnd) {
  EXPECT_EQ(DataOption{"/a/b//"}.dir().value(), "/a/b");
  EXPECT_EQ(DataOption{"/a/./c/../b"}.dir().value(), "/a/b");
  EXPECT_TRUE(DataOption{"relative"}.dir().value().starts_with('/'));
}

}  // namespace
}  // namespace rouse::cli
