#include "base/fault.h"

#ifdef ROUSE_FAULT_POINTS

#include <mutex>

namespace rouse {
namespace {
std::mutex g_mutex;  // the store's threads pass fault points too
FaultHook g_hook;
}  // namespace

void set_fault_hook(FaultHook hook) {
  const std::lock_guard lock(g_mutex);
  g_hook = std::move(hook);
}

void hit_fault_point(std::string_view point) {
  FaultHook hook;
  {
    const std::lock_guard lock(g_mutex);
    hook = g_hook;
  }
  if (hook) hook(point);
}

}  // namespace rouse
#endif
