#include "tool/mcp/mcp_tools.h"

#include <algorithm>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "tool/visible_text.h"

namespace rouse {
namespace json = boost::json;
namespace {

constexpr std::size_t kSummaryBytes = 2000;
constexpr std::size_t kSentenceBytes = 200;
constexpr std::size_t kInstructionBytes = 1000;

ToolResult failed(std::string text) { return {.text = std::move(text), .failed = true}; }

struct McpArguments {
  std::optional<std::string> server, server_name, tool, tool_name;
  std::optional<json::value> arguments;
};
auto shape(const McpArguments*) {
  return fields(field("server", &McpArguments::server, ""),
                field("server_name", &McpArguments::server_name, ""),
                field("tool", &McpArguments::tool, ""),
                field("tool_name", &McpArguments::tool_name, ""),
                field("arguments", &McpArguments::arguments, ""));
}

// What a call is about, whichever names the model used for it.
struct Wish {
  std::string server, tool;
  std::string arguments = "{}";
};

Result<Wish> read_wish(const std::string& text) {
  TRY(McpArguments given, decode_json<McpArguments>(text));
  Wish out;
  out.server = given.server.value_or(given.server_name.value_or(""));
  out.tool = given.tool.value_or(given.tool_name.value_or(""));
  if (!given.arguments) return out;
  // Some models write the object as text.
  out.arguments = given.arguments->is_string() ? std::string(given.arguments->get_string())
                                               : json::serialize(*given.arguments);
  if (trim(out.arguments).empty()) out.arguments = "{}";
  const auto parsed = parse_json(out.arguments);
  if (!parsed || !parsed->is_object()) {
    return fail(Errc::kInvalid, "'arguments' must be one JSON object, like {\"name\": \"value\"}");
  }
  return out;
}

class McpServerTool : public Tool {
 public:
  explicit McpServerTool(McpServers& servers) : servers_(servers) {}
  [[nodiscard]] bool available() const override { return servers_.any(); }

 protected:
  // The one that is named, or the only one.
  [[nodiscard]] Result<std::shared_ptr<McpServer>> server_of(const Wish& wish) const {
    if (wish.server.empty() && servers_.all().size() == 1) return servers_.all().begin()->second;
    auto found = servers_.find(wish.server);
    if (!found) return fail(servers_.no_such_server(wish.server));
    return found;
  }

  McpServers& servers_;
};

class ListServers final : public McpServerTool {
 public:
  using McpServerTool::McpServerTool;
  [[nodiscard]] const ToolInfo& info() const override {
    static const ToolInfo info{
        .name = "list_mcp_servers",
        .description =
            "Lists the MCP servers whose tools you can use: then list_tools of one, "
            "get_tool_schema of a tool, call_tool.",
        .schema = R"({"type":"object","properties":{}})",
        .owner_only = true};
    return info;
  }
  Task<ToolResult> run(ToolCall call, std::stop_token stop) override {
    ToolResult out;
    for (const auto& [name, server] : servers_.all()) {
      const McpServerState state = server->state();
      out.text += fmt::format("{} ({}{})", name, state.state,
                              state.tools > 0 ? fmt::format(", {} tools", state.tools) : "");
      const McpServerSettings& settings = server->settings();
      if (!settings.description.empty()) out.text += ": " + settings.description;
      out.text += '\n';
      const bool down = state.state == "waiting" || state.state == "broken" || state.state == "off";
      if (down && !state.last_error.empty()) {
        out.text += fmt::format("  it failed: {}\n", state.last_error);
        out.untrusted = true;
      }
      if (server->instructions().empty()) continue;
      out.text +=
          fmt::format("  it says: {}\n", utf8_prefix(server->instructions(), kInstructionBytes));
      out.untrusted = out.untrusted || settings.calls_ask;
    }
    co_return out;
  }
};

class ListTools final : public McpServerTool {
 public:
  using McpServerTool::McpServerTool;
  [[nodiscard]] const ToolInfo& info() const override {
    static const ToolInfo info{
        .name = "list_tools",
        .description = "Lists the tools of an MCP server, a line each.",
        .schema = R"({"type":"object","properties":{"server":{"type":"string"}}})",
        .owner_only = true};
    return info;
  }
  Task<ToolResult> run(ToolCall call, std::stop_token stop) override {
    const auto wish = read_wish(call.arguments);
    if (!wish) co_return failed(wish.error().message);
    const auto server = server_of(*wish);
    if (!server) co_return failed(server.error().message);
    const auto list = co_await (*server)->tools(std::move(stop));
    const McpServerSettings& settings = (*server)->settings();
    if (!list) {
      co_return ToolResult{.text = list.error().message, .failed = true, .untrusted = true};
    }
    ToolResult out;
    out.untrusted = settings.calls_ask;
    for (const McpTool& tool : (*list)->tools) {
      const std::string& about = tool.description.empty() ? tool.title : tool.description;
      out.text += fmt::format("{}{}{}\n", tool.name, about.empty() ? "" : ": ",
                              first_sentence(about, kSentenceBytes));
    }
    if ((*list)->tools.empty()) out.text = fmt::format("{} has no tools.\n", settings.name);
    if ((*list)->left_out > 0) {
      out.text +=
          fmt::format("[{} more are left out: too many, or too large]\n", (*list)->left_out);
    }
    co_return out;
  }
};

class GetToolSchema final : public McpServerTool {
 public:
  using McpServerTool::McpServerTool;
  [[nodiscard]] const ToolInfo& info() const override {
    static const ToolInfo info{
        .name = "get_tool_schema",
        .description =
            "Tells what a tool of an MCP server does and which arguments it takes. Read "
            "it before call_tool.",
        .schema = R"({"type":"object","properties":{"server":{"type":"string"},)"
                  R"("tool":{"type":"string"}}})",
        .owner_only = true};
    return info;
  }
  Task<ToolResult> run(ToolCall call, std::stop_token stop) override {
    const auto wish = read_wish(call.arguments);
    if (!wish) co_return failed(wish.error().message);
    const auto server = server_of(*wish);
    if (!server) co_return failed(server.error().message);
    if (wish->tool.empty()) co_return failed("say which tool with 'tool'; list_tools names them");
    const auto tool = co_await (*server)->tool(wish->tool, std::move(stop));
    if (!tool) {
      co_return ToolResult{.text = tool.error().message, .failed = true, .untrusted = true};
    }
    co_return ToolResult{
        .text = fmt::format("{} of {}{}{}\n{}\nSchema of its arguments: {}", tool->name,
                            (*server)->settings().name, tool->title.empty() ? "" : ": ",
                            tool->title, tool->description, tool->schema),
        .untrusted = (*server)->settings().calls_ask};
  }
};

// What a yes covers, member by member. The place is in it: another program behind the same name
// would do something else.
struct McpCovers {
  std::string server, place, tool, arguments;
};
auto shape(const McpCovers*) {
  return fields(field("server", &McpCovers::server, ""), field("place", &McpCovers::place, ""),
                field("tool", &McpCovers::tool, ""), field("arguments", &McpCovers::arguments, ""));
}

std::string place_of(const McpServerSettings::Place& place) {
  std::string all = place.url + '\0' + place.folder;
  for (const std::string& word : place.command) all += '\0' + word;
  return to_hex(sha256(all)).substr(0, 16);
}

class CallTool final : public McpServerTool {
 public:
  using McpServerTool::McpServerTool;
  [[nodiscard]] const ToolInfo& info() const override {
    static const ToolInfo info{
        .name = "call_tool",
        .description = "Calls a tool of an MCP server. Its arguments are as get_tool_schema says.",
        .schema = R"({"type":"object","properties":{"server":{"type":"string"},)"
                  R"("tool":{"type":"string"},"arguments":{"type":["object","string"],)"
                  R"("description":"an object"}}})",
        .tool_class = ToolClass::kNetwork,
        .risk = RiskTier::kRequiresApproval,
        .side_effects = true,
        .owner_only = true};
    return info;
  }

