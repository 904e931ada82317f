// Lets a person change a text in the editor of their choice, as other tools do it: $VISUAL, else
// $EDITOR, else what the machine has, on a copy of the text. The copy stays when the person's work
// would be lost otherwise.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace rouse::cli {

class TextCopy {
 public:
  // In the folder for temporary files; the suffix tells an editor what it is.
  static Result<TextCopy> make(std::string_view text, std::string_view suffix);
  TextCopy(TextCopy&& other) noexcept;
  TextCopy& operator=(TextCopy&&) = delete;
  ~TextCopy();  // removes it, unless it shall stay

  // What is in it when the editor was left. Fails if there is no editor, or it ended badly.
  Result<std::string> edit();
  void keep() { kept_ = true; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit TextCopy(std::string path) : path_(std::move(path)) {}
  std::string path_;
  bool kept_ = false;
};

bool stdin_is_terminal();

}  // namespace rouse::cli
