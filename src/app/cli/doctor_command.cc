#include <memory>

#include <CLI/CLI.hpp>

#include "app/cli/command.h"
#include "app/cli/doctor_checks.h"

namespace rouse::cli {
namespace {

struct DoctorOptions {
  ServerOption server;
  bool fix = false;
  bool json = false;
};

struct FindingView {
  std::string level, what;
  std::optional<std::string> to_do, fixed;
};
auto shape(const FindingView*) {
  return fields(field("level", &FindingView::level, ""), field("what", &FindingView::what, ""),
                field("to_do", &FindingView::to_do, ""), field("fixed", &FindingView::fixed, ""));
}
struct DoctorView {
  bool ok = true;
  std::vector<FindingView> findings;
};
auto shape(const DoctorView*) {
  return fields(field("ok", &DoctorView::ok, ""), field("findings", &DoctorView::findings, ""));
}

constexpr std::vector<Finding> (*kChecks[])(const Patient&) = {
    check_data_folder, check_private_files, check_token,         check_settings,
    check_models,      check_tls,           check_server,        check_store,
    check_disk,        check_web_app,       check_shell_sandbox, check_mcp_servers,
};

std::string_view word_for(Level level) {
  switch (level) {
    case Level::kFine:
      return "ok";
    case Level::kWarn:
      return "warn";
    case Level::kFail:
      return "fail";
  }
  return "fail";
}

FindingView treat(const Finding& finding, bool fix, bool& ok) {
  FindingView view{std::string(word_for(finding.level)), finding.what, {}, {}};
  if (finding.level == Level::kFine) return view;
  if (fix && finding.fix) {
    const auto done = finding.fix();
    if (done) {
      view.fixed = *done;
      return view;
    }
    view.what += fmt::format(" ({})", done.error().message);
  }
  view.to_do = finding.to_do;
  if (finding.level == Level::kFail) ok = false;
  return view;
}

void print_findings(const DoctorView& view, bool some_fixable) {
  for (const FindingView& one : view.findings) {
    fmt::print("{:<5} {}\n", one.level, one.what);
    if (one.fixed) fmt::print("      fixed: {}\n", *one.fixed);
    if (one.to_do) fmt::print("      to do: {}\n", *one.to_do);
  }
  if (some_fixable)
    fmt::print("\nNothing was changed. To mend what can be mended: rouse doctor --fix\n");
}

int run_doctor(const DoctorOptions& options) {
  const auto dir = options.server.data.dir();
  if (!dir) return report(dir.error());
  const Patient patient{*dir, options.server};
  DoctorView view;
  bool some_fixable = false;
  bool can_look = true;
  for (const auto check : kChecks) {
    for (const Finding& finding : check(patient)) {
      some_fixable = some_fixable || (finding.fix && !options.fix);
      // A folder that can't be entered looks empty: everything said about it would be wrong.
      if (check == check_data_folder && finding.level == Level::kFail && !finding.fix) {
        can_look = false;
      }
      view.findings.push_back(treat(finding, options.fix, view.ok));
    }
    if (!can_look) break;
  }
  if (options.json) {
    print_json(view);
  } else {
    print_findings(view, some_fixable);
  }
  return view.ok ? kOk : kFailed;
}

}  // namespace

void add_doctor(CLI::App& root, Chosen& chosen) {
  auto options = std::make_shared<DoctorOptions>();
  CLI::App& command = add_command(
      root, "doctor", "Look for anything that is wrong and say what to do; changes nothing.",
      {"rouse doctor", "rouse doctor --fix"});
  command.add_flag("--fix", options->fix, "Mend what can be mended, and list what was done");
  add_server_options(command, options->server);
  add_json_flag(command, options->json);
  command.callback([options, &chosen] { chosen.run = [options] { return run_doctor(*options); }; });
}

}  // namespace rouse::cli
