// From a person's words to what they want, as a value. No model, no learning: phrases that people
// use for the things rouse does, forgiving of case, politeness and punctuation. What matches
// nothing is kUnknown, and is answered honestly.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/offline/learned.h"
#include "model/offline/when.h"

namespace rouse::offline {

enum class Wish : std::uint8_t {
  kUnknown,
  kNothing,  // an empty message
  kGreeting,
  kHowAreYou,
  kThanks,
  kGoodbye,
  kWhoAreYou,
  kHelp,
  kConnectModel,
  kTellSelf,  // learned
  kRemember,  // subject: what
  kAskName,
  kAskKnown,  // "what do you know about me?"; subject: what of it, or ""
  kAddTask,   // subject
  kListTasks,
  kFinishTask,  // subject
  kClaimTask,   // subject
  kCloseTask,   // subject, text: why
  kSum,         // subject: the expression
  kTime,        // subject: a place or ""
  kDate,        // subject: "", "tomorrow", "yesterday" or a place
  kSchedule,    // subject, when, reminder
  kBareWhen,    // when and nothing else: the answer to "when?"
  kListSchedule,
  kChangeSchedule,  // subject: which; text: "remove", "pause" or "resume"
  kActivity,        // "what did you do today?"
  kWhyNot,          // subject: what did not run
  kSearch,          // subject
  kSaidBefore,      // "what did I say before?"
  kSaidFirst,       // "what was my first question?"
  kAnswerBefore,    // "say that again"
  kAnswerFirst,     // "what did you say first?"
  kInstruct,        // "from now on …"; subject
  kListSkills,
  kLoadSkill,  // subject: its name
  kListFiles,  // subject: a folder or ""
  kReadFile,   // subject: a path
  kWriteFile,  // subject: a path, text
  kFetch,      // subject: a URL
  kShell,      // subject: a command, as it was written
  kNotify,     // subject
};

struct Intent {
  Wish wish = Wish::kUnknown;
  std::string subject = {};
  Learned learned = {};
  std::optional<When> when = {};
  bool reminder = false;  // of kSchedule: to say something, not to do it
  std::string text = {};
};

Intent understand(std::string_view message);

}  // namespace rouse::offline
