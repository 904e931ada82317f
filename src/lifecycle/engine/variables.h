// The variables of a session: what its workflows declare, with what was set since. Only what was
// set is stored, so a default that is changed in a file reaches sessions that never set it.
#pragma once

#include <string>
#include <string_view>

#include <boost/json/object.hpp>

namespace rouse {

class SessionVariables {
 public:
  SessionVariables() = default;
  explicit SessionVariables(boost::json::object stored) : set_(stored), all_(std::move(stored)) {}

  // Values of those that were never set.
  void use_defaults(const boost::json::object& defaults) {
    for (const auto& [name, value] : defaults) {
      if (!set_.contains(name)) all_[name] = value;
    }
  }

  [[nodiscard]] const boost::json::object& all() const { return all_; }
  [[nodiscard]] const boost::json::object& stored() const { return set_; }
  [[nodiscard]] const boost::json::value* find(std::string_view name) const {
    return all_.if_contains(name);
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
    all_[name] = value;
    set_[name] = std::move(value);
    ++changes_;
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

  [[nodiscard]] std::size_t changes() const { return changes_; }

 private:
  boost::json::object set_, all_;
  std::size_t changes_ = 0;
};

}  // namespace rouse
