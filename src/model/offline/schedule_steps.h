// What a person wants of the schedule: a reminder or an order for later, a list, one of them
// cancelled, paused or resumed. The tool's answer is written for a model; here it becomes a
// sentence. Named by its words or its id, which the tool understands both.
#pragma once

#include <string>
#include <string_view>

#include "model/offline/scene.h"
#include "model/offline/steps.h"
#include "model/offline/understand.h"

namespace rouse::offline {

inline constexpr std::string_view kWhatQuestion = "What should I remind you of?";
inline constexpr std::string_view kReminder = "Reminder: ";

Step add_schedule(const Intent& intent, const Scene& scene);
Step list_schedule(const Scene& scene);
Step change_schedule(const Intent& intent, const Scene& scene);

// The tool's list, a line each.
std::string schedule_lines(std::string_view listed);

// What an automation says to do, without what rouse wrote before it.
std::string_view scheduled_order(std::string_view message);

}  // namespace rouse::offline
