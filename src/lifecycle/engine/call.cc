#include "lifecycle/engine/call.h"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "base/text.h"

namespace rouse {

void set_variable(ActionCall& call, std::string_view name, boost::json::value value) {
  constexpr std::size_t kShownBytes = 120;
  const std::string shown(utf8_prefix(boost::json::serialize(value), kShownBytes));
  if (!call.variables.set(name, std::move(value))) return;
  if (!call.end.detail.empty()) call.end.detail += ", ";
  call.end.detail += fmt::format("{} = {}", name, shown);
}

Task<Result<std::string>> render(ActionCall& call, const TextTemplate& words) {
  co_await call.scope.gather(words.uses());
  co_return words.render(call.scope);
}

}  // namespace rouse
