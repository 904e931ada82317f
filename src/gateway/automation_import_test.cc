// Taking over another system's jobs, through the gateway.
#include "gateway/gateway_for_tests.h"
#include "gateway/routes/automation_import_routes.h"

namespace rouse {
namespace {

constexpr std::string_view kForeign =
    R"({"jobs":[{"id":"aa11","name":"monitor","schedule":{"kind":"every","everyMs":60000},)"
    R"("payload":{"kind":"agent_turn","message":"look","sessionKey":"websocket:main"}},)"
    R"({"id":"bb22","name":"heartbeat","schedule":{"kind":"every","everyMs":60000},)"
    R"("payload":{"kind":"agent_turn","message":"look"}}]})";

class AutomationImportTest : public GatewayTest {
 protected:
  void SetUp() override {
    GatewayTest::SetUp();
    if (HasFatalFailure()) return;
    routes_ =
        std::make_unique<AutomationImportRoutes>(house_->jobs, house_->workspaces, world_.clock());
    routes_->add_to(house_->table);
  }
  std::unique_ptr<AutomationImportRoutes> routes_;
};

// S3-05, S3-06
TEST_F(AutomationImportTest, AnAdminTakesOverAFileOnce) {
  const auto first = decode_json<AutomationImportView>(
      post("/api/automations/import", std::string(kForeign)).body);
  ASSERT_TRUE(first) << first.error();
  EXPECT_EQ(first->added, 1);
  EXPECT_EQ(first->skipped, 1);
  const auto again = decode_json<AutomationImportView>(
      post("/api/automations/import", std::string(kForeign)).body);
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(again->added, 0);
  EXPECT_EQ(again->existed, 1);
  EXPECT_EQ(post("/api/automations/import", "{").status, 400);
  EXPECT_EQ(send({.method = "POST",
                  .target = "/api/automations/import",
                  .body = std::string(kForeign),
                  .owner = false})
                .status,
            401);
}

}  // namespace
}  // namespace rouse
