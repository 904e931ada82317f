// What a long conversation was about from time to time, a line each: the plain rules keep the
// newest names and the latest goal, so without this nothing would tell of its beginning. A section
// at the end of the handoff that is written by rules; the first line stays, the others thin out
// evenly.
#pragma once

#include <string>
#include <vector>

#include "session/summary/summariser.h"

namespace rouse {

class EarlierSubjects {
 public:
  static constexpr std::size_t kLines = 16;
  static constexpr std::size_t kLineBytes = 72;

  // Takes the section out of a handoff, if there is one.
  static EarlierSubjects taken_from(std::string& handoff);

  // The first objective of these, if it is a new one.
  void add(const std::vector<TurnText>& exchanges);
  void append_to(std::string& handoff) const;

 private:
  std::vector<std::string> lines_;
};

}  // namespace rouse
