#include "agent/spend.h"

#include <algorithm>

#include <absl/time/civil_time.h>
#include <absl/time/time.h>
#include <fmt/format.h>

#include "base/time_zone.h"
#include "model/known_models.h"

namespace rouse {
namespace {

constexpr Millis kIdle = minutes(1);

constexpr std::string_view kAdd = R"sql(
INSERT INTO spend (owner, day, turns, tokens_in, tokens_out, cache_read, cache_write, micros,
                   price_unknown, noticed_ms)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, NULL)
ON CONFLICT (owner, day) DO UPDATE SET
  turns = spend.turns + excluded.turns,
  tokens_in = spend.tokens_in + excluded.tokens_in,
  tokens_out = spend.tokens_out + excluded.tokens_out,
  cache_read = spend.cache_read + excluded.cache_read,
  cache_write = spend.cache_write + excluded.cache_write,
  micros = spend.micros + excluded.micros,
  price_unknown = spend.price_unknown + excluded.price_unknown)sql";

constexpr std::string_view kNotice = R"sql(
INSERT INTO spend (owner, day, turns, tokens_in, tokens_out, cache_read, cache_write, micros,
                   price_unknown, noticed_ms)
VALUES ($1, $2, 0, 0, 0, 0, 0, 0, 0, $3)
ON CONFLICT (owner, day) DO UPDATE SET noticed_ms = excluded.noticed_ms
WHERE spend.noticed_ms IS NULL)sql";

#define SPEND_COLUMNS \
  "day, turns, tokens_in, tokens_out, cache_read, cache_write, micros, price_unknown"
constexpr std::string_view kOne =
    "SELECT " SPEND_COLUMNS " FROM spend WHERE owner = $1 AND day = $2";
constexpr std::string_view kDays = "SELECT " SPEND_COLUMNS
                                   " FROM spend WHERE owner = $1 AND day < $2 AND day <> '' "
                                   "ORDER BY day DESC LIMIT $3";
constexpr std::string_view kAfterAllDays = "9999-99-99";

Spent spent_of(const Row& row) {
  return {.day = row.text(0),
          .turns = row.integer(1),
          .usage = {.in = row.integer(2),
                    .out = row.integer(3),
                    .cache_read = row.integer(4),
                    .cache_write = row.integer(5)},
          .micros = row.integer(6),
          .price_unknown = row.integer(7) > 0};
}

Statement add_to(const std::string& owner, const std::string& day, const TurnSpend& spend,
                 std::int64_t turns) {
  const ModelUsage& used = spend.billed;
  return {kAdd,
          {owner, day, turns, used.in, used.out, used.cache_read, used.cache_write, spend.micros,
           std::int64_t{spend.price_unknown}},
          {}};
}

absl::TimeZone zone_named(const std::string& name) {
  absl::TimeZone zone = absl::UTCTimeZone();
  if (is_time_zone(name)) absl::LoadTimeZone(name, &zone);
  return zone;
}

// "$4.98"; "$0.0031" when cents would say nothing.
std::string dollars(std::int64_t micros) {
  const double amount = static_cast<double>(micros) / 1e6;
  return micros > 0 && micros < 10'000 ? fmt::format("${:.4f}", amount)
                                       : fmt::format("${:.2f}", amount);
}

// "2026-11-16 00:00 Europe/Berlin"
std::string next_midnight(WallTime now, const std::string& zone) {
  const absl::TimeZone there = zone_named(zone);
  const absl::CivilDay today(absl::ToCivilDay(absl::FromUnixMillis(now.unix_ms), there));
  return fmt::format("{} 00:00 {}", absl::FormatCivilTime(today + 1), there.name());
}

// What a call may cost at most: all of its input could go into the provider's cache.
std::int64_t highest_cost(const ModelInfo& info, std::int64_t in, std::int64_t out) {
  if (!info.price) return 0;
  ModelInfo dearest = info;
  dearest.price->in = std::max(info.price->in, info.price->cache_write);
  return cost_of(dearest, {.in = in, .out = out}).value_or(0);
}

// Who answered: a chain may have gone on to another model than the one it is named after. Of that
// one only its name is known here, and with it what price lists say.
ModelInfo answering(const ModelInfo& asked, const std::string& answered_by) {
  const std::size_t slash = answered_by.find('/');
  if (slash == std::string::npos || answered_by == asked.full_name()) return asked;
  return known_model(answered_by.substr(0, slash), answered_by.substr(slash + 1), "");
}

}  // namespace

bool is_free(const ModelInfo& info) {
  return info.built_in || (info.price && *info.price == ModelPrice{});
}

std::string day_in_zone(WallTime time, const std::string& zone) {
  return absl::FormatTime("%Y-%m-%d", absl::FromUnixMillis(time.unix_ms), zone_named(zone));
}

