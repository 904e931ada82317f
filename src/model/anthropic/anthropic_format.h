// The Messages API of Anthropic (POST /v1/messages, streamed): what goes out and what comes back.
//
// Prompt caching: the provider looks up prefixes in the order tools, system, messages, and takes
// at most four marks. The last tool and the last block of the messages get one each, the ends of
// cached system parts the rest, later ones first, because they cover what stands before them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "model/http_provider.h"

namespace rouse {

inline constexpr std::string_view kAnthropicUrl = "https://api.anthropic.com";

// base_url: "" for Anthropic's own, else with or without /v1 and a slash at its end.
std::unique_ptr<WireFormat> make_anthropic_format(std::string_view base_url, std::string api_key);

std::string anthropic_url(std::string_view base_url);
std::string encode_anthropic(const ModelRequest& request, const ModelInfo& info);
std::unique_ptr<AnswerReader> make_anthropic_reader(ModelStream& stream, Random& random);

}  // namespace rouse
