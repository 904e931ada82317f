// What rouse.yaml says about tools, in the words of the tools.
#pragma once

#include "app/config.h"
#include "tool/approval/tool_policy.h"
#include "tool/fetch/http_fetch.h"
#include "tool/shell/sandbox.h"

namespace rouse {

ShellSettings shell_settings(const Config& config);
FetchSettings fetch_settings(const Config& config);
PolicySettings policy_settings(const Config& config);

}  // namespace rouse
