// The words of the offline assistant that need no tool: who it is, what it can do here, how to
// connect a real model, what was said before. It never pretends: what it can't do it says plainly,
// in words for people.
#pragma once

#include <string>
#include <string_view>

#include "model/offline/scene.h"
#include "model/offline/understand.h"

namespace rouse::offline {

std::string greeting(const Scene& scene);
std::string introduction(const Scene& scene);  // for somebody new; asks for a name
// The same for somebody who opened the app and wrote nothing yet: with what to try first.
std::string first_meeting(const Scene& scene);
std::string how_to_connect(const Scene& scene);
std::string help(const Scene& scene);
std::string cannot_understand(const Scene& scene);

// The answer to a wish that no tool serves; "" if the wish is none of these.
std::string small_reply(const Intent& intent, const Scene& scene);

std::string quoted(std::string_view text);  // short, on one line, in quotes

}  // namespace rouse::offline
