#include "tests/scenario/scenario.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "tests/scenario/compare.h"
#include "tests/scenario/placeholder.h"

namespace rouse::scenario {
namespace {

constexpr std::array<std::string_view, 6> kMethods{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"};
constexpr std::string_view kForEach = "for each ";

struct Line {
  int number;
  std::string text;
};

struct Table {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> rows;
};

std::unexpected<Error> wrong(const Line& line, std::string_view problem) {
  return fail(Errc::kInvalid, fmt::format("line {}: {}", line.number, problem));
}

bool is_comment(const Line& line) { return trim(line.text).starts_with('#'); }
bool is_blank(const Line& line) { return trim(line.text).empty(); }

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  int number = 0;
  for (std::string_view line : split(text, '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back({++number, std::string(line)});
  }
  return lines;
}

std::vector<std::string> cells_of(std::string_view text, char separator) {
  std::vector<std::string> cells;
  for (const std::string_view cell : split(text, separator)) cells.emplace_back(trim(cell));
  return cells;
}

// Takes the table out of the lines. Its rows are the indented lines below `for each a, b in`.
Result<Table> take_table(std::vector<Line>& lines) {
  Table table;
  std::vector<Line> others;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].text.starts_with(kForEach)) {
      others.push_back(lines[i]);
      continue;
    }
    const Line& head = lines[i];
    if (!table.names.empty()) return wrong(head, "a scenario has one 'for each' at most");
    if (!head.text.ends_with(" in")) return wrong(head, "write it like 'for each phrase in'");
    table.names = cells_of(
        std::string_view(head.text).substr(kForEach.size(), head.text.size() - kForEach.size() - 3),
        ',');
    for (;
         i + 1 < lines.size() && (lines[i + 1].text.starts_with("  ") || is_comment(lines[i + 1]));
         ++i) {
      if (is_comment(lines[i + 1])) continue;
      table.rows.push_back(cells_of(lines[i + 1].text, '|'));
      if (table.rows.back().size() != table.names.size()) {
        return wrong(lines[i + 1], fmt::format("this row has {} cells, the table {}; '|' is "
                                               "between them",
                                               table.rows.back().size(), table.names.size()));
      }
    }
    if (table.rows.empty()) return wrong(head, "the table has no rows; indent them by two spaces");
  }
  lines = std::move(others);
  return table;
}

void replace_all(std::string& text, const std::string& what, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
}

class Reader {
 public:
  explicit Reader(const std::vector<Line>& lines) : lines_(lines) {}

  Result<std::vector<Step>> read() {
    std::vector<Step> steps;
    while (skip_to_step()) {
      TRY(const int times, read_times());
      const Line& line = lines_[at_];
      const std::string_view word = std::string_view(line.text).substr(0, line.text.find(' '));
      if (std::ranges::find(kMethods, word) != kMethods.end()) {
        TRY(Exchange exchange, read_exchange());
        exchange.times = times;
        steps.push_back({line.number, std::move(exchange)});
      } else if (times != 1) {
        return wrong(line, "only a request can be sent several times");
      } else {
        TRY(Step step, read_directive(line));
        steps.push_back(std::move(step));
        ++at_;
      }
    }
    return steps;
  }

 private:
  bool skip_to_step() {
    while (at_ < lines_.size() && (is_blank(lines_[at_]) || is_comment(lines_[at_]))) ++at_;
    return at_ < lines_.size();
  }

  // `51 times` on the line before a request; 1 if there is none.
  Result<int> read_times() {
    const Line& line = lines_[at_];
    if (!line.text.ends_with(" times")) return 1;
    int times = 0;
    const char* end = line.text.data() + line.text.size() - 6;
    const auto [stopped, ec] = std::from_chars(line.text.data(), end, times);
    if (ec != std::errc{} || stopped != end || times < 1 || times > 1000) {
      return wrong(line, "write it like '51 times', 1000 at most");
    }
    if (++at_ == lines_.size()) return wrong(line, "what is to be sent so many times?");
    return times;
  }

  static Result<Step> read_directive(const Line& line) {
    std::string_view text = trim(line.text);
    const auto after = [&](std::string_view start) {
      const bool found = text.starts_with(start);
      if (found) text = trim(text.substr(start.size()));
      return found;
    };
    if (text == "restart") return Step{line.number, Restart{}};
    if (text == "power cut") return Step{line.number, PowerCut{}};
    if (text == "as owner" || text == "as nobody") {
      return Step{line.number, Speaker{std::string(text.substr(3)), ""}};
    }
    for (const std::string_view role : {"user", "admin"}) {
      if (!after(fmt::format("as {} of ", role))) continue;
      TRY_VOID(check_blanks(line, text));
      return Step{line.number, Speaker{std::string(role), std::string(text)}};
    }
    if (after("wait ")) {
      TRY(const Millis length, length_in(line, text));
      return Step{line.number, Wait{length}};
    }
    if (after("session timeout ")) {
      TRY(const Millis length, length_in(line, text));
      return Step{line.number, SessionTimeout{length}};
    }
    if (after("step clock back ")) {
      TRY(const Millis length, length_in(line, text));
      return Step{line.number, ClockStep{{-length.count}}};
    }
    if (after("step clock forward ")) {
      TRY(const Millis length, length_in(line, text));
      return Step{line.number, ClockStep{length}};
    }
    return wrong(
        line,
        fmt::format("'{}' is nothing a scenario can do; see tests/scenario/README.md", line.text));
  }

