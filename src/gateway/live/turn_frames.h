// What a running turn does, as frames. All of it is provisional: pages show it until the durable
// turn_ended brings what was committed.
#pragma once

#include "gateway/live/live_parts.h"
#include "gateway/routes/conversation_views.h"

namespace rouse {

// Arguments and results of tools are shown, not processed: their beginning is enough.
inline constexpr std::size_t kShownToolBytes = 4 * 1024;

// May pages watch it? A greeting shows only once it is known that it is one (design.md, 5).
[[nodiscard]] bool is_streamed(const TurnContext& turn);

// Null: nothing that pages are told (the end is a durable event).
[[nodiscard]] LiveFrame turn_frame(const TurnEvent& event);
// With what the turn was asked, if anybody may see it.
[[nodiscard]] LiveFrame snapshot_frame(const TurnSnapshot& snapshot,
                                       std::optional<MessageView> question);

}  // namespace rouse
