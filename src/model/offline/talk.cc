#include "model/offline/talk.h"

#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "model/offline/phrase.h"

namespace rouse::offline {
namespace {

constexpr std::size_t kQuotedBytes = 300;
constexpr std::string_view kCannotUnderstand = "I can't make sense of that";

std::string joined(const std::vector<std::string>& items) {
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += i + 1 == items.size() ? " and " : ", ";
    out += items[i];
  }
  return out;
}

// What it can do with the tools of this turn.
std::vector<std::string> abilities(const Scene& scene) {
  std::vector<std::string> can{"do sums", "tell the date and time"};
  can.emplace_back(scene.offers("save_memory") ? "remember what you tell me"
                                               : "remember what you tell me in this conversation");
  if (scene.offers("search_conversations")) can.emplace_back("find things in our conversations");
  if (scene.offers("tasks")) can.emplace_back("keep your tasks");
  if (scene.offers("read_file")) can.emplace_back("read and write files");
  if (scene.offers("http_fetch")) can.emplace_back("fetch a page");
  if (scene.offers("shell")) can.emplace_back("run a command");
  if (scene.offers("cron")) can.emplace_back("remind you and run things on a schedule");
  if (scene.offers("activity")) can.emplace_back("tell you what happened while you were away");
  return can;
}

std::string who_i_am(const Scene& scene) {
  return "I'm rouse's built-in offline assistant. There is no language model behind me, only a set "
         "of phrases that I know. I can " +
         joined(abilities(scene)) + ".";
}

std::string said_before(const Scene& scene) {
  const std::string said = scene.person_said_last();
  if (said.empty()) return "This is the first message from you that I can see.";
  return "Just before, you said: " + quoted(said);
}

std::string said_first(const Scene& scene) {
  const std::string said = scene.person_said_first();
  if (said.empty()) return "This one is the first message from you that I can see.";
  return "The first message from you that I can see is: " + quoted(said);
}

std::string answer_before(const Scene& scene) {
  const std::string said = scene.assistant_said_last();
  return said.empty() ? "I haven't said anything yet." : said;
}

std::string answer_first(const Scene& scene) {
  const std::string said = scene.assistant_said_first();
  return said.empty() ? "I haven't said anything yet."
                      : "The first thing I said that I can see is: " + quoted(said);
}

std::string goodbye(const Scene& scene) {
  const std::string name = scene.known().name;
  return name.empty() ? "Goodbye! Everything we said is kept."
                      : fmt::format("Goodbye, {}! Everything we said is kept.", name);
}

std::string got_files(const Scene& scene) {
  const std::vector<std::string>& files = scene.files();
  return fmt::format("I got {}: {}. {} kept here, but reading needs a real language model. {}",
                     files.size() == 1 ? "a file" : fmt::format("{} files", files.size()),
                     fmt::join(files, "; "), files.size() == 1 ? "It is" : "They are",
                     how_to_connect(scene));
}

std::string nothing(const Scene& scene) {
  if (!scene.files().empty()) return got_files(scene);
  return scene.has_image()
             ? "I can't look at pictures without a real model. " + how_to_connect(scene)
             : "That message was empty. Say \"help\" to see what I can do.";
}

}  // namespace

std::string quoted(std::string_view text) {
  std::string out;
  for (const char c : trim(text)) out += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
  if (out.size() > kQuotedBytes) out = std::string(utf8_prefix(out, kQuotedBytes)) + "…";
  return "\"" + out + "\"";
}

std::string how_to_connect(const Scene& scene) {
  if (!scene.facts().model_hint.empty()) return scene.facts().model_hint;
  return "To connect a real model, open Settings, Models in the app; or set ANTHROPIC_API_KEY or "
         "OPENAI_API_KEY before you start rouse, or describe one under models: in rouse.yaml.";
}

std::string greeting(const Scene& scene) {
  const std::string name = scene.known().name;
  if (!name.empty()) return fmt::format("Hello {}! What can I do for you?", name);
  if (scene.is_first_message()) return introduction(scene);
  return "Hello! What can I do for you? Say \"help\" to see what I understand.";
}

std::string introduction(const Scene& scene) {
  return fmt::format("Hello! {} {}\n\n{}{}", who_i_am(scene), how_to_connect(scene), kNameQuestion,
                     kAnswersQuestion);
}

