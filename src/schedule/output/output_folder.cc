#include "schedule/output/output_folder.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/files.h"
#include "session/workspaces.h"
#include "tool/files/work_folder.h"

namespace rouse {
namespace {

Result<WorkFolder> folder_of(const std::string& data_dir, const OutputFile& file) {
  const bool owners = file.workspace == Workspaces::default_id();
  if (file.project_folder.empty()) {
    return WorkFolder(
        data_dir, owners ? data_dir + "/outputs"
                         : fmt::format("{}/workspaces/{}/outputs", data_dir, file.workspace.str()));
  }
  if (!owners) {
    return fail(Errc::kForbidden, "only the owner's automations write into a project's folder");
  }
  ToolCall call;
  call.workspace = file.workspace;
  call.project_folder = file.project_folder;
  return WorkFolder(data_dir, call);
}

}  // namespace

Result<void> write_output(const std::string& data_dir, const OutputFile& file) {
  TRY(const WorkFolder folder, folder_of(data_dir, file));
  TRY(const std::string path, normal_path(folder.root(), file.name));
  const std::string name = path.substr(path.rfind('/') + 1);
  if (name.empty()) return fail(Errc::kInvalid, "the output needs the name of a file");
  TRY(const OpenFile parent, folder.make_parent(path));
  // Through the open folder: whatever is renamed meanwhile, the file stands where it was meant to.
  auto written =
      write_file_atomic(fmt::format("/proc/self/fd/{}/{}", parent.get(), name), file.text, 0600);
  if (!written) {
    Error error = std::move(written).error();
    error.message = fmt::format(
        "cannot write the output '{}'{}", path,
        error.message.substr(std::min(error.message.rfind(": "), error.message.size())));
    return fail(std::move(error));
  }
  return {};
}

Task<Result<void>> OutputFolder::write(OutputFile file) {
  const auto written =
      co_await pool_.run<bool>([data_dir = data_dir_, file = std::move(file)]() -> Result<bool> {
        TRY_VOID(write_output(data_dir, file));
        return true;
      });
  if (!written) co_return std::unexpected(written.error());
  co_return Result<void>{};
}

}  // namespace rouse
