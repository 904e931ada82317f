// What a model is told, for the person it is told about: the prompt of a conversation's next turn,
// or of a turn that was. Within the caller's workspace only; a conversation is named as people meet
// it (conv_…, a key, an external id).
#pragma once

#include "agent/prompt/prompt_view.h"
#include "gateway/route.h"
#include "session/session_kernel.h"

namespace rouse {

class PromptRoutes {
 public:
  PromptRoutes(PromptPreview& preview, SessionKernel& kernel, Workspaces& workspaces)
      : preview_(preview), kernel_(kernel), workspaces_(workspaces) {}
  void add_to(RouteTable& table);

 private:
  Task<Result<PromptView>> of_conversation(Call& call);
  Task<Result<PromptView>> of_turn(Call& call);

  PromptPreview& preview_;
  SessionKernel& kernel_;
  Workspaces& workspaces_;
};

}  // namespace rouse
