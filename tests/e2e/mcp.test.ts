// Tools of MCP servers through a real rouse: the servers of the protocol's own authors, over pipes and over HTTP,
// and servers that crash, hang, lie and shout. The model asks for a tool with the words of the test (brain.ts).
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { call as model_call, say, type Answer, type Prompt } from "../models/fault_server.ts";
import { root, temp_dir } from "./server.ts";
import { House, text_of } from "./talk.ts";

const package_of = (name: string) => join(root, "web/node_modules/@modelcontextprotocol", name, "dist/index.js");
const everything = package_of("server-everything");
const filesystem = package_of("server-filesystem");
const fixture = (name: string) => join(import.meta.dirname, "mcp", `${name}.ts`);
const program = (file: string, ...args: string[]) => ({ command: [process.execPath, file, ...args], approve: "auto" });

// The rules that make an agent look before it calls are tested in lifecycle.test.ts.
const no_rules = { "workflows/headless-lifecycle.yaml": "" };
const start = (mcp_servers: object, config: object = {}): Promise<House> =>
  House.start({ model: "openai", files: no_rules, config: { mcp_servers, ...config } });

let conversations = 0;
interface Used { text: string; failed: boolean; from: string; pending: any[] }
// One tool in a conversation of its own.
async function use(house: House, tool: string, input: object = {}, conversation = `c${++conversations}`): Promise<Used> {
  const { status, body } = await house.chat(conversation, `use ${tool} ${JSON.stringify(input)}`);
  assert.equal(status, 200, JSON.stringify(body));
  const result = (await house.messages(conversation)).flatMap((one) => one.content).findLast((block: any) => block.type === "tool_result");
  const words = typeof result.content === "string" ? result.content : result.text ?? text_of(result);
  return { text: words, failed: !!result.failed, from: result.from, pending: body.pending_approvals };
}
const call = (house: House, server: string, tool: string, args: object = {}): Promise<Used> =>
  use(house, "call_tool", { server, tool, arguments: args });

const states = async (house: House): Promise<string> => (await use(house, "list_mcp_servers")).text;

const lives = (pid: number): boolean => {
  try { return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8")); } catch { return false; }
};
async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await condition())) {
    assert.ok(Date.now() < end, `it never happened: ${what}`);
    await new Promise((again) => setImmediate(again));
  }
}

// --- the protocol's own servers ----------------------------------------------------------------------

