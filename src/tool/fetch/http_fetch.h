// `http_fetch`: a page, or an answer of an API, as text. Safe against being turned on the machines
// around us (SC-7): the name is resolved, every address checked and the connection pinned to what
// was checked (net/http_client.h, also through a proxy, which is told the address and not the
// name); a redirect is checked anew, and followed only where the person's yes still holds: on the
// same host, or from one that they have allowed to another. Anywhere else is another call, with a
// yes of its own. What the owner has allowed is not open to somebody who came in over a bridge.
//
// No cookies, no credentials: the few headers a call may set are named in the .cc. What comes back
// was written by strangers and always taints the turn.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/redact.h"
#include "net/address.h"
#include "net/http_client.h"
#include "net/url.h"
#include "tool/tool.h"

namespace rouse {

struct FetchSettings {
  // "host" (ports 80 and 443) or "host:port": fetched from without asking, and the only places
  // whose address may be private.
  std::vector<std::string> allow_hosts;
  // Ranges a local proxy hands out in place of the real addresses ("fake IP"): they count as
  // public, except for loopback.
  std::vector<std::string> fake_ip_ranges = {};
};

class HttpFetch final : public Tool {
 public:
  HttpFetch(HttpClient& http, const Clock& clock, FetchSettings settings);
  void configure(FetchSettings settings);
  // Before anything is cut: a part of a secret would not be known for what it is (SC-10).
  void redact_with(const Redactor* redactor) { redactor_ = redactor; }

  [[nodiscard]] const ToolInfo& info() const override;
  [[nodiscard]] RiskTier risk_of(const ToolCall& call) const override;
  // A GET or HEAD covers its method and origin; a POST itself alone.
  [[nodiscard]] ApprovalAsk ask_for(const ToolCall& call) const override;
  Task<ToolResult> run(ToolCall call, std::stop_token stop) override;

 private:
  struct HostRule {
    std::string host;
    std::optional<std::uint16_t> port;
  };
  [[nodiscard]] bool is_allowed(const ToolCall& call, const Url& url) const;
  // Where a redirect leads, if it may be followed.
  [[nodiscard]] std::optional<Url> next_stop(const ToolCall& call, const Url& from,
                                             std::string_view location) const;

  HttpClient& http_;
  const Clock& clock_;
  std::vector<HostRule> allowed_;
  AddressSet fake_;
  const Redactor* redactor_ = nullptr;
};

// What a Location header means, seen from the page that sent it.
Result<Url> resolve_location(const Url& from, std::string_view location);

}  // namespace rouse
