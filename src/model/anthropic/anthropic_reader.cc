#include <map>
#include <optional>

#include <boost/json/serialize.hpp>

#include "model/answer_draft.h"
#include "model/anthropic/anthropic_format.h"
#include "model/wire_error.h"
#include "model/wire_json.h"

namespace rouse {
namespace json = boost::json;
namespace {

StopReason anthropic_stop(std::string_view reason) {
  if (reason == "end_turn" || reason == "stop_sequence") return StopReason::kEnd;
  if (reason == "tool_use") return StopReason::kToolUse;
  if (reason == "max_tokens") return StopReason::kMaxTokens;
  if (reason == "refusal") return StopReason::kRefusal;
  if (reason == "model_context_window_exceeded") return StopReason::kContextFull;
  return StopReason::kOther;  // pause_turn, and what is yet to come
}

// Kinds of blocks and events that are not named here (thinking, ping, what is yet to come) pass by.
class AnthropicReader final : public AnswerReader {
 public:
  AnthropicReader(ModelStream& stream, Random& random) : draft_(stream, random) {}

  Result<void> feed(std::string_view bytes) override {
    return wire::feed_events(parser_, bytes,
                             [this](const SseEvent& event) { return on_event(event); });
  }
  [[nodiscard]] bool done() const override { return done_; }

  TryResult finish() override {
    if (!done_) return std::unexpected(draft_.broken_off());
    return draft_.whole(stop_.value_or(StopReason::kOther));
  }

 private:
  Result<void> on_event(const SseEvent& event) {
    if (done_) return {};
    wire::EventRoom room;
    TRY(const json::value value, wire::parse(event.data, room.memory()));
    const std::string_view type = wire::text_of(value, "type");
    if (type == "content_block_delta") return on_delta(value);
    if (type == "content_block_start") return on_block(value);
    if (type == "content_block_stop") return on_block_end(value);
    if (type == "message_start") {
      if (const auto* message = wire::member_of(value, "message")) on_usage(*message);
    } else if (type == "message_delta") {
      on_message(value);
    } else if (type == "message_stop") {
      done_ = true;
    } else if (type == "error") {
      const WireError error = read_wire_error(value);
      return fail(to_error(status_in_stream(error), error));
    }
    return {};
  }

  Result<void> on_block(const json::value& value) {
    const json::value* block = wire::member_of(value, "content_block");
    if (block == nullptr) return fail(ModelErrc::kBroken, "it began a block of nothing");
    const std::string_view type = wire::text_of(*block, "type");
    if (type == "text") {
      draft_.end_text();
      draft_.say(wire::text_of(*block, "text"));
    } else if (type == "tool_use") {
      TRY(const std::size_t at, draft_.open_call(std::string(wire::text_of(*block, "id")),
                                                 std::string(wire::text_of(*block, "name"))));
      calls_[wire::count_of(value, "index")] = {at, whole_input(*block)};
    }
    return {};
  }

  // Stands in the start of a block when there are no deltas; with deltas it is empty.
  static std::string whole_input(const json::value& block) {
    const json::value* input = wire::member_of(block, "input");
    if (input == nullptr || !input->is_object() || input->get_object().empty()) return {};
    return json::serialize(*input);
  }

  Result<void> on_delta(const json::value& value) {
    const json::value* delta = wire::member_of(value, "delta");
    if (delta == nullptr) return {};
    const std::string_view type = wire::text_of(*delta, "type");
    if (type == "text_delta") {
      draft_.say(wire::text_of(*delta, "text"));
    } else if (type == "input_json_delta") {
      // A block of a kind that passes by has arguments too, and nobody to give them to.
      const auto call = calls_.find(wire::count_of(value, "index"));
      if (call != calls_.end()) {
        draft_.call(call->second.at).arguments += wire::text_of(*delta, "partial_json");
      }
    }
    return {};
  }

  Result<void> on_block_end(const json::value& value) {
    draft_.end_text();
    const auto call = calls_.find(wire::count_of(value, "index"));
    if (call == calls_.end()) return {};
    std::string& arguments = draft_.call(call->second.at).arguments;
    if (arguments.empty()) arguments = std::move(call->second.whole_input);
    calls_.erase(call);
    return {};
  }

  void on_message(const json::value& value) {
    const json::value* delta = wire::member_of(value, "delta");
    const std::string_view reason = delta == nullptr ? "" : wire::text_of(*delta, "stop_reason");
    if (!reason.empty()) stop_ = anthropic_stop(reason);
    on_usage(value);
  }

  // Each report is about the whole message so far, and may leave out what has not changed.
  void on_usage(const json::value& holder) {
    const json::value* usage = wire::member_of(holder, "usage");
    if (usage == nullptr || !usage->is_object()) return;
    draft_.has_usage = true;
    const auto take = [usage](std::string_view name, std::int64_t& to) {
      if (wire::member_of(*usage, name) != nullptr) to = wire::count_of(*usage, name);
    };
    take("input_tokens", draft_.usage.in);
    take("output_tokens", draft_.usage.out);
    take("cache_read_input_tokens", draft_.usage.cache_read);
    take("cache_creation_input_tokens", draft_.usage.cache_write);
  }

  struct OpenCall {
    std::size_t at = 0;
    std::string whole_input;
  };

  SseParser parser_;
  AnswerDraft draft_;
  std::map<std::int64_t, OpenCall> calls_;  // by the index of the wire
  std::optional<StopReason> stop_;
  bool done_ = false;
};

}  // namespace

std::unique_ptr<AnswerReader> make_anthropic_reader(ModelStream& stream, Random& random) {
  return std::make_unique<AnthropicReader>(stream, random);
}

}  // namespace rouse
