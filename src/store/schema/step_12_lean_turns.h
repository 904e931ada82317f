// Each index is a page more that every turn writes. Turns of a session are asked for only by the
// story of that session and are among those of its conversation, which have an index of their own.
#pragma once

#include <string_view>

namespace rouse::schema_steps {

inline constexpr std::string_view kLeanTurns = R"sql(
DROP INDEX idx_turns_session
)sql";

}  // namespace rouse::schema_steps
