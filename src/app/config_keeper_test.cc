#include "app/config_keeper.h"

#include <algorithm>

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/temp_dir_for_tests.h"

namespace rouse {
namespace {

class KeeperTest : public testing::Test {
 protected:
  void open() {
    auto opened = ConfigKeeper::open(place());
    ASSERT_TRUE(opened) << opened.error();
    keeper = std::move(*opened);
  }
  ConfigPlace place() const {
    ConfigPlace out;
    out.data_dir = dir.path();
    out.environment = environment;
    return out;
  }
  std::string settings_file() const {
    return read_file(dir / "settings.json", 1 << 20).value_or("");
  }
  SettingView view(const std::string& key) const {
    for (SettingView& one : keeper->list()) {
      if (one.key == key) return one;
    }
    return {};
  }

  TempDir dir;
  std::map<std::string, std::string> environment;
  std::unique_ptr<ConfigKeeper> keeper;
};

TEST_F(KeeperTest, StartsWithoutAnyFile) {
  open();
  EXPECT_EQ(keeper->config(), Config{});
  EXPECT_TRUE(keeper->problem().empty());
  EXPECT_TRUE(keeper->notices().empty());
}

TEST_F(KeeperTest, DoesNotStartWithABadFile) {
  dir.write("rouse.yaml", "session: {timeout_minutes: 0}\n");
  const auto opened = ConfigKeeper::open(place());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().message,
            dir /
                "rouse.yaml:1:11: session.timeout_minutes must be a whole number from 1 to 10080, "
                "not 0");
}

TEST_F(KeeperTest, ANamedFileMustExist) {
  ConfigPlace named = place();
  named.config_file = dir / "other.yaml";
  EXPECT_EQ(ConfigKeeper::open(named).error().message, "there is no file " + dir / "other.yaml");
}

TEST_F(KeeperTest, ReloadTakesWhatChangedAndTellsTheListeners) {
  open();
  std::vector<std::string> heard;
  keeper->on_change([&](const ConfigKeeper::Reload& what) { heard = what.changed; });
  EXPECT_TRUE(keeper->reload().changed.empty());
  EXPECT_TRUE(heard.empty());
  dir.write("rouse.yaml", "session: {timeout_minutes: 45}\nlimits: {connections: 99}\n");
  const auto report = keeper->reload();
  EXPECT_TRUE(report.ok);
  EXPECT_EQ(report.changed,
            (std::vector<std::string>{"session.timeout_minutes", "limits.connections"}));
  EXPECT_EQ(report.needs_restart, (std::vector<std::string>{"limits.connections"}));
  EXPECT_EQ(heard, report.changed);
  EXPECT_EQ(keeper->config().session.timeout_minutes, 45);
}

TEST_F(KeeperTest, ABadFileKeepsTheLastGoodOneRunning) {  // UX-4
  dir.write("rouse.yaml", "session: {timeout_minutes: 45}\n");
  open();
  int calls = 0;
  keeper->on_change([&](const ConfigKeeper::Reload&) { ++calls; });
  dir.write("rouse.yaml", "session: {timeout_minutes: 0}\n");
  EXPECT_FALSE(keeper->reload().ok);
  EXPECT_EQ(keeper->config().session.timeout_minutes, 45);
  EXPECT_NE(keeper->problem().find("rouse.yaml:1:11: session.timeout_minutes"), std::string::npos);
  EXPECT_EQ(calls, 0);
  dir.write("rouse.yaml", "session: {timeout_minutes: 46}\n");
  EXPECT_TRUE(keeper->reload().ok);
  EXPECT_TRUE(keeper->problem().empty());
  EXPECT_EQ(keeper->config().session.timeout_minutes, 46);
}

TEST_F(KeeperTest, AVanishedFileMeansDefaultsAndANotice) {
  dir.write("rouse.yaml", "session: {timeout_minutes: 45}\n");
  open();
  std::filesystem::remove(dir / "rouse.yaml");
  EXPECT_TRUE(keeper->reload().ok);
  EXPECT_EQ(keeper->config(), Config{});
  ASSERT_EQ(keeper->notices().size(), 1u);
  EXPECT_EQ(keeper->notices()[0],
            dir / "rouse.yaml is gone; its settings are back to their defaults");
  dir.write("rouse.yaml", "");
  keeper->reload();
  EXPECT_TRUE(keeper->notices().empty());
}

TEST_F(KeeperTest, AVanishedFileThatWasNamedKeepsTheLastGoodOne) {
  dir.write("other.yaml", "session: {timeout_minutes: 45}\n");
  ConfigPlace named = place();
  named.config_file = dir / "other.yaml";
  keeper = std::move(ConfigKeeper::open(named).value());
  std::filesystem::remove(dir / "other.yaml");
  EXPECT_FALSE(keeper->reload().ok);
  EXPECT_EQ(keeper->config().session.timeout_minutes, 45);
}

TEST_F(KeeperTest, SetWritesSettingsJsonForTheOwnerAloneAndTakesEffect) {
  open();
  ASSERT_TRUE(keeper->set({{"session.timeout_minutes", 50}, {"log.level", "debug"}}));
  EXPECT_EQ(keeper->config().session.timeout_minutes, 50);
  EXPECT_EQ(keeper->config().log.level, LogLevel::kDebug);
  EXPECT_EQ(settings_file(), "{\"log.level\":\"debug\",\"session.timeout_minutes\":50}\n");
  EXPECT_EQ(dir.mode("settings.json"), 0600u);
  EXPECT_EQ(view("session.timeout_minutes").origin, "settings.json");
  open();  // a restart
  EXPECT_EQ(keeper->config().session.timeout_minutes, 50);
  ASSERT_TRUE(keeper->set({{"session.timeout_minutes", nullptr}}));
  EXPECT_EQ(keeper->config().session.timeout_minutes, 30);
  EXPECT_EQ(settings_file(), "{\"log.level\":\"debug\"}\n");
}

TEST_F(KeeperTest, SetRefusesWithAReasonAndChangesNothing) {
  dir.write("rouse.yaml", "\nsession:\n  timeout_minutes: 45\n");
  environment["ENABLE_SESSION_DRIFT_CLASSIFIER"] = "yes";
  open();
  const auto refusal = [&](const std::string& key, boost::json::value value) {
    const auto done = keeper->set({{key, std::move(value)}, {"log.level", "error"}});
    EXPECT_FALSE(done);
    EXPECT_EQ(settings_file(), "");
    EXPECT_EQ(keeper->config().log.level, LogLevel::kInfo);
    return done ? "" : done.error().message;
  };
  EXPECT_EQ(
      refusal("sesion.timeout_minutes", 1),
      "there is no setting 'sesion.timeout_minutes'; did you mean 'session.timeout_minutes'?");
  EXPECT_EQ(refusal("session.timeout_minutes", 1),
            "session.timeout_minutes is pinned by rouse.yaml line 3; change it there");
  EXPECT_EQ(refusal("session.drift_classifier", false),
            "session.drift_classifier is pinned by environment ENABLE_SESSION_DRIFT_CLASSIFIER; "
            "change it there");
  EXPECT_EQ(refusal("listen", boost::json::array{"0.0.0.0:80"}),
            "listen can only be set in rouse.yaml on the machine itself");
  EXPECT_EQ(refusal("limits.body_bytes", 1),
            "limits.body_bytes must be a whole number from 1024 to 1073741824, not 1");
  EXPECT_EQ(refusal("limits.body_bytes", "many"),
            "limits.body_bytes must be a whole number from 1024 to 1073741824, not 'many'");
}

TEST_F(KeeperTest, ADamagedSettingsFileIsKeptAndTheLastGoodOneStaysInForce) {
  open();
  ASSERT_TRUE(keeper->set({{"session.timeout_minutes", 50}}));
  dir.write("settings.json", "{\"session.timeout_mi");
  EXPECT_FALSE(keeper->reload().ok);
  EXPECT_EQ(keeper->config().session.timeout_minutes, 50);
  EXPECT_NE(keeper->problem().find("damaged"), std::string::npos);
  const auto set = keeper->set({{"session.timeout_minutes", 60}});
  ASSERT_FALSE(set);
  EXPECT_NE(set.error().message.find("is damaged and is not overwritten"), std::string::npos);
  EXPECT_EQ(settings_file(), "{\"session.timeout_mi");
  EXPECT_FALSE(ConfigKeeper::open(place()));
}

TEST_F(KeeperTest, ASettingsFileThatCannotBeReadIsNotAnEmptyOne) {
  std::filesystem::create_directory(dir / "settings.json");
  EXPECT_FALSE(ConfigKeeper::open(place()));
}

TEST_F(KeeperTest, TheListSaysWhoMayChangeWhat) {
  dir.write("rouse.yaml", "session: {timeout_minutes: 45}\n");
  open();
  EXPECT_TRUE(view("session.timeout_minutes").pinned);
  EXPECT_EQ(view("session.timeout_minutes").origin, "rouse.yaml line 1");
  EXPECT_FALSE(view("log.level").pinned);
  EXPECT_TRUE(view("listen").pinned) << "not a matter of the app";
  EXPECT_TRUE(view("listen").needs_restart);
  EXPECT_FALSE(view("log.level").doc.empty());
}

// SC-10: parts of addresses are secrets as well.
TEST_F(KeeperTest, TokensInAddressesAreAmongTheSecrets) {
  dir.write("rouse.yaml",
            "bridges: {whatsapp: {send_url: \"http://127.0.0.1:1/s?token=canary-1234\"}}\n");
  environment["https_proxy"] = "http://me:canary-pass@127.0.0.1:3128";
  open();
  const auto known = keeper->secret_values();
  for (const char* secret : {"canary-1234", "canary-pass"}) {
    EXPECT_NE(std::ranges::find(known, secret), known.end()) << secret;
  }
}

TEST_F(KeeperTest, ABridgeSecretComesFromAFileThatIsReadAgain) {
  dir.write("wa", "canary-one\n");
  dir.write("rouse.yaml", "bridges: {whatsapp: {secret_file: " + dir / "wa" + "}}\n");
  open();
  EXPECT_EQ(keeper->secrets().whatsapp, "canary-one");
  EXPECT_EQ(keeper->watched_files().back(), dir / "wa");
  EXPECT_EQ(keeper->secret_values(), (std::vector<std::string>{"canary-one"}));
  int calls = 0;
  keeper->on_change(
      [&](const ConfigKeeper::Reload& what) { calls += what.secrets_changed ? 1 : 0; });
  dir.write("wa", "canary-two\n");
  EXPECT_TRUE(keeper->reload().secrets_changed);
  EXPECT_EQ(keeper->secrets().whatsapp, "canary-two");
  EXPECT_EQ(calls, 1);
  // Unreadable or gone: the bridge alone is off, and it says why.
  dir.write("wa", "canary-two\n", 0644);
  EXPECT_TRUE(keeper->reload().ok);
  EXPECT_EQ(keeper->secrets().whatsapp, std::nullopt);
  ASSERT_EQ(keeper->notices().size(), 1u);
  EXPECT_NE(keeper->notices()[0].find("the WhatsApp bridge is off: "), std::string::npos);
  EXPECT_NE(keeper->notices()[0].find("chmod 600"), std::string::npos);
}

TEST_F(KeeperTest, ABridgeSecretComesFromTheEnvironment) {
  dir.write("rouse.yaml", "bridges: {whatsapp: {secret_env: WA}}\n");
  open();
  EXPECT_EQ(keeper->secrets().whatsapp, std::nullopt);
  EXPECT_EQ(keeper->notices()[0],
            "the WhatsApp bridge is off: the environment variable WA is not set");
  environment["WA"] = "canary-three";
  open();
  EXPECT_EQ(keeper->secrets().whatsapp, "canary-three");
  for (const SettingView& one : keeper->list()) {  // SC-10
    EXPECT_EQ(boost::json::serialize(one.value).find("canary"), std::string::npos);
  }
}

std::string everything_shown(const ConfigKeeper& keeper) {
  std::string out;
  for (const SettingView& one : keeper.list()) {
    out += one.key + " " + boost::json::serialize(one.value) + " " + one.origin + " " + one.doc;
  }
  for (const std::string& notice : keeper.notices()) out += notice;
  return out + keeper.problem();
}

TEST_F(KeeperTest, AModelKeyOfTheEnvironmentIsNamedButNeverShown) {  // SC-10
  environment["ANTHROPIC_API_KEY"] = "canary-anthropic-key";
  open();
  EXPECT_EQ(keeper->models().settings.at("main").api_key, "canary-anthropic-key");
  EXPECT_EQ(view("models.main.api_key").value, "(hidden)");
  EXPECT_EQ(view("models.main.api_key").origin, "environment ANTHROPIC_API_KEY");
  EXPECT_TRUE(view("models.main.api_key").pinned);
  EXPECT_EQ(keeper->secret_values(), (std::vector<std::string>{"canary-anthropic-key"}));
  EXPECT_EQ(everything_shown(*keeper).find("canary"), std::string::npos);
  const auto set = keeper->set({{"models.main.api_key", "canary-other"}});
  EXPECT_EQ(set.error().message,
            "models.main.api_key is pinned by environment ANTHROPIC_API_KEY; change it there");
}

TEST_F(KeeperTest, AKeyEnteredInTheAppIsKeptInSecretsAndNotInSettings) {  // SC-10
  open();
  EXPECT_TRUE(view("models.main.api_key").value.is_null());
  EXPECT_FALSE(view("models.main.api_key").pinned);
  int changes = 0;
  keeper->on_change([&](const ConfigKeeper::Reload& what) {
    changes += what.models_changed && what.secrets_changed ? 1 : 0;
  });
  ASSERT_TRUE(keeper->set({{"models.main.api_key", "canary-entered"},
                           {"models", {{"main", {{"provider", "anthropic"}}}}}}));
  EXPECT_EQ(changes, 1);
  EXPECT_EQ(keeper->models().settings.at("main").api_key, "canary-entered");
  EXPECT_EQ(read_file(dir / "secrets/model-main", 100), "canary-entered\n");
  EXPECT_EQ(dir.mode("secrets/model-main"), 0600u);
  EXPECT_EQ(settings_file().find("canary"), std::string::npos);
  EXPECT_EQ(view("models.main.api_key").origin, "secrets/model-main");
  EXPECT_FALSE(view("models.main.api_key").pinned);
  EXPECT_EQ(everything_shown(*keeper).find("canary"), std::string::npos);
  EXPECT_EQ(keeper->secret_values(), (std::vector<std::string>{"canary-entered"}));
  ASSERT_TRUE(keeper->set({{"models.main.api_key", nullptr}}));
  EXPECT_EQ(keeper->models().settings.at("main").api_key, "");
  EXPECT_EQ(changes, 2);
}

TEST_F(KeeperTest, AKeyThatWasEnteredForOneAddressIsNotSentToAnother) {  // SC-10
  open();
  ASSERT_TRUE(keeper->set({{"models.main.api_key", "canary-entered"},
                           {"models", {{"main", {{"provider", "anthropic"}}}}}}));
  const boost::json::value moved{
      {"main", {{"provider", "anthropic"}, {"base_url", "https://stranger.example"}}}};
  EXPECT_NE(keeper->set({{"models", moved}}).error().message.find("set models.main.api_key too"),
            std::string::npos);
  EXPECT_EQ(keeper->models().settings.at("main").base_url, "");
  ASSERT_TRUE(keeper->set({{"models", moved}, {"models.main.api_key", "for-the-stranger"}}));
  EXPECT_EQ(keeper->models().settings.at("main").api_key, "for-the-stranger");
}

TEST_F(KeeperTest, OverTheApiNobodyPointsAtVariablesAndFilesOfTheServer) {  // SC-10
  open();
  for (const char* key : {"api_key_env", "api_key_file"}) {
    const boost::json::value wanted{{"main", {{"provider", "anthropic"}, {key, "HOME"}}}};
    const auto set = keeper->set({{"models", wanted}});
    ASSERT_FALSE(set);
    EXPECT_EQ(set.error().kind, Kind::kForbidden);
  }
  const auto in_place = keeper->set(
      {{"models", {{"main", {{"provider", "anthropic"}, {"api_key", "canary-misplaced"}}}}}});
  ASSERT_FALSE(in_place);
  EXPECT_EQ(in_place.error().message.find("canary"), std::string::npos);
  EXPECT_FALSE(keeper->set({{"models.main.api_key", 5}}));
  EXPECT_FALSE(keeper->set({{"models.Main/../x.api_key", "x"}}));
}

TEST_F(KeeperTest, AModelWithoutItsKeyIsANoticeAndTheServerStarts) {  // UX-4
  dir.write("rouse.yaml", "models: {main: {provider: anthropic, api_key_env: MY_KEY}}\n");
  open();
  EXPECT_EQ(keeper->notices(),
            (std::vector<std::string>{"models.main is not configured: the "
                                      "environment variable MY_KEY is not set"}));
  dir.write("key", "canary-file\n");
  dir.write("rouse.yaml",
            "models: {main: {provider: anthropic, api_key_file: " + dir / "key" + "}}\n");
  EXPECT_TRUE(keeper->reload().models_changed);
  EXPECT_TRUE(keeper->notices().empty());
  EXPECT_EQ(keeper->watched_files().back(), dir / "key");
  EXPECT_FALSE(keeper->reload().models_changed);
  dir.write("key", "canary-new\n");
  EXPECT_TRUE(keeper->reload().models_changed);
  EXPECT_EQ(keeper->models().settings.at("main").api_key, "canary-new");
}

// The key of the environment is another provider's.
TEST_F(KeeperTest, AModelMayMoveAwayFromTheKeyOfTheEnvironment) {  // SC-10
  environment["ANTHROPIC_API_KEY"] = "canary-anthropic-key";
  open();
  ASSERT_TRUE(keeper->set(
      {{"models.main.api_key", "canary-entered"},
       {"models",
        {{"main",
          {{"provider", "openai"}, {"base_url", "http://127.0.0.1:1/v1"}, {"model", "m"}}}}}}));
  EXPECT_EQ(keeper->models().settings.at("main").api_key, "canary-entered");
  const auto models = keeper->configured_models();
  ASSERT_EQ(models.size(), 1U);
  EXPECT_EQ(models[0].key_origin, "secrets/model-main");
  // Back to what the environment says.
  ASSERT_TRUE(keeper->set({{"models", nullptr}, {"models.main.api_key", nullptr}}));
  EXPECT_EQ(keeper->models().settings.at("main").api_key, "canary-anthropic-key");
}

}  // namespace
}  // namespace rouse
