#include "tests/scenario/player.h"

#include <fmt/format.h>

#include "base/text.h"
#include "tests/scenario/compare.h"

namespace rouse::scenario {
namespace {

std::string indented(std::string_view text) {
  constexpr std::size_t kMostLines = 60;
  std::string out;
  const auto lines = split(text, '\n');
  for (std::size_t i = 0; i < std::min(lines.size(), kMostLines); ++i) {
    out += fmt::format("    {}\n", lines[i]);
  }
  if (lines.size() > kMostLines)
    out += fmt::format("    … {} lines more\n", lines.size() - kMostLines);
  return out;
}

}  // namespace

void PlayerTest::SetUp() {
  world_.set_longest_disk_delay(millis(0));
  AgentGatewayTest::SetUp();
  if (!HasFatalFailure()) house_->kernel.configure(kernel_);
}

std::optional<std::string> PlayerTest::play(const Scenario& scenario) {
  for (const Step& step : scenario.steps) {
    const Problem problem =
        std::visit([this](const auto& action) { return act(action); }, step.action);
    if (!problem) continue;
    const std::string row = scenario.row.empty() ? "" : fmt::format("  (with {})", scenario.row);
    return fmt::format("{}:{}:{}\n{}", scenario.file, step.line, row, *problem);
  }
  return std::nullopt;
}

PlayerTest::Problem PlayerTest::act(const Exchange& exchange) {
  for (int round = 1; round <= exchange.times; ++round) {
    if (exchange.times > 1) names_.set("number", "round", std::to_string(round));
    auto ask = request_of(exchange);
    if (!ask) return ask.error().message;
    const Answer answer = send(*ask);
    if (auto problem = compare(exchange, *ask, answer)) return problem;
  }
  return std::nullopt;
}

Result<Ask> PlayerTest::request_of(const Exchange& exchange) const {
  Ask ask{.method = exchange.method, .owner = false};
  TRY(ask.target, names_.fill(exchange.target, Escape::kNone));
  TRY(ask.body, names_.fill(exchange.body, Escape::kJson));
  for (const auto& [name, value] : exchange.headers) {
    TRY(ask.headers[name], names_.fill(value, Escape::kNone));
  }
  if (!token_.empty()) ask.headers.emplace("authorization", "Bearer " + token_);
  return ask;
}

PlayerTest::Problem PlayerTest::compare(const Exchange& exchange, const Ask& ask,
                                        const Answer& answer) {
  std::vector<std::string> found;
  if (answer.status != exchange.status) {
    found.push_back(fmt::format("the status: expected {}, got {}", exchange.status, answer.status));
  }
  for (const auto& [name, value] : exchange.answer_headers) {
    const auto pieces = parse_pieces(value);
    const auto it = answer.headers.find(name);
    if (it == answer.headers.end()) {
      found.push_back(fmt::format("header {}: missing", name));
    } else if (!pieces || !names_.match(*pieces, it->second)) {
      found.push_back(fmt::format("header {}: expected {}, got {}", name, value, it->second));
    }
  }
  if (!exchange.answer.empty()) {
    for (std::string& line : differences(exchange.answer, answer.body, names_)) {
      found.push_back(std::move(line));
    }
  }
  if (found.empty()) return std::nullopt;
  return fmt::format("  {} {}\n{}  differs:\n{}  expected {}:\n{}  got {}:\n{}", ask.method,
                     ask.target, ask.body.empty() ? "" : indented(readable(ask.body)),
                     indented(fmt::format("{}", fmt::join(found, "\n"))), exchange.status,
                     indented(exchange.answer.empty() ? "(any body)" : exchange.answer),
                     answer.status, indented(readable(answer.body)));
}

PlayerTest::Problem PlayerTest::act(const Wait& wait) {
  world_.run_for(wait.length);
  return std::nullopt;
}

PlayerTest::Problem PlayerTest::act(const ClockStep& step) {
  world_.clock().step_wall(step.by);
  world_.settle();
  return std::nullopt;
}

PlayerTest::Problem PlayerTest::act(const SessionTimeout& timeout) {
  kernel_.timeout = timeout.length;
  house_->kernel.configure(kernel_);
  return std::nullopt;
}

PlayerTest::Problem PlayerTest::act(const Restart&) {
  restart();
  return after_start();
}

PlayerTest::Problem PlayerTest::act(const PowerCut&) {
  world_.disk().kill_now();
  house_.reset();
  world_.drop_store();
  world_.settle();
  world_.disk().power_cycle(sqlite::Unsynced::kKeepNone);
  SetUp();
  return after_start();
}

PlayerTest::Problem PlayerTest::after_start() const {
  if (!HasFatalFailure()) return std::nullopt;
  return "  the server did not start again";
}

PlayerTest::Problem PlayerTest::act(const Speaker& speaker) {
  if (speaker.role == "owner") {
    token_ = kOwnerToken;
    return std::nullopt;
  }
  token_.clear();
  if (speaker.role == "nobody") return std::nullopt;
  const auto workspace = names_.fill(speaker.workspace, Escape::kNone);
  if (!workspace) return workspace.error().message;
  std::string& token = tokens_[fmt::format("{} of {}", speaker.role, *workspace)];
  if (token.empty()) {
    auto id = WorkspaceId::parse(*workspace);
    if (!id) return id.error().message;
    const Role role = speaker.role == "admin" ? Role::kAdmin : Role::kUser;
    auto made = world_.run(house_->tokens.create("scenario", role, *id));
    if (!made) return made.error().message;
    token = made->token;
  }
  token_ = token;
  return std::nullopt;
}

}  // namespace rouse::scenario
