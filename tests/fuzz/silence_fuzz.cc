// Any bytes as an answer: what is silent says no more than it may, what speaks has no token left,
// judging it twice changes nothing, and a person's answer is never touched.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "session/silence.h"

namespace rouse {
namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

// One byte for what may stand beside the token, the rest is the answer.
void check(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::size_t ack_max = static_cast<unsigned char>(bytes[0]) % 8;
  const std::string_view answer = bytes.substr(1);
  const Heard user = judge_silence(SilenceRule::kUntouched, answer);
  demand(!user.silent && user.text == answer);
  for (const auto rule :
       {SilenceRule::kNever, SilenceRule::kSessionOpen, SilenceRule::kHeartbeat}) {
    const Heard heard = judge_silence(rule, answer, ack_max);
    demand(!has_token(heard.text) && heard.text.size() <= answer.size());
    demand(heard.silent == (heard.outcome != "spoke"));
    demand(!heard.silent || (heard.text.empty() && rule != SilenceRule::kNever));
    const Heard again = judge_silence(rule, heard.text, ack_max);
    demand(again.text == (again.silent ? "" : heard.text));
  }
  // The letters of a token alone are always silent; with a word between them never.
  demand(judge_silence(SilenceRule::kHeartbeat, "HEARTBEAT_OK").silent);
  const std::string loud = std::string("HEARTBEAT_OK The disk is full, and then: ") +
                           std::string(answer) + " and it goes on.";
  demand(!judge_silence(SilenceRule::kHeartbeat, loud, ack_max).silent);
}

}  // namespace
}  // namespace rouse

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rouse::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
