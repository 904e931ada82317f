#include "app/cli/cli.h"

int main(int argc, char** argv) { return rouse::run_cli(argc, argv); }
