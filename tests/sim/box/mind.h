// The models of the world in a box. They are slow, hang, refuse, are overloaded, answer nothing or
// garbage, call tools again and again, and leak the words by which they should be silent. What one
// answers depends on what it is asked and on the seed, not on what happened elsewhere.
#pragma once

#include <map>
#include <memory>

#include "base/clock.h"
#include "base/loop.h"
#include "model/scripted_model_for_tests.h"
#include "tests/sim/box/outside.h"

namespace rouse::sim {

// Does a text show a word that nobody should ever see, whatever marks are around it?
bool shows_silence_token(std::string_view text);

class Mind {
 public:
  explicit Mind(Outside& outside) : outside_(outside) {}
  struct Mood {
    ScriptedAnswer answer;
    Millis thinks = {};
  };
  Mood of_turn(const ModelRequest& request);
  Mood of_question(const ModelRequest& request);  // beats and punchlines
  Mood of_opening(const ModelRequest& request);   // somebody opened the app

 private:
  std::uint64_t dice(const ModelRequest& request);
  Outside& outside_;
  std::map<std::uint64_t, std::uint64_t> asked_;  // how often the same
};

class MoodyModel final : public Model {
 public:
  enum class Asks : std::uint8_t { kTurns, kQuestions };
  MoodyModel(Mind& mind, Asks asks, Loop& loop, Clock& clock);
  [[nodiscard]] const ModelInfo& info() const override { return inner_.info(); }
  Task<Result<ModelAnswer>> answer(const ModelRequest& request, ModelStream& stream,
                                   std::stop_token stop) override;

 private:
  Task<void> stop_after(Millis length, std::stop_source late, std::stop_token over);
  ScriptedModel inner_;
  Mind& mind_;
  Asks asks_;
  Loop& loop_;
  Clock& clock_;
};

}  // namespace rouse::sim
