// The parts of understand() that are about doing something: tasks, time, automations, reminders.
// Each looks at a phrase without its politeness and says what is wanted, or nothing.
#pragma once

#include <optional>
#include <string>

#include "model/offline/phrase.h"
#include "model/offline/understand.h"

namespace rouse::offline {

std::optional<Intent> about_tasks(Phrase phrase);
std::optional<Intent> about_time(Phrase phrase);
std::optional<Intent> about_automations(Phrase phrase);
std::optional<Intent> scheduling(Phrase phrase);

Intent about(Wish wish, std::string subject = {});
std::string without_article(Phrase phrase);

}  // namespace rouse::offline