std::string first_meeting(const Scene& scene) {
  const std::string agent = scene.words_between("You are ", ", an assistant who lives in rouse");
  std::vector<std::string> tries;
  if (scene.offers("cron")) tries.emplace_back("\"remind me in 2 minutes to stretch\"");
  if (scene.offers("tasks")) tries.emplace_back("\"add a task: buy milk\"");
  if (tries.empty()) tries.emplace_back("\"help\"");
  return fmt::format(
      "Hello! {}I'm rouse's built-in offline assistant.\n\nTo begin, say {}. There is no language "
      "model behind me yet: connect one under Settings, Models.\n\n{}{}",
      agent.empty() ? "" : fmt::format("I'm called {} here. ", agent), fmt::join(tries, " or "),
      kNameQuestion, kAnswersQuestion);
}

std::string help(const Scene& scene) {
  std::string text = "Here is what I understand:\n";
  text += "- sums: \"what is 12 * (3 + 4)?\", \"15% of 80\"\n";
  text += "- date and time: \"what day is it?\", \"what time is it in Tokyo?\"\n";
  text +=
      "- you: \"my name is Ada\", \"I prefer short answers\", \"remember that …\", \"what do you "
      "know about me?\"\n";
  text += "- this conversation: \"what did I say before?\", \"what was my first question?\"\n";
  if (scene.offers("search_conversations")) {
    text += "- all conversations: \"search our conversations for …\"\n";
  }
  if (scene.offers("tasks")) {
    text +=
        "- tasks: \"add a task: buy milk\", \"my tasks\", \"claim task 3\", \"done with buy "
        "milk\", "
        "\"close task 3 because …\"\n";
  }
  if (scene.offers("read_file")) {
    text +=
        "- files: \"list files\", \"read the file notes.txt\", \"write hello to the file "
        "notes.txt\"\n";
  }
  if (scene.offers("http_fetch")) text += "- pages: \"fetch https://example.com\"\n";
  if (scene.offers("shell")) text += "- commands: \"run `make test`\"\n";
  if (scene.offers("notify")) text += "- notifications: \"notify me that …\"\n";
  if (scene.offers("update_instructions")) {
    text += "- how I work: \"from now on answer in one sentence\"\n";
  }
  if (scene.offers("load_skill") && !scene.section("Skills").empty()) {
    text += "- skills: \"which skills do you have?\", \"load the skill …\"\n";
  }
  if (scene.offers("cron")) {
    text +=
        "- reminders: \"remind me in 20 minutes to stretch\", \"every weekday at 9 remind me to "
        "plan the day\", \"what is scheduled?\", \"cancel the reminder …\"\n";
  }
  if (scene.offers("activity")) {
    text += "- what happened: \"what did you do today?\", \"why did the report not run?\"\n";
  }
  return text + "\nFor everything else I need a real language model. " + how_to_connect(scene);
}

std::string cannot_understand(const Scene& scene) {
  if (scene.assistant_said_last().starts_with(kCannotUnderstand)) {
    return fmt::format(
        "{} either, but it is kept. Say \"help\" for what I can do, or \"how do I "
        "connect a model?\".",
        kCannotUnderstand);
  }
  return fmt::format(
      "{}: I'm the built-in offline assistant, and free text needs a real language "
      "model. Your message is kept in this conversation. {} Say \"help\" to see what "
      "I can do until then.",
      kCannotUnderstand, how_to_connect(scene));
}

std::string small_reply(const Intent& intent, const Scene& scene) {
  switch (intent.wish) {
    case Wish::kUnknown:
      return scene.files().empty() ? cannot_understand(scene) : got_files(scene);
    case Wish::kNothing:
      return nothing(scene);
    case Wish::kGreeting:
      return greeting(scene);
    case Wish::kHowAreYou:
      return "I'm running well, thank you. What can I do for you?";
    case Wish::kThanks:
      return Phrase{scene.message()}.has({"thanks", "thank you", "thx", "ty", "cheers"})
                 ? "You're welcome!"
                 : "All right.";
    case Wish::kGoodbye:
      return goodbye(scene);
    case Wish::kWhoAreYou:
      return who_i_am(scene) + " " + how_to_connect(scene);
    case Wish::kHelp:
      return help(scene);
    case Wish::kConnectModel:
      return how_to_connect(scene);
    case Wish::kSaidBefore:
      return said_before(scene);
    case Wish::kSaidFirst:
      return said_first(scene);
    case Wish::kAnswerBefore:
      return answer_before(scene);
    case Wish::kAnswerFirst:
      return answer_first(scene);
    default:
      return "";
  }
}

}  // namespace rouse::offline
