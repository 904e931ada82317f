#include <algorithm>

#include "base/text.h"
#include "model/offline/understand_parts.h"

namespace rouse::offline {
namespace {

constexpr std::string_view kQuotes = "\"'`";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A word as it was written, without the quotes and marks around it: "./notes.txt".
std::string_view bare(std::string_view word) {
  while (!word.empty() && (kQuotes.contains(word.front()) || word.front() == '(')) {
    word.remove_prefix(1);
  }
  while (!word.empty() &&
         (kQuotes.contains(word.back()) || std::string_view(".,;:!?)>").contains(word.back()))) {
    word.remove_suffix(1);
  }
  return word;
}

std::vector<std::string_view> words_as_written(std::string_view message) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at < message.size();) {
    const std::size_t from = message.find_first_not_of(" \t\r\n", at);
    if (from == std::string_view::npos) break;
    at = std::min(message.find_first_of(" \t\r\n", from), message.size());
    out.push_back(message.substr(from, at - from));
  }
  return out;
}

// The last word of the message that ends as the phrase does: a phrase loses the dot of "./x".
std::string as_written(const Phrase& phrase, std::string_view message) {
  const std::vector<std::string_view> words = words_as_written(message);
  const std::string text = phrase.text();
  for (auto word = words.rbegin(); word != words.rend(); ++word) {
    if (bare(*word).ends_with(bare(text))) return std::string(bare(*word));
  }
  return text;
}

// "notes.txt", "docs/plan.md", ".env"; no sentence and no address.
bool looks_like_path(std::string_view word) {
  if (word.empty() || word.contains(' ') || word.contains('@') || word.contains("://"))
    return false;
  const std::size_t dot = word.rfind('.');
  if (word.contains('/')) return true;
  return dot != std::string_view::npos && dot + 1 < word.size() && !is_digit(word[dot + 1]);
}

std::string_view between_backticks(std::string_view message) {
  const std::size_t from = message.find('`'), to = message.rfind('`');
  if (from == std::string_view::npos || to <= from) return {};
  return trim(message.substr(from + 1, to - from - 1));
}

std::string_view url_in(std::string_view message) {
  for (const std::string_view word : words_as_written(message)) {
    const std::string_view url = bare(word.starts_with('<') ? word.substr(1) : word);
    const std::string low = lower_ascii(url.substr(0, 8));
    if (low.starts_with("http://") || low.starts_with("https://")) return url;
  }
  return {};
}

std::string_view unquoted(std::string_view text) {
  text = trim(text);
  if (text.size() > 1 && kQuotes.contains(text.front()) && text.back() == text.front()) {
    return text.substr(1, text.size() - 2);
  }
  return text;
}

std::optional<Intent> running(Phrase phrase, std::string_view message) {
  const std::string_view quoted = between_backticks(message);
  if (phrase.eat({"run", "execute"}) && !quoted.empty()) {
    return about(Wish::kShell, std::string(quoted));
  }
  if (trim(message).starts_with("$ ")) {
    return about(Wish::kShell, std::string(trim(trim(message).substr(2))));
  }
  const std::size_t at = lower_ascii(message).find("command");
  if (!phrase.starts({"the command", "this command", "the shell command"}) ||
      at == std::string::npos) {
    return std::nullopt;
  }
  std::string_view rest = trim(message.substr(at + 7));
  if (rest.starts_with(':')) rest = trim(rest.substr(1));
  if (rest.empty()) return std::nullopt;
  return about(Wish::kShell, std::string(unquoted(rest)));
}

std::optional<Intent> fetching(const Phrase& phrase, std::string_view message) {
  const std::string_view url = url_in(message);
  if (url.empty()) return std::nullopt;
  if (bare(trim(message)) != url &&
      !phrase.starts({"fetch", "open", "get", "read", "load", "download", "look at", "visit",
                      "go to", "what does", "what is", "what's", "summarise", "summarize", "show",
                      "check", "tell me what"})) {
    return std::nullopt;
  }
  return about(Wish::kFetch, std::string(url));
}

Intent writing_to(std::string_view path, std::string_view text) {
  Intent intent = about(Wish::kWriteFile, std::string(bare(trim(path))));
  intent.text = unquoted(text);
  return intent;
}

// "write hello to the file notes.txt": the last place that names a file is where it goes.
std::optional<Intent> writing(const Phrase& phrase, std::string_view message) {
  if (!phrase.starts({"write", "save", "put"})) return std::nullopt;
  const std::string low = lower_ascii(message);
  std::size_t from = std::string::npos;
  for (const std::string_view verb : {"write", "save", "put"}) {
    from = std::min(from, find_words(low, verb));
  }
  from = low.find(' ', from);
  if (from == std::string::npos) return std::nullopt;
  for (const std::string_view joint :
       {" to the file ", " into the file ", " in the file ", " to a file called ",
        " to a file named ", " to file ", " into file ", " to ", " into "}) {
    const std::size_t at = low.rfind(joint);
    if (at == std::string::npos || at < from) continue;
    const std::string_view path = bare(trim(message.substr(at + joint.size())));
    const bool named = joint.contains("file");
    if (path.empty() || path.contains(' ')) continue;
    if (!named && (!looks_like_path(path) || !phrase.starts({"write"}))) continue;
    return writing_to(path, message.substr(from, at - from));
  }
  return std::nullopt;
}

