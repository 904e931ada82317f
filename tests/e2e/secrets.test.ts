// SC-10: secrets never leave. Canaries are planted wherever a secret may stand and wherever one may come back from: the
// environment, files, the app, addresses, a proxy, the model's service, web pages, files, the bridge. Then everything
// that the server says, writes or leaves behind is searched for them, in every form.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { call, think, type Answer, type Prompt } from "../models/brain.ts";
import { openai_wire } from "../models/openai_wire.ts";
import { Server, rouse, temp_dir, type Run } from "./server.ts";
import { Socket } from "./talk.ts";

// --- canaries and the hunt for them ------------------------------------------------------------------

// Each has characters that look different in JSON, in a URL and in base64.
const canary = (name: string) => `sk-${name}"Kw7\\vQ+3m/Xr9%Tn=B5&yLc2HdJ8f`;
const planted: Record<string, string> = {
  env_key: canary("env"),        // api_key_env
  file_key: canary("file"),      // api_key_file
  kept_key: canary("kept"),      // entered in the app: secrets/
  bridge: canary("bridge"),      // bridges.whatsapp.secret_file
  send_token: "send-Zq8Wm4Xc7Vb2Nn5Lk9Jh",     // in the query of send_url
  proxy_password: "proxy-Rt6Yu3Io8Pa1Sd4Fg7",  // in https_proxy
};

const base64 = (text: string) => Buffer.from(text).toString("base64");
const escaped = (text: string) => JSON.stringify(text).slice(1, -1);
// A secret as others may write it.
const forms_of = (secret: string): string[] => [
  secret, escaped(secret), encodeURIComponent(secret), encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
  base64(secret), base64(`u:${secret}`), base64(`me:${secret}`), base64(`you:${secret}!`), Buffer.from(`x${secret}`).toString("base64url"),
];

