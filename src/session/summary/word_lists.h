// The lists behind phrases.cc, English then German, all without case. To teach the template a new
// way of saying something, add it here, anywhere in its list.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace rouse::summary::lists {

// Sorted, so that only the few that can match are looked at.
struct List {
  std::span<const std::string_view> sorted;
  [[nodiscard]] std::span<const std::string_view> with_first_of(std::string_view text) const;
};
template <std::size_t N>
struct ListOf {
  std::array<std::string_view, N> sorted;
  constexpr operator List() const { return {sorted}; }
};
template <std::size_t N>
consteval ListOf<N> list(const std::string_view (&in_any_order)[N]) {
  ListOf<N> out{std::to_array(in_any_order)};
  std::ranges::sort(out.sorted);
  return out;
}

// clang-format off: packed lists read better than tables

// Before what a sentence says.
inline constexpr auto kOpenings = list({
    "now", "jetzt", "hi", "hello", "hey", "ok", "okay", "so", "well", "great", "thanks", "yes",
    "yeah", "yep", "sure", "no", "nope", "cool", "perfect", "also", "oh", "ah", "alright",
    "actually", "then", "right", "done", "hallo", "ja", "nein", "gut", "super", "danke", "dann",
    "ach", "prima", "klar", "moin", "servus", "erledigt"});
// A message of nothing but these says nothing new.
inline constexpr auto kSmallTalk = list({
    "thank", "you", "very", "much", "good", "morning", "evening", "afternoon", "night", "day",
    "nice", "awesome", "lovely", "please", "bye", "goodbye", "there", "it", "that", "works",
    "fine", "got", "lol", "haha", "is", "all", "the", "a", "lot", "how", "are", "what's", "up",
    "see", "later", "guten", "tag", "morgen", "abend", "nacht", "vielen", "dank", "schön",
    "bitte", "alles", "toll", "tschüss", "passt", "gerne", "schönen", "dir", "auch", "wie",
    "geht's", "na", "genau"});
inline constexpr auto kYes = list({
    "yes", "yeah", "yep", "yup", "sure", "ok", "okay", "go ahead", "do it", "please do",
    "sounds good", "that works", "absolutely", "definitely", "correct", "agreed", "ja", "jo",
    "jawohl", "klar", "gerne", "mach das", "mach es", "passt", "einverstanden", "genau",
    "in ordnung"});
inline constexpr auto kNo = list({
    "no", "nope", "nah", "not now", "not yet", "rather not", "please don't", "nein", "nö",
    "nee", "lieber nicht", "jetzt nicht", "noch nicht"});
inline constexpr auto kDrops = list({
    "never mind", "nevermind", "forget it", "forget about it", "vergiss es",
    "hat sich erledigt", "nicht mehr nötig", "egal"});

inline constexpr auto kQuestionOpenings = list({
    "what", "what's", "when", "where", "where's", "who", "who's", "whose", "why", "which",
    "how", "is there", "is it", "are there", "do i", "do you", "does", "did", "should i",
    "was ist", "was kostet", "was sind", "wann", "wo", "wohin", "woher", "wer", "wem", "warum",
    "wieso", "welche", "welcher", "welches", "wie", "wieviel", "gibt es", "kann ich", "soll ich"});
inline constexpr auto kWishes = list({
    "can you", "could you", "would you", "will you", "please", "pls", "i want", "i need",
    "i'd like", "i would like", "i'm looking for", "i am looking for", "i'm trying",
    "i'm planning", "i have to", "we need", "we want", "we're planning", "help me", "help us",
    "let's plan", "i'm having", "my goal", "kannst du", "könntest du", "können sie",
    "könnten sie", "würdest du", "bitte", "ich möchte", "ich will", "ich brauche", "ich suche",
    "ich hätte gern", "ich muss", "wir brauchen", "wir möchten", "wir wollen", "wir suchen",
    "hilf mir", "hilf uns"});
inline constexpr auto kOrders = list({
    "add", "analyse", "analyze", "book", "build", "buy", "calculate", "call", "cancel",
    "change", "check", "compare", "convert", "create", "debug", "delete", "deploy", "describe",
    "design", "download", "draft", "edit", "email", "explain", "find", "fix", "get", "give",
    "help", "implement", "install", "list", "look", "make", "message", "move", "open", "order",
    "organise", "organize", "plan", "play", "prepare", "proofread", "put", "read", "recommend",
    "refactor", "remind", "remove", "rename", "replace", "reply", "research", "reserve",
    "review", "rewrite", "run", "schedule", "search", "send", "set", "show", "sort", "start",
    "stop", "suggest", "summarise", "summarize", "tell", "test", "track", "translate", "turn",
    "update", "use", "write", "berechne", "bestell", "bestelle", "buche", "buch", "erinnere",
    "erkläre", "erstell", "erstelle", "finde", "fass", "gib", "hilf", "installiere", "kauf",
    "kaufe", "lies", "lösche", "mach", "mache", "nimm", "organisiere", "plane", "prüfe",
    "reserviere", "ruf", "schick", "schicke", "schreib", "schreibe", "setz", "setze",
    "speichere", "stell", "stelle", "such", "suche", "trag", "trage", "übersetze", "vergleiche",
    "verschiebe", "zeig", "zeige", "ändere", "öffne"});

