// A model as the house sees it: a prompt goes in, text arrives piece by piece, an answer comes out.
// Each provider (anthropic/, openai/, offline/) turns this into its own wire format and back, and
// nobody else knows one. What stands behind a Model may be one provider or a chain that tries
// again and falls back (model_chain.h): the caller can't tell.
//
// - answer() is called on the loop, has a deadline and can be cancelled. Its failure is a value
//   with a ModelErrc and words for a person, in which no key and no header ever appears.
// - What is streamed is provisional: only the ModelAnswer counts. A try that failed after it had
//   streamed something is announced by again(), and what was streamed is void.
// - An answer is whole: each tool call has an id that is unique within it, a name, and arguments
//   that are a JSON object. What a provider sends half or twice is mended or refused before.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"
#include "base/time.h"

namespace rouse {

enum class ModelErrc : std::uint8_t {
  kNotConfigured,  // "model_not_configured": no key, no such role
  kUnauthorized,   // "model_unauthorized": the key was refused (401, 403)
  kNoCredit,       // "model_no_credit": billing (402, insufficient_quota)
  kRateLimited,    // "model_rate_limited": 429
  kOverloaded,     // "model_overloaded": 503, 529
  kServerError,    // "model_server_error": another 5xx
  kRefused,        // "model_refused_request": another 4xx; asking again would change nothing
  kContextFull,    // "model_context_full": the prompt is larger than the model takes
  kUnreachable,    // "model_unreachable": name, connection, TLS
  kTimeout,        // "model_timeout": no first byte, a stall, or the deadline
  kBroken,         // "model_broken_answer": cut off, or not what the wire format says
  kCancelled,      // "model_cancelled"
  kSpendCap,       // "spend_cap_reached": refused by us, before the call
};
ErrorInfo error_info(ModelErrc code);

// --- the prompt ----------------------------------------------------------------------------------

enum class BlockKind : std::uint8_t { kText, kImage, kToolCall, kToolResult };

struct PromptBlock {
  BlockKind kind = BlockKind::kText;
  std::string text;                      // text; what a tool returned
  std::string call_id, tool, arguments;  // tool call (arguments: a JSON object) and result
  bool failed = false;                   // of a tool result
  std::string media_type, bytes;         // image, raw
  friend bool operator==(const PromptBlock&, const PromptBlock&) = default;
};

enum class PromptRole : std::uint8_t { kUser, kAssistant };

// Tool results stand in a user message, as the Messages API has it; providers that want them
// elsewhere move them. Roles need not alternate: whoever needs that joins neighbours.
struct PromptMessage {
  PromptRole role = PromptRole::kUser;
  std::vector<PromptBlock> blocks;
  friend bool operator==(const PromptMessage&, const PromptMessage&) = default;
};

struct PromptTool {
  std::string name, description;
  std::string schema;  // JSON schema of its arguments, an object
  friend bool operator==(const PromptTool&, const PromptTool&) = default;
};

// The part of the instructions that stays the same from turn to turn comes first, so that caches of
// the provider hit; `cached` marks where such a part ends.
struct SystemPart {
  std::string text;
  bool cached = false;
  friend bool operator==(const SystemPart&, const SystemPart&) = default;
};

// What only the offline model needs to know, because it can't read: other providers ignore it.
struct PromptFacts {
  WallTime now;
  std::string zone = "UTC";  // IANA
  std::string turn_kind = "user";
  std::string model_hint;  // how to connect a real model, in words
};

class PromptPast;

struct ModelRequest {
  std::vector<SystemPart> system;
  std::shared_ptr<const PromptPast> past = {};  // comes before the messages, if there is one
  std::vector<PromptMessage> messages;
  std::vector<PromptTool> tools;
  std::int64_t max_output_tokens = 0;  // 0: what the model's settings say
  PromptFacts facts;
  Millis deadline = minutes(10);    // of the whole call, all tries included
  Millis first_byte = seconds(60);  // of each try
  Millis stall = seconds(60);       // without a byte while it streams
};

// --- the answer ----------------------------------------------------------------------------------

enum class StopReason : std::uint8_t {
  kEnd,
  kToolUse,
  kMaxTokens,    // the answer was cut at max_output_tokens
  kRefusal,      // the model or a filter declined
  kContextFull,  // it ran into the end of its window while answering
  kOther,
};
std::string_view stop_reason_name(StopReason reason);

struct ModelUsage {
  std::int64_t in = 0;  // without what the cache gave or took
  std::int64_t out = 0;
  std::int64_t cache_read = 0, cache_write = 0;
  bool estimated = false;  // the provider didn't say
  ModelUsage& operator+=(const ModelUsage& more);
  [[nodiscard]] std::int64_t total() const { return in + out + cache_read + cache_write; }
  friend bool operator==(const ModelUsage&, const ModelUsage&) = default;
};

struct ModelAnswer {
  std::vector<PromptBlock> blocks;  // text and tool calls, in order
  StopReason stop = StopReason::kEnd;
  ModelUsage usage;
  std::string model;                       // which one answered: "anthropic/claude-…"
  [[nodiscard]] std::string text() const;  // its text blocks, joined
  [[nodiscard]] std::vector<const PromptBlock*> calls() const;
};

// Hears what arrives. Called on the loop, between the start and the end of answer().
class ModelStream {
 public:
  virtual ~ModelStream() = default;
  virtual void text(std::size_t block, std::string_view delta) = 0;
  virtual void again() = 0;  // what was streamed so far is void; a new try begins
  // Nothing may be heard for so long and all is well: a pause before a new try, a place in line.
  // Zero: something arrived just now, if only bytes without words.
  virtual void expect_quiet(Millis length) {}
  // The call is about to fail, and the provider asked for a pause of this length before the next.
  virtual void asked_to_wait(Millis length) {}
};

// --- the model -----------------------------------------------------------------------------------

// Money for a million tokens, in millionths of a dollar (so 3 dollars are 3'000'000).
struct ModelPrice {
  std::int64_t in = 0, out = 0, cache_read = 0, cache_write = 0;
  friend bool operator==(const ModelPrice&, const ModelPrice&) = default;
};

struct ModelInfo {
  std::string provider;  // "anthropic", "openai", "offline"
  std::string name;      // as the provider calls it
  std::int64_t context_window = 32'000;
  std::int64_t max_output = 4'096;
  std::optional<ModelPrice> price;  // none: unknown
  bool takes_images = false;
  bool built_in = false;  // the offline assistant: it is free and follows no instructions
  [[nodiscard]] std::string full_name() const { return provider + "/" + name; }
  friend bool operator==(const ModelInfo&, const ModelInfo&) = default;
};

// In millionths of a dollar; none if the price is unknown.
std::optional<std::int64_t> cost_of(const ModelInfo& info, const ModelUsage& usage);

class Model {
 public:
  virtual ~Model() = default;
  [[nodiscard]] virtual const ModelInfo& info() const = 0;
  // The request stays until the answer is there.
  virtual Task<Result<ModelAnswer>> answer(const ModelRequest& request, ModelStream& stream,
                                           std::stop_token stop) = 0;
};

// The size of a text in tokens, before anybody counted: bytes / 3.5, rounded up.
std::int64_t estimate_tokens(std::size_t bytes);
std::int64_t estimate_tokens(const ModelRequest& request);

}  // namespace rouse
