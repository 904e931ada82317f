#include "agent/prompt/prompt.h"

namespace rouse {
namespace {

void append(std::string& text, const PromptSection& section) {
  if (section.text.empty()) return;
  if (!text.empty()) text += "\n\n";
  text += section.text;
}

}  // namespace

std::vector<SystemPart> Prompt::system() const {
  SystemPart stable{.text = {}, .cached = true}, changing;
  for (const PromptSection& section : sections) {
    append(section.stable ? stable.text : changing.text, section);
  }
  std::vector<SystemPart> out;
  for (SystemPart* part : {&stable, &changing}) {
    if (!part->text.empty()) out.push_back(std::move(*part));
  }
  return out;
}

std::string Prompt::text() const {
  std::string out;
  for (const PromptSection& section : sections) append(out, section);
  return out;
}

}  // namespace rouse