inline constexpr auto kChoiceOpenings = list({
    "let's go with", "let's go for", "let's do", "let's use", "let's take", "let's make",
    "let's keep", "let's stick", "let's skip", "let's book", "go with", "go for", "i'll take",
    "i'll go", "i'll have", "i choose", "i chose", "i pick", "i prefer", "i decided",
    "i've decided", "i have decided", "we decided", "we've decided", "we'll take", "we'll go",
    "use", "take", "pick", "choose", "make it", "make that", "rather", "instead", "skip",
    "keep", "stick with", "don't", "do not", "never", "always", "only", "not", "nehmen wir",
    "ich nehme", "wir nehmen", "nimm", "lass uns", "lieber", "doch lieber", "machen wir",
    "ich entscheide mich", "ich habe mich", "wir haben uns", "ich bevorzuge", "verwende",
    "benutze", "nutze", "nur", "immer", "niemals", "bitte nicht", "bitte kein", "bitte keine",
    "kein", "keine"});
inline constexpr auto kChoiceWords = list({
    "let's go with", "i'd rather", "i would rather", "i've decided", "we've decided",
    "i decided", "we decided", "instead of", "ich nehme", "nehmen wir", "entschieden",
    "wir nehmen"});

inline constexpr auto kFollowUps = list({
    "and", "or", "but", "what about", "how about", "what else", "which one", "why not", "why",
    "more", "again", "und", "oder", "aber", "was ist mit", "wie wäre es", "wie sieht es",
    "noch", "mehr", "nochmal", "warum"});
inline constexpr auto kReferences = list({
    "it", "its", "it's", "that", "that's", "they", "them", "their", "those", "these", "this",
    "he", "she", "him", "there", "one", "dort", "davon", "dafür", "damit", "dazu", "daran",
    "dahin", "dieser", "diese", "dieses", "ihn", "ihm"});
inline constexpr auto kLastReferences = list({
    "das", "es", "sie", "da", "denn", "too", "instead"});
inline constexpr auto kPointing = list({
    "kostet das", "ist das", "war das", "geht das", "macht das", "heißt das", "sind die",
    "warum das", "wie das"});
inline constexpr auto kNewSubject = list({
    "new topic", "new question", "another question", "another thing", "different topic",
    "different question", "something else", "next topic", "on another note", "moving on",
    "andere frage", "anderes thema", "neues thema", "neue frage", "was anderes",
    "etwas anderes", "noch eine frage", "themawechsel"});
inline constexpr auto kNewTopic = list({
    "on a different note", "changing the subject", "let's talk about something else",
    "mal was anderes", "ganz was anderes"});
inline constexpr auto kReminders = list({
    "remind me", "remind us", "don't forget", "do not forget", "don't let me forget",
    "remember to", "todo", "to-do", "erinnere mich", "erinnere uns", "erinner mich",
    "vergiss nicht", "denk daran", "denk dran", "nicht vergessen"});

inline constexpr auto kCourtesies = list({
    "anything else", "something else i can", "can i help", "how can i help",
    "help with anything", "may i help", "does that help", "does this help", "hope this helps",
    "hope that helps", "let me know", "happy to help", "happy to", "glad to", "feel free",
    "be here", "sounds good?", "make sense?", "how are you", "what's next?",
    "kann ich dir sonst", "kann ich sonst", "sonst noch", "noch etwas", "wie kann ich",
    "hilft dir das", "gern geschehen", "jederzeit", "womit kann ich"});
inline constexpr auto kPromises = list({
    "i will", "i'll", "i am going to", "i'm going to", "let me check", "let me look", "we will",
    "we'll", "ich werde", "ich melde mich", "ich kümmere mich", "ich prüfe", "ich schaue",
    "ich sehe nach", "ich sage dir", "wir werden", "wir melden uns"});
