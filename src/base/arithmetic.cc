#include "base/arithmetic.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"

namespace rouse {
namespace {

constexpr std::size_t kLongestExpression = 1000;
constexpr std::size_t kLongestMessage = 200;  // longer ones are prose
constexpr int kDeepest = 64;                  // brackets, signs and powers within one another

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// What can stand for an operator besides the sign itself. Longer ones first.
struct Spelling {
  std::string_view text;
  char sign;
};
constexpr std::array<Spelling, 18> kSpellings{{
    {"to the power of", '^'},
    {"multiplied by", '*'},
    {"divided by", '/'},
    {"squared", '2'},
    {"modulo", '%'},
    {"minus", '-'},
    {"times", '*'},
    {"plus", '+'},
    {"mod", '%'},
    {"**", '^'},
    {"×", '*'},
    {"·", '*'},
    {"÷", '/'},
    {"−", '-'},
    {"–", '-'},
    {"²", '2'},
    {"√", 'r'},
    {"x", '*'},
}};

// Something is wrong with the sum: with how it is written, or with its value (3/0).
struct Trouble {
  std::string words;
  bool of_value = false;
};

// One pass over the text, from left to right. The first trouble ends it.
class Sum {
 public:
  explicit Sum(std::string_view text) : text_(text) {}

  std::expected<double, Trouble> run() {
    if (trim(text_).empty()) return std::unexpected(Trouble{"there is nothing to calculate"});
    if (text_.size() > kLongestExpression) {
      return std::unexpected(
          Trouble{fmt::format("the expression is longer than {} characters", kLongestExpression)});
    }
    const double value = sum();
    skip_blanks();
    if (!trouble_ && at_ < text_.size()) complain(leftover());
    if (!trouble_ && !std::isfinite(value)) complain("the result is too large", true);
    if (trouble_) return std::unexpected(*trouble_);
    return value;
  }
  // How many things were done to numbers: none means that it is only a number.
  [[nodiscard]] int operations() const { return operations_; }

 private:
  struct Operator {
    char sign = 0;  // 0: there is none
    std::size_t length = 0;
  };

  void complain(std::string words, bool of_value = false) {
    if (!trouble_) trouble_ = Trouble{std::move(words), of_value};
    at_ = text_.size();
  }

