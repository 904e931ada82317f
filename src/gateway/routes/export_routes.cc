#include "gateway/routes/export_routes.h"

#include <stdexcept>

#include "base/text.h"
#include "gateway/routes/asked_workspace.h"

namespace rouse {
namespace {

constexpr std::size_t kSlugBytes = 40;

Result<ExportFormat> format_of(const Call& call) {
  const std::string name = call.query("format").value_or("jsonl");
  if (name == "jsonl") return ExportFormat::kJsonl;
  if (name == "markdown") return ExportFormat::kMarkdown;
  return fail(Errc::kInvalid,
              fmt::format("'format' must be jsonl or markdown, not '{}'", utf8_prefix(name, 40)));
}

Response download(ExportFormat format, std::string_view name) {
  const bool is_jsonl = format == ExportFormat::kJsonl;
  Response response;
  response.headers = {
      {"Content-Type", is_jsonl ? "application/jsonl" : "text/markdown; charset=utf-8"},
      {"Content-Disposition",
       fmt::format("attachment; filename=\"{}.{}\"", name, is_jsonl ? "jsonl" : "md")},
      {"Cache-Control", "no-store"},
      {"X-Content-Type-Options", "nosniff"}};
  return response;
}

Task<Result<void>> pass_on(ResponseStream& out, std::string piece, bool& gone) {
  auto written = co_await out.write(std::move(piece));
  gone = gone || !written;
  co_return written;
}

// Begins with begin(out), which is called once the stream is there.
using Begin = std::function<Task<Result<void>>(TranscriptExport::Out)>;
Task<void> send(Begin begin, ResponseStream& out) {
  bool gone = false;
  const auto sent = co_await begin(
      [&out, &gone](std::string piece) { return pass_on(out, std::move(piece), gone); });
  // Thrown, so that the answer ends without its last chunk.
  if (!sent && !gone) throw std::runtime_error("an export broke off: " + sent.error().message);
}

}  // namespace

std::string file_slug(std::string_view title) {
  std::string out;
  for (const char c : lower_ascii(title)) {
    if (out.size() >= kSlugBytes) break;
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      out += c;
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  if (out.ends_with('-')) out.pop_back();
  return out;
}

void ExportRoutes::add_to(RouteTable& table) {
  const QueryParameter format{"format", "jsonl (default) or markdown"};
  table.add(answer<Response>({.pattern = "/api/conversations/{id}/export",
                              .summary = "All that was said in a conversation, as a file",
                              .tag = "conversations",
                              .query = {format, workspace_parameter()},
                              .produces = "application/jsonl"},
                             [this](Call& call) { return conversation(call); }));
  table.add(answer<Response>({.pattern = "/api/export",
                              .summary = "All conversations of a workspace, as a file",
                              .tag = "conversations",
                              .query = {format, workspace_parameter()},
                              .produces = "application/jsonl"},
                             [this](Call& call) { return workspace(call); }));
}

Result<Response> ExportRoutes::conversation(Call& call) {
  TRY(const ExportFormat format, format_of(call));
  TRY(const auto workspace, asked_workspace(call, workspaces_));
  TRY(auto found, kernel_.conversations().find_by_name(workspace, call.parameters.at(0)));
  const std::string slug = file_slug(found.title);
  Response response =
      download(format, fmt::format("{}{}{}", slug, slug.empty() ? "" : "-", found.id.str()));
  response.stream = [this, found = std::move(found), format](ResponseStream& out) {
    return send(
        [this, found, format](TranscriptExport::Out to) {
          return exports_.conversation(found, format, std::move(to));
        },
        out);
  };
  return response;
}

Result<Response> ExportRoutes::workspace(Call& call) {
  TRY(const ExportFormat format, format_of(call));
  TRY(auto id, asked_workspace(call, workspaces_));
  TRY_VOID(workspaces_.get(id));
  Response response = download(format, fmt::format("rouse-{}", id.str()));
  response.stream = [this, id = std::move(id), format](ResponseStream& out) {
    return send(
        [this, id, format](TranscriptExport::Out to) {
          return exports_.workspace(id, format, std::move(to));
        },
        out);
  };
  return response;
}

}  // namespace rouse
