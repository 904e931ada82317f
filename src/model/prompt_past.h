// The beginning of a conversation that stays the same from request to request. It is kept as words
// and, for each wire format that asked, as the bytes they become: a turn adds what was said since
// the one before, and a hundred messages are not written anew.
//
// Plain words only, beginning with the user's and ending with the assistant's, and so is each
// addition. So no format has anything to join across the border to what comes behind.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/model.h"

namespace rouse {

class PromptPast {
 public:
  // Whether it can be said in such a past: one block of text a message, in that order.
  static bool takes(std::span<const PromptMessage> said);
  // Only while nobody else has it.
  void add(std::span<const PromptMessage> said);

  [[nodiscard]] std::size_t size() const { return words_.size(); }      // in messages
  [[nodiscard]] std::size_t text_bytes() const { return text_bytes_; }  // of all of them
  [[nodiscard]] std::vector<PromptMessage> messages() const { return messages_from(0); }

  // As a format writes it: `write` appends to an open JSON array ("[" or more) what it is given.
  // What comes back begins with the bracket and is not closed.
  using Write = void (*)(std::string& array, std::span<const PromptMessage> said);
  const std::string& written_by(Write write) const;

 private:
  struct Words {
    PromptRole role;
    std::string text;
  };
  struct Written {
    Write by;
    std::size_t messages = 0;
    std::string array = "[";
  };
  [[nodiscard]] std::vector<PromptMessage> messages_from(std::size_t first) const;

  std::vector<Words> words_;
  std::size_t text_bytes_ = 0;
  mutable std::vector<Written> written_;
};

// The same request for whoever reads messages alone.
ModelRequest without_past(const ModelRequest& request);

}  // namespace rouse
