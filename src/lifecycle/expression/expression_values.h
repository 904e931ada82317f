// What Python would say about JSON values: which are true, which are equal, which is less, what one
// is as text. Everything that walks a value pays for it with steps of a meter, so that no value,
// however large or deep, makes an evaluation long.
#pragma once

#include <compare>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json/value.hpp>

namespace rouse {

// The steps that are left. Whoever spends looks at exhausted() before using the outcome.
class ExpressionMeter {
 public:
  explicit ExpressionMeter(std::size_t steps) : left_(steps) {}
  bool spend(std::size_t steps = 1) {
    if (steps > left_) exhausted_ = true;
    left_ -= exhausted_ ? left_ : steps;
    return !exhausted_;
  }
  bool spend_bytes(std::size_t bytes) { return spend(1 + bytes / 1024); }
  [[nodiscard]] bool exhausted() const { return exhausted_; }

 private:
  std::size_t left_;
  bool exhausted_ = false;
};

// A value in the middle of an evaluation: borrowed from the scope or the tree as long as that is
// possible, so that comparing what is there already copies nothing. What an evaluation makes is
// most often a truth value, of which there are two: only others are made anew.
class ExpressionValue {
 public:
  ExpressionValue() = default;  // None
  ExpressionValue(const boost::json::value* borrowed) : value_(borrowed) {}
  ExpressionValue(boost::json::value owned)
      : owned_(std::make_unique<boost::json::value>(std::move(owned))), value_(owned_.get()) {}
  ExpressionValue(bool) = delete;  // a pointer or a value, never by accident the other
  static ExpressionValue truth(bool value) { return value ? &kTrue : &kFalse; }

  [[nodiscard]] const boost::json::value& get() const { return *value_; }
  [[nodiscard]] bool is_borrowed() const { return owned_ == nullptr; }
  // The value itself. One borrowed from others is copied and paid for.
  boost::json::value take(ExpressionMeter& meter) &&;

 private:
  static const boost::json::value kNone, kTrue, kFalse;
  std::unique_ptr<boost::json::value> owned_;
  const boost::json::value* value_ = &kNone;
};

// With its article: "a number", "text", "None".
std::string_view type_words(const boost::json::value& value);

bool is_true(const boost::json::value& value);
bool are_equal(const boost::json::value& a, const boost::json::value& b, ExpressionMeter& meter);
// nullopt: these two have no order.
std::optional<std::partial_ordering> order_of(const boost::json::value& a,
                                              const boost::json::value& b);
// Where `part` begins in `text`, or npos.
std::size_t find_text(std::string_view text, std::string_view part, ExpressionMeter& meter);

// A copy that is paid for, item by item.
boost::json::value copy_of(const boost::json::value& value, ExpressionMeter& meter);

// Appends the value as text: text itself, True, False, None, numbers, lists and objects as JSON.
// False: it would become longer than most_bytes, and `out` holds a part.
bool append_text(std::string& out, const boost::json::value& value, std::size_t most_bytes);
// As JSON, cut to most_bytes with "…".
std::string json_excerpt(const boost::json::value& value, std::size_t most_bytes);

}  // namespace rouse
