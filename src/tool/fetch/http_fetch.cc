#include "tool/fetch/http_fetch.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "tool/fetch/html_text.h"
#include "tool/fetch/public_address.h"
#include "tool/visible_text.h"

namespace rouse {
namespace {

constexpr Millis kDeadline = seconds(30);       // for all of it, redirects included
constexpr std::size_t kBodyBytes = 2 << 20;     // read of an answer
constexpr std::size_t kTextBytes = 60 * 1024;   // told of it
constexpr std::size_t kSentBytes = 256 * 1024;  // of a POST
constexpr std::size_t kSummaryBytes = 600;
constexpr int kRedirects = 5;
// Nothing that carries a credential or speaks to a proxy, a cache or a metadata service.
constexpr std::string_view kHeaders[] = {"accept", "accept-language", "content-type",
                                         "if-none-match", "if-modified-since"};

struct FetchArguments {
  std::string url;
  std::optional<std::string> method, body;
  std::optional<std::map<std::string, std::string>> headers;
};
auto shape(const FetchArguments*) {
  return fields(field("url", &FetchArguments::url, ""),
                field("method", &FetchArguments::method, "").one_of({"GET", "HEAD", "POST"}),
                field("body", &FetchArguments::body, ""),
                field("headers", &FetchArguments::headers, ""));
}

// A call that may be sent.
struct Wish {
  Url url;
  std::string method, body;
  std::vector<std::pair<std::string, std::string>> headers;
};

std::string text_of(const Url& url) {
  return fmt::format("{}://{}{}", url.https ? "https" : "http", url.host_header(), url.target);
}

std::string origin_of(const Url& url) {
  return fmt::format("{}://{}", url.https ? "https" : "http", url.authority());
}

Result<Url> read_url(std::string_view text) {
  TRY(Url url, parse_url(text));
  if (is_plain_host(url)) return url;
  return fail(
      Errc::kForbidden,
      fmt::format("'{}' is an unusual way to write an address; use a name, or 93.184.215.14",
                  url.host));
}

Result<Wish> read_wish(const std::string& arguments) {
  TRY(const FetchArguments given, decode_json<FetchArguments>(arguments));
  TRY(Url url, read_url(given.url));
  Wish wish{std::move(url), given.method.value_or("GET"), given.body.value_or(""), {}};
  if (!wish.body.empty() && wish.method != "POST") {
    return fail(Errc::kInvalid, "only a POST has a body");
  }
  if (wish.body.size() > kSentBytes) return fail(Errc::kTooLarge, "the body is over 256 KB");
  if (!given.headers) return wish;
  for (const auto& [name, value] : *given.headers) {
    if (std::ranges::find(kHeaders, lower_ascii(name)) == std::end(kHeaders)) {
      return fail(Errc::kForbidden, fmt::format("the header '{}' can't be set; only {}",
                                                utf8_prefix(name, 60), fmt::join(kHeaders, ", ")));
    }
    wish.headers.emplace_back(name, value);
  }
  return wish;
}

bool is_given(const Wish& wish, std::string_view header) {
  return std::ranges::any_of(wish.headers,
                             [&](const auto& one) { return iequals_ascii(one.first, header); });
}

std::string media_type(const ClientResponse& head) {
  const std::string_view whole = head.header("content-type").value_or("");
  return lower_ascii(trim(whole.substr(0, whole.find(';'))));
}

bool is_text(std::string_view type) {
  constexpr std::string_view kTexts[] = {"", "application/javascript", "application/x-ndjson",
                                         "application/x-www-form-urlencoded", "application/yaml"};
  return type.starts_with("text/") || type.ends_with("json") || type.ends_with("xml") ||
         std::ranges::find(kTexts, type) != std::end(kTexts);
}

Result<void> check_head(const ClientResponse& head) {
  const auto encoding = head.header("content-encoding");
  if (encoding && !iequals_ascii(*encoding, "identity")) {
    return fail(Errc::kUnsupported, "the answer is compressed, though that was not asked for");
  }
  const std::string type = media_type(head);
  if (is_text(type)) return {};
  return fail(Errc::kUnsupported, fmt::format("it is {}, {} bytes; only text can be read", type,
                                              head.header("content-length").value_or("unknown")));
}

bool is_redirect(const ClientResponse& head) {
  return (head.status == 301 || head.status == 302 || head.status == 303 || head.status == 307 ||
          head.status == 308) &&
         head.header("location");
}

// What arrived of one answer.
struct Page {
  ClientResponse head;
  std::string body;
  bool cut = false;
};

std::string status_line(const Url& url, const Page& page) {
  return fmt::format("HTTP {} {} from {}", page.head.status, reason_phrase(page.head.status),
                     text_of(url));
}

// What is left of a body that was cut may end in the first half of a secret: that is held back.
std::string clean_body(const Redactor& redactor, const Page& page) {
  RedactingStream stream(redactor);
  std::string out = stream.feed(page.body);
  return page.cut ? out : out + stream.finish();
}

std::string told(const Url& url, Page page, const Redactor& redactor) {
  const std::string type = media_type(page.head);
  std::string out = status_line(url, page);
  if (!type.empty()) out += ", " + type;
  if (is_redirect(page.head)) {
    return fmt::format("{}\nIt leads to {}, which was not followed; fetch that if you need it.",
                       out,
                       visible_text(redactor.redact(*page.head.header("location")), kSummaryBytes));
  }
  if (page.body.find('\0') != std::string::npos) {
    return out + "\nThe answer is no text, so it is not shown.";
  }
  const bool html = type == "text/html" || type == "application/xhtml+xml";
  std::string text = clean_body(redactor, page);
  // Once more: a page may write a secret with entities, or with tags in it.
  if (html) text = redactor.redact(html_text(text));
  const std::size_t whole = text.size();
  if (whole > kTextBytes) text.resize(utf8_prefix(text, kTextBytes).size());
  out += "\n\n" + text;
  if (text.size() < whole || page.cut) {
    out += fmt::format("\n[cut after {} KB{}]", text.size() / 1024,
                       page.cut ? "; the answer was over 2 MB" : "");
  }
  return out;
}

ToolResult failed(std::string text) { return {.text = std::move(text), .failed = true}; }

// From here on a stranger may have had a word in it.
ToolResult from_outside(std::string text, bool is_failure) {
  return {.text = std::move(text), .failed = is_failure, .untrusted = true};
}

std::string without_www(std::string_view host) {
  return std::string(host.starts_with("www.") ? host.substr(4) : host);
}

// The host the person said yes to, no less private than before.
bool is_same_place(const Url& from, const Url& to) {
  if (without_www(from.host) != without_www(to.host)) return false;
  if (from.https == to.https) return from.port == to.port;
  return to.https && from.port == 80 && to.port == 443;
}

}  // namespace

Result<Url> resolve_location(const Url& from, std::string_view location) {
  const std::string_view path = std::string_view(from.target).substr(0, from.target.find('?'));
  if (location.find("://") < location.find_first_of("/?#")) return read_url(location);
  if (location.starts_with("//")) {
    return read_url(fmt::format("{}:{}", from.https ? "https" : "http", location));
  }
  std::string target;
  if (location.starts_with('/')) {
    target = location;
  } else if (location.starts_with('?')) {
    target = fmt::format("{}{}", path, location);
  } else {
    target = fmt::format("{}{}", path.substr(0, path.rfind('/') + 1), location);
  }
  return read_url(origin_of(from) + target);
}

HttpFetch::HttpFetch(HttpClient& http, const Clock& clock, FetchSettings settings)
    : http_(http), clock_(clock) {
  configure(std::move(settings));
}

void HttpFetch::configure(FetchSettings settings) {
  allowed_.clear();
  fake_ = AddressSet::parse(settings.fake_ip_ranges).value_or(AddressSet());
  for (const std::string& entry : settings.allow_hosts) {
    const auto url = parse_url("http://" + entry);
    if (!url || url->target != "/") continue;  // the config's rule has refused it before
    const std::size_t colon = entry.rfind(':');
    const bool has_port = colon != std::string::npos && entry.find(']', colon) == std::string::npos;
    allowed_.push_back({url->host, has_port ? std::optional(url->port) : std::nullopt});
  }
}

bool HttpFetch::is_allowed(const ToolCall& call, const Url& url) const {
  return !call.stranger && std::ranges::any_of(allowed_, [&](const HostRule& rule) {
    const bool port = rule.port ? *rule.port == url.port : url.port == (url.https ? 443 : 80);
    return port && rule.host == url.host;
  });
}

const ToolInfo& HttpFetch::info() const {
  static const ToolInfo info{
      .name = "http_fetch",
      .description = "Fetches a public http(s) URL as text.",
      .schema = R"({"type":"object","properties":{"url":{"type":"string"},)"
                R"("method":{"enum":["GET","HEAD","POST"]},"body":{"type":"string"},)"
                R"("headers":{"type":"object"}},"required":["url"],"additionalProperties":false})",
      .tool_class = ToolClass::kNetwork,
      .risk = RiskTier::kUserConfigurable,
      .side_effects = true};
  return info;
}

RiskTier HttpFetch::risk_of(const ToolCall& call) const {
  const auto wish = read_wish(call.arguments);
  const bool tame = wish && wish->method != "POST" && is_allowed(call, wish->url);
  return tame ? RiskTier::kAuto : RiskTier::kUserConfigurable;
}

ApprovalAsk HttpFetch::ask_for(const ToolCall& call) const {
  const auto wish = read_wish(call.arguments);
  if (!wish) return Tool::ask_for(call);  // it will be refused
  std::string summary =
      fmt::format("{} {}", wish->method, visible_text(text_of(wish->url), kSummaryBytes));
  if (wish->method == "POST") {
    summary += fmt::format(" with {} bytes: {}", wish->body.size(),
                           visible_text(wish->body, kSummaryBytes));
    return {.summary = std::move(summary), .covers = canonical_arguments(call.arguments)};
  }
  return {.summary = std::move(summary),
          .covers = encode_json(
              std::vector<std::string>{"http_fetch", wish->method, origin_of(wish->url)})};
}

// A page of anybody's must not lead into the places that are open to us alone.
std::optional<Url> HttpFetch::next_stop(const ToolCall& call, const Url& from,
                                        std::string_view location) const {
  auto to = resolve_location(from, location);
  if (!to) return std::nullopt;
  if (is_same_place(from, *to)) return *std::move(to);
  return is_allowed(call, from) && is_allowed(call, *to) ? std::optional(*std::move(to))
                                                         : std::nullopt;
}

Task<ToolResult> HttpFetch::run(ToolCall call, std::stop_token stop) {
  auto wish = read_wish(call.arguments);
  if (!wish) co_return failed(std::move(wish.error().message));
  if (!is_given(*wish, "accept")) wish->headers.emplace_back("Accept", "text/html, */*;q=0.8");
  wish->headers.emplace_back("User-Agent", "rouse/" ROUSE_VERSION);
  const MonoTime until = clock_.mono_now() + kDeadline;
  for (int hop = 0;; ++hop) {
    const bool allowed = is_allowed(call, wish->url);
    Page page;
    ClientRequest request{.method = wish->method,
                          .url = text_of(wish->url),
                          .headers = wish->headers,
                          .body = wish->body,
                          .deadline = std::max(millis(1), until - clock_.mono_now()),
                          .max_body_bytes = kBodyBytes * 2,
                          .allow_address = [allowed, fake = fake_](std::string_view address) {
                            return allowed || is_public_address(address) ||
                                   (fake.contains(address) && !is_loopback(address));
                          }};
    const auto answer = co_await http_.stream(
        std::move(request),
        [&page](const ClientResponse& head) -> Result<void> {
          page.head = head;
          return is_redirect(head) ? Result<void>() : check_head(head);
        },
        [&page](std::string_view chunk) -> Result<void> {
          page.cut = page.body.size() + chunk.size() > kBodyBytes;
          page.body += chunk.substr(0, kBodyBytes - page.body.size());
          if (page.cut) return fail(Errc::kTooLarge, "");
          return {};
        },
        stop);
    if (!answer && !page.cut) {
      const std::string before = page.head.status == 0 ? "" : status_line(wish->url, page) + ": ";
      co_return from_outside(before + answer.error().message, true);
    }
    if (is_redirect(page.head) && wish->method != "POST") {
      if (hop == kRedirects) co_return from_outside("it redirects more than 5 times", true);
      if (auto next = next_stop(call, wish->url, *page.head.header("location"))) {
        wish->url = *std::move(next);
        continue;
      }
    }
    const bool bad = page.head.status >= 400;
    static const Redactor kNone;
    const Redactor& redactor = redactor_ == nullptr ? kNone : *redactor_;
    co_return from_outside(told(wish->url, std::move(page), redactor), bad);
  }
}

}  // namespace rouse
