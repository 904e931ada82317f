#include <memory>

#include <CLI/CLI.hpp>
#include <boost/json/serialize.hpp>

#include "app/cli/command.h"
#include "app/config_keeper.h"
#include "base/files.h"

namespace rouse::cli {
namespace {

struct ProblemView {
  std::string where, message;
  std::optional<std::int64_t> line, column;
};
auto shape(const ProblemView*) {
  return fields(field("where", &ProblemView::where, ""),
                field("message", &ProblemView::message, ""), field("line", &ProblemView::line, ""),
                field("column", &ProblemView::column, ""));
}
struct CheckView {
  bool ok = true;
  std::string file;
  std::vector<ProblemView> errors, warnings;
};
auto shape(const CheckView*) {
  return fields(field("ok", &CheckView::ok, ""), field("file", &CheckView::file, ""),
                field("errors", &CheckView::errors, ""),
                field("warnings", &CheckView::warnings, ""));
}
struct SettingOut {
  std::string key;
  boost::json::value value;
  std::string origin;
};
auto shape(const SettingOut*) {
  return fields(field("key", &SettingOut::key, ""), field("value", &SettingOut::value, ""),
                field("origin", &SettingOut::origin, ""));
}
struct ShowView {
  std::vector<SettingOut> items;
};
auto shape(const ShowView*) { return fields(field("items", &ShowView::items, "")); }

struct ConfigOptions {
  DataOption data;
  std::string file;
  bool json = false;
};

Result<ConfigPlace> place_of(const ConfigOptions& options) {
  ConfigPlace place;
  TRY(place.data_dir, options.data.dir());
  if (!options.file.empty()) place.config_file = options.file;
  place.environment = process_environment();
  return place;
}

ProblemView view_of(const ConfigProblem& problem) {
  ProblemView view{problem.where, problem.message, {}, {}};
  if (problem.line > 0) {
    view.line = problem.line;
    view.column = problem.column;
  }
  return view;
}

// The very load a start would make, so that "ok" here means a start (UX-4).
Result<CheckView> check(const ConfigPlace& place) {
  TRY(const ConfigSources sources, read_sources(place));
  const ConfigLoad load = load_config(sources);
  CheckView view;
  view.ok = load.ok();
  view.file = place.yaml_path();
  for (const ConfigProblem& error : load.errors) view.errors.push_back(view_of(error));
  for (const ConfigProblem& warning : load.warnings) view.warnings.push_back(view_of(warning));
  if (!load.ok()) return view;
  TRY(const auto keeper, ConfigKeeper::open(place));
  const std::vector<std::string> notices = keeper->notices();  // warnings first, then secrets
  for (std::size_t i = load.warnings.size(); i < notices.size(); ++i) {
    view.warnings.push_back({"secrets", notices[i], {}, {}});
  }
  return view;
}

int run_check(const ConfigOptions& options) {
  const auto place = place_of(options);
  if (!place) return report(place.error());
  const auto view = check(*place);
  if (!view) return report(view.error());
  const int code = view->ok ? kOk : kFailed;
  if (options.json) {
    print_json(*view);
    return code;
  }
  for (const ProblemView& one : view->errors) fmt::print("error: {}: {}\n", one.where, one.message);
  for (const ProblemView& one : view->warnings) {
    fmt::print("warning: {}: {}\n", one.where, one.message);
  }
  if (!view->ok) return code;
  if (path_exists(view->file)) {
    fmt::print("ok: {} is valid\n", view->file);
  } else {
    fmt::print("ok: there is no {}, so the defaults apply\n", view->file);
  }
  return code;
}

std::string value_text(const boost::json::value& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return std::string(value.get_string());
  return boost::json::serialize(value);
}

int run_show(const ConfigOptions& options) {
  const auto place = place_of(options);
  if (!place) return report(place.error());
  const auto sources = read_sources(*place);
  if (!sources) return report(sources.error());
  const ConfigLoad load = load_config(*sources);
  if (!load.ok()) return report(Error(Errc::kInvalid, load.error_text()));
  ShowView view;
  std::vector<std::vector<std::string>> rows{{"KEY", "VALUE", "FROM"}};
  for (const EffectiveSetting& one : load.settings) {
    const boost::json::value shown = shown_value(*one.row, one.value);
    rows.push_back({std::string(one.row->key), value_text(shown), one.origin.text});
    view.items.push_back({std::string(one.row->key), shown, one.origin.text});
  }
  // Keys are not settings, but whoever looks for one wants to know where it is from.
  const ModelSetup models = model_setup(load.config, place->environment, place->data_dir);
  for (const auto& [name, origin] : models.key_origins) {
    const std::string key = fmt::format("models.{}.api_key", name);
    rows.push_back({key, "(hidden)", origin});
    view.items.push_back({key, "(hidden)", origin});
  }
  if (options.json) return print_json(view);
  fmt::print("{}", to_table(rows));
  for (const ConfigProblem& warning : load.warnings)
    fmt::print(stderr, "warning: {}\n", warning.str());
  return kOk;
}

int run_docs(const ConfigOptions&) {
  fmt::print("{}", config_docs());
  return kOk;
}

}  // namespace

void add_config(CLI::App& root, Chosen& chosen) {
  auto options = std::make_shared<ConfigOptions>();
  CLI::App& config = add_command(root, "config", "Check and show the settings.",
                                 {"rouse config check", "rouse config show"});
  config.require_subcommand(1);
  const auto on = [&](CLI::App& command, int (*run)(const ConfigOptions&)) {
    command.callback(
        [options, run, &chosen] { chosen.run = [options, run] { return run(*options); }; });
  };

  CLI::App& check_command =
      add_command(config, "check", "Say whether the settings are good, exactly as a start would.",
                  {"rouse config check", "rouse config check ./new.yaml"});
  check_command.add_option("FILE", options->file, "Default: rouse.yaml in the data folder");
  add_data_option(check_command, options->data);
  add_json_flag(check_command, options->json);
  on(check_command, run_check);

  CLI::App& show =
      add_command(config, "show", "Print every setting, its value and where it is from.",
                  {"rouse config show", "rouse config show --json"});
  show.add_option("--config", options->file, "Settings file; default rouse.yaml in the data folder")
      ->type_name("FILE");
  add_data_option(show, options->data);
  add_json_flag(show, options->json);
  on(show, run_show);

  CLI::App& docs =
      add_command(config, "docs", "Print the page about all settings (docs/config.md).",
                  {"rouse config docs > docs/config.md"});
  on(docs, run_docs);
}

}  // namespace rouse::cli
