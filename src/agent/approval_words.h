// What is said about an approval: to the person who is asked, to the model that asked, in the
// conversation once it is settled, to whoever answers too late, and to live pages.
#pragma once

#include <string>
#include <string_view>

#include "session/content.h"
#include "session/event_log.h"
#include "tool/approval/approval.h"

namespace rouse {

// For a person, in a few words: "Wants to write a file: notes.txt". It is what a locked phone may
// show, so a command or an address is not in it: those stand in the summary.
std::string wish_words(const Approval& approval);

// The call's result, for now.
std::string asked_words(const Approval& approval);

// The message by which a settled one enters its conversation. `person` is the provenance of who
// answered. What the call is about was the agent's to say and may have come from outside: after a
// tainted turn it is untrusted, so that the turn which carries it on is tainted as well.
Content answer_content(const Approval& settled, std::string_view person);

// For somebody whose answer came second: what was decided, when, through which door.
std::string decided_words(const Approval& settled);

Statement requested_event(const Approval& approval);
Statement decided_event(const Approval& settled);

}  // namespace rouse
