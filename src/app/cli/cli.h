// The command line of rouse.
#pragma once

namespace rouse {

int run_cli(int argc, char** argv);

}  // namespace rouse
