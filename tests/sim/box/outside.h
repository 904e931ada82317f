// What the world outside of the process knows: what people wrote and were told, what reached them,
// what tools really did, what went wrong. No crash takes any of it back; the invariants compare it
// with what the store says.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/agent_for_tests.h"
#include "base/time.h"
#include "tests/sim/box/papers.h"

namespace rouse::sim {

inline constexpr int kPeople = 20;  // the first half writes in the web app, the others on a phone
inline constexpr int kFirstPhone = 10;
inline constexpr int kFirstStranger = 15;  // on a phone, with a workspace of their own
// What a workspace may spend a day at first, in micros: in one world of four it is too little.
inline std::int64_t day_cap(std::uint64_t seed) { return seed % 4 == 1 ? 30'000 : 90'000; }

// How often something happened that must happen sometimes, or the run proves less than it says.
class Counts {
 public:
  void hit(std::string_view what, std::int64_t times = 1) {
    const auto found = all_.find(what);
    if (found != all_.end())
      found->second += times;
    else
      all_.emplace(what, times);
  }
  void add(const Counts& other) {
    for (const auto& [what, times] : other.all_) hit(what, times);
  }
  [[nodiscard]] std::int64_t of(std::string_view what) const {
    const auto found = all_.find(what);
    return found == all_.end() ? 0 : found->second;
  }
  [[nodiscard]] const std::map<std::string, std::int64_t, std::less<>>& all() const { return all_; }

 private:
  std::map<std::string, std::int64_t, std::less<>> all_;
};

struct Failure {
  std::string invariant, words;
  WallTime wall;           // what the clock on the wall showed
  std::int64_t at_ms = 0;  // since the world began
};

struct Letter {
  int who = 0;
  std::string id, text;
  bool plain = true;        // becomes a message of a conversation for sure
  bool taken = false;       // somebody was told so
  bool in_deleted = false;  // its conversation was deleted afterwards, or may have been
  bool on_its_way = false;
  std::optional<std::string> turn = {};
};

struct Brought {
  std::string id, receipt, peer, text;
};

// Somebody opened the app, and heard something.
struct Greeted {
  std::string turn, words;
  int who = 0;
  bool in_deleted = false;
};

struct Outside {
  std::uint64_t seed = 0;
  bool kind = false;  // from now on nothing goes wrong out there
  OutsideForTests tools;
  std::vector<Letter> letters;
  std::vector<std::size_t> told;              // letters that were acknowledged since the last look
  std::map<std::string, int> arrived;         // by the delivery's id: how often a person got it
  std::vector<Brought> brought;               // what a person got, in order
  std::map<std::string, std::uint64_t> sent;  // by the delivery's id: how often it was tried
  std::set<std::string> deleted;              // conversations that somebody was told are gone
  Papers papers;                              // what people edit
  std::vector<Greeted> greeted;
  std::map<int, std::int64_t> opened;  // by person: how often they opened the app
  std::set<std::string> given_up;      // greetings that a crash cut off
  Counts counts;
  std::uint64_t digest = 14695981039346656037ULL;

  // The first that broke is the one to look at.
  std::optional<Failure> failure;
  void broke(std::string invariant, std::string words) {
    if (!failure) failure = Failure{std::move(invariant), std::move(words), {}, 0};
  }
  void mix(std::uint64_t value) {
    for (int i = 0; i < 8; ++i) {
      digest = (digest ^ ((value >> (8 * i)) & 0xFF)) * 1099511628211ULL;
    }
  }
};

}  // namespace rouse::sim