describe("server-everything", () => {
  const children: ChildProcess[] = [];
  after(() => children.forEach((child) => child.kill("SIGKILL")));

  async function over_http(): Promise<string> {
    const preload = join(import.meta.dirname, "mcp/loopback.mjs");
    const child = spawn(process.execPath, ["--import", preload, everything, "streamableHttp"], { stdio: ["ignore", "pipe", "ignore"] });
    children.push(child);
    let said = "";
    child.stdout!.on("data", (chunk) => (said += chunk));
    while (!/^loopback \d+$/m.test(said)) await once(child.stdout!, "data");
    return `http://127.0.0.1:${/^loopback (\d+)$/m.exec(said)![1]}/mcp`;
  }

  for (const transport of ["stdio", "http"] as const) {
    test(`an agent finds its way from the servers to a call, over ${transport}`, async () => {
      const server = transport === "stdio" ? program(everything) : { url: await over_http(), approve: "auto" };
      const house = await start({ all: { ...server, description: "Everything there is" } });
      assert.match(await states(house), /^all \(idle\): Everything there is/);
      const tools = await use(house, "list_tools", { server: "all" });
      assert.match(tools.text, /^echo: /m);
      assert.match(tools.text, /^get-sum: /m);
      const schema = await use(house, "get_tool_schema", { server: "all", tool: "get-sum" });
      assert.match(schema.text, /"required":\["a","b"\]/);
      const sum = await call(house, "all", "get-sum", { a: 19, b: 23 });
      assert.match(sum.text, /42/);
      assert.equal(sum.from, "untrusted");
      assert.equal(sum.failed, false);
      const wrong = await call(house, "all", "get-sum", { a: "x" });
      assert.equal(wrong.failed, true);
      assert.match(wrong.text, /'a' must be a number.*'b' is missing/);
      assert.match((await call(house, "all", "get-tiny-image")).text, /\[image image\/png, /);
      assert.match((await call(house, "all", "get-resource-links", { count: 2 })).text, /\[link to the resource /);
      const structured = await call(house, "all", "get-structured-content", { location: "Chicago" });
      assert.equal(structured.text.match(/"temperature"/g)?.length, 1, structured.text);
      const long = await call(house, "all", "trigger-long-running-operation", { duration: 1, steps: 2 });
      assert.match(long.text, /completed/i);
      assert.match((await call(house, "all", "no-such-tool")).text, /it has no tool 'no-such-tool'/);
      assert.match(await states(house), /^all \(ready, \d+ tools\)/);
      await house.close();
    });
  }
});

describe("server-filesystem", () => {
  test("files are read by the owner's word and written after a yes, once", async () => {
    const folder = temp_dir();
    mkdirSync(join(folder, "notes"));
    writeFileSync(join(folder, "notes/a.txt"), "what is written here");
    const house = await start({ files: { command: process.execPath, args: [filesystem, folder], read_only: ["read_text_file", "list_directory"] } });
    assert.match((await use(house, "list_tools", { server: "files" })).text, /^write_file: /m);
    const read = await call(house, "files", "read_text_file", { path: join(folder, "notes/a.txt") });
    assert.match(read.text, /what is written here/);
    assert.deepEqual(read.pending, []);
    const outside = await call(house, "files", "read_text_file", { path: "/etc/passwd" });
    assert.equal(outside.failed, true);
    assert.match(outside.text, /denied/i);

    const path = join(folder, "new.txt");
    const asked = await call(house, "files", "write_file", { path, content: "written" });
    assert.equal(asked.pending.length, 1, asked.text);
    assert.ok(!existsSync(path), "it ran before anybody said yes");
    const { approval_id } = asked.pending[0];
    const waiting = (await house.server.json(`/api/approvals/${approval_id}`)).body;
    assert.match(JSON.stringify(waiting), /call write_file of files with/);
    assert.equal((await house.server.json(`/api/approvals/${approval_id}`, { decision: "approve" })).status, 200);
    await until("the file is written", () => existsSync(path) && readFileSync(path, "utf8") === "written");
    await until("the turn is over", async () => !!(await house.turns()).find((one) => one.kind === "approval")?.verdict);
    await house.close();
  });
});

// --- servers that misbehave --------------------------------------------------------------------------

describe("a server that", () => {
  test("crashes in a call: it is told, and it is started again", async () => {
    const house = await start({ bad: program(fixture("crashing")), other: program(fixture("good")) });
    const crash = await call(house, "bad", "crash");
    assert.equal(crash.failed, true);
    assert.match(crash.text, /the MCP server bad: it ended with exit status 3; it said: fatal: the disk is on fire; outcome unknown/);
    assert.match((await call(house, "other", "count", { text: "four" })).text, /^4$/);
    await until("it is there again", async () => /^bad \(ready/m.test(await states(house)));
    assert.match((await call(house, "bad", "fine")).text, /still here/);
    assert.match((await call(house, "bad", "kill")).text, /it was ended by signal 9/);
    assert.match(house.server.stderr, /mcp\.failed server=bad/);
    await house.close();
  });

  test("never starts: why is said at once, and then when it is tried again", async () => {
    const house = await start({ bad: program(fixture("never_starts")), gone: { command: "no-such-program-of-rouse" } });
    const first = await use(house, "list_tools", { server: "bad" });
    assert.match(first.text, /exit status 1; it said: fatal: no configuration/);
    assert.match((await use(house, "list_tools", { server: "bad" })).text, /try again in \d s|exit status 1/);
    assert.match((await use(house, "list_tools", { server: "gone" })).text, /there is no program 'no-such-program-of-rouse' in the PATH/);
    await house.close();
  });

  test("is slow: the call ends in time, and the server is told", async () => {
    const house = await start({ slow: { ...program(fixture("slow")), timeout_seconds: 3 } });
    await use(house, "list_tools", { server: "slow" });
    const late = await call(house, "slow", "forever");
    assert.equal(late.failed, true);
    assert.match(late.text, /it did not answer within 3 s; outcome unknown: it may have happened/);
    const told = await call(house, "slow", "cancelled");
    assert.match(told.text, /^\[\d+\]$/);
    await house.close();
  });

  test("sends what is no MCP: the call ends, and the next one finds it again", async () => {
    const house = await start({ bad: program(fixture("malformed")) });
    for (const tool of ["half", "other"]) {
      const broken = await call(house, "bad", tool);
      assert.equal(broken.failed, true);
      assert.match(broken.text, /it sent something that is no MCP message/);
      await until("it is there again", async () => /^bad \(ready/m.test(await states(house)));
    }
    assert.match((await call(house, "bad", "wrong_type")).text, /its answer to tools\/call is no object/);
    assert.equal((await call(house, "bad", "stranger")).text, "fine");
    await house.close();
  });

  test("says too much: a long text is cut, and a line over the bound ends it", async () => {
    const house = await start({ huge: program(fixture("huge")) });
    const long = await call(house, "huge", "text");
    assert.equal(long.failed, false);
    assert.match(long.text, /\[cut: the first 64 KB of \d+ KB/);
    assert.match((await call(house, "huge", "line", { megabytes: 9 })).text, /it sent a message larger than 8 MB/);
    await house.close();
  });

  test("is noisy on both streams works all the same", async () => {
    const house = await start({ noisy: program(fixture("noisy")) });
    for (let i = 0; i < 3; ++i) assert.equal((await call(house, "noisy", "work")).text, "worked");
    await house.close();
  });

  test("loses its session over HTTP is greeted again", async () => {
    let session = 0;
    const seen: string[] = [];
    const http = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      const given = request.headers["mcp-session-id"];
      const message = body ? JSON.parse(body) : {};
      seen.push(`${request.method} ${message.method ?? ""} ${given ?? "-"}`);
      if (message.method === "initialize") {
        session += 1;
        response.writeHead(200, { "content-type": "application/json", "mcp-session-id": `s${session}` });
        return response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result: { protocolVersion: "2025-03-26", capabilities: { tools: {} } } }));
      }
      if (given !== `s${session}`) return response.writeHead(404).end();
      if (message.id === undefined) return response.writeHead(202).end();
      const result = message.method === "tools/list" ? { tools: [{ name: "hi", inputSchema: { type: "object" } }] } : { content: [{ type: "text", text: "hello" }] };
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id: message.id, result })}\n\n`);
    });
    http.listen(0, "127.0.0.1");
    await once(http, "listening");
    const house = await start({ far: { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, approve: "auto" } });
    assert.equal((await call(house, "far", "hi")).text, "hello");
    session = 7;
    assert.equal((await call(house, "far", "hi")).text, "hello");
    assert.equal(session, 8);
    await house.close();
    assert.ok(seen.includes("DELETE  s8"), seen.join("\n"));
    http.close();
  });
});

// --- who may call what -------------------------------------------------------------------------------

test("a call asks by default, and in a tainted turn also where it need not otherwise", async () => {
  const house = await start({ asks: { command: [process.execPath, fixture("good")] }, trusted: program(fixture("good")) });
  assert.equal((await call(house, "asks", "pid")).pending.length, 1);
  const { body } = await house.chat("two", 'use call_tool {"server":"trusted","tool":"pid"}');
  assert.deepEqual(body.pending_approvals, []);
  assert.match(body.response, /The tool said: \d+/);
  await house.close();
  // What the first call said is from outside, so the second one of the same turn asks.
  const twice = (prompt: Prompt): Answer =>
    prompt.turns.filter((turn) => turn.role === "tool").length < 2 ? model_call(["call_tool", { server: "trusted", tool: "pid" }]) : say("done");
  const tainted = await House.start({ model: "openai", script: () => ({ answer: twice }), files: no_rules, config: { mcp_servers: { trusted: program(fixture("good")) } } });
  assert.equal((await tainted.chat("c", "go")).body.pending_approvals.length, 1);
  const results = (await tainted.messages("c")).flatMap((one) => one.content).filter((block: any) => block.type === "tool_result");
  assert.deepEqual(results.map((one: any) => !!one.failed), [false, true]);
  await tainted.close();
});

test("without a server the four tools are not there", async () => {
  const house = await start({});
  const { body } = await house.chat("c", "use list_mcp_servers {}");
  assert.match(body.response, /there is no tool/);
  assert.ok(!house.models.requests.some((one) => one.text.includes("list_mcp_servers\",\"desc")));
  await house.close();
});

// --- the processes -----------------------------------------------------------------------------------

describe("the process of a server", () => {
  test("gets a small environment, its secrets among it, and they are shown nowhere", async () => {
    const folder = temp_dir();
    const secret = "s3cret-of-the-mcp-test-0815";
    writeFileSync(join(folder, "key"), `${secret}\n`, { mode: 0o600 });
    const house = await start({ one: { ...program(fixture("good")), cwd: folder, env: { MODE: 7, API_KEY: { file: join(folder, "key") } } } });
    const names = JSON.parse((await call(house, "one", "environment")).text);
    assert.deepEqual(names.filter((one: string) => !["LANG", "TZ"].includes(one)), ["API_KEY", "HOME", "MODE", "PATH"]);
    assert.equal((await call(house, "one", "folder")).text, folder);
    assert.equal((await call(house, "one", "variable", { name: "MODE" })).text, "7");
    const shown = await call(house, "one", "variable", { name: "API_KEY" });
    assert.ok(!shown.text.includes(secret), shown.text);
    const settings = JSON.stringify((await house.server.json("/api/settings")).body);
    assert.ok(!settings.includes(secret));
    const doctor = await house.cli("doctor");
    assert.match(doctor.stdout, /the MCP server one runs \S*node/);
    await house.close();
    assert.ok(!house.log.includes(secret));
  });

  for (const [how, name] of [["stop", "good"], ["kill", "good"], ["stop", "stubborn"], ["kill", "stubborn"]] as const) {
    test(`is gone after a ${how} of rouse (${name})`, async () => {
      const house = await start({ one: program(fixture(name)) });
      const pid = Number((await call(house, "one", "pid")).text);
      assert.ok(lives(pid));
      if (how === "stop") {
        await house.close();
        assert.ok(!lives(pid), "it outlived a good end");
      } else {
        await house.kill();
        await until("the kernel has killed it", () => !lives(pid));
        await house.models.close();
      }
    });
  }

  test("follows the settings: changed ones are restarted, removed ones stopped, others stay", async () => {
    const house = await start({ kept: program(fixture("good")), changed: program(fixture("good")), removed: program(fixture("good")) });
    const pid = async (server: string) => Number((await call(house, server, "pid")).text);
    const before = { kept: await pid("kept"), changed: await pid("changed"), removed: await pid("removed") };
    const file = join(house.data, "rouse.yaml");
    const config = JSON.parse(readFileSync(file, "utf8"));
    const { removed, ...servers } = config.mcp_servers;
    servers.changed.env = { MODE: "other" };
    servers.kept.timeout_seconds = 5;
    writeFileSync(file, JSON.stringify({ ...config, mcp_servers: servers }));
    await house.server.logged(/config\.reloaded .*mcp_servers/);
    await until("the old ones are gone", () => !lives(before.removed) && !lives(before.changed));
    assert.equal(await pid("kept"), before.kept);
    assert.equal((await call(house, "changed", "variable", { name: "MODE" })).text, "other");
    assert.match((await call(house, "removed", "pid")).text, /there is no MCP server 'removed'/);
    await house.close();
  });
});
