#include <gtest/gtest.h>

#include "tests/scenario/scenario.h"

namespace rouse::scenario {
namespace {

std::string problem_in(std::string_view text) {
  const auto parsed = parse_scenario("x.txt", text);
  return parsed ? "" : parsed.error().message;
}

TEST(ScenarioParser, ReadsRequestsAnswersAndWhatHappensBetween) {
  const auto good = parse_scenario("x.txt",
                                   "# Shows something.\n"
                                   "POST /a\n"
                                   "header X-Odd: yes\n"
                                   "{\"a\":\n"
                                   " 1}\n"
                                   "-> 201\n"
                                   "header Allow: GET\n"
                                   "{\"ok\": true}\n"
                                   "\n"
                                   "wait 31 minutes\n"
                                   "step clock back 2 hours\n"
                                   "as user of <ws other>\n"
                                   "restart\n"
                                   "power cut\n"
                                   "GET /b\n"
                                   "-> 204");
  ASSERT_TRUE(good) << good.error();
  ASSERT_EQ(good->size(), 1U);
  const auto& steps = good->front().steps;
  ASSERT_EQ(steps.size(), 7U);
  const auto& first = std::get<Exchange>(steps[0].action);
  EXPECT_EQ(first.method, "POST");
  EXPECT_EQ(first.target, "/a");
  EXPECT_EQ(first.headers, (Headers{{"x-odd", "yes"}}));
  EXPECT_EQ(first.body, "{\"a\":\n 1}");
  EXPECT_EQ(first.status, 201);
  EXPECT_EQ(first.answer_headers, (Headers{{"allow", "GET"}}));
  EXPECT_EQ(first.answer, "{\"ok\": true}");
  EXPECT_EQ(std::get<Wait>(steps[1].action).length, minutes(31));
  EXPECT_EQ(std::get<ClockStep>(steps[2].action).by.count, -hours(2).count);
  EXPECT_EQ(std::get<Speaker>(steps[3].action).workspace, "<ws other>");
  EXPECT_EQ(steps[6].line, 15);
}

TEST(ScenarioParser, ATableGivesAScenarioARow) {
  const auto parsed = parse_scenario("x.txt",
                                     "# Shows something.\n"
                                     "for each path, status in\n"
                                     "  /a | 200\n"
                                     "# a remark\n"
                                     "  /b | 404\n"
                                     "\n"
                                     "GET <path>\n"
                                     "-> <status>\n");
  ASSERT_TRUE(parsed) << parsed.error();
  ASSERT_EQ(parsed->size(), 2U);
  EXPECT_EQ(parsed->at(1).row, "path = /b, status = 404");
  EXPECT_EQ(parsed->at(1).steps[0].line, 7);
  EXPECT_EQ(std::get<Exchange>(parsed->at(1).steps[0].action).status, 404);
}

TEST(ScenarioParser, AnAnswerEndsWithAnEmptyLineNotBefore) {
  EXPECT_NE(problem_in("# Shows something.\n"
                       "GET /a\n"
                       "-> 200\n"
                       "# a remark\n"
                       "{\"ok\": true}\n"
                       "wait 31 minutes\n")
                .find("line 4: the expected answer is not JSON"),
            std::string::npos);
}

TEST(ScenarioParser, ARequestMayBeSentSeveralTimes) {
  const auto parsed = parse_scenario("x.txt", "# Shows something.\n51 times\nGET /a\n-> 200\n");
  ASSERT_TRUE(parsed) << parsed.error();
  EXPECT_EQ(std::get<Exchange>(parsed->front().steps[0].action).times, 51);
  EXPECT_EQ(problem_in("# Shows something.\n51 times\nrestart\n"),
            "line 3: only a request can be sent several times");
  EXPECT_NE(problem_in("# Shows something.\nmany times\nGET /a\n-> 200\n").find("line 2"),
            std::string::npos);
}

TEST(ScenarioParser, WhatItDoesNotUnderstandIsAnErrorThatNamesTheLine) {
  const std::string head = "# Shows something.\n\n";
  EXPECT_EQ(problem_in(head + "wiat 5 minutes\n"),
            "line 3: 'wiat 5 minutes' is nothing a scenario can do; see tests/scenario/README.md");
  EXPECT_NE(problem_in(head + "wait 5 moons\n").find("line 3: '5 moons' is no length of time"),
            std::string::npos);
  EXPECT_NE(problem_in(head + "wait\n").find("line 3"), std::string::npos);
  EXPECT_NE(problem_in(head + "as somebody\n").find("line 3"), std::string::npos);
  EXPECT_NE(problem_in(head + "GET /a\n\n-> 200\n").find("line 3: this request has no answer"),
            std::string::npos);
  EXPECT_NE(problem_in(head + "GET a\n-> 200\n").find("line 3: a path must begin"),
            std::string::npos);
  EXPECT_NE(problem_in(head + "GET /a\n-> fine\n").find("line 4: 'fine' is no status"),
            std::string::npos);
  EXPECT_NE(problem_in(head + "GET /<sesion a>\n-> 200\n").find("there is no blank '<sesion a>'"),
            std::string::npos);
  EXPECT_NE(problem_in(head + "GET /a\n-> 200\n{\"a\": }\n").find("line 5: the expected answer"),
            std::string::npos);
  EXPECT_NE(problem_in(head + "for each a, b in\n  1\n").find("line 4: this row has 1 cells"),
            std::string::npos);
  EXPECT_NE(problem_in("GET /a\n-> 200\n").find("line 1: a scenario opens with"),
            std::string::npos);
  EXPECT_NE(problem_in(head).find("does nothing"), std::string::npos);
}

}  // namespace
}  // namespace rouse::scenario
