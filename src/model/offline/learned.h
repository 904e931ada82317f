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
inline constexpr std::string_view kAnswersQuestion = ", and how do you like your answers?";
std::string name_in_answer(std::string_view message);
// The same with how they like their answers, and what else they tell: "Ada, short answers please",
// "short and friendly".
Learned learned_in_answer(std::string_view message);
// Does the assistant's message end with the question? Words it only quoted, of a page or a file,
// never count.
bool asks_for_name(std::string_view said);

}  // namespace rouse::offline
