#include "model/offline/understand_parts.h"

namespace rouse::offline {

Intent about(Wish wish, std::string subject) { return {wish, std::move(subject)}; }

std::string without_article(Phrase phrase) {
  phrase.eat({"the", "a", "an", "my", "our"});
  return phrase.text();
}

// --- tasks ---------------------------------------------------------------------------------------

std::optional<Intent> about_tasks(Phrase phrase) {
  if (phrase.is({"my tasks",
                 "tasks",
                 "list tasks",
                 "list my tasks",
                 "show tasks",
                 "show my tasks",
                 "show me my tasks",
                 "what are my tasks",
                 "open tasks",
                 "my open tasks",
                 "todo",
                 "my todo list",
                 "my to-do list",
                 "todo list",
                 "todos",
                 "my todos",
                 "show my todos",
                 "what's on my list",
                 "what is on my list",
                 "what's on my todo list",
                 "what is on my todo list",
                 "what do i have to do",
                 "what do i need to do",
                 "what do i have to do today",
                 "what is there to do",
                 "what should i do today",
                 "which tasks do i have",
                 "what tasks do i have",
                 "do i have any tasks",
                 "do i have tasks",
                 "what's on my to-do list",
                 "show me my todo list",
                 "list my todos",
                 "what tasks are open",
                 "which tasks are open",
                 "what are my open tasks",
                 "what are the open tasks",
                 "show open tasks",
                 "show my open tasks",
                 "show me my open tasks",
                 "list open tasks",
                 "list my open tasks",
                 "which open tasks do i have",
                 "what open tasks do i have",
                 "what is open",
                 "what's open",
                 "what is still open",
                 "what's still open",
                 "what is left to do",
                 "what's left to do"})) {
    return about(Wish::kListTasks);
  }
  Phrase add = phrase;
  if (add.eat({"add a task to", "add a new task to", "add the task to", "add task to", "add a task",
               "add a new task", "add the task", "add task", "new task", "create a task to",
               "create a task", "create task", "make a task", "add a todo to", "add a todo",
               "add todo", "new todo", "todo", "task"})) {
    if (phrase.starts({"task"}) && add.eat_end({"is done", "is finished", "is complete"})) {
      return about(Wish::kFinishTask, add.text());
    }
    return about(Wish::kAddTask, add.text());
  }
  if (add.eat({"add", "put"}) &&
      add.eat_end({"to my tasks", "to my task list", "to my todo list", "to my to-do list",
                   "to my list", "to the list", "on my list", "on my todo list", "on my to-do list",
                   "to my todos", "to the tasks", "as a task"})) {
    return about(Wish::kAddTask, add.text());
  }
  Phrase other = phrase;
  if (other.eat({"claim the task", "claim task", "claim", "take the task", "take task",
                 "work on the task", "work on task"})) {
    if (!other.empty()) return about(Wish::kClaimTask, other.text());
  }
  if (other.eat({"close the task", "close task", "cancel the task", "cancel task", "drop the task",
                 "drop task", "remove the task", "remove task", "delete the task",
                 "delete task"})) {
    Intent close = about(Wish::kCloseTask);
    other.split({"because", "since", "reason"}, close.text);
    close.subject = other.text();
    if (!close.subject.empty()) return close;
  }
  Phrase done = phrase;
  if (done.eat({"i'm done with", "i am done with", "done with", "i have finished", "i've finished",
                "i finished", "finished", "complete the task", "complete task", "mark the task",
                "mark task", "check off", "tick off", "mark", "i've done", "i have done",
                "i did"})) {
    const bool marked = done.eat_end({"as done", "as complete", "as completed", "as finished",
                                      "done", "complete", "off my list"});
    if (phrase.starts({"mark"}) && !marked) return std::nullopt;
    done.eat({"the task", "task"});
    if (!done.empty() && !done.is({"it", "that", "this"}))
      return about(Wish::kFinishTask, done.text());
  }
  return std::nullopt;
}

// --- time ----------------------------------------------------------------------------------------

std::optional<Intent> about_time(Phrase phrase) {
  phrase.eat({"tell me", "do you know", "give me", "show me"});
  phrase.eat_end({"right now", "now", "today"});
  std::string place;
  Phrase asked = phrase;
  if (asked.split({"in"}, place) && !place.empty() && place.size() <= 40) {
    phrase = asked;
  } else {
    place.clear();
  }
  phrase.eat_end({"right now", "now", "today"});
  if (phrase.is({"what time is it", "what's the time", "what is the time", "the time", "time",
                 "current time", "the current time", "what is the current time",
                 "what's the current time", "what time it is", "what time do we have",
                 "how late is it", "what time"})) {
    return about(Wish::kTime, place);
  }
  if (phrase.is({"what day is it",
                 "what day is",
                 "what is the date",
                 "what's the date",
                 "the date",
                 "date",
                 "today's date",
                 "what is today's date",
                 "what's today's date",
                 "which day is it",
                 "what date is it",
                 "what is",
                 "what's",
                 "which date is it",
                 "what day of the week is it",
                 "what year is it",
                 "what month is it",
                 "current date",
                 "the current date",
                 "what is the current date",
                 "what day it is",
                 "what weekday is it",
                 "what day of the week is",
                 "what date is"}) &&
      !phrase.is({"what is", "what's"})) {
    return about(Wish::kDate, place);
  }
  if (phrase.is({"what day is tomorrow", "what is tomorrow", "tomorrow's date",
                 "what date is tomorrow", "what is tomorrow's date"})) {
    return about(Wish::kDate, "tomorrow");
  }
  if (phrase.is({"what day was yesterday", "what was yesterday", "yesterday's date",
                 "what date was yesterday"})) {
    return about(Wish::kDate, "yesterday");
  }
  return std::nullopt;
}

namespace {

// "cancel the reminder to call mum", "pause the news automation", "stop reminding me to stretch"
std::optional<Intent> changing_schedule(Phrase phrase) {
  constexpr std::string_view kRemove = "remove", kPause = "pause", kResume = "resume";
  bool named = phrase.eat({"stop reminding me", "don't remind me", "do not remind me"});
  std::string_view action = kRemove;
  if (!named) {
    if (phrase.eat({"pause", "suspend"})) {
      action = kPause;
    } else if (phrase.eat({"resume", "unpause", "continue", "restart"})) {
      action = kResume;
    } else if (!phrase.eat({"cancel", "remove", "delete", "stop", "drop", "turn off"})) {
      return std::nullopt;
    }
    phrase.eat({"the", "my", "this", "that"});
    named = phrase.eat({"reminder", "automation", "scheduled job", "job", "alarm"}) ||
            phrase.eat_end({"reminder", "automation", "scheduled job", "job", "alarm"});
  }
  if (!named) return std::nullopt;
  while (phrase.eat({"to", "about", "for", "of", "that", "called", "named", "with the id", "id"})) {
  }
  phrase.eat_end({"any more", "anymore", "for now"});
  Intent intent = about(Wish::kChangeSchedule);
  for (const char c : phrase.text()) {
    if (c != '"' && c != '[' && c != ']') intent.subject += c;
  }
  intent.text = action;
  return intent;
}

}  // namespace

std::optional<Intent> about_automations(Phrase phrase) {
  if (auto change = changing_schedule(phrase)) return change;
  if (phrase.is({"what is scheduled",
                 "what's scheduled",
                 "what is scheduled today",
                 "scheduled",
                 "what's scheduled today",
                 "my reminders",
                 "reminders",
                 "list reminders",
                 "list my reminders",
                 "show reminders",
                 "show my reminders",
                 "show me my reminders",
                 "which reminders do i have",
                 "what reminders do i have",
                 "do i have reminders",
                 "do i have any reminders",
                 "what is planned",
                 "what's planned",
                 "what is coming up",
                 "what's coming up",
                 "what's next",
                 "what is next",
                 "my automations",
                 "automations",
                 "list automations",
                 "list my automations",
                 "show my automations",
                 "show automations",
                 "my schedule",
                 "show my schedule",
                 "schedule",
                 "what automations do i have",
                 "what have you scheduled",
                 "which automations are there",
                 "show the schedule",
                 "what are my reminders",
                 "what's on my schedule",
                 "what is on my schedule",
                 "what is on the schedule"})) {
    return about(Wish::kListSchedule);
  }
  if (phrase.is({"what did you do",
                 "what did you do today",
                 "what have you done",
                 "what have you done today",
                 "what happened today",
                 "what happened",
                 "what happened while i was away",
                 "what did you do while i was away",
                 "what have you been doing",
                 "what have you been up to",
                 "what did i miss",
                 "any news",
                 "activity",
                 "show activity",
                 "show me the activity",
                 "activity log",
                 "show the activity log",
                 "show me what you did",
                 "what's new",
                 "what is new",
                 "what did you do yesterday",
                 "what have you done for me today",
                 "what have you done for me",
                 "what have you been doing today"})) {
    return about(Wish::kActivity);
  }
  Phrase why = phrase;
  if (!why.eat({"why did", "why didn't", "why has", "why hasn't", "why was", "why wasn't", "why is",
                "why isn't", "why does", "why doesn't", "why"}) ||
      !phrase.has({"run", "ran", "fire", "fired", "skipped", "start", "started", "remind",
                   "reminded", "happen", "happened", "late", "silent", "running", "go off"})) {
    return std::nullopt;
  }
  why.eat_end({"today", "this morning", "yesterday", "last night"});
  why.eat_end({"run", "running", "ran", "fire", "fired", "skipped", "start", "started", "happen",
               "happened", "late", "silent", "go off", "remind me", "reminded me"});
  why.eat_end({"not", "been"});
  return about(Wish::kWhyNot, why.is({"you"}) ? "reminder" : without_article(why));
}

// --- reminders -----------------------------------------------------------------------------------

namespace {

std::string subject_of(Phrase phrase) {
  while (phrase.eat({"to", "that", "about", "of", "please", "and", "for", "remind me", "me"})) {
  }
  phrase.eat_end({"to", "please", "and"});
  return phrase.text();
}

}  // namespace

// "Set a timer for 10 minutes", "start a 10 minute timer" is "remind me in 10 minutes".
std::optional<Phrase> asked_of_timer(Phrase phrase) {
  const bool ordered = phrase.eat({"set", "start", "make", "create", "add"});
  phrase.eat({"me a", "a", "the", "another"});
  if (!phrase.eat({"timer"}) && !(ordered && phrase.eat_end({"timer"}))) return std::nullopt;
  phrase.eat({"for", "of", "in", "to"});
  return Phrase{"remind me in " + phrase.text()};
}

std::optional<Intent> scheduling(Phrase phrase) {
  if (const auto timer = asked_of_timer(phrase)) {
    auto intent = scheduling(*timer);
    if (!intent || !intent->when) return about(Wish::kUnknown);
    if (intent->subject.empty()) intent->subject = "look: the timer is over";
    return intent;
  }
  const bool wakes = phrase.starts({"wake me", "set an alarm"});
  const bool ordered = phrase.eat({"remind me", "set a reminder", "set reminder", "make a reminder",
                                   "create a reminder", "add a reminder", "set an alarm",
                                   "remember to", "don't forget to", "do not let me forget to",
                                   "wake me up", "wake me", "reminder", "schedule"});
  const auto found = find_when(phrase.low());
  const bool question = phrase.starts({"what", "why", "how", "who", "when", "where", "which", "is",
                                       "are", "do", "does", "did", "was", "i", "we", "it"});
  const bool leads = found && found->from == 0 && found->to < phrase.low().size();
  if (!ordered && (!found || question)) return std::nullopt;
  if (found && !ordered && found->from == 0 && found->to == phrase.low().size()) {
    Intent bare = about(Wish::kBareWhen);
    bare.when = found->when;
    return bare;
  }
  if (!ordered && !found->when.repeats() && !leads && !phrase.has({"remind me"}))
    return std::nullopt;

  Intent intent = about(Wish::kSchedule);
  intent.reminder = ordered || phrase.has({"remind me"});
  if (!found) {
    intent.subject = subject_of(phrase);
    return intent;
  }
  Phrase before = phrase, after = phrase;
  before.keep(0, found->from);
  after.keep(found->to, phrase.low().size());
  if (after.starts({"i", "we", "he", "she", "it", "they"}) && !ordered) return std::nullopt;
  std::string subject = subject_of(before);
  const std::string rest = subject_of(after);
  subject += (subject.empty() || rest.empty() ? "" : " ") + rest;
  intent.subject = subject.empty() && wakes ? "wake up" : std::move(subject);
  intent.when = found->when;
  return intent;
}

}  // namespace rouse::offline
