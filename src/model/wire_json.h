// JSON on its way to and from providers. Requests are appended to one string, because a prompt is
// large and a document tree of it would be built for nothing. What providers send is read with more
// patience than what people send: a server that cuts characters in two is understood.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/value.hpp>

#include "base/result.h"
#include "model/prompt_past.h"
#include "net/sse.h"

namespace rouse::wire {

// A JSON string; bytes that are not UTF-8 become U+FFFD, since one of them would spoil the request.
void append_text(std::string& out, std::string_view text);
// A JSON object that is text already; "{}" or what `otherwise` says if it is none.
void append_object(std::string& out, std::string_view object, std::string_view otherwise = "{}");
void append_base64(std::string& out, std::string_view bytes);

// Any document, text in it may be broken UTF-8. The error is a ModelErrc::kBroken. It may lie in
// somebody's memory, which it must not outlive.
Result<boost::json::value> parse(std::string_view text, boost::json::storage_ptr memory = {});

// Room for an event of a stream, which is read and forgotten: a usual one asks for no memory.
class EventRoom {
 public:
  [[nodiscard]] boost::json::storage_ptr memory() { return &resource_; }

 private:
  unsigned char bytes_[4096];
  boost::json::monotonic_resource resource_{bytes_, sizeof bytes_};
};

// Hands each event that is complete to on_event. The error is a ModelErrc.
Result<void> feed_events(SseParser& parser, std::string_view bytes,
                         const SseParser::OnEvent& on_event);

// Text of a member, or "" if it is absent or something else.
std::string_view text_of(const boost::json::value& object, std::string_view name);
const boost::json::value* member_of(const boost::json::value& object, std::string_view name);
// A number that can be a count of tokens, else 0.
std::int64_t count_of(const boost::json::value& object, std::string_view name);

// How many tokens to ask for at most: what the request wants, within what the model gives and what
// its window has left. Providers refuse a request whose prompt and output don't fit together.
std::int64_t output_limit(const ModelRequest& request, const ModelInfo& info);

// About as large as the request will be, so that its text is allocated once.
std::size_t expected_size(const ModelRequest& request);

// What was said before, into the array that the messages go to.
void add_past(std::string& array, const ModelRequest& request, PromptPast::Write write);

// Messages of one role in a row, as one: providers want roles to alternate. Blank messages belong
// to nobody and never part two others.
bool is_blank(const PromptBlock& block);
std::span<const PromptMessage> next_group(std::span<const PromptMessage> messages);

}  // namespace rouse::wire
