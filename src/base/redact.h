// Keeps configured secrets out of everything that leaves the process as text (SC-10). A secret is
// known by its exact value, not by a pattern: each one of 8 bytes and more is replaced by
// "[redacted]" wherever it occurs raw, base64-encoded (at any of the three alignments),
// percent-encoded or JSON-escaped (with `\/` or without). RedactingStream does the same for text
// that arrives in pieces, across their borders.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace rouse {

class Redactor {
 public:
  // Replaces the set of secrets. Short ones are ignored. Safe while other threads redact.
  void set_secrets(const std::vector<std::string>& secrets);

  [[nodiscard]] std::string redact(std::string_view text) const;
  // text[from, end) alone, yet nothing of a secret that only reaches into it. Whoever shows a part
  // of something longer gives as much around it as forms()->longest.
  [[nodiscard]] std::string redact_part(std::string_view text, std::size_t from,
                                        std::size_t end) const;

  // All forms of all secrets, longest first; a snapshot.
  struct Forms {
    std::vector<std::string> needles;
    bool starts[256] = {};  // which first bytes occur at all: most text is skipped at this
    std::size_t longest = 0;
  };
  [[nodiscard]] std::shared_ptr<const Forms> forms() const;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Forms> forms_ = std::make_shared<Forms>();
};

// Feeds pieces through a redactor. What could be the start of a secret is held back until the next
// piece or finish() decides.
class RedactingStream {
 public:
  explicit RedactingStream(const Redactor& redactor) : redactor_(redactor) {}
  std::string feed(std::string_view piece);
  std::string finish();

 private:
  const Redactor& redactor_;
  std::string held_;
};

}  // namespace rouse
