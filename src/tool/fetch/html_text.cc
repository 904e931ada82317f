#include "tool/fetch/html_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace rouse {
namespace {

constexpr std::string_view kSilent[] = {"script", "style", "noscript", "template", "svg", "iframe"};
constexpr std::string_view kBlocks[] = {
    "address", "article", "aside", "blockquote", "br",  "dd", "div",  "dl",     "dt",
    "footer",  "form",    "h1",    "h2",         "h3",  "h4", "h5",   "h6",     "head",
    "header",  "hr",      "li",    "main",       "nav", "ol", "p",    "pre",    "section",
    "table",   "td",      "th",    "title",      "tr",  "ul", "body", "option", "figure"};
constexpr std::pair<std::string_view, std::string_view> kEntities[] = {
    {"amp", "&"},   {"lt", "<"},     {"gt", ">"},    {"quot", "\""},  {"apos", "'"},
    {"nbsp", " "},  {"mdash", "—"},  {"ndash", "–"}, {"hellip", "…"}, {"copy", "©"},
    {"laquo", "«"}, {"raquo", "»"},  {"rsquo", "’"}, {"lsquo", "‘"},  {"rdquo", "”"},
    {"ldquo", "“"}, {"middot", "·"}, {"bull", "•"},  {"euro", "€"},   {"shy", ""}};

template <std::size_t N>
bool is_one_of(const std::string_view (&names)[N], std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x20 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return;
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

// At '&': the character it stands for goes to `out`; how many bytes that took, 0 if it is none.
std::size_t read_entity(std::string_view text, std::string& out) {
  const std::size_t end = text.substr(0, 12).find(';');
  if (end == std::string_view::npos || end < 2) return 0;
  std::string_view name = text.substr(1, end - 1);
  if (name.starts_with('#')) {
    name.remove_prefix(1);
    const bool hex = name.starts_with('x') || name.starts_with('X');
    if (hex) name.remove_prefix(1);
    std::uint32_t code = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), code, hex ? 16 : 10);
    if (read.ec != std::errc() || read.ptr != name.data() + name.size()) return 0;
    append_utf8(out, code);
    return end + 1;
  }
  for (const auto& [known, character] : kEntities) {
    if (known != name) continue;
    out += character;
    return end + 1;
  }
  return 0;
}

// Collects words: blanks become one, blocks begin on a line of their own.
class Reading {
 public:
  void say(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      if (text[at] == '&') {
        std::string character;
        if (const std::size_t size = read_entity(text.substr(at), character)) {
          for (const char c : character) put(c);
          at += size;
          continue;
        }
      }
      put(text[at++]);
    }
  }
  void new_line() {
    blank_ = false;
    if (!out_.empty() && !out_.ends_with("\n")) out_ += '\n';
  }
  std::string take() { return std::string(trim(out_)); }

 private:
  void put(char c) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
      blank_ = true;
      return;
    }
    if (std::exchange(blank_, false) && !out_.empty() && !out_.ends_with("\n")) out_ += ' ';
    out_ += c;
  }
  std::string out_;
  bool blank_ = false;
};

// How far the end of a tag is looked for behind quotes, and how often in vain: a page of quotes
// that don't match would be read over and over.
constexpr std::size_t kTagBytes = 8 << 10;
constexpr int kBrokenTags = 100;

struct Tag {
  std::string name;  // lower case
  bool closes = false;
  bool broken = false;  // its end is a guess
  std::string_view attributes;
  std::size_t size = 0;  // with its brackets
};

// The first '>' outside of quotes, if there is one soon.
std::size_t end_of_tag(std::string_view html, std::size_t at) {
  const std::string_view near = html.substr(0, kTagBytes);
  char quote = 0;
  for (; at < near.size() && (quote != 0 || near[at] != '>'); ++at) {
    if (quote != 0) {
      if (near[at] == quote) quote = 0;
    } else if (near[at] == '"' || near[at] == '\'') {
      quote = near[at];
    }
  }
  return at < near.size() ? at : std::string_view::npos;
}

