// A scenario: a text file of requests and the answers they must get, in a form that a person can
// read and write without knowing C++. README.md explains the form; this reads it. Anything that is
// not understood is an error that names the line, never skipped.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace rouse::scenario {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct Exchange {  // POST /kernel/… and its answer
  int times = 1;   // `3 times` stood before it
  std::string method, target;
  Headers headers;
  std::string body;
  int status = 0;
  Headers answer_headers;
  std::string answer;  // empty: nothing is said about the body
};
struct Wait {  // wait 31 minutes
  Millis length;
};
struct ClockStep {  // step clock back 2 hours
  Millis by;
};
struct SessionTimeout {  // session timeout 10 minutes
  Millis length;
};
struct Restart {};   // restart
struct PowerCut {};  // power cut
struct Speaker {     // as owner, as nobody, as user of ws_x, as admin of ws_x
  std::string role;
  std::string workspace;  // may hold a blank
};

struct Step {
  int line = 0;
  std::variant<Exchange, Wait, ClockStep, SessionTimeout, Restart, PowerCut, Speaker> action;
};

struct Scenario {
  std::string file;  // its name, for messages
  std::string row;   // of a `for each` table: what it holds; empty if there is none
  std::vector<Step> steps;
};

// One scenario, or one a row if the text has a `for each` table.
Result<std::vector<Scenario>> parse_scenario(std::string file, std::string_view text);

}  // namespace rouse::scenario
