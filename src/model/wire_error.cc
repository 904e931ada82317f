#include "model/wire_error.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <absl/time/time.h>
#include <fmt/format.h>

#include "base/text.h"
#include "model/utf8_text.h"
#include "model/wire_json.h"

namespace rouse {
namespace json = boost::json;
namespace {

std::string as_text(const json::value& object, std::string_view name) {
  const json::value* found = wire::member_of(object, name);
  if (found == nullptr) return {};
  if (const auto* number = found->if_int64()) return std::to_string(*number);
  return std::string(wire::text_of(object, name));
}

bool has(std::string_view text, std::string_view words) {
  return text.find(words) != std::string_view::npos;
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return has(text, word); });
}

bool is_about_size(const WireError& error) {
  if (has_any(error.code + " " + error.type,
              {"context_length_exceeded", "exceed_context_size", "context_window_exceeded"})) {
    return true;
  }
  return has_any(lower_ascii(error.message),
                 {"prompt is too long", "maximum context length", "context length", "context size",
                  "context window", "exceed context limit", "input is too long"});
}

bool is_about_money(const WireError& error) {
  if (has_any(error.code + " " + error.type, {"insufficient_quota", "billing"})) return true;
  return has_any(lower_ascii(error.message), {"credit balance is too low", "insufficient credits"});
}

ModelErrc code_of(int status, const WireError& error) {
  const bool refused = status >= 400 && status < 500;
  if (status == 401) return ModelErrc::kUnauthorized;
  if (status == 402 || (refused && is_about_money(error))) return ModelErrc::kNoCredit;
  if (status == 403) return ModelErrc::kUnauthorized;
  if (status == 429) return ModelErrc::kRateLimited;
  if (status == 413) return ModelErrc::kContextFull;
  // Some local servers report a prompt that is too long as a fault of their own.
  if ((status == 400 || status == 422 || status == 500) && is_about_size(error)) {
    return ModelErrc::kContextFull;
  }
  if (status == 408) return ModelErrc::kTimeout;
  if (status == 503 || status == 529) return ModelErrc::kOverloaded;
  if (status >= 500) return ModelErrc::kServerError;
  return ModelErrc::kRefused;
}

std::string_view words_of(ModelErrc code, int status) {
  switch (code) {
    case ModelErrc::kUnauthorized:
      return "the key was refused; check the key in the settings and what it may use";
    case ModelErrc::kNoCredit:
      return "the account has no credit left; check billing at the provider";
    case ModelErrc::kRateLimited:
      return "too many requests or tokens in a short time";
    case ModelErrc::kOverloaded:
      return "the provider is overloaded";
    case ModelErrc::kContextFull:
      return "the prompt is larger than the model takes";
    case ModelErrc::kTimeout:
      return "the provider gave up waiting";
    case ModelErrc::kServerError:
      return "the provider had a fault of its own";
    default:
      break;
  }
  if (status == 404) return "not found; check the model's name and base_url";
  if (status >= 300 && status < 400) return "it answered with a redirect; check base_url";
  return "the provider refused the request";
}

// One line, printable.
std::string tidy(std::string_view text) {
  std::string out = to_utf8(trim(text));
  std::ranges::replace_if(out, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return out;
}

std::optional<double> to_number(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [at, ec] = std::from_chars(text.data(), end, value);
  if (ec != std::errc() || at != end || !(value >= 0) || value > 1e9) return std::nullopt;
  return value;
}

}  // namespace

WireError read_wire_error(const json::value& document) {
  const json::value* found = wire::member_of(document, "error");
  const json::value& error = found != nullptr ? *found : document;
  if (error.is_string()) return {.type = {}, .code = {}, .message = error.get_string().c_str()};
  WireError out{as_text(error, "type"), as_text(error, "code"), as_text(error, "message")};
  if (out.message.empty()) out.message = as_text(error, "detail");
  return out;
}

WireError read_wire_error(std::string_view body) {
  const auto document = wire::parse(body);
  if (document && document->is_object()) return read_wire_error(*document);
  // A page of a gateway says nothing to a person.
  return {.type = {}, .code = {}, .message = has(body, "<html") ? "" : std::string(body)};
}

int status_in_stream(const WireError& error) {
  const auto number = to_number(error.code);
  if (number && *number >= 400 && *number < 600) return static_cast<int>(*number);
  constexpr auto kByName = std::to_array<std::pair<std::string_view, int>>({
      {"overloaded", 529},
      {"rate_limit", 429},
      {"insufficient_quota", 429},
      {"authentication", 401},
      {"invalid_api_key", 401},
      {"permission", 403},
      {"billing", 402},
      {"not_found", 404},
      {"request_too_large", 413},
      {"context_length", 400},
      {"exceed_context", 400},
      {"invalid_request", 400},
  });
  const std::string name = error.type + " " + error.code;
  for (const auto& [word, status] : kByName) {
    if (has(name, word)) return status;
  }
  return 500;
}

Error to_error(int status, const WireError& error) {
  const ModelErrc code = code_of(status, error);
  std::string message = fmt::format("{} ({})", words_of(code, status), status);
  // Providers repeat parts of a key that they refuse, so their words about it stay out.
  const std::string theirs = code == ModelErrc::kUnauthorized ? "" : tidy(error.message);
  if (!theirs.empty()) message += ": " + theirs;
  return Error(code, std::move(message));
}

std::optional<Millis> read_retry_after(const ClientResponse& head, WallTime now) {
  if (const auto ms = head.header("retry-after-ms")) {
    if (const auto number = to_number(trim(*ms))) return millis(static_cast<std::int64_t>(*number));
  }
  const auto header = head.header("retry-after");
  if (!header) return std::nullopt;
  if (const auto number = to_number(trim(*header))) {
    return millis(static_cast<std::int64_t>(*number * 1000));
  }
  absl::Time at;
  std::string problem;
  if (!absl::ParseTime("%a, %d %b %Y %H:%M:%S GMT", std::string(trim(*header)), &at, &problem)) {
    return std::nullopt;
  }
  return std::max(millis(0), WallTime{absl::ToUnixMillis(at)} - now);
}

}  // namespace rouse
