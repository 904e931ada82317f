#include "base/log.h"

#include <algorithm>
#include <unistd.h>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"

namespace rouse {
namespace {

constexpr std::string_view level_name(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarn:
      return "warn";
    case LogLevel::kError:
      return "error";
    case LogLevel::kOff:
      break;
  }
  return "off";
}

// A value without spaces, quotes or control characters stands bare; everything else is quoted.
bool needs_quotes(std::string_view text) {
  return text.empty() || std::ranges::any_of(text, [](unsigned char c) {
           return c <= 0x20 || c == '"' || c == '=' || c == '\\' || c == 0x7F;
         });
}

std::string value_text(const LogField& field, const Redactor& redactor, bool json) {
  if (const auto* number = std::get_if<std::int64_t>(&field.value))
    return fmt::format("{}", *number);
  if (const auto* flag = std::get_if<bool>(&field.value)) return *flag ? "true" : "false";
  // Masked before it is cut: a secret across the cut would not be known by its rest.
  const std::string masked = redactor.redact(std::get<std::string>(field.value));
  std::string text(utf8_prefix(masked, limits::kLogFieldBytes));
  if (!is_utf8(text)) text = percent_encode(text);
  if (!json && !needs_quotes(text)) return text;
  return fmt::format("\"{}\"", json_escape(text));
}

}  // namespace

Log::Log(Now now, const Redactor& redactor, Sink sink)
    : now_(std::move(now)), redactor_(redactor), sink_(std::move(sink)) {}

Log::Sink Log::to_stderr() {
  return [](std::string_view line) {
    // One write a line, so that lines of several threads don't mix. A closed stderr is nobody's
    // loss.
    [[maybe_unused]] const ssize_t n = ::write(STDERR_FILENO, line.data(), line.size());
  };
}

void Log::put(LogLevel level, std::string_view event, Fields fields) const {
  if (level < level_) return;
  std::string line;
  if (json_) {
    line = fmt::format(R"({{"time":"{}","level":"{}","event":"{}")", to_iso(now_()),
                       level_name(level), event);
    for (const LogField& field : fields) {
      line += fmt::format(R"(,"{}":{})", field.key, value_text(field, redactor_, true));
    }
    line += '}';
  } else {
    line = fmt::format("{} {:<5} {}", to_iso(now_()), level_name(level), event);
    for (const LogField& field : fields) {
      line += fmt::format(" {}={}", field.key, value_text(field, redactor_, false));
    }
  }
  line = redactor_.redact(line);
  line += '\n';
  sink_(line);
}

}  // namespace rouse
