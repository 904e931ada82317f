#include "model/openai/openai_format.h"

#include <algorithm>

#include "base/text.h"
#include "net/url.h"

namespace rouse {
namespace {

class OpenAiFormat final : public WireFormat {
 public:
  OpenAiFormat(std::string_view base_url, std::string api_key)
      : url_(openai_url(base_url)),
        api_key_(std::move(api_key)),
        limit_name_(is_openai_itself(base_url) ? OutputLimitName::kMaxCompletionTokens
                                               : OutputLimitName::kMaxTokens) {}

  [[nodiscard]] ClientRequest encode(const ModelRequest& request,
                                     const ModelInfo& info) const override {
    ClientRequest out;
    out.url = url_;
    out.headers = {{"Content-Type", "application/json"}, {"Accept", "text/event-stream"}};
    if (!api_key_.empty()) out.headers.emplace_back("Authorization", "Bearer " + api_key_);
    out.body = encode_openai(request, info, limit_name_);
    return out;
  }

  [[nodiscard]] std::unique_ptr<AnswerReader> reader(ModelStream& stream,
                                                     Random& random) const override {
    return make_openai_reader(stream, random);
  }

 private:
  std::string url_;
  std::string api_key_;
  OutputLimitName limit_name_;
};

bool is_version(std::string_view segment) {
  return segment.size() >= 2 && segment[0] == 'v' && segment[1] >= '0' && segment[1] <= '9';
}

}  // namespace

std::unique_ptr<WireFormat> make_openai_format(std::string_view base_url, std::string api_key) {
  return std::make_unique<OpenAiFormat>(base_url, std::move(api_key));
}

std::string openai_url(std::string_view base_url) {
  std::string_view base = base_url.empty() ? kOpenAiUrl : base_url;
  while (base.ends_with('/')) base.remove_suffix(1);
  if (base.ends_with("/chat/completions")) return std::string(base);
  // A path that names a version anywhere is complete; one that names none means the first.
  const auto segments = split(base.substr(std::min(base.find("://") + 3, base.size())), '/');
  const bool versioned = std::any_of(segments.begin() + 1, segments.end(), is_version);
  return std::string(base) + (versioned ? "/chat/completions" : "/v1/chat/completions");
}

bool is_openai_itself(std::string_view base_url) {
  const auto url = parse_url(base_url.empty() ? kOpenAiUrl : base_url);
  return url && url->host == "api.openai.com";
}

}  // namespace rouse
