// What of an agent's memory goes into every prompt: the most important and newest notes, as many as
// fit, and the instructions in force. Said again only when it has changed: the text of each owner
// stays in memory until a write touches it, so a turn costs no read.
//
// What is left out is said, with the tool that finds it. Untrusted notes are left out always: text
// that somebody smuggled into one conversation must not steer all others.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <string>

#include "agent/memory/memory_book.h"

namespace rouse {

inline constexpr std::size_t kMemoriesAtHand = 128;  // owners whose text is kept in memory

struct MemoryText {
  std::string notes;         // for PromptInput::memory; "" if there are none
  std::string instructions;  // for PromptInput::instructions
  bool new_user = true;      // no notes and no instructions (S0-32)
};

class MemoryPrompt {
 public:
  // The book tells it of changes; it must outlive this.
  explicit MemoryPrompt(MemoryBook& book);
  ~MemoryPrompt();
  MemoryPrompt(const MemoryPrompt&) = delete;
  MemoryPrompt& operator=(const MemoryPrompt&) = delete;

  Result<std::shared_ptr<const MemoryText>> of(const MemoryOwner& owner);

 private:
  struct Entry {
    std::shared_ptr<const MemoryText> text;
    std::list<MemoryOwner>::iterator used;
  };
  Result<MemoryText> build(const MemoryOwner& owner);
  void drop(const MemoryOwner& owner);

  MemoryBook& book_;
  std::map<MemoryOwner, Entry> at_hand_;
  std::list<MemoryOwner> used_;  // the last one asked for first
};

}  // namespace rouse
