// A question that was answered needs no reader any more.
#pragma once

#include "session/notification/notification.h"

namespace rouse {

// For the write that settles what a notification asked for: it counts as read, if nobody read it
// before. It is found by its kind, its turn and its text.
Statement read_when_settled(const Notification& asked, WallTime at);

}  // namespace rouse