std::optional<Intent> making(Phrase phrase, std::string_view message) {
  if (!phrase.eat({"create a file called", "create a file named", "create the file",
                   "create a file", "make a file called", "make the file", "create file"})) {
    return std::nullopt;
  }
  std::string text;
  if (!phrase.split({"with the text", "with the content", "that says", "with", "saying"}, text)) {
    return std::nullopt;
  }
  const std::string path = as_written(phrase, message);
  if (path.empty() || path.contains(' ')) return std::nullopt;
  return writing_to(path, text);
}

std::optional<Intent> looking_at_files(Phrase phrase, std::string_view message) {
  if (phrase.is({"list files", "list the files", "list my files", "list all files", "show files",
                 "show the files", "show me the files", "show my files", "show me my files",
                 "what files are there", "which files are there", "what files do you have",
                 "which files do you have", "my files", "files", "ls"})) {
    return about(Wish::kListFiles);
  }
  if (phrase.eat({"list the files in", "list files in", "show the files in", "show me the files in",
                  "what files are in", "which files are in", "what is in the folder",
                  "what's in the folder", "list the folder", "show the folder", "ls"})) {
    phrase.eat({"the folder", "folder"});
    phrase.eat_end({"folder"});
    const std::string path = as_written(phrase, message);
    if (path.empty() || path.contains(' ')) return std::nullopt;
    return about(Wish::kListFiles, path);
  }
  const bool named = phrase.eat({"read the file", "read file", "show me the file", "show the file",
                                 "open the file", "what is in the file", "what's in the file",
                                 "what does the file", "print the file", "display the file"});
  if (!named &&
      !phrase.eat({"read", "open", "show me", "show", "what is in", "what's in", "cat"})) {
    return std::nullopt;
  }
  phrase.eat_end({"say", "contain"});
  const std::string path = as_written(phrase, message);
  if (path.contains(' ') || path.empty() || (!named && !looks_like_path(path))) return std::nullopt;
  return about(Wish::kReadFile, path);
}

std::optional<Intent> about_skills(Phrase phrase) {
  if (phrase.is({"skills", "my skills", "your skills", "list skills", "list your skills",
                 "list the skills", "show skills", "show your skills", "show me your skills",
                 "which skills do you have", "what skills do you have", "what skills are there",
                 "which skills are there", "what are your skills"})) {
    return about(Wish::kListSkills);
  }
  if (!phrase.eat({"load", "use", "show me", "show", "open", "apply", "read"})) return std::nullopt;
  phrase.eat({"the", "your", "my"});
  if (!phrase.eat({"skill"}) && !phrase.eat_end({"skill"})) return std::nullopt;
  phrase.eat({"called", "named"});
  if (phrase.empty()) return about(Wish::kListSkills);
  return about(Wish::kLoadSkill, phrase.text());
}

// Later is the scheduler's business, and "when" is nobody's yet.
std::optional<Intent> notifying(Phrase phrase) {
  if (!phrase.eat({"notify me", "send me a notification", "show me a notification"})) {
    return std::nullopt;
  }
  if (find_when(phrase.low()) || phrase.starts({"when", "if", "as soon", "once"})) {
    return std::nullopt;
  }
  phrase.eat({"that says", "that", "saying", "about", "of", "with"});
  if (phrase.empty()) return std::nullopt;
  return about(Wish::kNotify, phrase.text());
}

std::optional<Intent> instructing(Phrase phrase) {
  const bool ordered =
      phrase.eat({"from now on", "update your instructions to", "update your instructions",
                  "change your instructions to", "add to your instructions", "new instruction"});
  if (!ordered &&
      !phrase.starts({"always answer", "always reply", "always write", "always use", "always be",
                      "never answer", "never reply", "never write", "never use"})) {
    return std::nullopt;
  }
  if (phrase.empty() || phrase.starts({"i", "i'm", "i'll", "we", "it"})) return std::nullopt;
  return about(Wish::kInstruct, phrase.text());
}

}  // namespace

std::optional<Intent> about_hands(const Phrase& phrase, std::string_view message) {
  for (const auto& part : {running, making, looking_at_files}) {
    if (auto intent = part(phrase, message)) return intent;
  }
  for (const auto& part : {fetching, writing}) {
    if (auto intent = part(phrase, message)) return intent;
  }
  for (const auto& part : {about_skills, notifying, instructing}) {
    if (auto intent = part(phrase)) return intent;
  }
  return std::nullopt;
}

}  // namespace rouse::offline
