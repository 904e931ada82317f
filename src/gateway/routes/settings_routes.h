// Settings over the API: each value with where it comes from, and changes to those that are free.
#pragma once

#include "gateway/route.h"
#include "gateway/settings_source.h"

namespace rouse {

class SettingsRoutes {
 public:
  explicit SettingsRoutes(SettingsSource& settings) : settings_(settings) {}
  void add_to(RouteTable& table);

 private:
  SettingsSource& settings_;
};

}  // namespace rouse
