// What most files read before their own first line, read once a tree (cmake/rooms.cmake). Only for
// speed: every file still names what it uses, and the dev tree, which goes without, finds those
// that do not.
#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/ids.h"
#include "base/json.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/result.h"
#include "base/task.h"
#include "base/text.h"
#include "base/time.h"