void TurnSpend::add(const ModelInfo& info, const ModelUsage& more, const std::string& answered_by) {
  usage += more;
  model = answered_by;
  const ModelInfo answerer = answering(info, answered_by);
  if (is_free(answerer)) return;
  billed += more;
  if (const auto cost = cost_of(answerer, more)) {
    micros += *cost;
  } else {
    price_unknown = true;
  }
}

SpendBook::Sum& SpendBook::Sum::operator+=(const Sum& more) {
  micros += more.micros;
  tokens += more.tokens;
  return *this;
}

SpendBook::Sum SpendBook::Tally::total() const {
  Sum sum = recorded;
  sum += reserved;
  for (const auto& [conversation, used] : running) sum += used;
  return sum;
}

// --- calls under way -----------------------------------------------------------------------------

SpendBook::Reservation::~Reservation() { end(); }

void SpendBook::Reservation::end() {
  const auto tallies = std::exchange(tallies_, {}).lock();
  if (!tallies) return;
  const auto tally = tallies->find(workspace_);
  if (tally == tallies->end()) return;
  tally->second.reserved += Sum{-micros_, -tokens_};
}

void SpendBook::Reservation::used(const ModelInfo& info, const ModelUsage& usage) {
  const auto tallies = tallies_.lock();
  end();
  if (!tallies || conversation_.empty()) return;
  const auto tally = tallies->find(workspace_);
  if (tally == tallies->end()) return;
  tally->second.running[conversation_] += Sum{cost_of(info, usage).value_or(0), usage.total()};
}

Result<SpendBook::Reservation> SpendBook::reserve(const WorkspaceId& workspace,
                                                  const ConversationId& conversation,
                                                  const std::string& zone, const ModelInfo& info,
                                                  std::int64_t input_tokens,
                                                  std::int64_t output_tokens,
                                                  const TurnSpend& so_far) {
  if (is_free(info)) return Reservation();
  const Sum next{highest_cost(info, input_tokens, output_tokens), input_tokens + output_tokens};
  if (!conversation.empty()) TRY_VOID(check_conversation(conversation, next, so_far));
  if (!caps_.day_micros && !caps_.day_tokens) return Reservation();
  TRY(Tally* const tally, tally_of(workspace, day_in_zone(clock_.wall_now(), zone)));
  if (!conversation.empty()) {
    tally->running.erase(conversation);
    const Sum used{so_far.micros, so_far.billed.total()};
    if (!used.nothing()) tally->running[conversation] = used;
  }
  const Sum total = tally->total();
  if (auto allowed = check_day(total, next, zone); !allowed) {
    tally->refused = allowed.error().message;
    tally->refused_at = total;
    *tally->refused_at += next;
    tell_paused(workspace, zone, *tally->refused);
    return std::unexpected(std::move(allowed).error());
  }
  if (!conversation.empty()) {  // what a turn may is the measure; a one-shot is small
    tally->refused.reset();
    tally->refused_at.reset();
  }
  tally->reserved += next;
  return Reservation(tallies_, workspace, conversation, next.micros, next.tokens);
}

Result<void> SpendBook::check_day(const Sum& total, const Sum& next,
                                  const std::string& zone) const {
  const auto words = [&](const std::string& spent, const std::string& cap, const std::string& more,
                         std::string_view key) {
    const std::string clause =
        next == kLeast ? "" : fmt::format(", and the next answer may take up to {}", more);
    return fail(ModelErrc::kSpendCap,
                fmt::format("The cap for today is reached: {} of {} are spent{}. It ends at {}. To "
                            "go on sooner, raise {} in rouse.yaml or in the settings.",
                            spent, cap, clause, next_midnight(clock_.wall_now(), zone), key));
  };
  if (caps_.day_micros && total.micros + next.micros > *caps_.day_micros) {
    return words(dollars(total.micros), dollars(*caps_.day_micros), dollars(next.micros),
                 "spend.day_usd");
  }
  if (caps_.day_tokens && total.tokens + next.tokens > *caps_.day_tokens) {
    return words(std::to_string(total.tokens), fmt::format("{} tokens", *caps_.day_tokens),
                 std::to_string(next.tokens), "spend.day_tokens");
  }
  return {};
}

Result<void> SpendBook::check_conversation(const ConversationId& conversation, const Sum& next,
                                           const TurnSpend& so_far) {
  if (!caps_.conversation_micros) return {};
  TRY(const Spent before, of_conversation(conversation));
  const std::int64_t spent = before.micros + so_far.micros;
  if (spent + next.micros <= *caps_.conversation_micros) return {};
  return fail(
      ModelErrc::kSpendCap,
      fmt::format("The cap for a conversation is reached: {} of {} are spent here, and the "
                  "next answer may take up to {}. It does not end by itself: begin another "
                  "conversation, or raise spend.conversation_usd in rouse.yaml or in the "
                  "settings.",
                  dollars(spent), dollars(*caps_.conversation_micros), dollars(next.micros)));
}

