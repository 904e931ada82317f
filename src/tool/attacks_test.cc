// The corpus of tests/attacks: attempts to get past the tools that touch the world. Nothing is
// mocked but the names: getaddrinfo() below is a resolver of our own, so that names can lie.
#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <netdb.h>
#include <netinet/in.h>
#include <set>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/json.h"
#include "base/temp_dir_for_tests.h"
#include "base/text.h"
#include "net/address.h"
#include "net/net_for_tests.h"
#include "net/peer_for_tests.h"
#include "tool/approval/tool_policy.h"
#include "tool/fetch/http_fetch.h"
#include "tool/files/file_tools.h"
#include "tool/shell/shell_tool.h"

namespace rouse {
namespace {

// Answers of the resolver: one list of addresses a look-up, the last for all that follow.
struct Names {
  std::mutex mutex;
  std::map<std::string, std::vector<std::vector<std::string>>> answers;
  std::map<std::string, std::size_t> look_ups;

  std::vector<std::string> next(const std::string& name) {
    const std::lock_guard lock(mutex);
    const auto found = answers.find(lower_ascii(name));
    if (found == answers.end()) return {};
    const std::size_t turn = look_ups[name]++;
    return found->second[std::min(turn, found->second.size() - 1)];
  }
};
Names& names() {
  static Names instance;
  return instance;
}

addrinfo* make_answer(const std::string& text, addrinfo* next) {
  auto* one = new addrinfo{};
  auto* at = new sockaddr_storage{};
  const AddressBytes bytes = *parse_address(text);
  const bool v4 = text.find(':') == std::string::npos;
  one->ai_family = v4 ? AF_INET : AF_INET6;
  one->ai_addr = reinterpret_cast<sockaddr*>(at);
  if (v4) {
    std::memcpy(&reinterpret_cast<sockaddr_in*>(at)->sin_addr, bytes.data() + 12, 4);
  } else {
    std::memcpy(&reinterpret_cast<sockaddr_in6*>(at)->sin6_addr, bytes.data(), 16);
  }
  one->ai_next = next;
  return one;
}

}  // namespace
}  // namespace rouse

// NOLINTBEGIN
extern "C" int getaddrinfo(const char* name, const char* service, const addrinfo* hints,
                           addrinfo** out) {
  addrinfo* first = nullptr;
  for (const auto& address : rouse::names().next(name)) first = rouse::make_answer(address, first);
  *out = first;
  return first == nullptr ? EAI_NONAME : 0;
}
extern "C" void freeaddrinfo(addrinfo* first) {
  while (first != nullptr) {
    addrinfo* next = first->ai_next;
    delete reinterpret_cast<sockaddr_storage*>(first->ai_addr);
    delete first;
    first = next;
  }
}
// NOLINTEND

namespace rouse {
namespace {

namespace fs = std::filesystem;
using Attempt = std::vector<std::string>;

constexpr const char* kPublic = "93.184.215.14";

std::string replaced(std::string text, const std::map<std::string, std::string>& words) {
  for (const auto& [word, value] : words) {
    for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += value.size()) {
      text.replace(at, word.size(), value);
    }
  }
  return text;
}

std::vector<Attempt> corpus(const std::string& file,
                            const std::map<std::string, std::string>& words = {}) {
  std::ifstream in(std::string(ROUSE_SOURCE_DIR) + "/tests/attacks/" + file);
  std::vector<Attempt> out;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::string wrapped = line.starts_with('[') ? line : "[" + line + "]";
    auto attempt = decode_json<Attempt>(replaced(wrapped, words));
    EXPECT_TRUE(attempt) << file << ": " << line;
    if (attempt) out.push_back(*attempt);
  }
  return out;
}

std::string json_of(const std::map<std::string, std::string>& members) {
  return encode_json(members);
}

ToolCall call_of(std::string arguments) {
  ToolCall call;
  call.id = "call_1";
  call.workspace = *WorkspaceId::parse("ws_default");
  call.turn_kind = "user";
  call.arguments = std::move(arguments);
  return call;
}

void report(const char* what, std::size_t attempts, std::size_t passes) {
  std::printf("             %s: %zu attempts, %zu passes\n", what, attempts, passes);
  EXPECT_EQ(passes, 0U);
}

