#include "app/cli/heartbeat_reading.h"

#include <cstdlib>

#include <fmt/format.h>

#include "app/cli/automations_reading.h"
#include "app/cli/command.h"
#include "app/cli/readable.h"

namespace rouse::cli {
namespace {

constexpr std::size_t kNameWidth = 8;
constexpr std::size_t kLineCharacters = 160;
constexpr double kMicros = 1e6;

void put(std::string& card, std::string_view name, const std::string& text) {
  if (text.empty()) return;
  card += fmt::format("  {:<{}} {}\n", name, kNameWidth, hanging(safe_text(text), kNameWidth + 3));
}

double number_at(const boost::json::value& value, std::string_view path) {
  return std::strtod(text_at(value, path).c_str(), nullptr);
}

std::string dollars(double micros) { return fmt::format("${:.4f}", micros / kMicros); }

std::string plural(const std::string& count, std::string_view word) {
  return fmt::format("{} {}{}", count, word, count == "1" ? "" : "s");
}

// "3 beats, 1 model call, 612 tokens, $0.0004 of $0.5000"
std::string spent(const boost::json::value& beat) {
  std::string out = plural(text_at(beat, "today.beats"), "beat") + ", " +
                    plural(text_at(beat, "today.calls"), "model call");
  const std::string most = text_at(beat, "today.cap_calls");
  if (!most.empty()) out += " of " + most;
  const double tokens = number_at(beat, "today.tokens_in") + number_at(beat, "today.tokens_out");
  if (tokens > 0) out += fmt::format(", {:.0f} tokens", tokens);
  const std::string cap = text_at(beat, "today.cap_micros");
  const double cost = number_at(beat, "today.cost_micros");
  if (cost > 0 || !cap.empty()) out += ", " + dollars(cost);
  if (!cap.empty()) out += " of " + dollars(number_at(beat, "today.cap_micros"));
  return out;
}

std::string told(const boost::json::value& beat, std::string_view at, std::string_view what,
                 WallTime now) {
  const std::string time = text_at(beat, at);
  if (time.empty()) return "";
  return fmt::format("{}: {}", ago(time, now), one_line(text_at(beat, what), kLineCharacters));
}

std::string cost_words(const std::string& kind) {
  if (kind == "check") return "free";
  if (kind == "on_change") return "on change";
  return "each beat";
}

void put_orders(std::string& card, const boost::json::value& beat) {
  const std::string file = text_at(beat, "orders_file");
  put(card, "orders", file);
  const auto* orders = beat.as_object().if_contains("orders");
  if (orders == nullptr || !orders->is_array()) return;
  for (const auto& order : orders->get_array()) {
    card += fmt::format("    {:<9} {}\n", cost_words(text_at(order, "kind")),
                        one_line(text_at(order, "text"), kLineCharacters));
  }
}

std::string card_of(const boost::json::value& beat, WallTime now) {
  const bool on = text_at(beat, "enabled") == "yes";
  const std::string name = text_at(beat, "name");
  std::string card = fmt::format("heartbeat{}{}  {}\n", name.empty() ? "" : "-", safe_text(name),
                                 on ? safe_text(text_at(beat, "words")) : "off");
  put(card, "next", text_at(beat, "next_words"));
  put(card, "last", told(beat, "last.at", "last.text", now));
  put(card, "skipped", told(beat, "last_skip.at", "last_skip.text", now));
  if (on) put(card, "today", spent(beat));
  put(card, "project", text_at(beat, "project"));
  put(card, "wakes", text_at(beat, "conversation"));
  put_orders(card, beat);
  put(card, "problem", text_at(beat, "problem"));
  return card;
}

}  // namespace

std::string heartbeat_status(const boost::json::value& answer, const std::string& name,
                             WallTime now) {
  std::string out;
  const auto* all = answer.is_object() ? answer.get_object().if_contains("heartbeats") : nullptr;
  if (all != nullptr && all->is_array()) {
    for (const auto& beat : all->get_array()) {
      if (!name.empty() && text_at(beat, "name") != name) continue;
      out += (out.empty() ? "" : "\n") + card_of(beat, now);
    }
  }
  if (out.empty()) {
    out = name.empty() ? "There is no heartbeat. Make one: rouse heartbeat edit\n"
                       : fmt::format("There is no heartbeat '{}'. All of them: rouse heartbeat\n",
                                     safe_text(name));
  }
  const std::string problem = text_at(answer, "problem");
  if (!problem.empty()) out += fmt::format("\nproblem: {}\n", safe_text(problem));
  return out;
}

std::string beat_text(const boost::json::value& beat) {
  const std::string reason = text_at(beat, "reason"), text = text_at(beat, "text");
  if (text_at(beat, "skipped") == "yes") {
    return fmt::format("skipped: {}\n", safe_text(text.empty() ? reason : text));
  }
  std::string word = text_at(beat, "verdict");
  if (word.empty()) word = text_at(beat, "status");
  std::string out = fmt::format("{}{}\n", word, text.empty() ? "" : ": " + safe_text(text));
  const std::string calls = text_at(beat, "calls");
  out += calls == "0" ? "no model was asked" : plural(calls, "model call");
  const double tokens = number_at(beat, "tokens_in") + number_at(beat, "tokens_out");
  if (tokens > 0) out += fmt::format(", {:.0f} tokens", tokens);
  const double cost = number_at(beat, "cost_micros");
  if (cost > 0) out += ", " + dollars(cost);
  if (!reason.empty()) out += fmt::format(" ({})", safe_text(reason));
  return out + "\n";
}

std::string heartbeat_history(const boost::json::value& page, WallTime now) {
  return items_table(page, "items",
                     {{"DUE", "scheduled_for", Cell::kTime},
                      {"NAME", "name"},
                      {"STATUS", "status"},
                      {"VERDICT", "verdict"},
                      {"CALLS", "calls"},
                      {"WHAT", "text"}},
                     "It has not beaten yet.", now);
}

}  // namespace rouse::cli
