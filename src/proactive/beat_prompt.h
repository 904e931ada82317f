// The one question of a beat: who, when, what happened today, what the checks found, the standing
// orders, and how to answer (S2-27). Whatever the day and the chats were like, the request stays
// below kBeatRequestBytes: the oldest rows go first (HB-5). What others said stands in it as data.
#pragma once

#include <string>
#include <vector>

#include "activity/activity.h"
#include "proactive/beat_state.h"
#include "proactive/standing_orders.h"
#include "session/one_shot.h"

namespace rouse {

inline constexpr std::size_t kBeatRows = 100;             // of today, in a prompt (S2-26)
inline constexpr std::size_t kBeatRequestBytes = 16'384;  // of the whole request, as it is sent

struct BeatPrompt {
  std::string agent = {};   // "": the assistant
  std::string person = {};  // "": the owner
  WallTime now;
  std::string zone = "UTC";
  std::vector<Activity> rows = {};  // newest first
  std::vector<Finding> findings = {};
  const BeatState* state = nullptr;
  const StandingOrders* orders = nullptr;
  bool may_wake = false;
};
OneShotQuestion beat_question(const BeatPrompt& prompt);

// What others wrote as one line between <data> and </data>: it can't end its own fence.
std::string as_data(std::string_view text, std::size_t most);

enum class BeatVerdict : std::uint8_t { kNothing, kNotify, kWake };
std::string_view verdict_name(BeatVerdict verdict);  // "nothing", "notify", "wake"

struct BeatAnswer {
  BeatVerdict verdict = BeatVerdict::kNothing;
  std::string_view outcome = "silent_token";  // of the silence table
  std::string text = {};
};
// The form, if it was filled in; else the text by the silence table, which means notify if it says
// anything. A form that doesn't fit is read like text.
BeatAnswer read_beat_answer(const OneShotAnswer& answer, std::size_t ack_max);

}  // namespace rouse
