#include "tests/scenario/player.h"

namespace rouse::scenario {
namespace {

class Player : public PlayerTest {
 protected:
  std::string problem_of(std::string_view text) {
    const auto parsed = parse_scenario("x.txt", text);
    if (!parsed) return parsed.error().message;
    return play(parsed->front()).value_or("");
  }
};

TEST_F(Player, AScenarioThatMustFailFailsAndSaysWhere) {
  EXPECT_EQ(problem_of("# Shows something.\n"
                       "GET /health\n"
                       "-> 201\n"
                       "header Content-Type: text/html\n"
                       "header X-Odd: yes\n"
                       "{\"ok\": true, \"version\": \"<text>\"}\n"),
            "x.txt:2:\n"
            "  GET /health\n"
            "  differs:\n"
            "    the status: expected 201, got 200\n"
            "    header content-type: expected text/html, got application/json\n"
            "    header x-odd: missing\n"
            "    status: not expected, got \"ok\"\n"
            "  expected 201:\n"
            "    {\"ok\": true, \"version\": \"<text>\"}\n"
            "  got 200:\n"
            "    {\n"
            "      \"ok\": true,\n"
            "      \"status\": \"ok\",\n"
            "      \"version\": \"0.0.0-test\"\n"
            "    }\n");
}

TEST_F(Player, ABlankNobodyFilledIsSaidAndNothingIsSent) {
  EXPECT_EQ(problem_of("# Shows something.\n"
                       "GET /kernel/sessions/<sess x>\n"
                       "-> 404\n"),
            "x.txt:2:\n<sess x> is not known yet: no answer before this had it");
}

TEST_F(Player, ARequestCanBeSentSeveralTimesEachWithItsNumber) {
  EXPECT_EQ(problem_of("# Shows something.\n"
                       "3 times\n"
                       "POST /kernel/workspaces\n"
                       "{\"type\": \"team <number round>\"}\n"
                       "-> 200\n"
                       "\n"
                       "GET /kernel/workspaces\n"
                       "-> 200\n"
                       "{\"items\": \"<list 4>\", \"next_cursor\": null}\n"),
            "");
}

TEST_F(Player, WhatWasAnsweredSurvivesARestartAndAPowerCut) {
  EXPECT_EQ(problem_of("# Shows something.\n"
                       "POST /kernel/workspaces\n"
                       "{\"type\": \"team\"}\n"
                       "-> 200\n"
                       "{\"ok\": true, \"workspace_id\": \"<ws team>\"}\n"
                       "\n"
                       "restart\n"
                       "power cut\n"
                       "as user of <ws team>\n"
                       "power cut\n"
                       "GET /api/workspace\n"
                       "-> 200\n"
                       "{\"workspace_id\": \"<ws team>\", \"type\": \"team\", \"name\": \"team\",\n"
                       " \"created_at\": \"<time now>\"}\n"),
            "");
}

}  // namespace
}  // namespace rouse::scenario