  double deeper(double (Sum::*part)()) {
    if (++depth_ > kDeepest) complain("it is nested too deeply");
    const double value = (this->*part)();
    --depth_;
    return value;
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  [[nodiscard]] char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  [[nodiscard]] bool stands_here(std::string_view word) const {
    if (!iequals_ascii(text_.substr(at_, word.size()), word)) return false;
    const std::size_t end = at_ + word.size();
    return !is_letter(word.back()) || end >= text_.size() || !is_letter(text_[end]);
  }

  [[nodiscard]] Operator upcoming() {
    skip_blanks();
    if (std::string_view("+-*/%^").contains(next()) && next() != '\0' && !stands_here("**")) {
      return {next(), 1};
    }
    for (const Spelling& one : kSpellings) {
      if (stands_here(one.text)) return {one.sign, one.text.size()};
    }
    return {};
  }

  // What stands at this place, for a message.
  [[nodiscard]] std::string_view piece() const {
    std::size_t end = at_;
    const auto same = [&](char c) { return is_letter(text_[at_]) ? is_letter(c) : is_digit(c); };
    if (is_letter(next()) || is_digit(next())) {
      while (end < text_.size() && same(text_[end])) ++end;
    } else {
      ++end;
      while (end < text_.size() && !begins_character(text_[end])) ++end;
    }
    return text_.substr(at_, std::min(end - at_, std::size_t{40}));
  }

  std::string leftover() {
    if (next() == ')') return fmt::format("the ')' at character {} closes nothing", at_ + 1);
    if (next() == ',') return "write decimals with a point (3.5), and functions with one number";
    if (is_digit(next()) || next() == '(' || next() == '.') {
      return fmt::format("an operator is missing before '{}' at character {}", piece(), at_ + 1);
    }
    return fmt::format("'{}' is nothing to calculate with", piece());
  }

  double sum() {
    double value = product();
    while (!trouble_) {
      const Operator op = upcoming();
      if (op.sign != '+' && op.sign != '-') break;
      take(op);
      const double right = product();
      // "200 + 10%" adds a tenth of the 200, as every pocket calculator does.
      const double amount = percent_ ? value * right : right;
      value += op.sign == '+' ? amount : -amount;
    }
    percent_ = false;
    return value;
  }

  double product() {
    double value = signed_power();
    while (!trouble_) {
      const Operator op = upcoming();
      if (op.sign != '*' && op.sign != '/' && op.sign != '%') break;
      take(op);
      const double right = signed_power();
      percent_ = false;
      if (op.sign == '*') {
        value *= right;
        continue;
      }
      if (right == 0 && !trouble_) complain("division by zero", true);
      value = op.sign == '/' ? value / right : std::fmod(value, right);
    }
    return value;
  }

  double signed_power() {
    const Operator op = upcoming();
    if (op.sign != '-' && op.sign != '+') return power();
    last_ = text_.substr(at_, op.length);
    at_ += op.length;
    const double value = deeper(&Sum::signed_power);
    return op.sign == '-' ? -value : value;
  }

  double power() {
    double value = operand();
    while (!trouble_) {
      const Operator op = upcoming();
      if (op.sign == '2') {
        take(op);
        value *= value;
        continue;
      }
      if (op.sign != '^') break;
      take(op);
      const double exponent = deeper(&Sum::signed_power);  // 2^3^2 is 2^9
      percent_ = false;
      if (value == 0 && exponent < 0) complain("division by zero", true);
      const double raised = std::pow(value, exponent);
      if (std::isnan(raised)) complain("a negative number has no such root", true);
      return raised;
    }
    return value;
  }

  double operand() {
    skip_blanks();
    percent_ = false;
    double value = 0;
    if (const std::size_t root = root_length(); root > 0) {
      value = square_root(root);
    } else if (next() == '(') {
      value = bracket();
    } else if (is_digit(next()) || next() == '.') {
      value = number();
    } else {
      complain(nothing_here());
    }
    return trouble_ ? 0 : with_percent(value);
  }

  std::string nothing_here() {
    if (at_ >= text_.size() || next() == ')') {
      return last_.empty() ? "there is no number"
                           : fmt::format("there is nothing after '{}'", last_);
    }
    if (const Operator op = upcoming(); op.sign != 0) {
      const std::string_view sign = text_.substr(at_, op.length);
      if (last_.empty()) return fmt::format("there is nothing before '{}'", sign);
      return fmt::format("there is no number between '{}' and '{}'", last_, sign);
    }
    return fmt::format("'{}' is nothing to calculate with", piece());
  }

  [[nodiscard]] std::size_t root_length() const {
    for (const std::string_view name : {"square root of", "sqrt", "√"}) {
      if (stands_here(name)) return name.size();
    }
    return 0;
  }

  double square_root(std::size_t name_length) {
    last_ = text_.substr(at_, name_length);
    at_ += name_length;
    ++operations_;
    const double of = deeper(&Sum::operand);
    if (of < 0) complain("a negative number has no square root", true);
    return std::sqrt(of);
  }

  double bracket() {
    const std::size_t opened = at_++;
    last_ = "(";
    const double value = deeper(&Sum::sum);
    skip_blanks();
    if (trouble_) return 0;
    if (next() != ')') {
      if (at_ < text_.size()) {
        complain(leftover());
      } else {
        complain(fmt::format("there is no ')' for the '(' at character {}", opened + 1));
      }
      return 0;
    }
    ++at_;
    return value;
  }

  // Digits with a point, an exponent, and commas between groups of three.
  double number() {
    std::string digits;
    while (true) {
      if (is_digit(next())) {
        digits += text_[at_++];
      } else if (next() == ',' && group_follows() && !digits.contains('.') && !digits.empty()) {
        ++at_;
      } else if (next() == '.' && !digits.contains('.')) {
        digits += text_[at_++];
      } else {
        break;
      }
    }
    if (exponent_follows()) {
      digits += text_[at_++];
      do {
        if (next() != '+') digits += next();
        ++at_;
      } while (is_digit(next()));
    }
    double value = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, ec] = std::from_chars(digits.data(), end, value);
    if (ec == std::errc::result_out_of_range) {
      complain(fmt::format("'{}' is too large or too small", digits.substr(0, 40)), true);
    } else if (ec != std::errc{} || stop != end) {
      complain(fmt::format("'{}' is not a number", digits.substr(0, 40)));
    }
    return value;
  }
  [[nodiscard]] bool group_follows() const {
    const std::string_view group = text_.substr(at_ + 1, 4);
    return group.size() >= 3 && std::ranges::all_of(group.substr(0, 3), is_digit) &&
           (group.size() == 3 || !is_digit(group[3]));
  }
  [[nodiscard]] bool exponent_follows() const {
    if (next() != 'e' && next() != 'E') return false;
    const std::string_view rest = text_.substr(at_ + 1, 2);
    return (!rest.empty() && is_digit(rest[0])) ||
           (rest.size() == 2 && (rest[0] == '+' || rest[0] == '-') && is_digit(rest[1]));
  }

