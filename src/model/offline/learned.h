// What a message tells about the person who wrote it: a name, things they like, where they live.
// Read from single messages when they come, and from the whole history when somebody asks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rouse::offline {

struct PersonFact {
  std::string for_memory;  // "The user likes tea."
  std::string said_back;   // "you like tea"
  friend bool operator==(const PersonFact&, const PersonFact&) = default;
};

struct Learned {
  std::string name;  // "" = none was said
  std::vector<PersonFact> facts;
  [[nodiscard]] bool empty() const { return name.empty() && facts.empty(); }
};

Learned learned_from(std::string_view message);

// A bare answer to the question below: "Ada", "it's Ada". "" = it is no name.
inline constexpr std::string_view kNameQuestion = "What should I call you";
std::string name_in_answer(std::string_view message);

}  // namespace rouse::offline
