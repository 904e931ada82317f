#include "channel/notify/desktop_notifier.h"

#include <unistd.h>

#include <fmt/format.h>

#include "base/text.h"

namespace rouse {
namespace {

// Where the desktop is; the bus is found through the last one, too.
constexpr const char* kDesktopNames[] = {"DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY",
                                         "XAUTHORITY", "XDG_RUNTIME_DIR"};

// The body is read as markup by most desktops.
std::string plain_markup(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c != '\0') {
      out += c;
    }
  }
  return out;
}

}  // namespace

DesktopNotifier::DesktopNotifier(RunProgram run,
                                 const std::map<std::string, std::string>& environment,
                                 std::string program)
    : run_(std::move(run)), program_(std::move(program)) {
  for (const char* name : kDesktopNames) {
    const auto found = environment.find(name);
    if (found != environment.end()) environment_.push_back(found->first + "=" + found->second);
  }
}

Task<SendOutcome> DesktopNotifier::show(NotificationParcel parcel, std::stop_token stop) {
  if (::access(program_.c_str(), X_OK) != 0) {
    co_return SendOutcome::refused(
        "notify-send is not installed here; as root run: apt-get install libnotify-bin");
  }
  if (environment_.empty()) {
    co_return SendOutcome::refused(
        "rouse was started without a desktop (neither DISPLAY nor DBUS_SESSION_BUS_ADDRESS is "
        "set), so there is nothing to show a notification on");
  }
  const std::string_view subject = trim(parcel.subject);
  std::vector<std::string> command{
      program_,
      "--app-name=rouse",
      parcel.kind == "approval" ? "--urgency=critical" : "--urgency=normal",
      "--",
      std::string(subject.empty() ? std::string_view("rouse") : subject),
      plain_markup(parcel.text)};
  const auto problem = co_await run_(std::move(command), environment_, std::move(stop));
  if (!problem) co_return SendOutcome::not_yet(problem.error().message);
  if (problem->empty()) co_return SendOutcome::delivered({});
  co_return SendOutcome::not_yet(
      fmt::format("notify-send failed: {}", trim(utf8_prefix(*problem, 300))));
}

}  // namespace rouse