enum class Quotes : std::uint8_t { kHideTheEnd, kMeanNothing };

// At '<'. Its size is 0 if it is no tag at all.
Tag read_tag(std::string_view html, Quotes quotes) {
  Tag tag;
  std::size_t at = 1;
  tag.closes = html.substr(at).starts_with('/');
  if (tag.closes) ++at;
  const std::size_t name_at = at;
  while (at < html.size() && (std::isalnum(static_cast<unsigned char>(html[at])) != 0)) ++at;
  tag.name = lower_ascii(html.substr(name_at, at - name_at));
  const bool mark = html.starts_with("<!") || html.starts_with("<?");
  if (tag.name.empty() && !mark && !tag.closes) return tag;
  const std::size_t attributes_at = at;
  at = quotes == Quotes::kHideTheEnd ? end_of_tag(html, at) : std::string_view::npos;
  // A quote that is never closed must not swallow the page.
  tag.broken = at == std::string_view::npos;
  if (tag.broken) at = std::min(html.find('>'), html.size() - 1);
  tag.attributes = at > attributes_at ? html.substr(attributes_at, at - attributes_at) : "";
  tag.size = at + 1;
  return tag;
}

std::string href_of(const Tag& tag) {
  const std::string lower = lower_ascii(tag.attributes);
  const std::size_t at = lower.find("href=");
  if (at == std::string::npos) return "";
  std::string_view value = tag.attributes.substr(at + 5);
  const char quote = value.empty() ? ' ' : value.front();
  const bool quoted = quote == '"' || quote == '\'';
  if (quoted) value.remove_prefix(1);
  value = value.substr(0, quoted ? value.find(quote) : value.find_first_of(" \t\n>"));
  const bool useful =
      value.starts_with("http") || value.starts_with("/") ||
      (!value.empty() && value.find(':') == std::string_view::npos && value.front() != '#');
  return useful ? std::string(value) : "";
}

// From the start tag of something silent to behind its end.
std::size_t silent_size(std::string_view html, const Tag& tag) {
  const std::string end = "</" + tag.name;
  std::size_t at = tag.size;
  while ((at = html.find("</", at)) != std::string_view::npos) {
    if (iequals_ascii(html.substr(at, end.size()), end)) {
      const std::size_t close = html.find('>', at);
      return close == std::string_view::npos ? html.size() : close + 1;
    }
    at += 2;
  }
  return html.size();
}

}  // namespace

std::string html_text(std::string_view html) {
  Reading reading;
  std::string link;
  int broken = 0;
  while (!html.empty()) {
    const std::size_t open = html.find('<');
    reading.say(html.substr(0, open));
    if (open == std::string_view::npos) break;
    html.remove_prefix(open);
    if (html.starts_with("<!--")) {
      const std::size_t end = html.find("-->");
      html.remove_prefix(end == std::string_view::npos ? html.size() : end + 3);
      continue;
    }
    const Tag tag =
        read_tag(html, broken < kBrokenTags ? Quotes::kHideTheEnd : Quotes::kMeanNothing);
    if (tag.broken) ++broken;
    if (tag.size == 0) {
      reading.say("<");
      html.remove_prefix(1);
      continue;
    }
    if (tag.name == "a") {
      if (!link.empty()) reading.say(fmt::format(" ({})", std::exchange(link, "")));
      if (!tag.closes) link = href_of(tag);
    }
    if (is_one_of(kBlocks, tag.name)) reading.new_line();
    if (tag.name == "li" && !tag.closes) reading.say("- ");
    const bool silent = !tag.closes && is_one_of(kSilent, tag.name);
    html.remove_prefix(silent ? silent_size(html, tag) : tag.size);
  }
  return reading.take();
}

}  // namespace rouse
