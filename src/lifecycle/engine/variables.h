// The variables of a session: what its workflows declare, with what was set since. Only what was
// set is stored, so a default that is changed in a file reaches sessions that never set it.
//
// Copies share what they hold until one of them changes it: most steps that get a copy, and most
// writes that remember what was stored, change nothing.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace rouse {

using StoredVariables = std::shared_ptr<const boost::json::value>;  // an object

inline bool same_variables(const StoredVariables& a, const StoredVariables& b) {
  return a == b || *a == *b;
}

class SessionVariables {
 public:
  SessionVariables() : SessionVariables(boost::json::object()) {}
  explicit SessionVariables(boost::json::object stored)
      : set_(std::make_shared<boost::json::value>(std::move(stored))), all_(set_) {}

  // The first time that defaults of this version are asked about, since those of another? It goes
  // along with a copy, as the defaults do.
  bool is_new(std::size_t version_of_defaults) {
    return std::exchange(defaults_at_, version_of_defaults) != version_of_defaults;
  }
  // Values of those that were never set.
  void use_defaults(const boost::json::object& defaults) {
    boost::json::object& all = own(all_);
    for (const auto& [name, value] : defaults) {
      if (!set_->get_object().contains(name)) all[name] = value;
    }
  }

  [[nodiscard]] const boost::json::object& all() const { return all_->get_object(); }
  // The same as a value, which stays where it is until something changes.
  [[nodiscard]] const boost::json::value& value() const { return *all_; }
  [[nodiscard]] StoredVariables stored() const { return set_; }
  [[nodiscard]] const boost::json::value* find(std::string_view name) const {
    return all().if_contains(name);
  }
  [[nodiscard]] bool is(std::string_view name) const {
    const auto* value = find(name);
    return value != nullptr && value->is_bool() && value->as_bool();
  }
  [[nodiscard]] std::int64_t number(std::string_view name) const {
    const auto* value = find(name);
    return value != nullptr && value->is_int64() ? value->as_int64() : 0;
  }
  [[nodiscard]] std::string text(std::string_view name) const {
    const auto* value = find(name);
    return value != nullptr && value->is_string() ? std::string(value->as_string()) : std::string();
  }

  // Did it change anything?
  bool set(std::string_view name, boost::json::value value) {
    if (const auto* now = find(name); now != nullptr && *now == value) return false;
    own(all_)[name] = value;
    own(set_)[name] = std::move(value);
    return true;
  }
  // A text at the end of a list, unless it is in it.
  bool add(std::string_view name, std::string_view item) {
    boost::json::array list;
    if (const auto* now = find(name); now != nullptr && now->is_array()) list = now->as_array();
    for (const auto& one : list) {
      if (one.is_string() && std::string_view(one.as_string()) == item) return false;
    }
    list.emplace_back(item);
    return set(name, std::move(list));
  }
  [[nodiscard]] bool has(std::string_view name, std::string_view item) const {
    const auto* now = find(name);
    if (now == nullptr || !now->is_array()) return false;
    for (const auto& one : now->as_array()) {
      if (one.is_string() && std::string_view(one.as_string()) == item) return true;
    }
    return false;
  }

 private:
  // Of this one alone, to be changed.
  static boost::json::object& own(std::shared_ptr<boost::json::value>& shared) {
    if (shared.use_count() > 1) shared = std::make_shared<boost::json::value>(*shared);
    return shared->get_object();
  }

  std::shared_ptr<boost::json::value> set_, all_;  // objects
  std::size_t defaults_at_ = 0;
};

}  // namespace rouse
