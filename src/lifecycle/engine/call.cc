#include "lifecycle/engine/call.h"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "base/text.h"

namespace rouse {

void set_variable(ActionCall& call, std::string_view name, boost::json::value value) {
  constexpr std::size_t kShownBytes = 120;
  if (!call.variables.set(name, std::move(value))) return;
  const std::string now = boost::json::serialize(*call.variables.find(name));
  if (!call.end.detail.empty()) call.end.detail += ", ";
  call.end.detail += fmt::format("{} = {}", name, utf8_prefix(now, kShownBytes));
}

Task<Result<std::string>> render(ActionCall& call, const TextTemplate& words) {
  if (call.scope.lacks(words.uses())) co_await call.scope.gather(words.uses());
  co_return words.render(call.scope);
}

}  // namespace rouse
