#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>

#include "app/cli/api_client.h"
#include "app/cli/command.h"
#include "app/cli/readable.h"
#include "gateway/routes/delivery_routes.h"
#include "gateway/routes/notification_routes.h"

namespace rouse::cli {
namespace {

constexpr Millis kTestWait = seconds(10), kLookAgain = millis(250);

struct NotificationOptions {
  ServerOption server;
  std::string target;
  std::int64_t through = 0;  // 0: the newest
  bool json = false;
};

Result<void> list_notifications(const NotificationOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  TRY(const std::string raw, api.call("GET", "/api/notifications?limit=50", ""));
  if (options.json) {
    fmt::print("{}\n", raw);
    return {};
  }
  TRY(const NotificationPage page, decode_json<NotificationPage>(raw));
  if (page.items.empty()) {
    fmt::print("No notifications. Try a target: rouse notifications test NAME\n");
    return {};
  }
  const WallTime at = now();
  std::vector<std::vector<std::string>> rows{{"NUMBER", "KIND", "WHEN", "SUBJECT", "TEXT"}};
  for (const NotificationView& one : page.items) {
    rows.push_back({fmt::format("{}{}", one.number, one.read_at ? "" : " *"), safe_text(one.kind),
                    ago(one.created_at, at), one_line(one.subject, 40), one_line(one.text, 60)});
  }
  fmt::print("{}", to_table(rows));
  if (page.unread > 0) fmt::print("* {} unread\n", page.unread);
  return {};
}

Result<void> mark_read(const NotificationOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  NotificationsRead wanted{options.through};
  if (wanted.through == 0) {
    TRY(const auto newest, api.get<NotificationPage>("/api/notifications?limit=1"));
    if (!newest.items.empty()) wanted.through = newest.items.front().number;
  }
  TRY(const auto count,
      api.post<NotificationCount>("/api/notifications/read", encode_json(wanted)));
  if (options.json) {
    print_json(count);
  } else {
    fmt::print("{} marked as read, {} unread.\n", count.read, count.unread);
  }
  return {};
}

// --- test ----------------------------------------------------------------------------------------

bool is_over(const DeliveryView& one) { return one.state != "pending" && one.state != "sending"; }

// What became of these deliveries, as soon as all are over or enough was waited.
Result<DeliveryPage> wait_for(ApiClient& api, const std::vector<std::string>& ids) {
  DeliveryPage out;
  for (Millis waited{0};; waited = waited + kLookAgain) {
    TRY(DeliveryPage page, api.get<DeliveryPage>("/api/deliveries?limit=200"));
    std::erase_if(page.items, [&](const DeliveryView& one) {
      return std::ranges::find(ids, one.id) == ids.end();
    });
    out.items = std::move(page.items);
    if (std::ranges::all_of(out.items, is_over) || waited >= kTestWait) return out;
    api.pause(kLookAgain);
  }
}

void tell(const DeliveryView& one) {
  const std::string why = one.error ? ": " + safe_text(*one.error) : std::string();
  const bool waits = !is_over(one);
  fmt::print("{}: {}{}\n", safe_text(one.to), waits ? "not delivered yet" : one.state, why);
  if (waits) fmt::print("It is tried again. What became of it: GET /api/deliveries, or the log.\n");
}

Result<void> test_target(const NotificationOptions& options) {
  TRY(ApiClient api, ApiClient::find(options.server));
  TRY(const auto sent, api.post<NotificationTried>("/api/notifications/test",
                                                   encode_json(NotificationTry{options.target})));
  TRY(const DeliveryPage became, wait_for(api, sent.deliveries));
  if (options.json) {
    print_json(became);
  } else {
    std::ranges::for_each(became.items, tell);
  }
  const bool lost = std::ranges::any_of(became.items, [](const DeliveryView& one) {
    return is_over(one) && one.state != "delivered";
  });
  if (lost) return fail(Errc::kUnavailable, "the test did not arrive");
  return {};
}

using Part = Result<void> (*)(const NotificationOptions&);

void run_as(CLI::App& command, Chosen& chosen, const std::shared_ptr<NotificationOptions>& options,
            Part part) {
  add_server_options(command, options->server);
  add_json_flag(command, options->json);
  command.callback([options, part, &command, &chosen] {
    if (!command.get_subcommands().empty()) return;
    chosen.run = [options, part] { return finish(part(*options)); };
  });
}

}  // namespace

void add_notifications(CLI::App& root, Chosen& chosen) {
  auto options = std::make_shared<NotificationOptions>();
  CLI::App& list = add_command(root, "notifications", "Read notifications, and try where they go.",
                               {"rouse notifications", "rouse notifications test phone"});
  list.require_subcommand(0, 1);
  run_as(list, chosen, options, list_notifications);
  CLI::App& read = add_command(list, "read", "Mark notifications as read.",
                               {"rouse notifications read", "rouse notifications read 17"});
  read.add_option("NUMBER", options->through, "Up to this one; default all of them")
      ->check(CLI::PositiveNumber.description(""));
  run_as(read, chosen, options, mark_read);
  CLI::App& test =
      add_command(list, "test", "Send a test to one target, and see whether it arrives.",
                  {"rouse notifications test phone", "rouse notifications test push"});
  test.add_option("TARGET", options->target, "A name of notifications.targets, or push")
      ->required();
  run_as(test, chosen, options, test_target);
}

}  // namespace rouse::cli
