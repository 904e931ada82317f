#include "tests/sim/box/mind.h"

#include <array>

#include <fmt/format.h>

#include "base/redact.h"
#include "base/text.h"
#include "tests/sim/box/canaries.h"
#include "tests/sim/box/plan.h"

namespace rouse::sim {
namespace {

constexpr std::array kTokens{
    "HEARTBEAT_OK",        "**HEARTBEAT_OK**", "heartbeat_ok",   "`HEARTBEAT_OK`",
    "_HEARTBEAT_OK_.",     "> HEARTBEAT_OK",   "NO_REPLY",       "no_reply",
    "\"HEARTBEAT_OK\"",    "<b>NO_REPLY</b>",  "***NO_REPLY***", "HEARTBEAT_OK\n",
    "HEARTBEAT\xC2\xAD_OK"};
constexpr std::array kAlerts{"The draft to Henrik waits for six hours.",
                             "The backup failed twice; look at the disk.",
                             "A meeting begins in half an hour, and nothing is prepared.",
                             "Three runs of the importer ended with errors."};

// A model that is told to be silent says so in its own way, and not always alone.
constexpr std::array kSilences{"WAKEUP_SILENT",
                               "`wakeup_silent`",
                               "All is well. WAKEUP_SILENT",
                               "**WAKEUP_SILENT**",
                               "",
                               "No text content in response."};

// The words of the trigger are in no other prompt; what tools answered comes after them.
bool is_opening(const ModelRequest& request) {
  if (request.messages.empty() || request.messages.front().blocks.empty()) return false;
  return request.messages.front().blocks.front().text.starts_with("[SYSTEM: ");
}

// A provider's errors repeat what it was sent; its client clears them of the key (HttpProvider).
ScriptedAnswer refuses(ModelErrc code) {
  static const std::string words = [] {
    Redactor client;
    client.set_secrets(secrets());
    return client.redact(fmt::format("refused: x-api-key {}", kModelKey));
  }();
  return ScriptedAnswer::fails(code, words);
}

std::string filled_in(std::string_view verdict, std::string_view text) {
  return fmt::format(R"({{"verdict":"{}","text":"{}","conversation":"api:p2"}})", verdict,
                     json_escape(text));
}

}  // namespace

bool shows_silence_token(std::string_view text) {
  std::string seen;
  seen.reserve(text.size());
  for (const char c : text) {
    const bool mark = std::string_view("*_`~ -.>").find(c) != std::string_view::npos;
    if (!mark && (c & 0x80) == 0) seen += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  return seen.find("heartbeatok") != std::string::npos || seen.find("noreply") != std::string::npos;
}

std::uint64_t Mind::dice(const ModelRequest& request) {
  std::uint64_t hash = mixed(outside_.seed, request.messages.size());
  if (!request.messages.empty()) {
    for (const PromptBlock& block : request.messages.back().blocks) {
      hash = mixed(hash, block.text);
      if (shows_canary(block.text)) {
        outside_.broke("10: no model is told a secret", block.text);
      }
    }
  }
  return mixed(hash, ++asked_[hash]);
}

Mind::Mood Mind::of_opening(const ModelRequest& request) {
  const std::uint64_t chance = dice(request);
  const auto number = (chance >> 20) % 100'000;
  const auto thinks = millis(static_cast<std::int64_t>(number % 20'000));
  switch (outside_.kind ? 9 : chance % 10) {
    case 0:
      return {ScriptedAnswer::hangs_until_cancelled({"Wel"})};
    case 1:
      return {refuses(ModelErrc::kOverloaded)};
    case 2:
      return {ScriptedAnswer::calls_tool(fmt::format("opening-{:x}", chance), "change")};
    case 3:
      return {ScriptedAnswer::calls_tool(fmt::format("opening-{:x}", chance), "peek")};
    case 4:
    case 5:
      return {ScriptedAnswer::says(kSilences[number % kSilences.size()]), thinks};
    default:
      return {ScriptedAnswer::says(fmt::format("Welcome, greeting {}.", number)), thinks};
  }
}

Mind::Mood Mind::of_turn(const ModelRequest& request) {
  if (is_opening(request)) return of_opening(request);
  const std::uint64_t chance = dice(request);
  const std::uint64_t roll = outside_.kind ? 99 : chance % 100;
  const auto number = (chance >> 20) % 100'000;
  const auto call = [&](std::string_view tool) {
    return ScriptedAnswer::calls_tool(fmt::format("{}-{:x}", tool, chance), std::string(tool));
  };
  const auto named = [&](std::string_view what, ScriptedAnswer answer, Millis thinks = {}) {
    outside_.counts.hit(what);
    return Mood{std::move(answer), thinks};
  };
  if (roll < 2) return named("model hangs", ScriptedAnswer::hangs_until_cancelled({"Well, "}));
  if (roll < 4) return named("model 429", refuses(ModelErrc::kRateLimited));
  if (roll < 6) return named("model 5xx", refuses(ModelErrc::kServerError));
  if (roll < 7) return named("model overloaded", refuses(ModelErrc::kOverloaded));
  if (roll < 8) return named("model context full", refuses(ModelErrc::kContextFull));
  if (roll < 10) return named("model says nothing", ScriptedAnswer());
  if (roll < 12) {
    return named("model calls what is not there", call("no_such_tool"));
  }
  if (roll < 13) {
    return named("model garbage",
                 ScriptedAnswer::calls_tool(fmt::format("c{:x}", chance), "change", "{\"what\":"));
  }
  if (roll < 15) return named("model calls tools", call("peek"));
  if (roll < 20) return named("model calls tools", call("look"));
  if (roll < 28) return named("model calls tools", call("change"));
  if (roll < 33) return named("model asks for a yes", call("ask"));
  if (roll < 36) {
    return named(
        "model leaks a silence token",
        ScriptedAnswer::says(fmt::format("{} thing {}", kTokens[number % kTokens.size()], number)));
  }
  if (roll < 38) {
    return named("model is silent", ScriptedAnswer::says(kTokens[number % kTokens.size()]));
  }
  if (roll < 50) {
    return named("model is slow", ScriptedAnswer::says(fmt::format("thing {} took long", number)),
                 millis(static_cast<std::int64_t>(1000 + number)));
  }
  return {ScriptedAnswer::says(fmt::format("ok, thing {} is done", number)),
          millis(static_cast<std::int64_t>(number % 2000))};
}

Mind::Mood Mind::of_question(const ModelRequest& request) {
  const std::uint64_t chance = dice(request);
  const auto number = (chance >> 20) % 100'000;
  const ModelUsage used{.in = 200 + static_cast<std::int64_t>(number % 400), .out = 20};
  if (request.tools.empty()) {  // a punchline
    if (!outside_.kind && chance % 10 == 0) return {refuses(ModelErrc::kRateLimited)};
    return {ScriptedAnswer::says(fmt::format("Finished thing {}.", number)).using_tokens(used)};
  }
  outside_.counts.hit("beat asks a model");
  const std::string token = kTokens[number % kTokens.size()];
  const std::string alert = kAlerts[(number / 100) % kAlerts.size()];
  const auto form = [&](std::string_view verdict, const std::string& text) {
    return Mood{
        ScriptedAnswer::calls_tool("c1", request.tools.front().name, filled_in(verdict, text))
            .using_tokens(used)};
  };
  const auto text = [&](std::string said) {
    return Mood{ScriptedAnswer::says(std::move(said)).using_tokens(used)};
  };
  switch (outside_.kind ? 8 : chance % 18) {
    case 0:
      return {ScriptedAnswer::hangs_until_cancelled()};
    case 1:
      return {refuses(ModelErrc::kRateLimited)};
    case 2:
      return {refuses(ModelErrc::kOverloaded)};
    case 3:
      return text("");
    case 4:
      return form("notify", token);
    case 5:
      return form("wake", token);
    case 6:
      return form("panic", alert);
    case 7:
      return {ScriptedAnswer::calls_tool("c1", request.tools.front().name, "{\"verdict\":")
                  .using_tokens(used)};
    case 8:
      return form("nothing", "");
    case 9:
      return form("nothing", token);
    case 10:
      return form("notify", alert);
    case 11:
      return form("notify", fmt::format("{} {}", token, alert));
    case 12:
      return form("wake", alert);
    case 13:
      return form("wake", fmt::format("{}\n\n{}", alert, token));
    case 14:
      return text(alert);
    case 15:
      return text(fmt::format("{}\n{}", alert, token));
    default:
      return text(token);
  }
}

MoodyModel::MoodyModel(Mind& mind, Asks asks, Loop& loop, Clock& clock)
    : mind_(mind), asks_(asks), loop_(loop), clock_(clock) {
  inner_.described.price = ModelPrice{.in = 100'000, .out = 1'000'000};
}

Task<Result<ModelAnswer>> MoodyModel::answer(const ModelRequest& request, ModelStream& stream,
                                             std::stop_token stop) {
  Mind::Mood mood = asks_ == Asks::kTurns ? mind_.of_turn(request) : mind_.of_question(request);
  std::stop_source late, over;
  const std::stop_callback stopped(stop, [&] { late.request_stop(); });
  loop_.spawn("deadline", stop_after(request.deadline, late, over.get_token()));
  if (asks_ == Asks::kTurns) mood.answer.usage = {.in = 300, .out = 800};
  if (mood.thinks > millis(0)) (void)co_await clock_.wait_for(mood.thinks, late.get_token());
  inner_.then(std::move(mood.answer));
  auto answer = co_await inner_.answer(request, stream, late.get_token());
  inner_.requests.clear();
  over.request_stop();
  if (!answer && late.stop_requested() && !stop.stop_requested()) {
    co_return fail(ModelErrc::kTimeout, "no answer in time");
  }
  co_return answer;
}

Task<void> MoodyModel::stop_after(Millis length, std::stop_source late, std::stop_token over) {
  if (co_await clock_.wait_for(length, std::move(over))) late.request_stop();
}

}  // namespace rouse::sim
