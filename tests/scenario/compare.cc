#include "tests/scenario/compare.h"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"

namespace rouse::scenario {
namespace {

namespace json = boost::json;

// While the expected text is parsed as JSON, a blank is two characters of the private use area with
// its number between them. So \u003c is a plain '<' and "<" opens a blank.
constexpr std::string_view kOpen = "\xEE\x80\x80";
constexpr std::string_view kClose = "\xEE\x80\x81";

struct Expected {
  json::value value;
  std::vector<Placeholder> blanks;
};

Result<Expected> parse_expected(std::string_view text) {
  TRY(const Pieces pieces, parse_pieces(text));
  Expected expected;
  std::string marked;
  for (const Piece& piece : pieces) {
    marked += piece.literal;
    if (!piece.blank) continue;
    marked += fmt::format("{}{}{}", kOpen, expected.blanks.size(), kClose);
    expected.blanks.push_back(*piece.blank);
  }
  auto value = parse_json(marked);
  if (!value) return fail(wrap("the expected answer is not JSON", std::move(value).error()));
  expected.value = std::move(*value);
  return expected;
}

Pieces pieces_of(std::string_view text, const std::vector<Placeholder>& blanks) {
  Pieces pieces;
  while (!text.empty()) {
    const std::size_t open = text.find(kOpen);
    if (open != 0) pieces.push_back({std::string(text.substr(0, open))});
    if (open == std::string_view::npos) break;
    text.remove_prefix(open + kOpen.size());
    const std::size_t close = text.find(kClose);
    pieces.push_back({"", blanks.at(std::stoul(std::string(text.substr(0, close))))});
    text.remove_prefix(close + kClose.size());
  }
  return pieces;
}

std::string_view view(const json::string& text) { return {text.data(), text.size()}; }

std::string shortened(std::string text) {
  constexpr std::size_t kMost = 300;
  if (text.size() <= kMost) return text;
  return fmt::format("{}… ({} bytes)", utf8_prefix(text, kMost), text.size());
}

class Comparison {
 public:
  Comparison(const std::vector<Placeholder>& blanks, Names& names)
      : blanks_(blanks), names_(names) {}

  void compare(const json::value& expected, const json::value& got, const std::string& path) {
    if (const auto* text = expected.if_string()) return compare_text(*text, got, path);
    if (expected.is_object() && got.is_object()) {
      return compare_objects(expected.get_object(), got.get_object(), path);
    }
    if (expected.is_array() && got.is_array()) {
      return compare_lists(expected.get_array(), got.get_array(), path);
    }
    if (expected != got || expected.is_double() != got.is_double()) {
      differ(path, json::serialize(expected), json::serialize(got));
    }
  }
  [[nodiscard]] std::vector<std::string> found() && { return std::move(found_); }

 private:
  void differ(const std::string& path, std::string expected, std::string got) {
    found_.push_back(fmt::format("{}: expected {}, got {}", path.empty() ? "the answer" : path,
                                 shortened(std::move(expected)), shortened(std::move(got))));
  }

  void compare_text(const json::string& text, const json::value& got, const std::string& path) {
    const Pieces pieces = pieces_of(view(text), blanks_);
    const bool only_a_blank = pieces.size() == 1 && pieces[0].blank;
    bool same = false;
    if (only_a_blank && pieces[0].blank->kind == "number") {
      same = got.is_number() && names_.match_number(*pieces[0].blank, json::serialize(got));
    } else if (only_a_blank && pieces[0].blank->kind == "list") {
      const auto items = static_cast<std::size_t>(pieces[0].blank->count);
      same = got.is_array() && got.get_array().size() == items;
    } else if (got.is_string()) {
      same = names_.match(pieces, view(got.get_string()));
    }
    if (same) return;
    const std::string wanted = names_.describe(pieces);
    differ(path,
           only_a_blank && wanted.starts_with('<') ? wanted : json::serialize(json::value(wanted)),
           json::serialize(got));
  }

  void compare_objects(const json::object& expected, const json::object& got,
                       const std::string& path) {
    const auto at = [&](std::string_view key) {
      return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
    };
    bool same_fields = expected.size() == got.size();
    for (const auto& entry : expected) {
      if (const auto* value = got.if_contains(entry.key())) {
        compare(entry.value(), *value, at(entry.key()));
      } else {
        same_fields = false;
        found_.push_back(fmt::format("{}: missing", at(entry.key())));
      }
    }
    for (const auto& entry : got) {
      if (expected.contains(entry.key())) continue;
      same_fields = false;
      found_.push_back(fmt::format("{}: not expected, got {}", at(entry.key()),
                                   shortened(json::serialize(entry.value()))));
    }
    if (same_fields && names_of(expected) != names_of(got)) {
      found_.push_back(fmt::format("{}: the fields are in another order: expected {}, got {}",
                                   path.empty() ? "the answer" : path, names_of(expected),
                                   names_of(got)));
    }
  }

  void compare_lists(const json::array& expected, const json::array& got, const std::string& path) {
    if (expected.size() != got.size()) {
      found_.push_back(fmt::format("{}: expected {} items, got {}",
                                   path.empty() ? "the answer" : path, expected.size(),
                                   got.size()));
    }
    for (std::size_t i = 0; i < std::min(expected.size(), got.size()); ++i) {
      compare(expected[i], got[i], fmt::format("{}[{}]", path, i));
    }
  }

  static std::string names_of(const json::object& object) {
    std::string out;
    for (const auto& entry : object) {
      if (!out.empty()) out += ", ";
      out += std::string_view(entry.key().data(), entry.key().size());
    }
    return out;
  }

  const std::vector<Placeholder>& blanks_;
  Names& names_;
  std::vector<std::string> found_;
};

void write_indented(std::string& out, const json::value& value, std::size_t depth) {
  const std::string pad(2 * (depth + 1), ' ');
  const auto* object = value.if_object();
  const auto* list = value.if_array();
  if ((object == nullptr || object->empty()) && (list == nullptr || list->empty())) {
    out += json::serialize(value);
    return;
  }
  out += object != nullptr ? "{\n" : "[\n";
  const char* separator = "";
  if (object != nullptr) {
    for (const auto& entry : *object) {
      out += fmt::format("{}{}{}: ", separator, pad, json::serialize(json::value(entry.key())));
      write_indented(out, entry.value(), depth + 1);
      separator = ",\n";
    }
  } else {
    for (const auto& item : *list) {
      out += separator + pad;
      write_indented(out, item, depth + 1);
      separator = ",\n";
    }
  }
  out += "\n" + std::string(2 * depth, ' ') + (object != nullptr ? "}" : "]");
}

}  // namespace

Result<void> check_expected(std::string_view expected) {
  TRY_VOID(parse_expected(expected));
  return {};
}

std::vector<std::string> differences(std::string_view expected, std::string_view got,
                                     Names& names) {
  const auto wanted = parse_expected(expected);
  if (!wanted) return {wanted.error().message};
  if (got.empty()) return {"the answer has no body"};
  const auto answer = parse_json(got);
  if (!answer) {
    return {fmt::format("the answer is not JSON ({}): {}", answer.error().message,
                        shortened(std::string(got)))};
  }
  Comparison comparison(wanted->blanks, names);
  comparison.compare(wanted->value, *answer, "");
  return std::move(comparison).found();
}

std::string readable(std::string_view text) {
  const auto value = parse_json(text);
  if (!value) return shortened(std::string(text));
  std::string out;
  write_indented(out, *value, 0);
  return out;
}

}  // namespace rouse::scenario
