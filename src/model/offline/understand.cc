#include "model/offline/understand.h"

#include <algorithm>

#include "base/arithmetic.h"
#include "model/offline/phrase.h"
#include "model/offline/understand_parts.h"

namespace rouse::offline {
namespace {

constexpr std::size_t kLongestMessage = 2000;  // longer ones are no commands

void drop_politeness(Phrase& phrase) {
  while (phrase.eat({"please",
                     "rouse",
                     "can you",
                     "could you",
                     "would you",
                     "will you",
                     "i want you to",
                     "i would like you to",
                     "i'd like you to",
                     "i need you to",
                     "kindly",
                     "ok",
                     "okay",
                     "so",
                     "and",
                     "also",
                     "but",
                     "then",
                     "well",
                     "now",
                     "um",
                     "oh"})) {
  }
  while (phrase.eat_end({"please", "thanks", "thank you", "rouse", "for me", "again please"})) {
  }
}

// --- small talk ----------------------------------------------------------------------------------

std::optional<Intent> small_talk(Phrase phrase) {
  if (phrase.is({"thanks",
                 "thank you",
                 "thx",
                 "ty",
                 "cheers",
                 "many thanks",
                 "great thanks",
                 "thanks a lot",
                 "thank you very much",
                 "thanks so much",
                 "thank you so much",
                 "perfect thanks",
                 "great, thanks",
                 "great",
                 "perfect",
                 "cool",
                 "yes",
                 "no",
                 "fine",
                 "got it",
                 "alright",
                 "all right",
                 "nice",
                 "awesome"})) {
    return about(Wish::kThanks);
  }
  if (phrase.is({"bye", "goodbye", "good bye", "see you", "see you later", "good night", "ciao",
                 "bye bye", "later", "see ya", "that's all", "talk to you later", "cu"})) {
    return about(Wish::kGoodbye);
  }
  if (phrase.is({"how are you", "how are you doing", "how do you do", "how's it going",
                 "how is it going", "what's up", "how are you today", "sup"})) {
    return about(Wish::kHowAreYou);
  }
  return std::nullopt;
}

bool eat_greeting(Phrase& phrase) {
  return phrase.eat({"hi there", "hello there", "hey there", "hi", "hello", "hey", "good morning",
                     "good afternoon", "good evening", "morning", "greetings", "hiya", "howdy",
                     "yo", "hallo", "moin", "are you there", "anybody there"});
}

std::optional<Intent> about_rouse(Phrase phrase) {
  if (phrase.has({"connect", "use", "set up", "setup", "configure", "add", "switch", "enable",
                  "how do i", "how can i", "set", "install"}) &&
      phrase.has({"model", "models", "claude", "gpt", "chatgpt", "openai", "anthropic", "api key",
                  "llm", "ollama", "language model", "a key", "anthropic_api_key",
                  "openai_api_key"})) {
    return about(Wish::kConnectModel);
  }
  if (phrase.is({"who are you",        "what are you",
                 "introduce yourself", "about yourself",
                 "yourself",           "tell me about yourself",
                 "what is your name",  "what's your name",
                 "your name",          "what is rouse",
                 "what's rouse",       "which model are you",
                 "what model are you", "who am i talking to",
                 "who is this",        "what is this",
                 "how do you work",    "tell me who you are",
                 "who made you",       "what model is this"}) ||
      phrase.starts({"what model are you", "which model are you", "which model do you"}) ||
      (phrase.starts({"are you"}) &&
       phrase.has({"ai", "a bot", "a robot", "human", "real", "chatgpt", "claude", "a model",
                   "language model", "an llm", "gpt", "a person", "offline"}))) {
    return about(Wish::kWhoAreYou);
  }
  if (phrase.is({"help",
                 "help me",
                 "what can you do",
                 "what do you do",
                 "how can you help",
                 "how can you help me",
                 "what can i ask",
                 "what can i ask you",
                 "what can i say",
                 "commands",
                 "examples",
                 "what are your abilities",
                 "what are your features",
                 "what do you know",
                 "i need help",
                 "show help",
                 "what else can you do",
                 "how does this work",
                 "what are you able to do",
                 "what are you good at",
                 "menu",
                 "/help"})) {
    return about(Wish::kHelp);
  }
  return std::nullopt;
}

// --- what was said -------------------------------------------------------------------------------

std::optional<Intent> looking_back(Phrase phrase) {
  if (phrase.is({"what did you say first", "what did you first say", "what did you say at first",
                 "what was your first message", "what was your first answer",
                 "what was the first thing you said", "what did you say at the beginning",
                 "what was the first thing that you said", "how did you greet me"})) {
    return about(Wish::kAnswerFirst);
  }
  if (phrase.starts({"what did i", "what was my", "what was the first", "what were my",
                     "repeat what i", "what have i", "what i"})) {
    if (phrase.has({"first question", "first message", "ask first", "say first", "first thing",
                    "first ask you", "first say", "first ask", "ask you first"})) {
      return about(Wish::kSaidFirst);
    }
    if (phrase.has({"about"})) return std::nullopt;  // that is a search
    if (phrase.has({"before", "earlier", "last", "just", "previous", "previously", "said", "say",
                    "ask"})) {
      return about(Wish::kSaidBefore);
    }
  }
  if (phrase.is({"how did we start", "how did this start", "how did we begin"})) {
    return about(Wish::kSaidFirst);
  }
  if (phrase.is({"say that again", "repeat that", "repeat", "again", "what did you say",
                 "what did you just say", "what did you say before", "what was your last answer",
                 "what was that", "pardon", "repeat your answer"})) {
    return about(Wish::kAnswerBefore);
  }
  return std::nullopt;
}

std::optional<Intent> searching(Phrase phrase) {
  if (phrase.has({"web", "internet", "google", "online"})) return std::nullopt;
  const bool in_talks = phrase.eat_end(
      {"in our conversations", "in our conversation", "in my conversations", "in the conversations",
       "in past conversations", "in our chats", "in our chat", "in this chat", "in my messages",
       "in our messages", "in the history", "in our history", "in old messages"});
  if (phrase.eat({"search our conversations for",
                  "search the conversations for",
                  "search my conversations for",
                  "search conversations for",
                  "search my messages for",
                  "search our messages for",
                  "search our history for",
                  "search our chats for",
                  "search messages for",
                  "find messages about",
                  "find messages with",
                  "find conversations about",
                  "find our conversation about",
                  "find the conversation about",
                  "find where we talked about",
                  "did we talk about",
                  "did we ever talk about",
                  "have we talked about",
                  "did i mention",
                  "when did we talk about",
                  "when did i mention",
                  "what did i say about",
                  "what did i tell you about",
                  "what did we say about",
                  "what have i said about",
                  "what did you say about",
                  "have i told you about",
                  "did i tell you about",
                  "search for",
                  "search"}) ||
      (in_talks && phrase.eat({"find", "look for", "look up", "where is", "show me", "show"}))) {
    phrase.eat({"about"});
    const std::string subject = without_article(phrase);
    if (!subject.empty()) return about(Wish::kSearch, subject);
  }
  return std::nullopt;
}

// --- the person ----------------------------------------------------------------------------------

std::optional<Intent> about_person(const Phrase& phrase, std::string_view message) {
  if (phrase.is({"what is my name", "what's my name", "my name", "who am i", "do you know my name",
                 "do you remember my name", "remember my name", "say my name", "what am i called",
                 "do you know who i am", "what do you call me"})) {
    return about(Wish::kAskName);
  }
  if (phrase.is({"what do you know about me", "what do you remember about me",
                 "what do you remember", "what have you learned about me",
                 "what have you remembered", "about me", "tell me about me",
                 "tell me what you know about me", "what did i tell you", "tell me about myself",
                 "what do i like", "what are my preferences", "what have i told you",
                 "do you know me", "do you remember me", "show me what you know about me",
                 "what do you know of me"})) {
    return about(Wish::kAskKnown);
  }
  Phrase mine = phrase;
  if (mine.eat(
          {"what is my", "what's my", "what are my", "where is my", "when is my", "who is my"})) {
    return about(Wish::kAskKnown, mine.text());
  }
  Phrase rest = phrase;
  if (rest.eat({"remember that", "remember this", "remember", "keep in mind that", "keep in mind",
                "note that", "make a note that", "make a note", "take a note", "save that",
                "don't forget that", "do not forget that", "note"})) {
    if (rest.is({"me"})) return about(Wish::kAskKnown);
    if (rest.starts({"to"})) return std::nullopt;  // "remember to …" is a reminder
    return about(Wish::kRemember, rest.text());
  }
  Learned learned = learned_from(message);
  if (learned.empty()) return std::nullopt;
  Intent intent = about(Wish::kTellSelf);
  intent.learned = std::move(learned);
  return intent;
}

std::optional<Intent> sum_of(std::string_view message) {
  const auto answer = answer_sum(message);
  if (!answer) return std::nullopt;
  const std::size_t end = std::min(answer->find(" = "), answer->find(": "));
  return about(Wish::kSum, answer->substr(0, end));
}

}  // namespace

Intent understand(std::string_view message) {
  if (message.size() > kLongestMessage) return about(Wish::kUnknown);
  Phrase phrase{message};
  if (phrase.empty()) return about(Wish::kNothing);
  if (auto sum = sum_of(message)) return *sum;
  if (auto talk = small_talk(phrase)) return *talk;
  const bool called = phrase.is({"rouse"});
  drop_politeness(phrase);
  const bool greeted = eat_greeting(phrase);
  if (phrase.empty() || phrase.is({"there", "again", "everyone", "all", "you", "my friend"})) {
    return about(greeted || called ? Wish::kGreeting : Wish::kThanks);
  }
  drop_politeness(phrase);
  if (auto hands = about_hands(phrase, message)) return *hands;
  if (auto sum = sum_of(phrase.text())) return *sum;
  if (auto talk = small_talk(phrase)) return *talk;
  for (const auto& part : {looking_back, about_rouse, about_automations, searching, about_tasks,
                           about_time, scheduling}) {
    if (auto intent = part(phrase)) return *intent;
  }
  if (auto intent = about_person(phrase, message)) return *intent;
  return about(greeted && words_of(phrase.low()).size() <= 2 ? Wish::kGreeting : Wish::kUnknown);
}

}  // namespace rouse::offline
