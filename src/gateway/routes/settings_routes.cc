#include "gateway/routes/settings_routes.h"

namespace rouse {
namespace {

struct SettingBody {
  std::string key;
  boost::json::value value;
  std::string origin;
  bool pinned = false, needs_restart = false;
  std::string doc;
};
auto shape(const SettingBody*) {
  return fields(
      field("key", &SettingBody::key, "As in rouse.yaml"),
      field("value", &SettingBody::value, "In force now; secrets are masked"),
      field("origin", &SettingBody::origin, "Where the value comes from"),
      field("pinned", &SettingBody::pinned,
            "Set above the API's layer, so it can't be changed here"),
      field("needs_restart", &SettingBody::needs_restart, "A change counts from the next start"),
      field("doc", &SettingBody::doc, "What it does"));
}
struct SettingList {
  std::vector<SettingBody> items;
  std::optional<std::string> next_cursor;
};
auto shape(const SettingList*) {
  return fields(
      field("items", &SettingList::items, "Every setting"),
      field("next_cursor", &SettingList::next_cursor, "Always null: the list is whole").or_null());
}
using SettingChanges = std::map<std::string, boost::json::value>;

SettingList view_of(const SettingsSource& settings) {
  SettingList list;
  for (SettingView& view : settings.list()) {
    list.items.push_back({std::move(view.key), std::move(view.value), std::move(view.origin),
                          view.pinned, view.needs_restart, std::move(view.doc)});
  }
  return list;
}

}  // namespace

void SettingsRoutes::add_to(RouteTable& table) {
  table.add(
      answer<SettingList>({.pattern = "/api/settings",
                           .access = Access::kAdmin,
                           .summary = "Every setting and its origin",
                           .tag = "settings"},
                          [this](Call&) -> Result<SettingList> { return view_of(settings_); }));
  table.add(exchange<SettingChanges, SettingList>(
      {.method = "PATCH",
       .pattern = "/api/settings",
       .access = Access::kAdmin,
       .summary = "Change settings",
       .tag = "settings"},
      [this](Call&, SettingChanges changes) -> Result<SettingList> {
        TRY_VOID(settings_.set(changes));
        return view_of(settings_);
      }));
}

}  // namespace rouse
