// An MCP server at an address: "streamable HTTP". Each message is a POST; its answer is one JSON
// document or a stream of events. A session that the server gave us is named in every request and
// ended by a DELETE. We don't keep a stream open for what the server may want to say unasked.
#pragma once

#include <memory>
#include <string>

#include "net/http_client.h"
#include "tool/mcp/mcp_settings.h"
#include "tool/mcp/mcp_transport.h"

namespace rouse {

class HttpTransport final : public McpTransport {
 public:
  HttpTransport(HttpClient& http, McpServerSettings::Place place)
      : http_(http), place_(std::move(place)) {}

  Task<Result<void>> open(Ears ears) override;
  Task<Result<void>> send(std::string message, Millis time_left, std::stop_token stop) override;
  [[nodiscard]] bool answers_with_send() const override { return true; }
  void use_version(std::string_view version) override { version_ = version; }
  Task<void> close() override;

 private:
  struct Exchange;
  [[nodiscard]] ClientRequest request(std::string method, Millis time_left) const;
  Result<void> conclude(Exchange& exchange, const Result<ClientResponse>& result);

  HttpClient& http_;
  McpServerSettings::Place place_;
  Ears ears_;
  std::string session_, version_;
};

}  // namespace rouse
