// What a person reads when a turn could not be answered: short, honest, and what to do. The whole
// story is in the turn's record.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace rouse {

std::string failure_words(const Error& error);
// A turn that was stopped: "cancelled", "deadline", "inactive", "cleared", "shutdown".
std::string stopped_words(std::string_view reason);

}  // namespace rouse
