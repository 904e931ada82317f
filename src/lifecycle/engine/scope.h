// The values and functions that a workflow's expressions and templates can reach, and nothing else.
// Most are at hand; those that must be asked for (git) are gathered before, and only if the
// expression names them: gather() looks at Expression::uses().
//
// docs/workflows.md is made from vocabulary().
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lifecycle/engine/event.h"
#include "lifecycle/engine/hands.h"
#include "lifecycle/engine/variables.h"
#include "lifecycle/expression/expression.h"

namespace rouse {

struct ScopeName {
  std::string_view name, help;
};
// Values, and functions with their arguments: "is_tool_unlocked(server, tool)".
std::span<const ScopeName> scope_values();
std::span<const ScopeName> scope_functions();

// For strict loading: what a `when` may use, with the variables the workflow declares. `extra` are
// names that one action lends its template (skills_list …).
ExpressionVocabulary scope_vocabulary(const boost::json::object& variables,
                                      std::span<const std::string_view> extra = {});

class LifecycleScope final : public ExpressionScope {
 public:
  LifecycleScope(const LifecycleEvent& event, const SessionVariables& variables,
                 LifecycleHands& hands)
      : event_(event), variables_(variables), hands_(hands) {}

  // Afterwards what these uses name can be found. A fact that can't be had becomes an error when
  // it is asked for.
  Task<void> gather(const std::vector<ExpressionUse>& uses);
  // Is there anything to gather for them? Most often not, and nobody needs to wait.
  [[nodiscard]] bool lacks(const std::vector<ExpressionUse>& uses) const;
  // A name of its own for one template.
  void lend(std::string_view name, boost::json::value value);

  Result<const boost::json::value*> find(std::string_view name) override;
  Result<const boost::json::value*> find_part(std::string_view name, std::string_view key) override;
  Result<boost::json::value> call(std::string_view function,
                                  std::span<const boost::json::value* const> arguments) override;
  [[nodiscard]] std::vector<std::string_view> names() const override;

 private:
  using Fact = Result<boost::json::value>;
  [[nodiscard]] Fact value_of(std::string_view name) const;
  [[nodiscard]] Fact session() const;
  [[nodiscard]] Fact session_turns() const;
  [[nodiscard]] Fact project() const;
  [[nodiscard]] Fact project_git() const;
  [[nodiscard]] Fact turn_kind() const;
  [[nodiscard]] Fact task() const;
  [[nodiscard]] Fact task_has_commits() const;
  Task<Fact> dirty_files();
  [[nodiscard]] const LiveConversation* live() const;
  [[nodiscard]] Result<Conversation> conversation() const;
  [[nodiscard]] bool has_to_ask_for(const ExpressionUse& use) const;

  const LifecycleEvent& event_;
  const SessionVariables& variables_;
  LifecycleHands& hands_;
  std::map<std::string, Fact, std::less<>> known_;  // for this event
};

}  // namespace rouse
