#include "channel/whatsapp/fast_path.h"

#include <array>

namespace rouse {
namespace {

struct WordRow {
  std::string_view text;
  ReplyWord word;
};
constexpr std::array<WordRow, 23> kWords{{{"yes", ReplyWord::kYes},
                                          {"y", ReplyWord::kYes},
                                          {"yep", ReplyWord::kYes},
                                          {"yeah", ReplyWord::kYes},
                                          {"yes please", ReplyWord::kYes},
                                          {"approve", ReplyWord::kYes},
                                          {"no", ReplyWord::kNo},
                                          {"n", ReplyWord::kNo},
                                          {"nope", ReplyWord::kNo},
                                          {"no thanks", ReplyWord::kNo},
                                          {"no thank you", ReplyWord::kNo},
                                          {"deny", ReplyWord::kNo},
                                          {"more", ReplyWord::kMore},
                                          {"tell me more", ReplyWord::kMore},
                                          {"edit", ReplyWord::kEdit},
                                          {"change it", ReplyWord::kEdit},
                                          {"go ahead", ReplyWord::kGoAhead},
                                          {"goahead", ReplyWord::kGoAhead},
                                          {"do it", ReplyWord::kGoAhead},
                                          {"cancel", ReplyWord::kCancel},
                                          {"never mind", ReplyWord::kCancel},
                                          {"status", ReplyWord::kStatus},
                                          {"jobs", ReplyWord::kStatus}}};
constexpr std::size_t kLongestWord = 16;

// Letters in lower case with one blank between words; "" for what can't be one of the words. A
// letter beyond ASCII, a digit or an emoji says something more, so it is none of them.
std::string plain_words(std::string_view message) {
  std::string out;
  bool gap = false;
  for (std::size_t i = 0; i < message.size(); ++i) {
    const char c = message[i];
    const bool upper = c >= 'A' && c <= 'Z';
    if (message.substr(i).starts_with("\xE2\x80")) {  // dashes, quotes, the ellipsis of a phone
      i += 2;
      gap = true;
      continue;
    }
    if (static_cast<unsigned char>(c) >= 0x80 || (c >= '0' && c <= '9')) return "";
    if (!upper && (c < 'a' || c > 'z')) {
      gap = true;
      continue;
    }
    if (gap && !out.empty()) out += ' ';
    gap = false;
    out += upper ? static_cast<char>(c - 'A' + 'a') : c;
    if (out.size() > kLongestWord) return "";
  }
  return out;
}

}  // namespace

std::optional<ReplyWord> reply_word(std::string_view message) {
  const std::string words = plain_words(message);
  for (const WordRow& row : kWords) {
    if (row.text == words) return row.word;
  }
  return std::nullopt;
}

}  // namespace rouse