// SC-11, SC-10
TEST(Attacks, NoPathLeadsOutOfTheFolder) {
  const TempDir dir;
  fs::create_directories(dir / "data/files/sub");
  fs::create_directories(dir / "data/outside");
  fs::create_directories(dir / "outside");
  fs::create_directories(dir / "data/filesx");
  const std::string root = dir / "data/files";
  for (const char* place : {"outside/secret", "data/outside/secret", "data/filesx/secret"}) {
    dir.write(place, "CANARY");
  }
  dir.write("data/files/inside", "inside");
  const std::map<std::string, std::string> links{{"link_file", "../outside/secret"},
                                                 {"link_dir", "../outside"},
                                                 {"link_absolute", dir / "outside"},
                                                 {"link_chain", "link_dir"},
                                                 {"link_root", "/proc/self/root"},
                                                 {"link_cwd", "/proc/self/cwd"},
                                                 {"link_device", "/dev/zero"},
                                                 {"link_loop", "link_loop"},
                                                 {"sub/link_up", "../.."}};
  for (const auto& [link, target] : links) fs::create_symlink(target, root + "/" + link);
  ASSERT_EQ(::mkfifo((root + "/pipe").c_str(), 0600), 0);
  (void)::mknod((root + "/device").c_str(), S_IFCHR | 0600, (1 << 8) | 5);  // root only: /dev/zero
  (void)::mknod((root + "/socket").c_str(), S_IFSOCK | 0600, 0);
  const auto outside_now = [&] {
    std::set<std::string> out;
    for (const auto& entry : fs::recursive_directory_iterator(dir.path())) {
      const std::string path = entry.path().string();
      if (path.starts_with(root + "/")) continue;
      out.insert(path + (entry.is_regular_file() ? read_file(path, 1000).value_or("") : ""));
    }
    for (const auto& [link, target] : links) {
      out.insert(link + (fs::is_symlink(root + "/" + link) ? " is a link" : " was replaced"));
    }
    return out;
  };
  const auto before = outside_now();
  Loop loop;
  BlockingPool pool;
  ReadFileTool read(pool, dir / "data");
  ListFilesTool list(pool, dir / "data");
  WriteFileTool write(pool, dir / "data");
  const auto attempts = corpus("paths.txt", {{"{root}", root}, {"{outside}", dir / "outside"}});
  std::size_t passes = 0;
  for (const Attempt& attempt : attempts) {
    for (Tool* tool : {static_cast<Tool*>(&read), static_cast<Tool*>(&list)}) {
      const ToolResult got =
          run_task(loop, tool->run(call_of(json_of({{"path", attempt[0]}})), {}));
      if (got.failed) continue;
      ++passes;
      ADD_FAILURE() << attempt[0] << ": " << got.text.substr(0, 200);
    }
    for (const char* append : {"true", "false"}) {
      std::string arguments = json_of({{"path", attempt[0]}, {"text", "PWNED"}});
      arguments.insert(arguments.size() - 1, std::string(",\"append\":") + append);
      run_task(loop, write.run(call_of(arguments), {}));
    }
    if (outside_now() == before) continue;
    ++passes;
    ADD_FAILURE() << attempt[0] << " changed something outside";
  }
  report("paths", attempts.size(), passes);
  EXPECT_GE(attempts.size(), 45U);
}

class FetchAttacks : public testing::Test {
 protected:
  FetchAttacks() {
    names().answers = {{"localhost", {{"127.0.0.1", "::1"}}},
                       {"localhost.", {{"127.0.0.1"}}},
                       {"metadata.google.internal", {{"169.254.169.254"}}},
                       {"intranet.test", {{"127.0.0.1"}}},
                       {"127.0.0.1.nip.test", {{"127.0.0.1"}}},
                       {"mapped.test", {{"::ffff:127.0.0.1"}}},
                       {"mixed.test", {{kPublic, "127.0.0.1"}}},
                       {"mixed6.test", {{"2606:2800:21f:cb07::1", "::1"}}},
                       {"allowed.test", {{"127.0.0.1"}}}};
    names().look_ups.clear();
    home_.handler.on_handle = [this](const RequestHead&, std::string) {
      ++visits_;
      return canary();
    };
  }
  static Task<Response> canary() {
    Response response;
    response.body = "CANARY";
    co_return response;
  }
  ToolResult fetch(Tool& tool, const std::string& url) {
    return run_task(loop_, tool.run(call_of(json_of({{"url", url}})), {}));
  }

  std::unique_ptr<HttpClient> through(const ScriptedPeer& proxy) {
    ClientOptions options;
    options.http_proxy = "http://127.0.0.1:" + std::to_string(proxy.port());
    return make_http_client(loop_, std::move(options));
  }

  Loop loop_;
  VirtualClock clock_;
  RunningServer home_;  // what nobody may reach
  std::atomic<int> visits_ = 0;
  std::unique_ptr<HttpClient> http_ = make_http_client(loop_, {});
  HttpFetch fetch_{*http_, clock_, {}};
};