  [[nodiscard]] bool changes(const ToolCall& call) const override {
    const auto wish = read_wish(call.arguments);
    if (!wish) return true;
    const auto server = server_of(*wish);
    return server && !is_read_only(**server, *wish);
  }

  // One for a server that isn't there will be refused: nobody needs to be asked.
  [[nodiscard]] RiskTier risk_of(const ToolCall& call) const override {
    const auto wish = read_wish(call.arguments);
    if (!wish) return info().risk;
    const auto server = server_of(*wish);
    if (!server) return RiskTier::kAuto;
    const bool tame = !(*server)->settings().calls_ask || is_read_only(**server, *wish);
    return tame ? RiskTier::kAuto : info().risk;
  }

  [[nodiscard]] ApprovalAsk ask_for(const ToolCall& call) const override {
    const auto wish = read_wish(call.arguments);
    const auto server = wish ? server_of(*wish) : fail(wish.error());
    if (!server) return Tool::ask_for(call);  // it will be refused
    const McpServerSettings& settings = (*server)->settings();
    const std::string arguments = canonical_arguments(wish->arguments);
    return {.summary = fmt::format("call {} of {} with {}", visible_text(wish->tool, 100),
                                   settings.name, visible_text(arguments, kSummaryBytes)),
            .covers = encode_json(
                McpCovers{settings.name, place_of(settings.place), wish->tool, arguments})};
  }

  Task<ToolResult> run(ToolCall call, std::stop_token stop) override {
    const auto wish = read_wish(call.arguments);
    if (!wish) co_return failed(wish.error().message);
    const auto server = server_of(*wish);
    if (!server) co_return failed(server.error().message);
    if (wish->tool.empty()) co_return failed("say which tool with 'tool'; list_tools names them");
    auto result = co_await (*server)->call(wish->tool, wish->arguments, std::move(stop));
    if (!result) {
      co_return ToolResult{.text = result.error().message, .failed = true, .untrusted = true};
    }
    co_return ToolResult{
        .text = std::move(result->text), .failed = result->failed, .untrusted = true};
  }

 private:
  static bool is_read_only(const McpServer& server, const Wish& wish) {
    const auto& tame = server.settings().read_only;
    return std::ranges::find(tame, wish.tool) != tame.end();
  }
};

}  // namespace

void add_mcp_tools(ToolRegistry& tools, McpServers& servers) {
  tools.add(std::make_unique<ListServers>(servers));
  tools.add(std::make_unique<ListTools>(servers));
  tools.add(std::make_unique<GetToolSchema>(servers));
  tools.add(std::make_unique<CallTool>(servers));
}

}  // namespace rouse
