// How people ask, agree, choose and promise, in English and German: lists of openings and words,
// and the questions asked of them. Rules of thumb, not grammar: a miss costs a detail of a summary,
// so each list prefers what is said often and rarely means something else. Sentences are clean
// lines (plain_text.h); case and apostrophes don't matter.
#pragma once

#include <string_view>

#include "session/summary/said.h"

namespace rouse::summary {

// --- a whole message ---------------------------------------------------------------------------
bool is_small_talk(const Said& message);  // greetings, thanks, "ok", emoji; says nothing new
bool says_yes(const Said& message);
bool says_no(const Said& message);
bool drops_the_matter(const Said& message);  // "never mind", "vergiss es"

// --- one sentence ------------------------------------------------------------------------------
bool is_question(const Said& sentence);
bool is_request(const Said& sentence);  // an order or a wish
bool is_choice(const Said& sentence);   // "let's go with …", "lieber …", "don't …"
// Leans on what was said before: "and its population?", "was kostet das?"
bool is_follow_up(const Said& sentence);
bool changes_subject(const Said& sentence);  // "another question: …"
bool asks_to_remember(const Said& sentence);

// --- one sentence of the assistant ---------------------------------------------------------------
bool is_courtesy(const Said& sentence);  // "Anything else?", "I'd be happy to help."
bool is_promise(const Said& sentence);   // "I'll check …"
bool is_evasive(const Said& sentence);   // "I don't know", "I need more …"
// What was done, without "I have": "booked Hotel Memmo". Empty if the sentence reports no act.
std::string_view act_in(const Said& sentence);

// --- words -------------------------------------------------------------------------------------
// Says nothing of the topic: articles, pronouns, auxiliaries, "please", …
bool is_function_word(std::string_view folded_word);
bool is_order_word(std::string_view folded_word);  // "book", "find", "schreibe"
bool looks_german(const Said& text);
// Do both speak of the same thing? A shared word of the topic, endings aside.
bool shares_topic(std::string_view a, std::string_view b);

}  // namespace rouse::summary
