#include "model/anthropic/anthropic_format.h"

namespace rouse {
namespace {

constexpr std::string_view kVersion = "2023-06-01";

class AnthropicFormat final : public WireFormat {
 public:
  AnthropicFormat(std::string_view base_url, std::string api_key)
      : url_(anthropic_url(base_url)), api_key_(std::move(api_key)) {}

  [[nodiscard]] ClientRequest encode(const ModelRequest& request,
                                     const ModelInfo& info) const override {
    ClientRequest out;
    out.url = url_;
    out.headers = {{"Content-Type", "application/json"},
                   {"Accept", "text/event-stream"},
                   {"anthropic-version", std::string(kVersion)}};
    if (!api_key_.empty()) out.headers.emplace_back("x-api-key", api_key_);
    out.body = encode_anthropic(request, info);
    return out;
  }

  [[nodiscard]] std::unique_ptr<AnswerReader> reader(ModelStream& stream,
                                                     Random& random) const override {
    return make_anthropic_reader(stream, random);
  }

 private:
  std::string url_;
  std::string api_key_;
};

}  // namespace

std::unique_ptr<WireFormat> make_anthropic_format(std::string_view base_url, std::string api_key) {
  return std::make_unique<AnthropicFormat>(base_url, std::move(api_key));
}

std::string anthropic_url(std::string_view base_url) {
  std::string_view base = base_url.empty() ? kAnthropicUrl : base_url;
  const auto drop = [&base](std::string_view end) {
    if (base.ends_with(end)) base.remove_suffix(end.size());
  };
  while (base.ends_with('/')) base.remove_suffix(1);
  drop("/messages");
  drop("/v1");
  while (base.ends_with('/')) base.remove_suffix(1);
  return std::string(base) + "/v1/messages";
}

}  // namespace rouse
