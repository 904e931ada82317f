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
#include "base/time.h"

namespace rouse {

bool is_id_tail(std::string_view tail);  // 1 to 64 of [A-Za-z0-9_-]

// Tag gives `static constexpr std::string_view prefix` ("ws_") and `noun` ("workspace").
template <class Tag>
class Id {
 public:
  Id() = default;

  // 24 hex digits: 12 of the time in ms, 12 random. Ids made after one another stand side by side
  // in an index, so a batch of new rows touches one page and not one each (measured:
  // docs/adr/0007).
  static Id make(WallTime now, Random& random) {
    return Id(fmt::format("{}{:012x}{}", Tag::prefix,
                          static_cast<std::uint64_t>(now.unix_ms) & 0xFFFFFFFFFFFF, random.hex(6)));
  }

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
struct ConversationTag {
  static constexpr std::string_view prefix = "conv_";
  static constexpr std::string_view noun = "conversation";
};
struct SessionTag {
  static constexpr std::string_view prefix = "sess_";
  static constexpr std::string_view noun = "session";
};
struct TurnTag {
  static constexpr std::string_view prefix = "turn_";
  static constexpr std::string_view noun = "turn";
};
struct ApprovalTag {
  static constexpr std::string_view prefix = "apr_";
  static constexpr std::string_view noun = "approval";
};
using WorkspaceId = Id<WorkspaceTag>;
using TokenId = Id<TokenTag>;
using ConversationId = Id<ConversationTag>;
using SessionId = Id<SessionTag>;
using TurnId = Id<TurnTag>;
using ApprovalId = Id<ApprovalTag>;

}  // namespace rouse
