// Better words for the summary of a conversation. The plain summary is there with the turn; a model
// is asked to do better when the conversation has come to rest, not after each turn of a lively
// one: that would double what they cost. What a stop cuts short stays plain.
#pragma once

#include <stop_token>
#include <string>
#include <unordered_map>

#include "base/loop.h"
#include "session/session_kernel.h"

namespace rouse {

class RestingSummaries {
 public:
  RestingSummaries(Loop& loop, Clock& clock, SessionKernel& kernel, std::stop_token stop)
      : loop_(loop), clock_(clock), kernel_(kernel), stop_(std::move(stop)) {}

  // A turn was closed just now, and this is its session and what its summary is made from.
  void improve_when_quiet(Session session, SummaryInput input);

 private:
  struct Plain {
    Session session;
    SummaryInput input;
    MonoTime at;  // when the conversation counts as quiet
  };
  Task<void> improve(std::string conversation);

  Loop& loop_;
  Clock& clock_;
  SessionKernel& kernel_;
  std::stop_token stop_;
  std::unordered_map<std::string, Plain> plain_;  // by conversation
};

}  // namespace rouse
