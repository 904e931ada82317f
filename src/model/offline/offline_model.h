// The embedded default model: without a key and without a network, rouse is useful on its first
// start. It is a deterministic assistant behind the same interface as every provider, with real
// tool calls and streamed text; the same request gives the same answer. It understands a set of
// phrases (understand.h), calls only tools that are on offer (act.h), and says plainly what it is,
// what it can't do and how to connect a real model (talk.h). It keeps nothing: all it knows of a
// conversation is in the request.
#pragma once

#include <memory>

#include "model/model.h"

namespace rouse {

std::unique_ptr<Model> make_offline_model();

}  // namespace rouse
