// Any bytes as what a tool server writes: messages, and the results inside of them as every kind of
// answer. What a server sends is read or refused, never believed to be well formed.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tool/mcp/mcp_content.h"
#include "tool/mcp/mcp_message.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto messages = rouse::parse_mcp_messages(bytes);
  if (!messages && messages.error().message.empty()) std::abort();
  boost::system::error_code failed;
  const auto value = boost::json::parse(bytes, failed);
  if (failed) return 0;
  (void)rouse::read_mcp_greeting(value);
  (void)rouse::read_mcp_tools(value);
  (void)rouse::read_mcp_call_result(value);
  return 0;
}
