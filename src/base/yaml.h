// The one place that reads YAML. A document becomes a small tree of our own in which every node
// knows its line and column; nobody else sees the library below.
//
// Strict on purpose, because a config that two readers understand differently is a trap: one
// document, UTF-8 without control characters, text keys, no key twice, no anchors, aliases or tags.
// Size and depth are bounded while reading, before anything is built, so a hostile file costs
// milliseconds.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace rouse {

struct YamlEntry;

struct YamlNode {
  enum class Kind : std::uint8_t { kNull, kScalar, kList, kMap };
  Kind kind = Kind::kNull;
  std::string text;     // of a scalar
  bool quoted = false;  // "30" is text, 30 may be a number
  int line = 1;         // counted from 1
  int column = 1;
  std::vector<YamlNode> items;     // of a list
  std::vector<YamlEntry> entries;  // of a map, in the order of the file
};

struct YamlEntry {
  std::string key;
  int line = 1;
  int column = 1;
  YamlNode value;
};

struct YamlFault {
  int line = 1;
  int column = 1;
  std::string message;
};

// An empty document is a null node.
std::expected<YamlNode, YamlFault> parse_yaml(std::string_view text);

// "a list", "'abc'": what stands there, for messages.
std::string describe(const YamlNode& node);

}  // namespace rouse
