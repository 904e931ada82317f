// Reads the text of a template into its program. Blocks become jumps whose targets are filled in
// when the block ends, so that rendering needs neither a tree nor recursion.
#pragma once

#include <string_view>
#include <vector>

#include "lifecycle/expression/template.h"

namespace rouse {

class TemplateParser {
 public:
  explicit TemplateParser(std::string_view text) : text_(text) { program.text = text; }
  Expressed<void> run();

  TemplateProgram program;

 private:
  // A part of the text, with its place.
  struct Piece {
    std::string_view text;
    std::size_t offset = 0;
  };
  struct Block {
    bool loop = false, has_else = false;
    std::size_t offset = 0;          // of the tag that began it
    std::size_t open = 0;            // the step whose target is the next branch, or the loop
    std::vector<std::size_t> exits;  // jumps from the end of a branch to the end of the block
    std::string_view variable;
  };

  [[nodiscard]] std::size_t tag_end(std::size_t from, std::string_view closing) const;
  [[nodiscard]] Piece piece(std::size_t begin, std::size_t end) const;
  static Piece trimmed(Piece given);
  static Piece take_word(Piece& from);
  Expressed<void> add(TemplateStep step, std::size_t offset);
  Expressed<std::size_t> expression(Piece given);

  Expressed<void> tag(std::size_t& at);
  Expressed<void> output(Piece given);
  Expressed<void> filter(Piece given, TemplateStep& step);
  Expressed<void> statement(Piece given);
  Expressed<void> begin_if(Piece condition, std::size_t offset);
  Expressed<void> next_branch(Piece condition, std::string_view word, std::size_t offset);
  Expressed<void> begin_for(Piece head, std::size_t offset);
  Expressed<void> end_block(std::string_view word, std::size_t offset);
  Expressed<void> close_branch(std::size_t offset);

  std::string_view text_;
  std::vector<Block> blocks_;
};

}  // namespace rouse
