// Any bytes as what a tool server writes: messages, and the results inside of them as every kind of
// answer. What a server sends is read or refused, never believed to be well formed.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/json.h"
#include "tool/mcp/mcp_content.h"
#include "tool/mcp/mcp_message.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto messages = rouse::parse_mcp_messages(bytes);
  if (!messages && messages.error().message.empty()) std::abort();
  const auto value = rouse::parse_json(bytes);
  if (!value) return 0;
  (void)rouse::read_mcp_greeting(*value);
  (void)rouse::read_mcp_tools(*value);
  (void)rouse::read_mcp_call_result(*value);
  return 0;
}