// The tally of today. At midnight the sum begins anew; what is under way then counts for the day in
// which it ends.
Result<SpendBook::Tally*> SpendBook::tally_of(const WorkspaceId& workspace,
                                              const std::string& day) {
  const auto found = tallies_->find(workspace);
  if (found != tallies_->end() && found->second.day == day) {
    found->second.touched = clock_.mono_now();
    return &found->second;
  }
  TRY(const Spent spent, of_day(workspace, day));
  if (found == tallies_->end()) forget_idle();
  Tally& tally = (*tallies_)[workspace];
  tally.day = day;
  tally.recorded = {spent.micros, spent.usage.total()};
  tally.refused.reset();
  tally.refused_at.reset();
  tally.touched = clock_.mono_now();
  return &tally;
}

void SpendBook::forget_idle() {
  if (tallies_->size() < kTallies) return;
  const MonoTime now = clock_.mono_now();
  std::erase_if(*tallies_, [&](const auto& entry) {
    const Tally& tally = entry.second;
    return tally.reserved.nothing() && tally.running.empty() && now - tally.touched > kIdle;
  });
}

// --- what is written down ------------------------------------------------------------------------

std::vector<Statement> SpendBook::record(const WorkspaceId& workspace,
                                         const ConversationId& conversation,
                                         const std::string& zone, const TurnSpend& spend) {
  const auto tally = tallies_->find(workspace);
  if (tally != tallies_->end()) tally->second.running.erase(conversation);
  if (spend.billed.total() == 0 && spend.micros == 0) return {};
  const std::string day = day_in_zone(clock_.wall_now(), zone);
  if (tally != tallies_->end() && tally->second.day == day) {
    tally->second.recorded += Sum{spend.micros, spend.billed.total()};
    tally->second.touched = clock_.mono_now();
  }
  std::vector<Statement> out;
  const std::int64_t turns = conversation.empty() ? 0 : 1;
  out.push_back(add_to(workspace.str(), day, spend, turns));
  if (!conversation.empty()) out.push_back(add_to(conversation.str(), "", spend, turns));
  return out;
}

Result<Spent> SpendBook::read(const std::string& owner, const std::string& day) {
  TRY(const Rows rows, database_.read({.sql = kOne, .params = {owner, day}, .max_rows = 1}));
  if (rows.empty()) return Spent{.day = day, .usage = {}};
  return spent_of(rows.front());
}

Result<Spent> SpendBook::of_day(const WorkspaceId& workspace, const std::string& day) {
  return read(workspace.str(), day);
}

Result<Spent> SpendBook::of_conversation(const ConversationId& conversation) {
  return read(conversation.str(), "");
}

Task<Result<std::vector<Spent>>> SpendBook::days(WorkspaceId workspace, std::string before_day,
                                                 std::size_t limit) {
  if (before_day.empty()) before_day = kAfterAllDays;
  CO_TRY(const Rows rows,
         co_await database_.read_page(
             {.sql = kDays,
              .params = {workspace.str(), std::move(before_day), static_cast<std::int64_t>(limit)},
              .max_rows = limit}));
  std::vector<Spent> out;
  for (const Row& row : rows) out.push_back(spent_of(row));
  co_return out;
}

Result<std::optional<std::string>> SpendBook::paused(const WorkspaceId& workspace,
                                                     const std::string& zone) {
  if (!caps_.day_micros && !caps_.day_tokens) return std::nullopt;
  TRY(const Tally* const tally, tally_of(workspace, day_in_zone(clock_.wall_now(), zone)));
  // After a restart nobody remembers the refusal, but a cap that is used up is one.
  if (auto room = check_day(tally->recorded, kLeast, zone); !room) {
    return tally->refused ? tally->refused : std::optional(std::move(room).error().message);
  }
  if (!tally->refused_at || check_day(*tally->refused_at, {}, zone)) return std::nullopt;
  return tally->refused;
}

void SpendBook::tell_paused(const WorkspaceId& workspace, const std::string& zone,
                            const std::string& words) const {
  if (on_paused_) on_paused_(workspace, zone, words);
}

Statement SpendBook::first_notice(const WorkspaceId& workspace, const std::string& zone) const {
  const WallTime now = clock_.wall_now();
  return {kNotice, {workspace.str(), day_in_zone(now, zone), now.unix_ms}, 1};
}

}  // namespace rouse
