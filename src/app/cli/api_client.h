// Talks to a running server, one call at a time, as commands do: it waits for the answer. Errors
// are for a person at a terminal: what is wrong, and which command helps.
//
// The owner's token is sent only where it belongs: to the server of this data folder (the process
// that wrote server.json must be alive and its owner's), or to a loopback --url. Another machine
// gets $ROUSE_TOKEN, and only over TLS (SC-4).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "app/cli/command.h"
#include "base/clock.h"
#include "base/json.h"
#include "net/http_client.h"
#include "net/sse.h"

namespace rouse::cli {

class ApiClient {
 public:
  // CliErrc::kNotRunning if there is no server to talk to.
  static Result<ApiClient> find(const ServerOption& where);

  template <class T>
  Result<T> get(const std::string& path) {
    TRY(const std::string body, call("GET", path, ""));
    return decode<T>(body);
  }
  template <class T>
  Result<T> post(const std::string& path, const std::string& body) {
    TRY(const std::string answer, call("POST", path, body));
    return decode<T>(answer);
  }
  // The body of a good answer, or the server's own words about what is wrong.
  Result<std::string> call(const std::string& method, const std::string& path,
                           const std::string& body);

  // A large answer, piece by piece. on_head gets the value of `header`, if the server sent it.
  using OnChunk = HttpClient::OnChunk;
  Result<void> download(const std::string& path, const std::string& header,
                        const std::function<void(std::string_view value)>& on_head,
                        const OnChunk& on_chunk);

  // Server-sent events, until the stream ends or on_event fails. Ctrl-C doesn't end the process
  // meanwhile: the first one POSTs to what on_interrupt answers and reading goes on, a second one
  // ends the reading with ClientErrc::kCancelled.
  struct Follow {
    std::string path, body;
    std::function<Result<void>(const SseEvent& event)> on_event;
    std::function<std::string()> on_interrupt;  // "": nothing can be cancelled yet
  };
  Result<void> follow(const Follow& what);

  void pause(Millis length);

  // For what may take a server longer than a short answer.
  void set_deadline(Millis deadline) { deadline_ = deadline; }
  [[nodiscard]] const std::string& url() const { return url_; }

 private:
  ApiClient(std::string url, std::string token, std::string token_origin, std::string ca_file);
  [[nodiscard]] ClientRequest request(const std::string& method, const std::string& path) const;
  [[nodiscard]] Error explain(Error error) const;
  [[nodiscard]] Error refusal(int status, std::string_view body) const;

  template <class T>
  Result<T> decode(const std::string& body) {
    auto value = decode_json<T>(body);
    if (value) return value;
    return fail(wrap(fmt::format("{} gave an answer this rouse doesn't understand (is it another "
                                 "version?)",
                                 url_),
                     std::move(value).error()));
  }

  std::string url_, token_, token_origin_;
  // The server is near and its answers are short: one that takes longer is stuck, a person waits.
  Millis deadline_ = seconds(5);
  std::unique_ptr<Loop> loop_;
  std::unique_ptr<HttpClient> client_;
};

// The error for "nobody is there", which names the command that changes it.
Error not_running(const std::string& data_dir, std::string_view detail = {});

}  // namespace rouse::cli
