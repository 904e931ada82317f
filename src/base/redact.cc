#include "base/redact.h"

#include <algorithm>

#include "base/limits.h"
#include "base/text.h"

namespace rouse {
namespace {

constexpr std::string_view kMask = "[redacted]";

// The part of a secret's base64 that is the same whatever stands before and after it: bytes before
// shift the alignment, so each of the three offsets has its own inner text.
void add_base64_forms(std::vector<std::string>& forms, std::string_view secret) {
  for (std::size_t shift = 0; shift < 3; ++shift) {
    std::string padded(shift, '\0');
    padded += secret;
    std::string encoded = to_base64(padded);
    const std::size_t head = shift == 0 ? 0 : shift + 1;  // characters touched by the bytes before
    const std::size_t tail = padded.size() % 3 == 0 ? 0 : (padded.size() % 3 == 1 ? 3 : 2);
    std::string inner = encoded.substr(head, encoded.size() - head - tail);
    if (inner.size() < limits::kRedactMinimum) continue;
    std::string url_safe = inner;
    std::ranges::replace(url_safe, '+', '-');
    std::ranges::replace(url_safe, '/', '_');
    if (url_safe != inner) forms.push_back(std::move(url_safe));
    forms.push_back(std::move(inner));
  }
}

// The same with the hex digits of its escapes in lower case; the secret's own letters stay.
std::string lower_escapes(std::string encoded) {
  for (std::size_t at = encoded.find('%'); at != std::string::npos;
       at = encoded.find('%', at + 1)) {
    encoded.replace(at + 1, 2, lower_ascii(std::string_view(encoded).substr(at + 1, 2)));
  }
  return encoded;
}

// JSON as some write it, for the sake of a page around it.
std::string escape_slashes(std::string_view escaped) {
  std::string out;
  for (const char c : escaped) {
    if (c == '/') out += '\\';
    out += c;
  }
  return out;
}

// Length of the needle that starts at text[at], or 0.
std::size_t match_at(const Redactor::Forms& forms, std::string_view text, std::size_t at) {
  if (!forms.starts[static_cast<unsigned char>(text[at])]) return 0;
  for (const std::string& needle : forms.needles) {
    if (text.compare(at, needle.size(), needle) == 0) return needle.size();
  }
  return 0;
}

// True if text, to its end, is a proper start of some needle.
bool could_begin(const Redactor::Forms& forms, std::string_view text) {
  return std::ranges::any_of(forms.needles, [&](const std::string& needle) {
    return needle.size() > text.size() && needle.starts_with(text);
  });
}

// Copies text[from, end) with the secrets masked; a secret that reaches in from before, or across
// the end, is masked whole. Returns where it stopped (>= end when a secret reached across).
std::size_t redact_between(const Redactor::Forms& forms, std::string_view text, std::size_t from,
                           std::size_t end, std::string& out) {
  std::size_t at = 0;
  while (at < end) {
    if (const std::size_t n = match_at(forms, text, at); n > 0) {
      at += n;
      if (at > from) out += kMask;
    } else {
      if (at >= from) out += text[at];
      ++at;
    }
  }
  return at;
}

}  // namespace

void Redactor::set_secrets(const std::vector<std::string>& secrets) {
  auto forms = std::make_shared<Forms>();
  for (const std::string& secret : secrets) {
    if (secret.size() < limits::kRedactMinimum) continue;
    forms->needles.push_back(secret);
    forms->needles.push_back(percent_encode(secret));
    forms->needles.push_back(lower_escapes(percent_encode(secret)));
    forms->needles.push_back(json_escape(secret));
    forms->needles.push_back(escape_slashes(json_escape(secret)));
    add_base64_forms(forms->needles, secret);
  }
  std::ranges::sort(forms->needles, [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  const auto repeated = std::ranges::unique(forms->needles);
  forms->needles.erase(repeated.begin(), repeated.end());
  for (const std::string& needle : forms->needles) {
    forms->starts[static_cast<unsigned char>(needle[0])] = true;
    forms->longest = std::max(forms->longest, needle.size());
  }
  const std::lock_guard lock(mutex_);
  forms_ = std::move(forms);
}

std::shared_ptr<const Redactor::Forms> Redactor::forms() const {
  const std::lock_guard lock(mutex_);
  return forms_;
}

std::string Redactor::redact(std::string_view text) const {
  const auto known = forms();
  if (known->needles.empty()) return std::string(text);
  std::string out;
  out.reserve(text.size());
  redact_between(*known, text, 0, text.size(), out);
  return out;
}

std::string Redactor::redact_part(std::string_view text, std::size_t from, std::size_t end) const {
  std::string out;
  redact_between(*forms(), text, from, std::min(end, text.size()), out);
  return out;
}

std::string RedactingStream::feed(std::string_view piece) {
  const auto known = redactor_.forms();
  held_ += piece;
  // Hold back the shortest tail that could still grow into a secret.
  std::size_t keep_from = held_.size();
  const std::size_t window = std::min(held_.size(), known->longest);
  for (std::size_t at = held_.size() - window; at < held_.size(); ++at) {
    if (could_begin(*known, std::string_view(held_).substr(at))) {
      keep_from = at;
      break;
    }
  }
  std::string out;
  const std::size_t stopped = redact_between(*known, held_, 0, keep_from, out);
  held_.erase(0, stopped);
  return out;
}

std::string RedactingStream::finish() {
  std::string out = redactor_.redact(held_);
  held_.clear();
  return out;
}

}  // namespace rouse
