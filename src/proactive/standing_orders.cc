#include "proactive/standing_orders.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "schedule/said_time.h"

namespace rouse {
namespace {

struct KnownCheck {
  std::string_view name;
  Millis age;  // unless it is said
};
// In the order of CheckKind.
constexpr std::array<KnownCheck, 6> kChecks{{{"failed_runs", hours(24)},
                                             {"overdue_reminders", hours(24)},
                                             {"overdue_tasks", days(7)},
                                             {"unanswered_questions", hours(4)},
                                             {"idle_approvals", minutes(60)},
                                             {"command", {}}}};
constexpr std::string_view kCheckWord = "check:";
constexpr std::string_view kOnChange = "(on change)";
constexpr std::size_t kProblems = 10;

constexpr std::string_view kShipped =
    R"md(# Standing orders

<!-- What rouse looks after between messages; edit it as you like, the next beat knows.
     "check:" lines cost nothing. Text that ends with "(on change)" asks the cheap model when
     something has happened since the last beat. Any other text asks it at every beat.
     More checks: unanswered_questions 4h, command "test -e /tmp/flag". -->

- check: failed_runs
- check: overdue_reminders
- check: overdue_tasks 7d
- check: idle_approvals 60m
- If something that was promised or begun today is still open, remind me of it. (on change)
)md";

// Comments become nothing; what is not closed goes to the end.
std::string without_comments(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t open = text.find("<!--");
    out += text.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = text.find("-->", open);
    const std::string_view gone = text.substr(open, close - open);
    out.append(static_cast<std::size_t>(std::ranges::count(gone, '\n')),
               '\n');  // lines keep numbers
    if (close == std::string_view::npos) break;
    text.remove_prefix(close + 3);
  }
  return out;
}

// "- ", "* ", "+ ", "1. ", "2) ", then maybe "[ ] ".
std::string_view without_marker(std::string_view line, bool& is_item) {
  is_item = false;
  std::size_t at = 0;
  if (line.size() >= 2 && std::string_view("-*+").contains(line[0])) {
    at = 1;
  } else {
    while (at < line.size() && line[at] >= '0' && line[at] <= '9') ++at;
    if (at == 0 || at >= line.size() || (line[at] != '.' && line[at] != ')')) return line;
    ++at;
  }
  if (at >= line.size() || line[at] != ' ') return line;
  is_item = true;
  line = trim(line.substr(at));
  if (line.size() > 3 && line[0] == '[' && line[2] == ']') line = trim(line.substr(3));
  return line;
}

bool is_nobodys(std::string_view line) {
  const bool rule = line.size() >= 3 && line.find_first_not_of("-*_= ") == std::string_view::npos;
  return line.empty() || line.starts_with('#') || line.starts_with("```") || rule;
}

std::string known_checks() {
  std::string out;
  for (const KnownCheck& one : kChecks) out += (out.empty() ? "" : ", ") + std::string(one.name);
  return out;
}

std::string_view without_quotes(std::string_view text) {
  text = trim(text);
  const bool quoted = text.size() >= 2 && text.front() == text.back() &&
                      std::string_view("\"'`").contains(text.front());
  return quoted ? text.substr(1, text.size() - 2) : text;
}

Result<CheckOrder> check_of(std::string_view said) {
  const std::size_t blank = said.find_first_of(" \t");
  const std::string name = lower_ascii(said.substr(0, blank));
  const std::string_view rest =
      blank == std::string_view::npos ? std::string_view() : trim(said.substr(blank));
  const auto* const known = std::ranges::find(kChecks, name, &KnownCheck::name);
  if (known == kChecks.end()) {
    return fail(Errc::kInvalid, fmt::format("there is no check '{}'; those that exist: {}",
                                            utf8_prefix(name, 60), known_checks()));
  }
  CheckOrder out{static_cast<CheckKind>(known - kChecks.begin()), known->age};
  if (out.kind == CheckKind::kCommand) {
    out.command = without_quotes(rest);
    if (out.command.empty()) {
      return fail(Errc::kInvalid, R"(say which command: check: command "test -e /tmp/flag")");
    }
  } else if (!rest.empty()) {
    auto age = parse_said_length(std::string(rest));
    if (!age) return fail(wrap(fmt::format("check: {}", name), age.error()));
    out.age = *age;
  }
  return out;
}

class OrdersReader {
 public:
  void line(std::string_view raw) {
    ++number_;
    const std::string_view text = trim(raw);
    if (is_nobodys(text)) return end_item();
    bool is_item = false;
    const std::string_view said = without_marker(text, is_item);
    const bool goes_on = !item_.empty() && !is_item && (raw[0] == ' ' || raw[0] == '\t');
    if (goes_on) {
      item_ += fmt::format(" {}", said);
      return;
    }
    end_item();
    if (lower_ascii(said.substr(0, kCheckWord.size())) == kCheckWord) {
      return check(trim(said.substr(kCheckWord.size())));
    }
    item_ = said;
  }
  StandingOrders end() {
    end_item();
    std::string all;
    for (const CheckOrder& one : out_.checks) {
      all += fmt::format("{} {} {}\n", check_name(one.kind), one.age.count, one.command);
    }
    for (const auto& one : out_.on_change) all += fmt::format("c {}\n", one);
    for (const auto& one : out_.always) all += fmt::format("a {}\n", one);
    out_.hash = to_hex(sha256(all)).substr(0, 16);
    return std::move(out_);
  }

 private:
  void end_item() {
    std::string_view said = trim(item_);
    const std::size_t size = said.size();
    const bool on_change =
        size >= kOnChange.size() && lower_ascii(said.substr(size - kOnChange.size())) == kOnChange;
    if (on_change) said = trim(said.substr(0, size - kOnChange.size()));
    if (!said.empty()) (on_change ? out_.on_change : out_.always).emplace_back(said);
    item_.clear();
  }
  void check(std::string_view said) {
    auto order = check_of(said);
    if (!order) return problem(order.error().message);
    const auto commands = std::ranges::count(out_.checks, CheckKind::kCommand, &CheckOrder::kind);
    if (out_.checks.size() >= kChecksOfOrders ||
        (order->kind == CheckKind::kCommand &&
         commands >= static_cast<std::ptrdiff_t>(kCommandsOfOrders))) {
      return problem(fmt::format("too many checks: at most {}, of them {} commands",
                                 kChecksOfOrders, kCommandsOfOrders));
    }
    if (std::ranges::find(out_.checks, *order) == out_.checks.end()) {
      out_.checks.push_back(std::move(*order));
    }
  }
  void problem(const std::string& what) {
    if (out_.problems.size() >= kProblems) return;
    out_.problems.push_back(fmt::format("line {}: {}", number_, what));
  }

  StandingOrders out_;
  std::string item_;
  int number_ = 0;
};

}  // namespace

std::string_view check_name(CheckKind kind) {
  return kChecks.at(static_cast<std::size_t>(kind)).name;
}

StandingOrders parse_standing_orders(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::string plain = without_comments(text);
  OrdersReader reader;
  for (std::string_view line : split(plain, '\n')) reader.line(line);
  return reader.end();
}

std::string_view shipped_orders() { return kShipped; }

}  // namespace rouse
