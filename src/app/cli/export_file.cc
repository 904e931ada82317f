#include "app/cli/export_file.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>

#include "app/cli/part_file.h"
#include "base/text.h"

namespace rouse::cli {
namespace {

struct EndLine {
  std::string type;
};
auto shape(const EndLine*) { return fields(field("type", &EndLine::type, "")); }

// The last line of a stream; the line that ends an export is short.
class Tail {
 public:
  void add(std::string_view chunk) {
    kept_ += chunk.substr(chunk.size() - std::min(chunk.size(), kBytes));
    if (kept_.size() > kBytes) kept_.erase(0, kept_.size() - kBytes);
  }
  [[nodiscard]] std::string_view last_line() const {
    const std::string_view text = trim(kept_);
    const std::size_t start = text.rfind('\n');
    return start == std::string_view::npos ? text : text.substr(start + 1);
  }

 private:
  static constexpr std::size_t kBytes = 4096;
  std::string kept_;
};

Result<void> check_end(const ExportOptions& options, const Tail& tail) {
  if (options.format != "jsonl") return {};  // its end is the end of the stream
  const auto end = decode_json<EndLine>(tail.last_line());
  if (end && end->type == "end") return {};
  return fail(Errc::kIo, "the export broke off before its end; try again");
}

Result<void> to_stream(std::FILE* stream, std::string_view chunk) {
  if (std::fwrite(chunk.data(), 1, chunk.size(), stream) == chunk.size()) return {};
  return fail(Errc::kIo, stream == stdout ? "cannot write to standard output"
                                          : os_error("cannot write", errno).message);
}

// Where a name leads: the file behind a link is replaced, not the link.
std::string real_path(const std::string& name) {
  std::error_code ec;
  const auto place = std::filesystem::weakly_canonical(absolute_path(name), ec);
  return ec ? absolute_path(name) : place.string();
}

bool is_other_than_file(const std::string& path) {
  std::error_code ec;
  const auto status = std::filesystem::status(path, ec);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

}  // namespace

void add_export_options(CLI::App& command, ExportOptions& options) {
  command
      .add_option("--format", options.format,
                  "jsonl, with everything, for programs; or markdown, to read; default jsonl")
      ->check(CLI::IsMember({"jsonl", "markdown"}).description(""))
      ->type_name("jsonl|markdown");
  command.add_option("-o,--output", options.output, "Write to this file; default standard output")
      ->type_name("FILE");
}

Result<void> run_export(ApiClient& api, const std::string& path, const ExportOptions& options) {
  const bool has_query = path.find('?') != std::string::npos;
  const std::string target =
      fmt::format("{}{}format={}", path, has_query ? "&" : "?", options.format);
  Tail tail;
  std::optional<PartFile> file;
  std::FILE* device = nullptr;  // a pipe or a device is written to, never replaced
  if (!options.output.empty()) {
    const std::string place = real_path(options.output);
    if (is_other_than_file(place)) {
      device = std::fopen(place.c_str(), "w");
      if (device == nullptr) return fail(os_error(fmt::format("cannot open {}", place), errno));
    } else {
      TRY(PartFile created, PartFile::create(place));
      file.emplace(std::move(created));
    }
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> closes(device, std::fclose);
  bool began = false;
  const auto loaded = api.download(
      target, "", [&](std::string_view) { began = true; },
      [&](std::string_view chunk) -> Result<void> {
        tail.add(chunk);
        return file ? file->write(chunk) : to_stream(device != nullptr ? device : stdout, chunk);
      });
  if (!loaded && began) return fail(wrap("the export broke off", loaded.error()));
  if (!loaded) return std::unexpected(loaded.error());
  TRY_VOID(check_end(options, tail));
  if (device != nullptr && std::fflush(device) != 0) {
    return fail(os_error(fmt::format("cannot write {}", options.output), errno));
  }
  if (!file) return {};
  TRY_VOID(file->publish());
  fmt::print("saved {} ({} bytes)\n", absolute_path(options.output), file->bytes());
  return {};
}

}  // namespace rouse::cli
