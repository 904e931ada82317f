// The bridge to people's phones, at the other end of the server's requests: it takes replies,
// refuses them, asks for patience, takes them and loses the answer, or says nothing for a while.
// What goes wrong it tells with all it knows, the secret included. What reached the person is known
// outside, whatever the server was told.
#pragma once

#include <fmt/format.h>

#include "base/clock.h"
#include "base/json.h"
#include "net/http_client.h"
#include "tests/sim/box/canaries.h"
#include "tests/sim/box/outside.h"
#include "tests/sim/box/plan.h"

namespace rouse::sim {

struct Posted {
  std::string to, text, account, id;
};
inline auto shape(const Posted*) {
  return fields(field("to", &Posted::to, ""), field("text", &Posted::text, ""),
                field("accountId", &Posted::account, ""), field("idempotencyKey", &Posted::id, ""));
}

class Phone final : public HttpClient {
 public:
  Phone(Outside& outside, Clock& clock) : outside_(outside), clock_(clock) {}

  Task<Result<ClientResponse>> send(ClientRequest, std::stop_token) override {
    co_return fail(ClientErrc::kBadUrl, "bridges are told in pieces");
  }

  Task<Result<ClientResponse>> stream(ClientRequest request, OnHead on_head, OnChunk on_chunk,
                                      std::stop_token stop) override {
    const auto posted = decode_json<Posted>(request.body);
    if (!posted) {
      outside_.broke("4: a bridge can read what it is told", posted.error().message);
      co_return fail(ClientErrc::kProtocol, "no JSON");
    }
    const std::uint64_t chance =
        mixed(mixed(outside_.seed, posted->text), outside_.sent[posted->id]++);
    const std::uint64_t roll = outside_.kind ? 99 : chance % 100;
    if (roll < 4) {
      outside_.counts.hit("bridge refuses");
      co_return answered(400, fmt::format("no such number for {}", kBridgeToken), on_head,
                         on_chunk);
    }
    if (roll < 16) {
      outside_.counts.hit("bridge is not ready");
      if (roll < 10) co_return answered(503, "", on_head, on_chunk);
      co_return fail(ClientErrc::kConnect, fmt::format("{} is not there", kBridgeToken));
    }
    // The person has it before the bridge says so.
    const bool arrives = roll >= 20;
    if (arrives) arrive(*posted);
    if (roll < 26 || roll >= 90) {
      const Millis wait = millis(static_cast<std::int64_t>(50 + chance % 9'000));
      (void)co_await clock_.wait_for(wait, stop);
    }
    if (roll < 26) {
      outside_.counts.hit(arrives ? "bridge took it and doesn't say" : "bridge says nothing");
      co_return fail(ClientErrc::kTimeout, fmt::format("no answer to {}", kBridgeToken));
    }
    outside_.counts.hit("reply delivered");
    co_return answered(200, fmt::format(R"({{"id":"r-{}"}})", posted->id), on_head, on_chunk);
  }

 private:
  static ClientResponse answered(int status, const std::string& body, const OnHead& on_head,
                                 const OnChunk& on_chunk) {
    ClientResponse out{.status = status};
    (void)on_head(out);
    (void)on_chunk(body);
    return out;
  }
  void arrive(const Posted& posted) {
    if (++outside_.arrived[posted.id] > 1) {
      outside_.broke("4: a reply reaches a person at most once",
                     fmt::format("{} came twice: {}", posted.id, posted.text));
    }
    outside_.brought.push_back({posted.id, "r-" + posted.id, posted.to, posted.text});
  }
  Outside& outside_;
  Clock& clock_;
};

}  // namespace rouse::sim
