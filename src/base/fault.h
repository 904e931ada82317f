// FAULT_POINT("store.after_commit"): a named place where a test can make the world go wrong. In a
// release build it is nothing at all. Elsewhere it asks the hook the test installed; the hook may
// throw, record, or return an error to simulate.
#pragma once

#ifdef ROUSE_FAULT_POINTS

#include <functional>
#include <string_view>

namespace rouse {

using FaultHook = std::function<void(std::string_view point)>;
void set_fault_hook(FaultHook hook);  // tests only; empty removes it
void hit_fault_point(std::string_view point);

}  // namespace rouse

#define FAULT_POINT(name) ::rouse::hit_fault_point(name)
#else
#define FAULT_POINT(name) ((void)0)
#endif
