// Structured lines on stderr: time, level, event, then key=value fields, or JSON lines when asked
// for.
//
//   log.info("http.listening", {{"address", "127.0.0.1:18888"}});
//   2026-11-15T04:40:00.000Z info  http.listening address=127.0.0.1:18888
//
// Every line passes the redactor as a whole. A Log is handed in, never global.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

#include "base/error.h"
#include "base/redact.h"
#include "base/time.h"

namespace rouse {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarn, kError, kOff };

struct LogField {
  std::string_view key;
  std::variant<std::string, std::int64_t, bool> value;

  LogField(std::string_view k, std::string v) : key(k), value(std::move(v)) {}
  LogField(std::string_view k, std::string_view v) : key(k), value(std::string(v)) {}
  LogField(std::string_view k, const char* v) : key(k), value(std::string(v)) {}
  LogField(std::string_view k, bool v) : key(k), value(v) {}
  template <std::integral N>
  LogField(std::string_view k, N v) : key(k), value(static_cast<std::int64_t>(v)) {}
};

class Log {
 public:
  using Now = std::function<WallTime()>;
  using Sink = std::function<void(std::string_view line)>;  // one whole line, '\n' included

  Log(Now now, const Redactor& redactor, Sink sink);
  static Sink to_stderr();

  void set_level(LogLevel level) { level_ = level; }
  void set_json(bool json) { json_ = json; }
  [[nodiscard]] bool enabled(LogLevel level) const { return level >= level_; }

  using Fields = std::initializer_list<LogField>;
  void debug(std::string_view event, Fields fields = {}) const {
    put(LogLevel::kDebug, event, fields);
  }
  void info(std::string_view event, Fields fields = {}) const {
    put(LogLevel::kInfo, event, fields);
  }
  void warn(std::string_view event, Fields fields = {}) const {
    put(LogLevel::kWarn, event, fields);
  }
  void error(std::string_view event, Fields fields = {}) const {
    put(LogLevel::kError, event, fields);
  }

 private:
  void put(LogLevel level, std::string_view event, Fields fields) const;

  Now now_;
  const Redactor& redactor_;
  Sink sink_;
  LogLevel level_ = LogLevel::kInfo;
  bool json_ = false;
};

}  // namespace rouse
