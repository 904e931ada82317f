// A cron expression in words, for people: "every weekday at 10:00 and 14:00". What has no short
// sentence gets a long and honest one.
#pragma once

#include <string>

#include "schedule/time/cron.h"

namespace rouse {

std::string cron_words(const Cron& cron);

}  // namespace rouse
