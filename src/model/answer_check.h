// Makes an answer whole, as model.h promises, or says why it can't be: each tool call gets an id
// that nobody else has, a name is there, and its arguments are a JSON object. Providers and local
// servers send ids twice or not at all, no arguments where there are none, and half a document when
// they run into their output limit.
#pragma once

#include "base/random.h"
#include "model/provider.h"

namespace rouse {

TryResult check_answer(ModelAnswer answer, Random& random);

// The stream ended before its end marker.
TryFailure cut_off(const ModelAnswer& so_far);

}  // namespace rouse
