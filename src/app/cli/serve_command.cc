#include <memory>

#include <CLI/CLI.hpp>

#include "app/cli/command.h"
#include "app/serve.h"

namespace rouse::cli {

void add_serve(CLI::App& root, Chosen& chosen) {
  struct Options {
    DataOption data;
    std::vector<std::string> listen;
    std::string config;
  };
  auto options = std::make_shared<Options>();
  CLI::App& command = add_command(
      root, "serve", "Start the server and print a link to sign in with.",
      {"rouse serve", "rouse serve --data /srv/rouse --listen 127.0.0.1:8080 --listen [::1]:8080"});
  add_data_option(command, options->data);
  command
      .add_option("--listen", options->listen,
                  "Where to listen, may be given several times; default 127.0.0.1:18888")
      ->type_name("HOST:PORT")
      ->expected(1)
      ->take_all();
  command
      .add_option("--config", options->config,
                  "Settings file; default rouse.yaml in the data folder")
      ->type_name("FILE");
  command.callback([options, &chosen] {
    chosen.run = [options]() -> int {
      const auto dir = options->data.dir();
      if (!dir) return report(dir.error());
      ServeOptions serve;
      serve.data_dir = *dir;
      serve.listen = options->listen;
      if (!options->config.empty()) serve.config_file = options->config;
      return run_server(serve);
    };
  });
}

}  // namespace rouse::cli
