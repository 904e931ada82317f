#include "app/config_notifications.h"

#include <gtest/gtest.h>

#include "app/notify_settings.h"

namespace rouse {
namespace {

ConfigLoad load(std::string targets) {
  ConfigSources sources;
  sources.yaml = "timezone: Europe/Berlin\nnotifications:\n  targets:\n    " + targets + "\n";
  return load_config(sources);
}
std::string error_of(std::string targets) {
  const ConfigLoad loaded = load(std::move(targets));
  return loaded.errors.empty() ? "" : loaded.errors.front().message;
}

TEST(ConfigNotifications, WhatIsWrongIsSaidForPeople) {
  EXPECT_EQ(error_of("phone: {topic: x}"),
            "notifications.targets.phone needs a type: ntfy, webhook, desktop, push or "
            "conversation");
  EXPECT_EQ(error_of("phone: {type: ntfy, url: \"https://ntfy.sh\"}"),
            "notifications.targets.phone needs 'topic', like {type: ntfy, url: https://ntfy.sh, "
            "topic: my-secret-topic}");
  EXPECT_TRUE(
      error_of("phone: {type: ntfy, url: \"ftp://x\", topic: t}").contains("phone.url must"));
  EXPECT_TRUE(error_of("hook: {type: webhook, url: \"https://x\"}").contains("needs a secret"));
  EXPECT_TRUE(error_of("desk: {type: desktop, url: \"https://x\"}")
                  .contains("desk.url is not known for the type desktop"));
  EXPECT_TRUE(error_of("desk: {type: desktop, quiet_hours: \"22:00-22:00\"}")
                  .contains("desk.quiet_hours must be like \"22:00-07:00\""));
  EXPECT_TRUE(error_of("desk: {type: desktop, kinds: [gossip]}")
                  .contains("must be a list of: heartbeat, automation, approval, agent, system"));
  EXPECT_TRUE(error_of("desk: {type: desktop, privacy: some}").contains("full, subject or none"));
  EXPECT_TRUE(error_of("main: {type: conversation, conversation: x}").contains("session key"));
  EXPECT_TRUE(error_of("a: {type: push}\n    b: {type: push}").contains("there can be one"));
  EXPECT_TRUE(error_of("a b: {type: push}").contains("must have a name"));
}

// SC-10
TEST(ConfigNotifications, ATokenInTheFileIsRefusedAndNotQuoted) {
  const std::string error =
      error_of("phone: {type: ntfy, url: \"https://n\", topic: t, token: tk_hidden123}");
  EXPECT_TRUE(error.contains("phone.token does not stand in the settings")) << error;
  EXPECT_FALSE(error.contains("tk_hidden123"));
}

TEST(ConfigNotifications, BecomeTargetsAndPlaces) {
  const ConfigLoad loaded = load(
      "phone: {type: ntfy, url: \"https://ntfy.sh\", topic: t, quiet_hours: \"22:00-07:00\"}\n"
      "    hook: {type: webhook, url: \"https://x/y\", secret_env: S}\n"
      "    off: {type: webhook, url: \"https://x/z\", secret_env: T}\n"
      "    web: {type: push, kinds: [], privacy: none}");
  ASSERT_TRUE(loaded.ok()) << loaded.error_text();
  const NotifySetup setup = notify_setup(loaded.config, {{"hook", "key"}}, "Europe/Berlin");
  ASSERT_EQ(setup.targets.size(), 3u);  // the one without its key is left out
  EXPECT_EQ(setup.targets[0].name, "hook");
  EXPECT_EQ(setup.sender.places.at("hook").secret, "key");
  EXPECT_EQ(setup.targets[1].channel, kNotifyNtfy);
  EXPECT_EQ(setup.targets[1].zone, "Europe/Berlin");
  EXPECT_EQ(setup.targets[1].quiet, (DayHours{22 * 60, 7 * 60}));
  EXPECT_FALSE(setup.targets[1].kinds);
  EXPECT_EQ(setup.targets[2].channel, kNotifyPush);
  EXPECT_TRUE(setup.targets[2].kinds && setup.targets[2].kinds->empty());
  EXPECT_EQ(setup.targets[2].privacy, NotificationPrivacy::kNothing);
}

}  // namespace
}  // namespace rouse
