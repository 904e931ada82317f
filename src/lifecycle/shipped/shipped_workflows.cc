// rouse's own workflows, as the files beside this one, in the program.
#include "lifecycle/workflow/workflow_book.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

namespace rouse {
namespace {

constexpr char kHeadless[] = {
#embed "headless-lifecycle.yaml"
};
constexpr char kSession[] = {
#embed "session-lifecycle.yaml"
};

}  // namespace

const std::vector<WorkflowFile>& shipped_workflows() {
  static const std::vector<WorkflowFile> all{
      {"headless-lifecycle.yaml", std::string(kHeadless, sizeof(kHeadless))},
      {"session-lifecycle.yaml", std::string(kSession, sizeof(kSession))}};
  return all;
}

}  // namespace rouse
