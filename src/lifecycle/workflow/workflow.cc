#include "lifecycle/workflow/workflow.h"

#include <algorithm>

#include <fmt/format.h>

namespace rouse {

bool Workflow::is_for(std::string_view source) const {
  return sources.empty() || std::ranges::find(sources, source) != sources.end();
}

const std::vector<WorkflowStep>* Workflow::steps(Trigger trigger) const {
  const auto found = triggers.find(trigger);
  return found == triggers.end() ? nullptr : &found->second;
}

std::string WorkflowProblem::str() const {
  return fmt::format("{}:{}:{}: {}", file, line, column, message);
}

// --- arguments ----------------------------------------------------------------------------------

const ActionArguments::Argument* ActionArguments::find(std::string_view name) const {
  const auto found = all_.find(name);
  return found == all_.end() ? nullptr : &found->second;
}

const boost::json::value* ActionArguments::value(std::string_view name) const {
  const Argument* found = find(name);
  return found == nullptr ? nullptr : &found->value;
}

std::string ActionArguments::text(std::string_view name, std::string_view otherwise) const {
  const auto* found = value(name);
  return std::string(found != nullptr && found->is_string() ? std::string_view(found->as_string())
                                                            : otherwise);
}

std::int64_t ActionArguments::number(std::string_view name, std::int64_t otherwise) const {
  const auto* found = value(name);
  return found != nullptr && found->is_int64() ? found->as_int64() : otherwise;
}

double ActionArguments::decimal(std::string_view name, double otherwise) const {
  const auto* found = value(name);
  return found != nullptr && found->is_number() ? found->to_number<double>() : otherwise;
}

bool ActionArguments::flag(std::string_view name, bool otherwise) const {
  const auto* found = value(name);
  return found != nullptr && found->is_bool() ? found->as_bool() : otherwise;
}

std::vector<std::string> ActionArguments::texts(std::string_view name) const {
  std::vector<std::string> out;
  const auto* found = value(name);
  if (found == nullptr || !found->is_array()) return out;
  for (const auto& one : found->as_array()) {
    if (one.is_string()) out.emplace_back(one.as_string());
  }
  return out;
}

const TextTemplate* ActionArguments::words(std::string_view name) const {
  const Argument* found = find(name);
  return found != nullptr && found->words ? &*found->words : nullptr;
}

const Expression* ActionArguments::when(std::string_view name) const {
  const Argument* found = find(name);
  return found != nullptr && found->when ? &*found->when : nullptr;
}

const CommandPattern* ActionArguments::pattern(std::string_view name) const {
  const Argument* found = find(name);
  return found != nullptr && found->pattern ? &*found->pattern : nullptr;
}

const std::vector<ActionArguments>& ActionArguments::items(std::string_view name) const {
  static const std::vector<ActionArguments> none;
  const Argument* found = find(name);
  return found == nullptr ? none : found->items;
}

}  // namespace rouse