// SC-7
TEST_F(FetchAttacks, NoUrlReachesThisMachineOrItsNeighbours) {
  const auto attempts = corpus("urls.txt", {{"{port}", std::to_string(home_.port)}});
  std::size_t passes = 0;
  for (const Attempt& attempt : attempts) {
    const ToolResult got = fetch(fetch_, attempt[0]);
    const bool refused =
        got.failed && got.text.find("cannot connect") == std::string::npos && visits_ == 0;
    if (refused) continue;
    ++passes;
    ADD_FAILURE() << attempt[0] << ": " << got.text.substr(0, 200);
  }
  EXPECT_EQ(home_.stats().accepted, 0U);
  report("urls", attempts.size(), passes);
  EXPECT_GE(attempts.size(), 60U);
}

TEST_F(FetchAttacks, NoRedirectIsFollowedToWhereNobodyAllowed) {
  const auto attempts = corpus("redirects.txt", {{"{port}", std::to_string(home_.port)}});
  std::size_t passes = 0;
  for (const Attempt& attempt : attempts) {
    for (const char* status : {"301 Moved", "302 Found", "303 Other", "307 Again", "308 Again"}) {
      ScriptedPeer allowed({Script::answer("HTTP/1.1 " + std::string(status) + "\r\nLocation: " +
                                           attempt[0] + "\r\nContent-Length: 0\r\n\r\n"),
                            Script::answer("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")});
      const std::string place = "allowed.test:" + std::to_string(allowed.port());
      fetch_.configure({.allow_hosts = {place}});
      const ToolResult got = fetch(fetch_, "http://" + place + "/");
      EXPECT_TRUE(got.untrusted);
      if (visits_ == 0 && got.text.find("CANARY") == std::string::npos) continue;
      ++passes;
      ADD_FAILURE() << attempt[0] << ": " << got.text.substr(0, 200);
    }
  }
  EXPECT_EQ(home_.stats().accepted, 0U);
  report("redirects", attempts.size(), passes);
}

TEST_F(FetchAttacks, NoHeaderCarriesACredential) {
  const std::string place = "127.0.0.1:" + std::to_string(home_.port);
  fetch_.configure({.allow_hosts = {place}});
  const auto attempts = corpus("headers.txt");
  for (const Attempt& attempt : attempts) {
    const std::string arguments = "{\"url\":\"http://" + place +
                                  "/\",\"headers\":" + json_of({{attempt[0], attempt[1]}}) + "}";
    const ToolResult got = run_task(loop_, fetch_.run(call_of(arguments), {}));
    EXPECT_TRUE(got.failed) << attempt[0] << ": " << attempt[1];
  }
  report("headers", attempts.size(), static_cast<std::size_t>(visits_.load()));
}

// A name that is public when it is checked and private a moment later. The connection goes to what
// was checked: behind a proxy we can see which address that is.
TEST_F(FetchAttacks, ANameThatChangesItsMindIsHeldToItsFirstAnswer) {
  names().answers["rebind.test"] = {{kPublic}, {"127.0.0.1"}};
  ScriptedPeer proxy({Script::tunnel("HTTP/1.1 200 OK\r\n\r\n", home_.port)});
  auto http = through(proxy);
  HttpFetch fetch_it(*http, clock_, {});
  const ToolResult got = fetch(fetch_it, "http://rebind.test/");
  EXPECT_FALSE(got.failed) << got.text;
  EXPECT_TRUE(proxy.request(0).starts_with("CONNECT 93.184.215.14:80 "));
  EXPECT_EQ(names().look_ups["rebind.test"], 1U);  // checked and used: one answer
  http.reset();
}

TEST_F(FetchAttacks, ANameThatChangesItsMindBetweenTwoRequestsIsCheckedAgain) {
  names().answers["rebind.test"] = {{kPublic}, {"127.0.0.1"}};
  ScriptedPeer origin(
      {Script::answer("HTTP/1.1 302 Found\r\nLocation: /again\r\nConnection: close\r\n"
                      "Content-Length: 0\r\n\r\n")});
  ScriptedPeer proxy({Script::tunnel("HTTP/1.1 200 OK\r\n\r\n", origin.port()),
                      Script::tunnel("HTTP/1.1 200 OK\r\n\r\n", home_.port)});
  auto http = through(proxy);
  HttpFetch fetch_it(*http, clock_, {});
  const ToolResult got = fetch(fetch_it, "http://rebind.test/");
  EXPECT_TRUE(got.failed);
  EXPECT_NE(got.text.find("not allowed"), std::string::npos) << got.text;
  EXPECT_EQ(visits_, 0);
  http.reset();
}

// The opt-in is for one host and port, and for nothing else on the same machine.
TEST_F(FetchAttacks, AnAllowedPlaceOpensNoOther) {
  const std::string port = std::to_string(home_.port);
  fetch_.configure({.allow_hosts = {"127.0.0.1:" + port}});
  EXPECT_FALSE(fetch(fetch_, "http://127.0.0.1:" + port + "/").failed);
  EXPECT_EQ(visits_, 1);
  for (const std::string& url :
       {"http://localhost:" + port + "/", "http://127.0.0.2:" + port + "/",
        "http://intranet.test:" + port + "/", std::string("http://127.0.0.1/"),
        "http://[::ffff:127.0.0.1]:" + port + "/"}) {
    EXPECT_TRUE(fetch(fetch_, url).failed) << url;
  }
  fetch_.configure({});
  EXPECT_TRUE(fetch(fetch_, "http://127.0.0.1:" + port + "/").failed);  // no kept connection either
  EXPECT_EQ(visits_, 1);
}

