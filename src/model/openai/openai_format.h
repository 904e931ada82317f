// Chat completions as OpenAI defined them and many servers speak them: Ollama, llama.cpp, vLLM,
// OpenRouter. Each has its own way of bending the format; the reader takes them all (see
// openai_reader.cc), the encoder sends what all of them understand.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "model/http_provider.h"

namespace rouse {

inline constexpr std::string_view kOpenAiUrl = "https://api.openai.com/v1";

// Which name the limit of the output has: OpenAI renamed it, the others kept the old one.
enum class OutputLimitName : std::uint8_t { kMaxTokens, kMaxCompletionTokens };

// base_url: "" for OpenAI's own, else as the server's manual writes it, with or without /v1.
// Without a key no Authorization is sent.
std::unique_ptr<WireFormat> make_openai_format(std::string_view base_url, std::string api_key);

std::string openai_url(std::string_view base_url);
bool is_openai_itself(std::string_view base_url);
std::string encode_openai(const ModelRequest& request, const ModelInfo& info,
                          OutputLimitName limit_name);
std::unique_ptr<AnswerReader> make_openai_reader(ModelStream& stream, Random& random);

}  // namespace rouse
