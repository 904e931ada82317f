// A model request as the offline assistant reads it: the message that is to be answered, what the
// tools have answered to it so far, what was said before, which tools are on offer. It points into
// the request and lives no longer.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"
#include "model/offline/learned.h"

namespace rouse::offline {

struct ToolOutcome {
  std::string_view tool, text, arguments;  // of the call: a JSON object, or ""
  bool failed = false;
};

struct Known {
  std::string name;
  std::vector<std::string> facts;  // said back: "you like tea"
};

class Scene {
 public:
  explicit Scene(const ModelRequest& request);

  [[nodiscard]] const PromptFacts& facts() const { return request_.facts; }
  [[nodiscard]] const std::string& message() const { return message_; }
  [[nodiscard]] bool has_image() const { return has_image_; }
  // What came along with it, in a few words: "notes.txt, text/plain, 12 bytes".
  [[nodiscard]] const std::vector<std::string>& files() const { return files_; }
  [[nodiscard]] const std::vector<ToolOutcome>& outcomes() const { return outcomes_; }
  // What the call came to that an approval was about: it stands behind the message or right before.
  [[nodiscard]] const ToolOutcome* approved_outcome() const;
  [[nodiscard]] const ToolOutcome* outcome_of(std::string_view tool) const;
  [[nodiscard]] const PromptTool* offered(std::string_view tool) const;
  [[nodiscard]] bool offers(std::string_view tool) const { return offered(tool) != nullptr; }
  [[nodiscard]] bool instructions_say(std::string_view words) const;
  // The text below "## title" in the instructions; "" if there is none.
  [[nodiscard]] std::string section(std::string_view title) const;
  // A few words of the instructions between two others, on one line; "" if they aren't there.
  [[nodiscard]] std::string words_between(std::string_view begin, std::string_view end) const;
  [[nodiscard]] std::size_t calls_so_far() const { return calls_; }

  // Before the message that is to be answered; "" if there is none.
  [[nodiscard]] std::string person_said_last() const;
  [[nodiscard]] std::string person_said_first() const;
  [[nodiscard]] std::string assistant_said_last() const;
  [[nodiscard]] std::string assistant_said_first() const;
  [[nodiscard]] bool is_first_message() const { return person_said_last().empty(); }
  [[nodiscard]] Known known() const;  // what the person told about themselves in what is visible

 private:
  void find_message();
  void read_outcomes();
  [[nodiscard]] std::string said_first(PromptRole role) const;
  [[nodiscard]] std::string said_at(std::size_t index, PromptRole role) const;

  const ModelRequest& request_;
  std::string message_;
  std::size_t message_at_ = 0;
  bool has_image_ = false;
  std::vector<std::string> files_;
  std::vector<ToolOutcome> outcomes_;
  std::optional<ToolOutcome> outcome_before_;  // right before the message
  std::size_t calls_ = 0;
};

}  // namespace rouse::offline
