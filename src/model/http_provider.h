// A provider that is reached over HTTP and streams its answer. What differs between providers is
// their wire format: how a request is written and how an answer is read. The rest is the same for
// all: deadlines, what a failed exchange means, and that no secret gets into an error.
#pragma once

#include <memory>

#include "base/clock.h"
#include "base/random.h"
#include "base/redact.h"
#include "model/provider.h"
#include "net/http_client.h"

namespace rouse {

class WireFormat {
 public:
  virtual ~WireFormat() = default;
  // URL, headers and body; deadlines are set by the provider.
  [[nodiscard]] virtual ClientRequest encode(const ModelRequest& request,
                                             const ModelInfo& info) const = 0;
  [[nodiscard]] virtual std::unique_ptr<AnswerReader> reader(ModelStream& stream,
                                                             Random& random) const = 0;
};

class HttpProvider final : public Provider {
 public:
  // api_key is taken to keep it out of errors; the format knows it by itself. `known` has the
  // other secrets of this server, which a provider may have been told as well.
  HttpProvider(ModelInfo info, std::unique_ptr<WireFormat> format, const std::string& api_key,
               HttpClient& http, Clock& clock, Random& random, const Redactor* known = nullptr);

  [[nodiscard]] const ModelInfo& info() const override { return info_; }
  Task<TryResult> ask(const ModelRequest& request, ModelStream& stream, Millis time_left,
                      std::stop_token stop) override;

 private:
  struct Exchange;
  TryResult conclude(Exchange& exchange, const Result<ClientResponse>& result) const;
  [[nodiscard]] TryFailure explain(TryFailure failure) const;

  ModelInfo info_;
  std::unique_ptr<WireFormat> format_;
  Redactor redactor_;
  const Redactor* known_;
  HttpClient& http_;
  Clock& clock_;
  Random& random_;
};

}  // namespace rouse
