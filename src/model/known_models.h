// What is known about models by name: window, output limit, price. Settings win over it; it is a
// convenience that grows old, and a price that is not in it is unknown rather than guessed.
#pragma once

#include <string>
#include <string_view>

#include "model/model.h"
#include "model/model_book.h"

namespace rouse {

// The entry with the longest name that the model's name begins with, so dated ids are found too.
// Unknown models get a window of 32k and no price. Names as gateways write them
// ("anthropic/claude-sonnet-4.5") are understood.
ModelInfo known_model(std::string_view provider, std::string_view name, std::string_view base_url);

// The same, with what the settings say on top. `role` decides which model an entry without a name
// gets: "cheap" a small one, others a good one.
ModelInfo model_info(std::string_view role, const ModelSettings& settings);

// PDFs as they are: Anthropic's wire format has a block for them, and what sees pictures reads it.
bool takes_pdfs(const ModelInfo& info);

// "localhost", 127.0.0.0/8, ::1.
bool is_loopback_url(std::string_view url);

}  // namespace rouse
