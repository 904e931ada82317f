// The parts of understand() that are about doing something: tasks, time, automations, reminders,
// files, pages, commands. Each looks at a phrase without its politeness and says what is wanted, or
// nothing. What must reach a tool as it was written (a path, a command) is taken from the message.
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
std::optional<Intent> about_hands(const Phrase& phrase, std::string_view message);

Intent about(Wish wish, std::string subject = {});
std::string without_article(Phrase phrase);

}  // namespace rouse::offline
