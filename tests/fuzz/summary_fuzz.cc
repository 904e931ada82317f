// Any text as what people say and what a model answers: the context summary keeps its five lines,
// its length and its count, over several turns; every profile keeps its bound; a reset phrase is
// found or not, and stored content comes back as it was.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/text.h"
#include "session/content.h"
#include "session/resolver/reset_phrase.h"
#include "session/summary/profiles.h"
#include "session/summary/summariser.h"

namespace rouse {
namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

void check_context(const std::string& text, std::int64_t turns) {
  demand(text.size() <= kContextSummaryChars);
  demand(is_utf8(text));
  const auto lines = split(text, '\n');
  demand(lines.size() == 5);
  demand(lines[0].starts_with("GOAL: ") && lines[1].starts_with("ENTITIES: ") &&
         lines[2].starts_with("DECISIONS: ") && lines[3].starts_with("PENDING: "));
  demand(lines[4] == "TURNS: " + std::to_string(turns));
}

void check_profiles(const SummaryInput& input, std::string_view answer) {
  for (const auto id : {SummaryProfile::kContext, SummaryProfile::kPunchline,
                        SummaryProfile::kClear, SummaryProfile::kCompact}) {
    const summary::Profile& profile = summary::profile_of(id);
    const std::string plain = profile.by_rules(input);
    const summary::Repaired repaired = profile.repair(answer, input);
    demand(plain.size() <= profile.max_bytes && is_utf8(plain));
    demand(repaired.text.size() <= profile.max_bytes && is_utf8(repaired.text));
    if (id == SummaryProfile::kContext && !repaired.text.empty()) {
      check_context(repaired.text, input.turn_count);
    }
  }
}

void check(std::string_view bytes) {
  if (!is_utf8(bytes)) return;  // JSON lets nothing else in
  (void)find_reset_phrase(bytes);
  const Content content = text_content(std::string(bytes), kFromSender);
  const auto back = decode_content(encode_content(content));
  demand(back && *back == content);

  const auto parts = split(bytes, '\x1f');
  SummaryInput input;
  for (std::size_t i = 0; i + 1 < parts.size() && i < 16; i += 2) {
    input.exchanges = {{std::string(parts[i]), std::string(parts[i + 1]), ""}};
    ++input.turn_count;
    input.previous = template_summary(SummaryProfile::kContext, input);
    check_context(input.previous, input.turn_count);
    const std::string carried = carried_over(input.previous);
    check_context(carried, 0);
  }
  input.previous = std::string(parts.front());  // a foreign text in the place of a summary
  check_profiles(input, parts.back());
}

}  // namespace
}  // namespace rouse

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rouse::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
