#include "gateway/route.h"

#include <charconv>

#include <fmt/format.h>

#include "base/text.h"

namespace rouse {

std::optional<std::string> Call::query(std::string_view name) const {
  for (const std::string_view pair : split(head.query, '&')) {
    const std::size_t equals = pair.find('=');
    if (pair.substr(0, equals) != name) continue;
    std::string value(equals == std::string_view::npos ? std::string_view{}
                                                       : pair.substr(equals + 1));
    for (char& c : value) {
      if (c == '+') c = ' ';
    }
    return percent_decode(value);
  }
  return std::nullopt;
}

Result<std::size_t> Call::limit() const {
  const auto text = query("limit");
  if (!text) return limits::kPageItemsDefault;
  std::size_t value = 0;
  const auto read = std::from_chars(text->data(), text->data() + text->size(), value);
  if (read.ec != std::errc() || read.ptr != text->data() + text->size() || value < 1 ||
      value > limits::kPageItems) {
    return fail(Errc::kInvalid, fmt::format("'limit' must be a whole number from 1 to {}, not '{}'",
                                            limits::kPageItems, utf8_prefix(*text, 40)));
  }
  return value;
}

void RouteTable::add(Route route) {
  const Route* added = routes_.emplace_back(std::make_unique<Route>(std::move(route))).get();
  Node* node = &root_;
  for (const std::string_view step : split(std::string_view(added->info.pattern).substr(1), '/')) {
    auto& next = step.starts_with('{') ? node->parameter : node->fixed[std::string(step)];
    if (!next) next = std::make_unique<Node>();
    node = next.get();
  }
  node->by_method[added->info.method] = added;
}

RouteTable::Match RouteTable::find(std::string_view method, std::string_view path) const {
  Match match;
  const Node* node = &root_;
  if (!path.starts_with('/')) return match;
  path.remove_prefix(1);
  while (node != nullptr) {
    const std::size_t slash = path.find('/');
    const std::string_view step = path.substr(0, slash);
    if (const auto it = node->fixed.find(step); it != node->fixed.end()) {
      node = it->second.get();
    } else if (node->parameter && !step.empty()) {
      auto decoded = percent_decode(step);
      if (!decoded) return match;
      match.parameters.push_back(std::move(*decoded));
      node = node->parameter.get();
    } else {
      node = nullptr;
    }
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }
  if (node == nullptr) return match;
  auto it = node->by_method.find(method);
  if (it == node->by_method.end() && method == "HEAD") {
    it = node->by_method.find("GET");
    if (it != node->by_method.end() && !it->second->info.answers_head) it = node->by_method.end();
  }
  if (it != node->by_method.end()) {
    match.route = it->second;
    return match;
  }
  for (const auto& [name, route] : node->by_method) {
    match.allowed += match.allowed.empty() ? name : ", " + name;
  }
  return match;
}

std::vector<const Route*> RouteTable::all() const {
  std::vector<const Route*> out;
  for (const auto& route : routes_) out.push_back(route.get());
  return out;
}

}  // namespace rouse