inline constexpr auto kEvasions = list({
    "i don't know", "i do not know", "i'm not sure", "i am not sure", "not sure yet",
    "i can't tell", "i couldn't find", "i could not find", "i need more", "i need a few",
    "before i", "one moment", "let me check", "let me look", "still checking", "error",
    "timed out", "weiß ich nicht", "ich weiß nicht", "ich weiß es nicht", "nicht sicher",
    "einen moment", "moment bitte", "ich brauche noch", "konnte ich nicht", "bevor ich",
    "dazu brauche ich"});
inline constexpr auto kDenials = list({
    "not", "haven't", "hasn't", "couldn't", "didn't", "can't", "cannot", "wasn't", "weren't",
    "if", "nicht", "kein", "keine", "noch nicht", "falls", "wenn"});

// How an act is reported; the rest of the sentence says what was done. Longer openings first.
inline constexpr auto kReports = std::to_array<std::string_view>({
    "i have already ", "i have also ", "i have now ", "i have just ", "i've already ",
    "i've also ", "i've now ", "i've just ", "i have ", "i've ", "i also ", "i just ", "i ",
    "we have ", "we've ", "ich habe dir ", "ich habe ", "ich hab ", "wir haben "});
inline constexpr auto kActs = list({
    "added", "applied", "asked", "bought", "booked", "cancelled", "canceled", "changed",
    "closed", "committed", "configured", "converted", "created", "deleted", "deployed",
    "disabled", "drafted", "enabled", "escalated", "fixed", "generated", "implemented",
    "installed", "issued", "marked", "merged", "moved", "opened", "ordered", "paid", "placed",
    "posted", "pushed", "put", "refactored", "refunded", "registered", "removed", "renamed",
    "replaced", "reported", "requested", "reserved", "reset", "rewrote", "saved", "scheduled",
    "sent", "set", "shipped", "started", "stopped", "submitted", "switched", "translated",
    "turned", "updated", "uploaded", "written", "wrote", "abgeschickt", "aktualisiert",
    "angelegt", "ausgeschaltet", "behoben", "bestellt", "bezahlt", "eingerichtet",
    "eingeschaltet", "eingetragen", "entfernt", "erledigt", "erstellt", "gebucht", "gekauft",
    "gelöscht", "geplant", "geschickt", "geschrieben", "gesendet", "gesetzt", "gespeichert",
    "gestellt", "geändert", "hinzugefügt", "installiert", "notiert", "reserviert", "storniert",
    "umbenannt", "verschickt", "verschoben", "übersetzt"});
inline constexpr auto kPassives = list({
    "has been", "have been", "is now", "are now", "is booked", "is confirmed", "wurde",
    "wurden", "ist jetzt", "sind jetzt", "ist gebucht", "ist bestellt", "ist eingetragen"});

inline constexpr auto kFunctionWords = list({
    "uhr", "frage", "thank", "welcome", "you'll", "it'll", "yes", "no", "and", "pm", "a",
    "about", "after", "all", "am", "an", "any", "anything", "are", "as", "at", "be", "because",
    "been", "before", "best", "both", "but", "by", "can", "could", "did", "do", "does", "don't",
    "each", "else", "every", "everything", "first", "for", "from", "good", "had", "has", "have",
    "he", "her", "here", "here's", "his", "how", "however", "i", "i'd", "i'll", "i'm", "i've",
    "if", "in", "instead", "into", "is", "isn't", "it", "it's", "its", "just", "know", "last",
    "let", "let's", "like", "looking", "may", "maybe", "me", "might", "more", "most", "much",
    "must", "my", "need", "never", "next", "not", "note", "now", "of", "on", "once", "one",
    "only", "or", "other", "our", "out", "over", "please", "rather", "same", "second", "shall",
    "she", "should", "since", "some", "something", "sorry", "still", "such", "take", "than",
    "that", "that's", "the", "their", "them", "there", "there's", "these", "they", "they're",
    "thing", "things", "this", "those", "to", "today", "tomorrow", "too", "two", "try", "under",
    "unfortunately", "until", "use", "using", "very", "want", "was", "we", "we're", "were",
    "what", "what's", "when", "where", "which", "while", "who", "whose", "why", "will", "with",
    "without", "work", "would", "yesterday", "yet", "you", "you're", "your", "ab", "aber",
    "alle", "als", "auch", "auf", "aus", "bei", "beim", "bis", "bist", "brauche", "da", "damit",
    "dann", "das", "dass", "davon", "dazu", "dein", "deine", "dem", "den", "denn", "der", "des",
    "dich", "die", "dies", "diese", "dieser", "dieses", "dir", "doch", "dort", "du", "durch",
    "ein", "eine", "einem", "einen", "einer", "er", "es", "etwas", "euch", "für", "geht",
    "gibt", "habe", "haben", "hast", "hat", "heute", "hier", "ich", "ihr", "ihre", "im", "ist",
    "jede", "jeden", "jetzt", "kann", "kannst", "kein", "keine", "kosten", "könnte", "könntest",
    "leider", "lieber", "man", "mehr", "mein", "meine", "meinen", "meiner", "mich", "mir",
    "mit", "morgen", "muss", "möchte", "nach", "nehmen", "nicht", "nichts", "noch", "nur", "ob",
    "oder", "ohne", "schon", "sehr", "sein", "seine", "sich", "sie", "sind", "so", "soll",
    "sollte", "sonst", "um", "und", "uns", "unser", "unsere", "viel", "viele", "vom", "von",
    "vor", "wann", "war", "warum", "welche", "welcher", "welches", "wenn", "wer", "werde",
    "werden", "wie", "wir", "wird", "wo", "wurde", "zu", "zum", "zur", "zwei", "über"});
