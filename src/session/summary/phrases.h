// How people ask, agree, choose and promise, in English and German: lists of openings and words,
// and the questions asked of them. Rules of thumb, not grammar: a miss costs a detail of a summary,
// so each list prefers what is said often and rarely means something else. Sentences are clean
// lines (plain_text.h); case and apostrophes don't matter.
#pragma once

#include <string>
#include <string_view>

namespace rouse::summary {

// --- a whole message ---------------------------------------------------------------------------
bool is_small_talk(std::string_view message);  // greetings, thanks, "ok", emoji; says nothing new
bool says_yes(std::string_view message);
bool says_no(std::string_view message);
bool drops_the_matter(std::string_view message);  // "never mind", "vergiss es"

// --- one sentence ------------------------------------------------------------------------------
bool is_question(std::string_view sentence);
bool is_request(std::string_view sentence);  // an order or a wish
bool is_choice(std::string_view sentence);   // "let's go with …", "lieber …", "don't …"
// Leans on what was said before: "and its population?", "was kostet das?"
bool is_follow_up(std::string_view sentence);
bool changes_subject(std::string_view sentence);  // "another question: …"
bool asks_to_remember(std::string_view sentence);

// --- one sentence of the assistant ---------------------------------------------------------------
bool is_courtesy(std::string_view sentence);  // "Anything else?", "I'd be happy to help."
bool is_promise(std::string_view sentence);   // "I'll check …"
bool is_evasive(std::string_view sentence);   // "I don't know", "I need more …"
// What was done, without "I have": "booked Hotel Memmo". Empty if the sentence reports no act.
std::string act_in(std::string_view sentence);

// --- words -------------------------------------------------------------------------------------
// Says nothing of the topic: articles, pronouns, auxiliaries, "please", …
bool is_function_word(std::string_view folded_word);
bool is_order_word(std::string_view folded_word);  // "book", "find", "schreibe"
bool looks_german(std::string_view text);
// The sentence without "Hi," or "ok so" before what it says.
std::string without_opening(std::string_view sentence);
// Do both speak of the same thing? A shared word of the topic, endings aside.
bool shares_topic(std::string_view a, std::string_view b);

}  // namespace rouse::summary