// Would this call run, if the person had said "always" to that one?
bool rides_along(const Tool& tool, const ToolCall& allowed, const ToolCall& call) {
  const bool permitted = tool.ask_for(allowed).covers == tool.ask_for(call).covers;
  return rule_on_call(tool, call, false, permitted, {}).kind == PolicyRuling::Kind::kAllow;
}

class PermissionAttacks : public testing::Test {
 protected:
  PermissionAttacks() { fs::create_directories(dir_ / "files/sub"); }
  TempDir dir_;
  Loop loop_;
  VirtualClock clock_;
  ShellTool shell_{loop_, clock_, dir_.path(), {}};
};

// AP-4
TEST_F(PermissionAttacks, AnAlwaysForOneCommandAllowsNoOther) {
  const ToolCall allowed = call_of(json_of({{"command", "whoami"}}));
  ASSERT_TRUE(rides_along(shell_, allowed, allowed));
  const auto attempts = corpus("shell_permissions.txt");
  std::size_t passes = 0;
  for (const Attempt& attempt : attempts) {
    if (!rides_along(shell_, allowed, call_of(json_of({{"command", attempt[0]}})))) continue;
    ++passes;
    ADD_FAILURE() << attempt[0];
  }
  report("shell permissions", attempts.size(), passes);
  EXPECT_GE(attempts.size(), 50U);
}

TEST_F(PermissionAttacks, AnAlwaysHoldsForOnePlaceAndOneSandbox) {
  const ToolCall allowed = call_of(json_of({{"command", "whoami"}}));
  const std::string covered = shell_.ask_for(allowed).covers;
  ToolCall elsewhere = call_of(json_of({{"command", "whoami"}, {"folder", "sub"}}));
  EXPECT_FALSE(rides_along(shell_, allowed, elsewhere));
  elsewhere = call_of(json_of({{"command", "whoami"}, {"folder", ".."}}));
  EXPECT_FALSE(rides_along(shell_, allowed, elsewhere));
  elsewhere = allowed;
  const TempDir project;
  elsewhere.project_folder = project.path();
  EXPECT_FALSE(rides_along(shell_, allowed, elsewhere));
  elsewhere = allowed;
  elsewhere.workspace = *WorkspaceId::parse("ws_other");
  EXPECT_FALSE(rides_along(shell_, allowed, elsewhere));
  shell_.configure({.network = true});
  EXPECT_NE(shell_.ask_for(allowed).covers, covered);
  shell_.configure({.sandbox = false});
  EXPECT_NE(shell_.ask_for(allowed).covers, covered);
}

// AP-3, rule 8: an earlier yes is not for words from outside, nor for turns nobody watches to ask.
TEST_F(PermissionAttacks, ATaintedTurnDoesNotRideOnAnEarlierYes) {
  ToolCall tainted = call_of(json_of({{"command", "whoami"}}));
  tainted.tainted = true;
  EXPECT_FALSE(rides_along(shell_, tainted, tainted));
  ToolCall unattended = call_of(json_of({{"command", "id"}}));
  unattended.turn_kind = "automation";
  EXPECT_EQ(rule_on_call(shell_, unattended, false, false, {}).kind, PolicyRuling::Kind::kDeny);
  EXPECT_EQ(rule_on_call(shell_, call_of(R"({"command":"id"})"), true, true, {}).kind,
            PolicyRuling::Kind::kDeny);
}

TEST_F(PermissionAttacks, AnAlwaysForOneOriginAllowsNoOther) {
  const auto http = make_http_client(loop_, {});
  const HttpFetch fetch(*http, clock_, {});
  const ToolCall allowed = call_of(json_of({{"url", "https://docs.example.com/a"}}));
  ASSERT_TRUE(
      rides_along(fetch, allowed, call_of(json_of({{"url", "https://docs.example.com/b?c"}}))));
  const auto attempts = corpus("fetch_permissions.txt");
  std::size_t passes = 0;
  for (const Attempt& attempt : attempts) {
    const ToolCall call = call_of(json_of({{"method", attempt[0]}, {"url", attempt[1]}}));
    if (!rides_along(fetch, allowed, call)) continue;
    ++passes;
    ADD_FAILURE() << attempt[0] << " " << attempt[1];
  }
  report("fetch permissions", attempts.size(), passes);
}

}  // namespace
}  // namespace rouse
