// The six policies of the seed, in their order:
//
//   explicit_reset  a reset phrase, while a session is active   -> new, hard boundary
//   no_session      nobody has spoken here, or nothing is left  -> new
//   closed          the newest session is closed                -> new
//   timeout         silence longer than the limit               -> new, soft boundary
//   drift           the subject changed (a model says so)       -> new, soft boundary
//   continue        otherwise                                   -> the same session
//
// To add one, write it in policies.cc and give it its place in policy_chain().
#pragma once

#include <memory>
#include <vector>

#include "session/resolver/policy.h"

namespace rouse {

using PolicyChain = std::vector<std::unique_ptr<const Policy>>;
PolicyChain policy_chain();

}  // namespace rouse
