// Tells the service manager how we are ("READY=1", "STOPPING=1", "WATCHDOG=1"). Does nothing when
// there is none ($NOTIFY_SOCKET is not set).
#pragma once

#include <string_view>

namespace rouse {

void sd_notify(std::string_view state);

// Does this process's stdout go into the journal? Asked of the descriptor itself: shells started by
// a service inherit $JOURNAL_STREAM although they write to a terminal.
bool stdout_is_journal();

}  // namespace rouse