inline constexpr auto kGermanMarks = list({
    "ich", "und", "der", "die", "das", "ist", "nicht", "ein", "eine", "einen", "für", "mit",
    "auf", "wir", "sie", "bitte", "wie", "zu", "im", "den", "dem", "mir", "mich", "auch",
    "kannst", "noch", "habe", "oder", "wenn", "dir", "du", "dich", "am", "um", "von", "morgen",
    "heute", "ja", "nein", "lieber", "wann", "kostet", "gibt", "es", "wird", "hast", "soll",
    "danke", "erinnere", "ab"});

// --- names and numbers
inline constexpr auto kFileEndings = list({
    "bat", "c", "cc", "cfg", "conf", "cpp", "cs", "css", "csv", "doc", "docx", "env", "gif",
    "go", "gz", "h", "hpp", "htm", "html", "ini", "java", "jpeg", "jpg", "js", "json", "jsx",
    "kt", "log", "lua", "md", "mp3", "mp4", "ods", "odt", "pdf", "php", "png", "ppt", "pptx",
    "py", "rb", "rs", "rst", "sh", "sql", "svg", "swift", "tar", "tex", "toml", "ts", "tsx",
    "txt", "wav", "webp", "xls", "xlsx", "xml", "yaml", "yml", "zip"});
inline constexpr auto kDomains = list({
    "com", "org", "net", "de", "io", "dev", "app", "eu", "ai", "at", "ch", "fr", "uk"});
inline constexpr auto kUnits = list({
    "%", "€", "$", "£", "eur", "euro", "euros", "usd", "dollar", "dollars", "pounds", "chf",
    "km", "m", "cm", "mm", "miles", "kg", "g", "grams", "lbs", "l", "liter", "litre", "liters",
    "litres", "ml", "gb", "mb", "tb", "kb", "ms", "hours", "hour", "minutes", "min", "days",
    "nights", "night", "weeks", "months", "years", "people", "persons", "guests", "adults",
    "kids", "children", "rooms", "stars", "am", "pm", "kwh", "watt", "w", "inch", "inches",
    "°c", "uhr", "stunden", "minuten", "tage", "tagen", "nächte", "wochen", "monate", "jahre",
    "personen", "leute", "kinder", "zimmer", "grad", "stück", "quadratmeter", "qm", "m²"});
inline constexpr auto kMonths = list({
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december", "januar", "februar", "märz", "mai", "juni", "juli",
    "oktober", "dezember"});
inline constexpr auto kWeekdays = list({
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "montag",
    "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag", "sonnabend"});
inline constexpr auto kJoiners = list({
    "of", "de", "da", "do", "del", "della", "di", "la", "le", "van", "von", "den", "bin", "al",
    "&"});
// An article or the like: in German what follows is a noun, not yet a name.
inline constexpr auto kGermanArticles = list({
    "der", "die", "das", "dem", "den", "des", "ein", "eine", "einen", "einem", "einer", "eines",
    "kein", "keine", "keinen", "mein", "meine", "meinen", "meinem", "meiner", "dein", "deine",
    "deinen", "deiner", "unser", "unsere", "unseren", "unserer", "ihr", "ihre", "ihren", "sein",
    "seine", "seinen", "welche", "welcher", "welches", "welchen", "im", "am", "zum", "zur", "vom",
    "beim", "ins", "diese", "dieser", "diesen", "dieses", "jede", "jeden", "neue", "neuen", "neues",
    "als", "viel", "viele", "keiner", "ohne"});

// clang-format on

bool is_in(std::string_view word, List list);

}  // namespace rouse::summary::lists