  // "15% of 80", "15%", but "10 % 3" is what remains of a division.
  double with_percent(double value) {
    const std::size_t before = at_;
    skip_blanks();
    if (next() != '%' && !stands_here("percent")) {
      at_ = before;
      return value;
    }
    at_ += next() == '%' ? 1 : std::string_view("percent").size();
    skip_blanks();
    if (stands_here("of")) {
      last_ = "of";
      at_ += 2;
      ++operations_;
      return value / 100 * deeper(&Sum::signed_power);
    }
    if (is_digit(next()) || next() == '(' || next() == '.' || root_length() > 0) {
      at_ = before;
      return value;
    }
    percent_ = true;
    return value / 100;
  }

  void take(Operator op) {
    last_ = text_.substr(at_, op.length);
    at_ += op.length;
    ++operations_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string_view last_;  // the operator before this place
  int operations_ = 0, depth_ = 0;
  bool percent_ = false;  // the operand just read was a bare percentage
  std::optional<Trouble> trouble_;
};

// --- sums within messages ------------------------------------------------------------------------

constexpr std::array<std::string_view, 21> kBefore{
    "what is", "what's", "whats",    "what’s",   "how much is", "how much are", "calculate",
    "compute", "solve",  "evaluate", "work out", "tell me",     "can you",      "could you",
    "please",  "hey",    "hi",       "and",      "so",          "the",          "ok"};
constexpr std::array<std::string_view, 5> kOrders{"calculate", "compute", "solve", "evaluate",
                                                  "work out"};
constexpr std::array<std::string_view, 5> kAfter{"please", "equals", "thanks", "thank you",
                                                 "for me"};

struct Asked {
  std::string_view sum;
  bool in_words = false;  // "what is …"
  bool ordered = false;   // "calculate …"
};

bool is_word_before(std::string_view text, std::string_view word) {
  return text.size() > word.size() && iequals_ascii(text.substr(0, word.size()), word) &&
         !is_letter(text[word.size()]) && text[word.size()] != '\'';
}

Asked without_words(std::string_view text) {
  Asked asked{trim(text)};
  const auto strip_one = [&] {
    for (const std::string_view word : kBefore) {
      if (!is_word_before(asked.sum, word)) continue;
      asked.in_words = true;
      asked.ordered |= std::ranges::find(kOrders, word) != kOrders.end();
      asked.sum = trim(asked.sum.substr(word.size()));
      while (asked.sum.starts_with(',') || asked.sum.starts_with(':')) {
        asked.sum = trim(asked.sum.substr(1));
      }
      return true;
    }
    return false;
  };
  while (strip_one()) {
  }
  const auto strip_end = [&] {
    if (!asked.sum.empty() && std::string_view("?=!.,;").contains(asked.sum.back())) {
      asked.sum = trim(asked.sum.substr(0, asked.sum.size() - 1));
      return true;
    }
    for (const std::string_view word : kAfter) {
      if (asked.sum.size() <= word.size()) continue;
      const std::size_t start = asked.sum.size() - word.size();
      if (!iequals_ascii(asked.sum.substr(start), word) || is_letter(asked.sum[start - 1]))
        continue;
      asked.sum = trim(asked.sum.substr(0, start));
      return true;
    }
    return false;
  };
  while (strip_end()) {
  }
  return asked;
}

// 2026-11-15, 15/11/2026, 1-2-26, 555-1234, +1-555-123-4567: digits joined by '-' or '/', nothing
// else. What is asked in words ("what is 10-3-2") has to look like one more clearly.
bool is_date_or_phone(const Asked& asked) {
  std::string_view text = asked.sum;
  const bool plus = text.starts_with('+');
  if (plus) text.remove_prefix(1);
  std::vector<std::size_t> parts{0};
  std::size_t digits = 0;
  char joint = 0;
  for (const char c : text) {
    if (is_digit(c)) {
      ++parts.back();
      ++digits;
    } else if ((c == '-' || c == '/') && (joint == 0 || joint == c)) {
      joint = c;
      parts.push_back(0);
    } else {
      return false;
    }
  }
  if (plus && joint == '-') return true;
  if (parts.size() == 2)
    return !asked.in_words && joint == '-' && (parts[0] == 3 || parts[0] == 4) && parts[1] == 4;
  if (parts.size() < 3) return false;
  if (digits >= 9 && joint == '-') return true;
  const auto small = std::ranges::count_if(parts, [](std::size_t n) { return n <= 2; });
  if (parts.size() != 3) return false;
  const bool has_year = std::ranges::find(parts, 4U) != parts.end();
  return (small == 2 && has_year) || (small == 3 && !asked.in_words);
}

}  // namespace

Result<double> calculate(std::string_view expression) {
  auto value = Sum(expression).run();
  if (!value) return fail(Errc::kInvalid, std::move(value.error().words));
  return *value;
}

std::string number_text(double value) {
  if (std::isnan(value)) return "not a number";
  if (std::isinf(value)) return value > 0 ? "infinity" : "-infinity";
  // Whole numbers of up to 15 digits are exact in a double, and read better than 1.1e12.
  if (std::nearbyint(value) == value && std::fabs(value) < 1e15) {
    return fmt::format("{}", static_cast<std::int64_t>(value));
  }
  std::string text = fmt::format("{:.12g}", value);
  std::erase(text, '+');  // 1e20
  return text;
}

std::optional<std::string> answer_sum(std::string_view message) {
  const std::string_view text = trim(message);
  if (text.size() > kLongestMessage || text.contains('\n')) return std::nullopt;
  const Asked asked = without_words(text);
  if (!std::ranges::any_of(asked.sum, is_digit) || is_date_or_phone(asked)) return std::nullopt;
  Sum sum(asked.sum);
  const auto value = sum.run();
  if (value && sum.operations() == 0) return std::nullopt;
  if (value) return fmt::format("{} = {}", asked.sum, number_text(*value));
  const bool has_words = std::ranges::any_of(asked.sum, is_letter);
  if (!value.error().of_value && (!asked.ordered || has_words)) return std::nullopt;
  return fmt::format("{}: {}", asked.sum, value.error().words);
}

}  // namespace rouse
