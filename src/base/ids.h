// Typed ids: a prefix that says what it names ("ws_…") and a tail of letters, digits and '_' or
// '-'. A WorkspaceId can't be passed where a TokenId is wanted. Ids never contain '/' or '.', so
// they are safe in paths and URLs (SC-11).
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/random.h"
#include "base/result.h"

namespace rouse {

bool is_id_tail(std::string_view tail);  // 1 to 64 of [A-Za-z0-9_-]

// Tag gives `static constexpr std::string_view prefix` ("ws_") and `noun` ("workspace").
template <class Tag>
class Id {
 public:
  Id() = default;

  static Id make(Random& random) { return Id(std::string(Tag::prefix) + random.hex(12)); }

  static Result<Id> parse(std::string_view text) {
    if (text.starts_with(Tag::prefix) && is_id_tail(text.substr(Tag::prefix.size()))) {
      return Id(std::string(text));
    }
    return fail(Errc::kInvalid, fmt::format("'{}' is not a {} id; they look like {}4f2a…",
                                            text.substr(0, 80), Tag::noun, Tag::prefix));
  }

  [[nodiscard]] const std::string& str() const { return text_; }
  [[nodiscard]] bool empty() const { return text_.empty(); }
  friend auto operator<=>(const Id&, const Id&) = default;

 private:
  explicit Id(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

struct WorkspaceTag {
  static constexpr std::string_view prefix = "ws_";
  static constexpr std::string_view noun = "workspace";
};
struct TokenTag {
  static constexpr std::string_view prefix = "tok_";
  static constexpr std::string_view noun = "token";
};
using WorkspaceId = Id<WorkspaceTag>;
using TokenId = Id<TokenTag>;

}  // namespace rouse
