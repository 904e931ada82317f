// Who makes the greeting of somebody who opens the app (AP-7).
#pragma once

#include <cstdint>

namespace rouse {

enum class Greeting : std::uint8_t {
  kModel,   // the agent
  kStatic,  // rouse itself, from what it gathered: costs nothing
  kOff,     // nobody
};

}  // namespace rouse
