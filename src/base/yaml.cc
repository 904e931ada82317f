#include "base/yaml.h"

#include <algorithm>
#include <istream>
#include <optional>
#include <set>
#include <streambuf>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "base/limits.h"
#include "base/text.h"

namespace rouse {
namespace {

// How many '[' and '{' may be open at once in the raw text. The scanner of the library keeps all of
// them in memory before the first event arrives, so the depth limit of the events comes too late.
constexpr int kOpenBrackets = 256;

struct Stop {  // thrown through the library, caught in parse_yaml
  YamlFault fault;
};

[[noreturn]] void stop(const YAML::Mark& mark, std::string message) {
  throw Stop{{mark.line + 1, mark.column + 1, std::move(message)}};
}

struct Place {
  int line = 1;
  int column = 1;
};

Place place_of(std::string_view text, std::size_t offset) {
  Place place;
  for (std::size_t i = 0; i < offset && i < text.size(); ++i) {
    if (text[i] == '\n') {
      ++place.line;
      place.column = 1;
    } else {
      ++place.column;
    }
  }
  return place;
}

YamlFault fault_at(std::string_view text, std::size_t offset, std::string message) {
  const Place place = place_of(text, offset);
  return {place.line, place.column, std::move(message)};
}

// Control characters are refused before the library sees them: it takes 0x04 for the end of the
// file.
std::optional<YamlFault> find_bad_bytes(std::string_view text) {
  if (text.size() > limits::kConfigBytes) {
    return YamlFault{1, 1, fmt::format("the file is larger than {} bytes", limits::kConfigBytes)};
  }
  int open = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F) {
      return fault_at(text, i, fmt::format("a control character (0x{:02X}) can't stand here", c));
    }
    if (c == '[' || c == '{') ++open;
    if ((c == ']' || c == '}') && open > 0) --open;
    if (open > kOpenBrackets) return fault_at(text, i, "too many brackets are open");
  }
  if (is_utf8(text)) return std::nullopt;
  // The first line that is not UTF-8 is near enough.
  int line = 1;
  for (const std::string_view row : split(text, '\n')) {
    if (!is_utf8(row)) break;
    ++line;
  }
  return YamlFault{line, 1, "this line is not valid UTF-8; save the file as UTF-8"};
}

// Builds the tree from events. Frames hold the containers that are still open.
class TreeBuilder final : public YAML::EventHandler {
 public:
  YamlNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    // Checked at the start of the second document: on broken input the library can report empty
    // documents for ever.
    if (documents_++ > 0) stop(mark, "there must be only one document in the file");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    if (wants_key()) stop(mark, "a key is missing before ':'");
    put(node(YamlNode::Kind::kNull, mark));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    stop(mark, "aliases (*name) are not supported; write the value out");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    refuse_bytes(mark, value);
    if (wants_key()) {
      open_key(mark, value);
      return;
    }
    YamlNode scalar = node(YamlNode::Kind::kScalar, mark);
    scalar.text = value;
    scalar.quoted = tag == "!";
    put(std::move(scalar));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::kList, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::kMap, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Frame {
    YamlNode node;
    std::optional<YamlEntry> pending;  // a key that waits for its value
    std::set<std::string, std::less<>> keys;
  };

  static YamlNode node(YamlNode::Kind kind, const YAML::Mark& mark) {
    YamlNode out;
    out.kind = kind;
    out.line = mark.line + 1;
    out.column = mark.column + 1;
    return out;
  }
  static void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != 0) stop(mark, "anchors (&name) are not supported");
  }
  static void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!") {
      stop(mark, "tags (!name) are not supported");
    }
  }
  // Escapes in quoted text can make what the raw file may not hold; for "\\_" the library even
  // makes broken UTF-8.
  static void refuse_bytes(const YAML::Mark& mark, const std::string& value) {
    if (!is_utf8(value)) stop(mark, "this text is not valid UTF-8");
    const bool control = std::ranges::any_of(
        value, [](unsigned char c) { return (c < 0x20 && c != '\t' && c != '\n') || c == 0x7F; });
    if (control) stop(mark, "control characters can't stand here, not as escapes either");
  }
  [[nodiscard]] bool wants_key() const {
    return !frames_.empty() && frames_.back().node.kind == YamlNode::Kind::kMap &&
           !frames_.back().pending;
  }
  void open_key(const YAML::Mark& mark, const std::string& key) {
    Frame& frame = frames_.back();
    if (key.empty()) stop(mark, "a key must not be empty");
    if (!frame.keys.insert(key).second) {
      stop(mark, fmt::format("'{}' stands here twice", utf8_prefix(key, 80)));
    }
    frame.pending = YamlEntry{key, mark.line + 1, mark.column + 1, {}};
  }
  void open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor) {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    if (wants_key()) stop(mark, "a key must be text, not a list or a section");
    if (frames_.size() >= limits::kConfigDepth) {
      stop(mark, fmt::format("nested deeper than {} levels", limits::kConfigDepth));
    }
    frames_.push_back({node(kind, mark), {}, {}});
  }
  void close() {
    YamlNode done = std::move(frames_.back().node);
    frames_.pop_back();
    put(std::move(done));
  }
  void put(YamlNode value) {
    if (frames_.empty()) {
      root_ = std::move(value);
      return;
    }
    Frame& frame = frames_.back();
    if (frame.node.kind == YamlNode::Kind::kList) {
      frame.node.items.push_back(std::move(value));
      return;
    }
    frame.pending->value = std::move(value);
    frame.node.entries.push_back(std::move(*frame.pending));
    frame.pending.reset();
  }

  YamlNode root_;
  std::vector<Frame> frames_;
  int documents_ = 0;
};

// Lets the library read from a view without another copy of the text.
class ViewBuffer : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // a get area is only read
    setg(begin, begin, begin + text.size());
  }
};

}  // namespace

std::expected<YamlNode, YamlFault> parse_yaml(std::string_view text) {
  if (auto bad = find_bad_bytes(text)) return std::unexpected(std::move(*bad));
  try {
    ViewBuffer buffer(text);
    std::istream stream(&buffer);
    YAML::Parser parser(stream);
    TreeBuilder builder;
    while (parser.HandleNextDocument(builder)) {
    }
    return builder.take();
  } catch (Stop& stopped) {
    return std::unexpected(std::move(stopped.fault));
  } catch (const YAML::Exception& e) {
    const bool known = !e.mark.is_null();
    return std::unexpected(YamlFault{known ? e.mark.line + 1 : 1, known ? e.mark.column + 1 : 1,
                                     is_utf8(e.msg) ? e.msg : "can't be read as YAML"});
  } catch (const std::exception& e) {
    return std::unexpected(YamlFault{1, 1, fmt::format("can't be read as YAML: {}", e.what())});
  }
}

std::string describe(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "nothing";
    case YamlNode::Kind::kList:
      return "a list";
    case YamlNode::Kind::kMap:
      return "a section";
    case YamlNode::Kind::kScalar:
      break;
  }
  return fmt::format("'{}'", utf8_prefix(node.text, 60));
}

}  // namespace rouse
