// The sentences of an automation's story (automation_story.h): the words of the ledger in plain
// words. Pure text; a reason unknown to this release is said by its name, never left out.
#pragma once

#include <string>
#include <string_view>

#include "schedule/job.h"

namespace rouse::words {

// "because it was paused"; "" if there is no reason.
std::string because(std::string_view reason);

// "in the web app", "by the agent" …
std::string by_whom(std::string_view by);

// "ended well", "failed" …
std::string how_it_went(std::string_view status);

// "paused in the web app"; "removed" …
std::string state_words(const Job& job);

}  // namespace rouse::words