// The same text with one layer of an encoding taken off.
const without_json = (text: string) => text.replace(/\\(?:u00([0-9a-f]{2})|(["\\/]))/gi, (_, code, plain) => plain ?? String.fromCharCode(parseInt(code, 16)));
const decoders: ((text: string) => string)[] = [
  (text) => text.replace(/%([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(parseInt(code, 16))),
  (text) => text.replace(/&quot;|&#34;/g, '"').replace(/&amp;/g, "&"),
  (text) => (text.match(/[A-Za-z0-9+/_-]{20,}/g) ?? []).flatMap((run) => [0, 1, 2, 3].map((skip) => Buffer.from(run.slice(skip), "base64").toString("latin1"))).join("\n"),
];
// Whoever knows most of a secret can guess the rest.
const core_of = (secret: string) => secret.slice(4, -4);

function hunt(secrets: Record<string, string>, text: string): string[] {
  const seen = [text];
  for (let layer = 0; layer < 3; ++layer) seen.push(without_json(seen.at(-1)!));  // JSON in JSON in JSON
  seen.push(...seen.flatMap((one) => decoders.map((decode) => decode(one))));
  return Object.entries(secrets).flatMap(([name, secret]) => {
    const view = seen.find((one) => one.includes(core_of(secret)));
    if (view === undefined) return [];
    const at = view.indexOf(core_of(secret));
    return [`${name}: …${view.slice(Math.max(0, at - 100), at + secret.length + 20)}…`];
  });
}

test("the hunter finds every form", () => {
  for (const [name, secret] of Object.entries(planted)) {
    for (const form of forms_of(secret)) {
      for (const text of [`a ${form} b`, JSON.stringify({ text: form }), JSON.stringify(JSON.stringify([form]))]) {
        assert.equal(hunt({ [name]: secret }, text).length, 1, text);
      }
    }
  }
  assert.deepEqual(hunt(planted, "[redacted] sk-env"), []);
});

// --- whoever says them back --------------------------------------------------------------------------

const open = new Set<HttpServer>();
after(() => open.forEach((one) => { one.closeAllConnections(); one.close(); }));

async function listen(listener: RequestListener): Promise<[port: number, http: HttpServer]> {
  const http = createServer(listener);
  open.add(http);
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  return [(http.address() as AddressInfo).port, http];
}
async function read(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}

const all_forms = (secrets: Iterable<string>) => [...secrets].flatMap(forms_of);

// Keeps in memory, as a task and as a file whatever a tool has told it; else the small model.
function magpie(prompt: Prompt): Answer {
  const last = prompt.turns.at(-1)!, wish = prompt.turns.findLast((one) => one.role === "user")?.text ?? "";
  if (last.role !== "tool" || !/then keep it/.test(wish) || prompt.turns.at(-2)?.role === "tool") return think(prompt);
  if (/save_memory|needs approval|note_|#\d/.test(last.text)) return think(prompt);
  const text = last.text.slice(0, 1500);
  return call(["save_memory", { text }], ["tasks", { action: "add", title: text.replace(/\s+/g, " ").slice(0, 200), detail: text }], ["write_file", { path: "kept.txt", text }], ["notify", { text: text.slice(0, 400) }]);
}

const faults = ["400", "401", "403", "404", "413", "429", "500", "529", "error_event", "bad_event", "html", "cut"] as const;

// A model's service that says the key it was given, and everything else it knows, in headers and in whatever goes wrong.
async function parrot(known: () => string[]) {
  const wire = openai_wire();
  const keys = new Set<string>();
  const [port] = await listen(async (request, response) => {
    const body = JSON.parse(await read(request));
    const key = `${request.headers.authorization}`.replace("Bearer ", "");
    keys.add(key);
    const said = [key, ...all_forms([key, ...known()])].join(" ");
    const headers = { "x-request-id": base64(key), "x-echo": all_forms([key]).join(" "), "set-cookie": `key=${encodeURIComponent(key)}` };
    const prompt = wire.read({ authorization: `${request.headers.authorization}` }, body);
    const fault = /fault:(\w+)/.exec(prompt.turns.at(-1)!.text)?.[1];
    const error = { error: { message: `no: ${said}`, type: said, param: said, code: said } };
    if (/^\d+$/.test(fault ?? "")) {
      response.writeHead(Number(fault), { ...headers, "content-type": "application/json", "retry-after": "3600" });
      return response.end(JSON.stringify(error));
    }
    response.writeHead(200, { ...headers, "content-type": fault === "html" ? "text/html" : "text/event-stream" });
    if (fault === "html") return response.end(`<html><title>${said}</title>${said}</html>`);
    if (fault === "error_event") return response.end(`data: ${JSON.stringify(error)}\n\n`);
    if (fault === "bad_event") return response.end(`data: {"id":${said}\n\nevent: ${said}\n: ${said}\n\n`);
    if (fault === "cut") return response.write(`data: {"id":"${said}`, () => response.destroy());
    const answer = magpie(prompt);
    for (const frame of wire.frames(prompt, body, answer, wire.count(body, ""))) response.write(frame);
    response.end();
  });
  return { keys, url: `http://127.0.0.1:${port}/v1` };
}

// --- the house -----------------------------------------------------------------------------------------

interface Place { data: string; env: Record<string, string>; server: Server; secrets: Record<string, string>; parrot_keys: Set<string>; page: string; sent: string[] }

function private_file(path: string, text: string): string {
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

async function start(format: "text" | "json", more: { known?: () => string[]; said?: () => string[] } = {}): Promise<Place> {
  const data = temp_dir();
  const secrets: Record<string, string> = { ...planted };
  const known = more.known ?? (() => Object.values(planted).slice(0, 4));
  const said = more.said ?? (() => [...known(), secrets.owner_token!]);
  const service = await parrot(known);
  const [page] = await listen((request, response) => {
    response.writeHead(request.url === "/gone" ? 500 : 200, { "content-type": "text/plain", "x-echo": escaped(planted.env_key!) });
    response.end(`A page.\n${all_forms(said()).join("\n")}\n`);
  });
  const sent: string[] = [];
  const statuses = [400, 403, 500];
  const [bridge] = await listen(async (request, response) => {
    sent.push(`${request.url} ${JSON.stringify(request.headers)} ${await read(request)}`);
    response.writeHead(statuses.shift() ?? 200, `No ${secrets.send_token}`, { "content-type": "application/json", "x-echo": base64(secrets.bridge!) });
    response.end(JSON.stringify({ id: "wamid.1", error: all_forms([secrets.bridge!, secrets.send_token!]) }));
  });
  // A proxy that refuses, and says the password in doing so.
  const [proxy, proxying] = await listen((_, response) => response.end());
  proxying.on("connect", (request, socket) => {
    const words = `${request.headers["proxy-authorization"]}`;
    socket.end(`HTTP/1.1 407 No ${words}\r\nProxy-Authenticate: Basic realm="${words} ${secrets.proxy_password}"\r\nContent-Length: ${words.length}\r\n\r\n${words}`);
  });

  mkdirSync(join(data, "secrets"), { mode: 0o700 });
  private_file(join(data, "secrets", "model-kept"), `${secrets.kept_key}\n`);
  const model = { provider: "openai", base_url: service.url, model: "parrot-1", retries: 0 };
  const config = {
    log: { level: "debug", format },
    models: {
      main: { ...model, api_key_env: "CANARY_KEY", fallback: ["filed", "kept", "far"] },
      filed: { ...model, api_key_file: private_file(join(data, "filed.key"), `${secrets.file_key}\n`) },
      kept: model,
      far: { ...model, base_url: "https://model.invalid/v1", api_key_env: "CANARY_KEY" },
      cheap: { provider: "offline" },
    },
    bridges: { whatsapp: { secret_file: private_file(join(data, "bridge.key"), `${secrets.bridge}\n`), send_url: `http://127.0.0.1:${bridge}/send?token=${secrets.send_token}` } },
    people: { "whatsapp:+15550001": "ws_default" },
    tools: { fetch: { allow_hosts: [`127.0.0.1:${page}`] } },
  };
  writeFileSync(join(data, "rouse.yaml"), JSON.stringify(config));
  const env = { CANARY_KEY: secrets.env_key!, https_proxy: `http://me:${secrets.proxy_password}@127.0.0.1:${proxy}`, no_proxy: "127.0.0.1" };
  const server = await Server.start({ data, env });
  secrets.owner_token = server.token;
  mkdirSync(join(data, "files"), { recursive: true, mode: 0o700 });
  writeFileSync(join(data, "files", "notes.txt"), `My notes.\n${all_forms(said()).join("\n")}\nThe end.\n`);
  return { data, env, server, secrets, parrot_keys: service.keys, page: `http://127.0.0.1:${page}`, sent };
}

async function cli(place: Place, ...args: string[]): Promise<Run> {
  const child = spawn(rouse, [...args, "--data", place.data], { stdio: ["ignore", "pipe", "pipe"], env: { HOME: "/nonexistent", ...place.env }, timeout: 30_000 });
  const run: Run = { code: null, stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => (run.stdout += chunk));
  child.stderr.on("data", (chunk) => (run.stderr += chunk));
  [run.code] = await once(child, "close");
  return run;
}

// Everything that came out, by where.
class Catch {
  readonly texts = new Map<string, string>();
  add(where: string, text: string): void { this.texts.set(where, `${this.texts.get(where) ?? ""}${text}\n`); }
  check(secrets: Record<string, string>): void {
    const hits = [...this.texts].flatMap(([where, text]) => hunt(secrets, text).map((hit) => `${where}: ${hit}`));
    assert.deepEqual(hits, [], `${hits.length} hits`);
  }
}

const wishes = (place: Place) => [
  "hello",
  `use http_fetch {"url":"${place.page}/"}`,
  `use http_fetch {"url":"${place.page}/gone"}`,
  'use read_file {"path":"notes.txt"}',
  `use no_such_tool {"x":1}`,
  `then keep it\nuse read_file {"path":"notes.txt"}`,
  `then keep it\nuse http_fetch {"url":"${place.page}/"}`,
  'use shell {"command":"env; cat notes.txt"}',
  ...faults.map((fault) => `fault:${fault}`),
];

async function talk(place: Place, caught: Catch): Promise<void> {
  const { server } = place;
  const live = await Socket.open(server);
  for (const [n, wish] of wishes(place).entries()) {
    const whole = await server.json("/api/chat", { session_id: "whole", message: wish });
    assert.equal(whole.status, 200, JSON.stringify(whole.body));
    assert.equal(whole.body.verdict, wish.startsWith("fault:") ? "failed" : "spoke", JSON.stringify(whole.body));
    caught.add("HTTP", JSON.stringify(whole.body));
    const streamed = await server.fetch("/api/chat", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ session_id: "streamed", message: wish, stream: true }) });
    caught.add("SSE", await streamed.text());
    await live.say("socket", wish, `socket-${n}`);
    for (const from of ["+15550001", "+15550002"]) {
      const answer = await fetch(`${server.url}/webhook/whatsapp`, {
        method: "POST", headers: { "content-type": "application/json", "x-bridge-secret": place.secrets.bridge! },
        body: JSON.stringify({ from, body: wish, chatType: "direct", senderE164: from, accountId: "default", messageId: `m${n}` }),
      });
      assert.equal(answer.status, 200);
      caught.add("WhatsApp", await answer.text());
    }
  }
  // One yes and one no, so that an approved call has a result as well.
  const waiting = (await server.json("/api/approvals?state=pending")).body.items;
  assert.ok(waiting.length >= 2, "nothing waits for a word");
  for (const [n, one] of waiting.entries()) caught.add("approvals", JSON.stringify(await server.json(`/api/approvals/${one.approval_id}`, { decision: n % 2 ? "deny" : "approve" })));
  await server.json("/api/conversations/whole/compact", undefined, "POST");
  // Requests that carry a secret where it doesn't belong: not an answer's concern, yet the log's.
  for (const secret of Object.values(place.secrets)) {
    await server.fetch(`/api/me?token=${encodeURIComponent(secret)}`);
    await server.fetch(`/api/${encodeURIComponent(secret)}`);
    await server.fetch("/api/me", { headers: { authorization: `Bearer ${encodeURIComponent(secret)}x` } });
  }
  live.send({ type: "ping" });
  await live.next((frame) => frame.type === "pong");
  caught.add("WebSocket", JSON.stringify(live.frames));
  live.close();
}

// Every GET that openapi.json has, with every name that we know.
async function read_api(place: Place, caught: Catch): Promise<void> {
  const { server } = place;
  const list = async (path: string) => (await server.json(path)).body.items as any[];
  const conversations = (await list("/api/conversations?limit=200")).map((one) => one.conversation_id);
  assert.ok(conversations.length >= 4, "HTTP, SSE, WebSocket and the owner's WhatsApp");
  const names: [path: RegExp, names: string[]][] = [
    [/^\/api\/conversations\//, conversations],
    [/^\/api\/turns\//, (await list("/api/turns?limit=200")).map((one) => one.turn_id)],
    [/^\/api\/approvals\//, (await list("/api/approvals?limit=200")).map((one) => one.approval_id)],
    [/^\/api\/tasks\//, (await list("/api/tasks?limit=200")).map((one) => `${one.number}`)],
    [/sessions\//, (await server.json("/kernel/sessions?workspace_id=ws_default&limit=200")).body.sessions.map((one: any) => one.session_id)],
  ];
  const { paths } = (await server.json("/openapi.json")).body;
  for (const pattern of Object.keys(paths).filter((one) => paths[one].get && one !== "/api/backup")) {
    const ids = pattern.includes("{") ? names.find(([path]) => path.test(pattern))?.[1] ?? [] : [""];
    for (const id of ids) {
      const path = pattern.replace(/\{\w+\}/, encodeURIComponent(id));
      for (const query of ["?limit=200&workspace_id=ws_default", ...(pattern.endsWith("/export") ? ["?format=markdown", "?format=jsonl"] : []), ...(pattern === "/api/search" ? ["?q=tool", "?q=sk"] : [])]) {
        const answer = await server.fetch(path + query);
        assert.ok(answer.status < 500, `${path}: ${answer.status}`);
        caught.add(`GET ${pattern}`, `${JSON.stringify([...answer.headers])} ${await answer.text()}`);
      }
    }
  }
  for (const needed of [
    "/api/settings", "/metrics", "/api/health", "/api/deliveries", "/api/usage", "/api/memory/export", "/api/export", "/api/approvals/{id}",
    "/api/tasks/{number}", "/api/conversations/{id}/messages", "/api/conversations/{id}/export", "/api/conversations/{id}/prompt",
    "/api/conversations/{id}/compactions", "/api/turns/{id}", "/api/turns/{id}/prompt",
  ]) {
    assert.ok(caught.texts.has(`GET ${needed}`), `${needed} was not read`);
  }
}

async function read_cli(place: Place, caught: Catch): Promise<void> {
  const backup = join(place.data, "copy.db");
  for (const args of [
    ["doctor"], ["doctor", "--json"], ["config", "show"], ["config", "check"], ["turns", "--json", "--limit", "200"], ["approvals", "list", "--json"],
    ["tasks", "list", "--json"], ["memory", "export"], ["export", "--format", "jsonl"], ["export", "--format", "markdown"], ["cost", "--json"],
    ["prompt", "show", "whole"], ["why", "session", "whole"], ["sessions", "show", "whole"], ["token", "list"], ["backup", backup],
  ]) {
    const { code, stdout, stderr } = await cli(place, ...args);
    assert.ok(code === 0 || args[0] === "doctor", `rouse ${args.join(" ")}: ${code}\n${stderr}`);
    caught.add(`rouse ${args.slice(0, 2).join(" ").replace(place.data, "")}`, stdout + stderr);
  }
  // Nobody typed a secret, so not even the copy has one.
  caught.add("the backup", readFileSync(backup, "latin1"));
}

// Whatever lies in the data folder, but for the places where secrets live.
function read_files(place: Place, caught: Catch): void {
  const homes = ["token", "secrets", "filed.key", "bridge.key", "rouse.yaml", "notes.txt"];
  const walk = (folder: string) => {
    for (const name of readdirSync(folder).filter((one) => !homes.includes(one))) {
      const path = join(folder, name);
      caught.add("names of files", path);
      if (statSync(path).isDirectory()) walk(path);
      else if (statSync(path).isFile()) caught.add(`file ${name}`, readFileSync(path, "latin1"));
    }
  };
  walk(place.data);
}

for (const format of ["text", "json"] as const) {
  test(`zero hits, with the log as ${format}`, { timeout: 280_000 }, async () => {  // SC-10
    const place = await start(format), caught = new Catch();
    await talk(place, caught);
    assert.deepEqual([...place.parrot_keys].sort(), [place.secrets.env_key, place.secrets.file_key, place.secrets.kept_key].sort(), "each key was used, and said back");
    assert.ok(place.sent.length > 0 && place.sent.every((one) => one.includes(`token=${place.secrets.send_token}`)), "the bridge was reached with its token");
    await read_api(place, caught);
    await read_cli(place, caught);
    for (const where of ["HTTP", "SSE", "WebSocket", "WhatsApp", "GET /api/tasks", "GET /api/memory", "GET /api/approvals", "GET /api/conversations/{id}/messages", "rouse memory export"]) {
      assert.match(caught.texts.get(where)!, /\[redacted\]/, `${where}: no secret was ever near`);
    }

    // A crash says nothing either.
    place.server.process.kill("SIGABRT");
    await place.server.exited();
    caught.add("stdout", place.server.stdout);
    caught.add("the log", place.server.stderr);
    assert.ok(place.server.stderr.length > 1000, "it logged");
    read_files(place, caught);
    caught.check(place.secrets);
  });
}

describe("what else says a secret back", () => {
  // Neither is known as a whole value of a setting: one is a part of send_url, the other a part of the proxy's address.
  for (const name of ["send_token", "proxy_password"] as const) {
    test(`${name}, on a page and in an error of the model's service`, async () => {
      const place = await start("text", { known: () => [planted[name]!], said: () => [planted[name]!] }), caught = new Catch();
      for (const message of [`use http_fetch {"url":"${place.page}/"}`, "fault:400", "fault:401"]) {
        caught.add("HTTP", JSON.stringify((await place.server.json("/api/chat", { session_id: "a", message })).body));
      }
      await read_api_of(place, caught, "a");
      await place.server.stop();
      caught.add("the log", place.server.stderr);
      caught.check({ [name]: planted[name]! });
    });
  }

  test("a receipt of the bridge", async () => {
    const data = temp_dir();
    const [port, http] = await listen(async (request, response) => {
      await read(request);
      response.end(JSON.stringify({ id: `wamid.${planted.bridge}` }), () => http.emit("sent"));
    });
    writeFileSync(join(data, "rouse.yaml"), JSON.stringify({ bridges: { whatsapp: { secret_env: "BRIDGE", send_url: `http://127.0.0.1:${port}/send` } }, people: { "whatsapp:+1555": "ws_default" } }));
    const server = await Server.start({ data, env: { BRIDGE: planted.bridge! } });
    const sent = once(http, "sent");
    await fetch(`${server.url}/webhook/whatsapp`, {
      method: "POST", headers: { "content-type": "application/json", "x-bridge-secret": planted.bridge! },
      body: JSON.stringify({ from: "+1555", body: "hello", chatType: "direct", senderE164: "+1555", accountId: "default", messageId: "m" }),
    });
    await sent;
    const deliveries = async (): Promise<any[]> => (await server.json("/api/deliveries")).body.items;
    while (!(await deliveries()).some((one) => one.state === "delivered")) await new Promise((again) => setImmediate(again));
    assert.deepEqual(hunt(planted, JSON.stringify(await deliveries())), []);
    await server.stop();
    assert.deepEqual(hunt(planted, server.stderr), []);
  });

  test("a file that is read in pieces, cut in the middle of a secret", async () => {
    const place = await start("text"), caught = new Catch();
    writeFileSync(join(place.data, "files", "cut.txt"), `key: ${planted.env_key}\n`);
    for (const piece of [{ offset: 8 }, { limit: 5 + planted.env_key!.length - 3 }, { offset: 7, limit: 35 }]) {
      const { body } = await place.server.json("/api/chat", { session_id: "a", message: `use read_file ${JSON.stringify({ path: "cut.txt", ...piece })}` });
      assert.match(body.response, /^The tool said: /);
      caught.add(`read_file ${JSON.stringify(piece)}`, JSON.stringify(body));
    }
    await place.server.stop();
    caught.check({ env_key: planted.env_key! });
  });

  test("a page that is cut in the middle of a secret", async () => {
    const place = await start("text");
    // 60 KB of it are told; the border lies somewhere in one of these keys.
    const [port] = await listen((_, response) => { response.setHeader("content-type", "text/plain"); response.end(planted.env_key!.repeat(4000)); });
    const config = JSON.parse(readFileSync(join(place.data, "rouse.yaml"), "utf8"));
    assert.equal(await place.server.stop(), 0);
    writeFileSync(join(place.data, "rouse.yaml"), JSON.stringify({ ...config, tools: { fetch: { allow_hosts: [`127.0.0.1:${port}`] } } }));
    const server = await Server.start({ data: place.data, env: place.env });
    const { body } = await server.json("/api/chat", { session_id: "a", message: `use http_fetch {"url":"http://127.0.0.1:${port}/"}` });
    assert.match(body.response, /^The tool said: [^]*\[redacted\]/);
    const said = body.response.replaceAll("[redacted]", "");
    assert.ok(!/sk-env"K/.test(said) && !said.includes("Xr9%Tn"), `a part of the key: ${said.slice(-300)}`);
    await server.stop();
  });

  test("an error of the model's service that is cut in the middle of a secret", async () => {
    const forms = forms_of(planted.env_key!), data = temp_dir();
    const [port] = await listen(async (request, response) => {
      const [, form, indent] = /form (\d+) after (\d+)/.exec(JSON.parse(await read(request)).messages.at(-1).content)!;
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: ".".repeat(Number(indent)) + forms[Number(form)]!.repeat(400) } }));
    });
    const main = { provider: "openai", model: "x", base_url: `http://127.0.0.1:${port}/v1`, api_key_env: "CANARY_KEY", retries: 0 };
    writeFileSync(join(data, "rouse.yaml"), JSON.stringify({ models: { main, cheap: { provider: "offline" } } }));
    const server = await Server.start({ data, env: { CANARY_KEY: planted.env_key! } });
    const told: string[] = [];
    for (const [n, form] of forms.entries()) {
      for (let indent = 0; indent < form.length; indent += 8) {  // wherever the border is
        const { body } = await server.json("/api/chat", { session_id: `${n}`, message: `form ${n} after ${indent}` });
        assert.equal(body.verdict, "failed", JSON.stringify(body));
        told.push(body.response, (await server.json(`/api/turns/${body.turn_id}`)).body.error);
      }
    }
    await server.stop();
    const left = [...told, ...server.stderr.split("\n")].map((text) => text.replaceAll("[redacted]", " "));
    const parts = forms.flatMap((form) => Array.from({ length: form.length - 19 }, (_, at) => form.slice(at + 4, at + 16)));
    const leaks = left.filter((text) => parts.some((part) => text.includes(part)));
    assert.equal(leaks.length, 0, `${leaks.length} of ${left.length} have a part of the key, like: ${leaks[0]?.slice(-300)}`);
  });

  test("an error of the model's service with another secret than its own key", async () => {
    const data = temp_dir(), caught = new Catch();
    const [port] = await listen((_, response) => {
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: `no: ${planted.bridge}` } }));
    });
    const main = { provider: "openai", model: "x", base_url: `http://127.0.0.1:${port}/v1`, api_key_env: "CANARY_KEY", retries: 0 };
    writeFileSync(join(data, "rouse.yaml"), JSON.stringify({ models: { main, cheap: { provider: "offline" } }, bridges: { whatsapp: { secret_env: "BRIDGE" } } }));
    const server = await Server.start({ data, env: { CANARY_KEY: planted.env_key!, BRIDGE: planted.bridge! } });
    const { body } = await server.json("/api/chat", { session_id: "a", message: "hello" });
    assert.equal(body.verdict, "failed", JSON.stringify(body));
    caught.add("HTTP", JSON.stringify(body));
    caught.add("turn", JSON.stringify((await server.json(`/api/turns/${body.turn_id}`)).body));
    await server.stop();
    caught.add("the log", server.stderr);
    caught.check(planted);
  });

  test("a key entered in the app", async () => {
    const place = await start("text"), caught = new Catch(), fresh = canary("fresh");
    const set = await place.server.json("/api/settings", { "models.kept.api_key": fresh }, "PATCH");
    assert.equal(set.status, 200, JSON.stringify(set.body));
    caught.add("PATCH /api/settings", JSON.stringify(set.body));
    caught.add("GET /api/settings", JSON.stringify((await place.server.json("/api/settings")).body));
    // From now on it is one of the secrets.
    writeFileSync(join(place.data, "files", "fresh.txt"), all_forms([fresh]).join("\n"));
    const { body } = await place.server.json("/api/chat", { session_id: "a", message: 'use read_file {"path":"fresh.txt"}' });
    assert.match(body.response, /\[redacted\]/);
    caught.add("HTTP", JSON.stringify(body));
    const config = await cli(place, "config", "show");
    caught.add("rouse config show", config.stdout + config.stderr);
    assert.equal(statSync(join(place.data, "secrets", "model-kept")).mode & 0o777, 0o600);
    await place.server.stop();
    caught.add("the log", place.server.stderr);
    caught.check({ ...place.secrets, fresh });
  });

  const mistakes: [name: string, yaml: string][] = [
    ["a key that stands in rouse.yaml itself", `models:\n  main:\n    provider: openai\n    model: x\n    api_key: ${planted.proxy_password}\n`],
    ["a bridge's secret in rouse.yaml itself", `bridges:\n  whatsapp:\n    secret: ${planted.proxy_password}\n`],
    ["a secret as the name of the variable", `bridges:\n  whatsapp:\n    secret_env: ${planted.proxy_password}\n`],
    ["a key as the name of the variable", `models:\n  main:\n    provider: openai\n    model: x\n    api_key_env: ${planted.proxy_password}\n`],
    ["YAML that is broken beside a secret", `bridges:\n  whatsapp:\n    send_url: "http://127.0.0.1:1/?token=${planted.proxy_password}\n    allow: [\n`],
    ["a send_url that is no address", `bridges:\n  whatsapp:\n    send_url: "htp:/127.0.0.1:1/?token=${planted.proxy_password}"\n`],
    ["a password in a model's address", `models:\n  main:\n    provider: openai\n    model: x\n    base_url: "http://me:${planted.proxy_password}@127.0.0.1:1/v1"\n`],
  ];
  for (const [name, yaml] of mistakes) {
    test(`a mistake in the settings: ${name}`, async () => {
      const server = await Server.start({ args: [] });
      const place = { data: server.data, env: {} } as Place, caught = new Catch();
      writeFileSync(join(server.data, "rouse.yaml"), yaml);  // it reads the file again
      for (const args of [["config", "check"], ["config", "show"], ["doctor"]]) {
        const { stdout, stderr } = await cli(place, ...args);
        caught.add(`rouse ${args.join(" ")}`, stdout + stderr);
      }
      server.process.kill("SIGHUP");
      await server.logged(/settings|config|rouse\.yaml|model/);
      for (const path of ["/api/health", "/api/settings"]) caught.add(path, JSON.stringify((await server.json(path)).body));
      await server.stop();
      caught.add("the log", server.stdout + server.stderr);
      caught.check({ secret: planted.proxy_password! });
    });
  }
});

async function read_api_of(place: Place, caught: Catch, conversation: string): Promise<void> {
  for (const path of ["/api/turns?limit=200", `/api/conversations/${conversation}/messages`, `/api/conversations/${conversation}/export?format=jsonl`, `/api/conversations/${conversation}/prompt`]) {
    caught.add(path, await (await place.server.fetch(path)).text());
  }
}

test("a crash leaves no dump with secrets in it", async (context) => {  // SC-10: crash dumps
  const pattern = readFileSync("/proc/sys/kernel/core_pattern", "utf8").trim();
  if (/^[|/]/.test(pattern)) return context.skip(`the kernel writes dumps elsewhere: ${pattern}`);
  const data = temp_dir(), here = temp_dir();
  writeFileSync(join(data, "rouse.yaml"), JSON.stringify({ bridges: { whatsapp: { secret_env: "BRIDGE" } } }));
  const child = spawn("sh", ["-c", 'ulimit -c unlimited; exec "$0" "$@"', rouse, "serve", "--data", data, "--listen", "127.0.0.1:0"],
    { cwd: here, stdio: ["ignore", "pipe", "ignore"], env: { PATH: process.env.PATH!, HOME: "/nonexistent", BRIDGE: planted.bridge! } });
  const closed = once(child, "close");
  let out = "";
  child.stdout.on("data", (chunk) => (out += chunk));
  while (!/^data: /m.test(out)) await Promise.race([once(child.stdout, "data"), closed.then(() => assert.fail(`it ended: ${out}`))]);
  child.kill("SIGABRT");
  await closed;
  const dumps = [here, data].flatMap((folder) => readdirSync(folder).filter((name) => /core/.test(name)).map((name) => join(folder, name)));
  for (const dump of dumps) assert.ok(!existsSync(dump) || !readFileSync(dump).includes(planted.bridge!), `${dump} has the bridge's secret`);
});