  Result<Exchange> read_exchange() {
    const Line& first = lines_[at_];
    Exchange exchange;
    const std::size_t space = first.text.find(' ');
    exchange.method = first.text.substr(0, space);
    if (space != std::string::npos)
      exchange.target = trim(std::string_view(first.text).substr(space));
    if (!exchange.target.starts_with('/')) return wrong(first, "a path must begin with '/'");
    TRY_VOID(check_blanks(first, exchange.target));
    ++at_;
    TRY(exchange.headers, read_headers());
    const int body_line = at_ < lines_.size() ? lines_[at_].number : first.number;
    exchange.body = read_block();
    TRY_VOID(check_blanks({body_line, ""}, exchange.body));
    if (at_ == lines_.size() || !lines_[at_].text.starts_with("->")) {
      return wrong(first,
                   "this request has no answer: '-> 200' must follow, with no empty line between");
    }
    return read_answer(std::move(exchange));
  }

  Result<Exchange> read_answer(Exchange exchange) {
    const Line& line = lines_[at_];
    const std::string_view status = trim(std::string_view(line.text).substr(2));
    const auto [end, ec] =
        std::from_chars(status.data(), status.data() + status.size(), exchange.status);
    if (ec != std::errc{} || end != status.data() + status.size() || status.size() != 3) {
      return wrong(line, fmt::format("'{}' is no status; write it like '-> 200'", status));
    }
    ++at_;
    TRY(exchange.answer_headers, read_headers());
    const Line body{at_ < lines_.size() ? lines_[at_].number : line.number, ""};
    exchange.answer = read_block();
    if (!exchange.answer.empty()) {
      if (auto sound = check_expected(exchange.answer); !sound) {
        return wrong(body, sound.error().message);
      }
    }
    if (at_ < lines_.size() && lines_[at_].text.starts_with("->")) {
      return wrong(lines_[at_], "a request has one answer");
    }
    return exchange;
  }

  Result<Headers> read_headers() {
    Headers headers;
    for (; at_ < lines_.size() && lines_[at_].text.starts_with("header "); ++at_) {
      const Line& line = lines_[at_];
      const std::string_view text = std::string_view(line.text).substr(7);
      const std::size_t colon = text.find(':');
      if (colon == std::string_view::npos) return wrong(line, "write it like 'header Name: value'");
      TRY_VOID(check_blanks(line, text));
      headers.emplace_back(lower_ascii(trim(text.substr(0, colon))),
                           std::string(trim(text.substr(colon + 1))));
    }
    return headers;
  }

  // The lines up to an empty one or the arrow, comments left out.
  std::string read_block() {
    std::string block;
    for (; at_ < lines_.size() && !is_blank(lines_[at_]); ++at_) {
      if (lines_[at_].text.starts_with("->")) break;
      if (is_comment(lines_[at_])) continue;
      if (!block.empty()) block += '\n';
      block += lines_[at_].text;
    }
    return block;
  }

  static Result<void> check_blanks(const Line& line, std::string_view text) {
    const auto pieces = parse_pieces(text);
    if (!pieces) return wrong(line, pieces.error().message);
    return {};
  }

  static Result<Millis> length_in(const Line& line, std::string_view text) {
    const auto length = parse_length(text);
    if (!length) return wrong(line, length.error().message);
    return *length;
  }

  const std::vector<Line>& lines_;
  std::size_t at_ = 0;
};

}  // namespace

Result<std::vector<Scenario>> parse_scenario(std::string file, std::string_view text) {
  std::vector<Line> lines = lines_of(text);
  if (!is_comment(lines.front())) {
    return wrong(lines.front(), "a scenario opens with '# ' and a sentence: what does it show?");
  }
  TRY(const Table table, take_table(lines));
  std::vector<Scenario> scenarios;
  for (std::size_t row = 0; row < std::max<std::size_t>(table.rows.size(), 1); ++row) {
    std::vector<Line> filled = lines;
    Scenario scenario{file, "", {}};
    for (std::size_t i = 0; i < table.names.size(); ++i) {
      const std::string& cell = table.rows[row][i];
      scenario.row += fmt::format("{}{} = {}", i == 0 ? "" : ", ", table.names[i], cell);
      for (Line& line : filled) replace_all(line.text, "<" + table.names[i] + ">", cell);
    }
    TRY(scenario.steps, Reader(filled).read());
    if (scenario.steps.empty()) return wrong(lines.front(), "the scenario does nothing");
    scenarios.push_back(std::move(scenario));
  }
  return scenarios;
}

}  // namespace rouse::scenario
