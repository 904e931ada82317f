// Gives back what only the start needed. Reading the config, making the routes and opening the
// store walk through megabytes of code and constants that a server at rest never looks at again;
// the pages are clean copies of the program file, so the system reads back whatever is wanted after
// all.
#pragma once

namespace rouse {

void give_back_start_memory();

}  // namespace rouse
