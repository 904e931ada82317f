// How a command is shut in: bubblewrap with namespaces of its own for everything (users, processes,
// network, mounts, IPC, host name), no capabilities, no further user namespaces, an empty
// environment, a private /tmp, the system's programs read-only, and one folder it may write to.
// Nothing else of the machine is there: no home, no /etc but the few files programs need to run, no
// rouse data.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "tool/shell/child_process.h"

namespace rouse {

struct ShellSettings {
  bool sandbox = true;   // false only if it is written: commands then run as rouse itself does
  bool network = false;  // inside the sandbox
  Millis deadline = seconds(60);
  std::string bwrap = "/usr/bin/bwrap";
  friend bool operator==(const ShellSettings&, const ShellSettings&) = default;
};

struct ShellPlace {
  std::string root;    // the folder it may write to; real
  std::string folder;  // where it starts: root, or below it
  // rouse's data, where the root contains it: hidden.
  std::optional<std::string> hidden = {};
};

// Folders of the system can't be handed out for writing.
Result<void> check_shell_root(const std::string& root);

ChildSpec shell_child(const ShellSettings& settings, const ShellPlace& place,
                      const std::string& command);

}  // namespace rouse
