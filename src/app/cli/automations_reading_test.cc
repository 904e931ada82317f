#include "app/cli/automations_reading.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace rouse::cli {
namespace {

constexpr WallTime kNow{1'800'000'000'000};  // Friday, 2027-01-15T08:00:00Z

TEST(AutomationsReading, ATextIsFoundByItsPlaceInTheDocument) {
  const auto one = parse_json(R"({"a":{"b":"x"},"n":7,"t":true,"l":["x","y"],"z":null})").value();
  EXPECT_EQ(text_at(one, "a.b"), "x");
  EXPECT_EQ(text_at(one, "n"), "7");
  EXPECT_EQ(text_at(one, "t"), "yes");
  EXPECT_EQ(text_at(one, "l"), "x, y");
  for (const char* nothing : {"z", "a.c", "a.b.c", "n.b", "q"}) {
    EXPECT_EQ(text_at(one, nothing), "") << nothing;
  }
}

TEST(AutomationsReading, AListShowsWhatIsNextOrWhyNothingIs) {
  const auto page = parse_json(R"({"items":[
      {"id":"3f2a91c0","name":"milk","words":"every 2 hours","state":"active",
       "next_words":"Fri 10:00 UTC","last":{"status":"error","reason":"model_timeout"},
       "session_key":"websocket:kitchen"},
      {"id":"b2","name":"old","words":"once","state":"done","last":null,"kind":"isolated"}]})")
                        .value();
  EXPECT_EQ(automation_list(page),
            "ID        NAME  WHEN           NEXT           LAST                   SESSION\n"
            "3f2a91c0  milk  every 2 hours  Fri 10:00 UTC  error (model_timeout)  "
            "websocket:kitchen\n"
            "b2        old   once           done           -                      isolated\n");
  EXPECT_TRUE(
      automation_list(parse_json(R"({"items":[]})").value()).starts_with("No automations."));
}

TEST(AutomationsReading, WhatOthersWroteCantSteerTheTerminal) {
  const auto one =
      parse_json(R"({"id":"a\u001b[2J","name":"n\u001b]0;x\u0007","message":"m\u001b[1m",
      "state":"paused","state_by":"agent","state_reason":"\u001b[31m"})")
          .value();
  EXPECT_EQ(automation_card(one, kNow).find('\x1b'), std::string::npos);
  const auto run = parse_json(R"({"id":"\u001b[2J","status":"error","reason":"\u001b[2J",
      "prompt":"\u001b[2J","error":"\u001b[2J"})")
                       .value();
  EXPECT_EQ(run_card(run).find('\x1b'), std::string::npos);
}

TEST(AutomationsReading, TheLedgerEndsWithWhatWasSummedUp) {
  const auto ledger = parse_json(R"({"items":[
      {"scheduled_for":"2027-01-15T07:00:00.000Z","count":3,"status":"missed","reason":"down",
       "until":"2027-01-15T07:02:00.000Z","attempt":0,"ended_at":"2027-01-15T07:55:00.000Z"}],
      "days":[{"day":"2027-01-14","status":"ok","count":1440,"first":"2027-01-14T00:00:00.000Z",
               "last":"2027-01-14T23:59:00.000Z"}]})")
                          .value();
  const std::string text = ledger_text(ledger, kNow);
  EXPECT_NE(text.find("2027-01-15 07:00  2027-01-15 07:02  3      missed  down"), std::string::npos)
      << text;
  EXPECT_NE(text.find("2027-01-14  ok      1440"), std::string::npos) << text;
}

TEST(AutomationsReading, EachFireIsSaidInTheZoneAndInUtc) {
  const auto one = parse_json(R"({"zone":"Europe/Berlin",
      "next":["2027-01-15T09:00:00.000Z","2027-01-18T09:00:00.000Z"]})")
                       .value();
  EXPECT_EQ(next_fires(one, kNow),
            "next: Fri 10:00 Europe/Berlin (09:00 UTC)\n"
            "      Mon 10:00 Europe/Berlin (09:00 UTC)\n");
}

}  // namespace
}  // namespace rouse::cli
