// A conversation through any door of rouse with any of its models: what the tests of the turn share.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { after } from "node:test";
import { FaultServer, type Script } from "../models/fault_server.ts";
import { Server, rouse, temp_dir, type Run } from "./server.ts";

export const wires = ["openai", "anthropic"] as const;
export type Wire = (typeof wires)[number];
export type ModelName = "offline" | Wire;

export const bridge_secret = "bridge-secret-of-the-tests-1234567890";
export const api_key = "sk-e2e-Kw7vQz3mXr9TnB5yLc2HdJ8f";

export const text_of = (message: any): string => message.content.flatMap((block: any) => (block.type === "text" ? [block.text] : [])).join("");
// The text that a turn left in its transcript.
export const said_in = (messages: any[]): string => text_of(messages.findLast((one) => one.role === "assistant"));

// --- a server with its model -----------------------------------------------------------------------

// A test that failed half way must not leave its model behind.
const open = new Set<FaultServer>();
after(() => Promise.all([...open].map((models) => models.close())));

export interface HouseOptions {
  model?: ModelName;  // offline
  script?: Script;
  config?: any;       // into rouse.yaml
  files?: Record<string, string>;  // others in the data folder
}

// A server, the model it asks, and a data folder that outlives its restarts.
export class House {
  readonly models: FaultServer;
  readonly data = temp_dir();
  server!: Server;
  log = "";  // of the lives before this one
  #model: ModelName;

  private constructor(models: FaultServer, model: ModelName) {
    this.models = models;
    this.#model = model;
  }

  static async start({ model = "offline", script = [], config = {}, files = {} }: HouseOptions = {}): Promise<House> {
    const house = new House(await FaultServer.start(script), model);
    open.add(house.models);
    // Summaries are the offline model's, so that every request to the fault server is a turn's.
    const models: any = { cheap: { provider: "offline" }, ...config.models };
    if (model === "anthropic") models.main = { provider: "anthropic", base_url: house.models.anthropic_url, model: "claude-sonnet-4-5", api_key_env: "A_KEY_OF_MY_OWN", ...config.models?.main };
    const bridges = { whatsapp: { secret_env: "BRIDGE_SECRET", ...config.bridges?.whatsapp } };
    writeFileSync(join(house.data, "rouse.yaml"), JSON.stringify({ ...config, models, bridges }));
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(house.data, name)), { recursive: true });
      writeFileSync(join(house.data, name), text);
    }
    await house.wake();
    return house;
  }

  async wake(): Promise<void> {
    const env: Record<string, string> = { BRIDGE_SECRET: bridge_secret };
    if (this.#model === "anthropic") env.A_KEY_OF_MY_OWN = api_key;
    if (this.#model === "openai") Object.assign(env, { OPENAI_API_KEY: api_key, OPENAI_BASE_URL: this.models.openai_url });
    this.server = await Server.start({ data: this.data, env });
  }
  async kill(): Promise<void> {
    await this.server.kill();
    this.log += this.server.stderr;
  }
  async restart(): Promise<void> {
    assert.equal(await this.server.stop(), 0);
    this.log += this.server.stderr;
    await this.wake();
  }

  // The end of a test: nothing was refused by the model's service, and the key is in no log.
  async close(): Promise<void> {
    assert.equal(await this.server.stop(), 0);
    this.log += this.server.stdout + this.server.stderr;
    open.delete(this.models);
    await this.models.close();
    assert.deepEqual(this.models.refused, []);
    for (const secret of [api_key, bridge_secret]) assert.ok(!this.log.includes(secret), "a secret is in the log");
  }

  // --- the doors -----------------------------------------------------------------------------------

  chat(session_id: string, message: string, more: object = {}): Promise<{ status: number; body: any }> {
    return this.server.json("/api/chat", { session_id, message, ...more });
  }

  async stream(session_id: string, message: string, more: object = {}): Promise<SseEvent[]> {
    const answer = await this.server.fetch("/api/chat", {
      method: "POST", headers: { "content-type": "application/json" },
      body: JSON.stringify({ session_id, message, stream: true, ...more }),
    });
    assert.equal(answer.headers.get("content-type"), "text/event-stream");
    return sse_events(await answer.text());
  }

  webhook(from: string, body: string, messageId?: string, more: object = {}): Promise<{ status: number; body: any }> {
    const headers = { "content-type": "application/json", "x-bridge-secret": bridge_secret };
    const message = { from, body, chatType: "direct", senderE164: from, accountId: "default", messageId, ...more };
    return fetch(`${this.server.url}/webhook/whatsapp`, { method: "POST", headers, body: JSON.stringify(message) })
      .then(async (answer) => ({ status: answer.status, body: await answer.json() }));
  }

  // A command while this process goes on, since the model answers in it.
  async cli(...args: string[]): Promise<Run> {
    const child = spawn(rouse, [...args, "--data", this.data], { stdio: ["ignore", "pipe", "pipe"], env: { HOME: "/nonexistent" }, timeout: 30_000 });
    const run: Run = { code: null, stdout: "", stderr: "" };
    child.stdout.on("data", (chunk) => (run.stdout += chunk));
    child.stderr.on("data", (chunk) => (run.stderr += chunk));
    [run.code] = await once(child, "close");
    return run;
  }

  // --- what is stored ------------------------------------------------------------------------------

  // A whole transcript, oldest first.
  async messages(conversation: string, query = ""): Promise<any[]> {
    return (await this.#pages(`/api/conversations/${encodeURIComponent(conversation)}/messages?limit=200${query}`)).reverse();
  }
  // Newest first.
  turns(query = ""): Promise<any[]> { return this.#pages(`/api/turns?limit=200${query}`); }

  deliveries(query = ""): Promise<any[]> { return this.#pages(`/api/deliveries?limit=200${query}`); }

  async #pages(path: string): Promise<any[]> {
    const found: any[] = [];
    for (let cursor = ""; ;) {
      const { status, body } = await this.server.json(path + (cursor && `&cursor=${cursor}`));
      assert.equal(status, 200, JSON.stringify(body));
      found.push(...body.items);
      if (!body.next_cursor) return found;
      cursor = body.next_cursor;
    }
  }
}

// --- a bridge --------------------------------------------------------------------------------------

export interface Delivered { key: string; secret: string; body: any }

// A bridge that answers with these statuses, and then with 200.
export async function bridge(...statuses: number[]) {
  const delivered: Delivered[] = [];
  const http = createServer(async (request: IncomingMessage, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    delivered.push({ key: `${request.headers["idempotency-key"]}`, secret: `${request.headers["x-bridge-secret"]}`, body: JSON.parse(text) });
    response.writeHead(statuses.shift() ?? 200, { "content-type": "application/json" });
    response.end('{"id":"wamid.1"}');
    http.emit("delivered");
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const received = async (count: number) => { while (delivered.length < count) await once(http, "delivered"); };
  const close = () => { http.closeAllConnections(); http.close(); };
  return { delivered, received, close, url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/send` };
}

// --- streams ---------------------------------------------------------------------------------------

export interface SseEvent { event: string; data: any }

export function sse_events(text: string): SseEvent[] {
  return text.split("\n\n").filter((frame) => frame.startsWith("event:")).map((frame) => {
    const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(frame)!;
    return { event: event!, data: JSON.parse(data!) };
  });
}

// A connection to /ws: its frames in order, each seen once by whoever waits.
export class Socket {
  readonly frames: any[] = [];
  closed = false;
  #socket: WebSocket;
  #seen = 0;
  #changed: () => void = () => {};

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => { this.frames.push(JSON.parse(data)); this.#changed(); });
    socket.addEventListener("close", () => { this.closed = true; this.#changed(); });
    socket.addEventListener("error", () => { this.closed = true; this.#changed(); });
  }

  static async open(server: Server, { after, token = server.token }: { after?: number; token?: string } = {}): Promise<Socket> {
    const address = `${server.url.replace("http", "ws")}/ws${after === undefined ? "" : `?after=${after}`}`;
    const socket = new Socket(new WebSocket(address, { headers: { authorization: `Bearer ${token}` } } as any));
    await socket.next((frame) => frame.type === "hello");
    return socket;
  }

  send(frame: object): void { this.#socket.send(JSON.stringify(frame)); }
  close(): void { this.#socket.close(); }

  // The next frame, or undefined when the connection is over.
  async frame(): Promise<any> {
    while (this.#seen === this.frames.length && !this.closed) await new Promise<void>((done) => (this.#changed = done));
    return this.frames[this.#seen++];
  }
  async next(wanted: (frame: any) => boolean): Promise<any> {
    while (true) {
      const frame = await this.frame();
      assert.ok(frame, `the connection ended after ${JSON.stringify(this.frames.slice(-5))}`);
      if (wanted(frame)) return frame;
    }
  }
  // Says something and waits until it is answered: the turn_ended.
  async say(session_id: string, message: string, client_message_id: string): Promise<any> {
    this.send({ type: "chat", session_id, message, client_message_id });
    const { type, turn_id } = await this.next((one) => one.client_message_id === client_message_id && one.type !== "turn_queued");
    assert.equal(type, "accepted");
    return this.frames.find((one) => one.type === "turn_ended" && one.turn_id === turn_id)
      ?? this.next((one) => one.type === "turn_ended" && one.turn_id === turn_id);
  }
}

// --- doors, all alike ------------------------------------------------------------------------------

export interface Door {
  name: string;
  key: (who: string) => string;  // a name of the conversation for the API
  say: (house: House, who: string, text: string) => Promise<string>;
}

let counter = 0;
const fresh_id = () => `message-${++counter}`;

export const doors: Door[] = [
  {
    name: "HTTP, whole", key: (who) => who,
    say: async (house, who, text) => {
      const { status, body } = await house.chat(who, text, { client_message_id: fresh_id() });
      assert.equal(`${status} ${body.verdict}`, "200 spoke", JSON.stringify(body));
      return body.response;
    },
  },
  {
    name: "HTTP, streamed", key: (who) => who,
    say: async (house, who, text) => {
      const events = await house.stream(who, text);
      assert.equal(events[0]!.event, "turn");
      const done = events.at(-1)!;
      assert.equal(`${done.event} ${done.data.verdict}`, "done spoke", JSON.stringify(events));
      const streamed = events.filter((one) => one.event === "delta").map((one) => one.data.text).join("");
      assert.ok(streamed.endsWith(done.data.response), `streamed: ${streamed}`);
      return done.data.response;
    },
  },
  {
    name: "WebSocket", key: (who) => who,
    say: async (house, who, text) => {
      const socket = await Socket.open(house.server);
      const ended = await socket.say(who, text, fresh_id());
      socket.close();
      assert.equal(ended.verdict, "spoke", JSON.stringify(ended));
      return said_in(ended.messages);
    },
  },
  {
    name: "WhatsApp", key: (who) => `whatsapp:${number_of(who)}`,
    say: async (house, who, text) => {
      const { status, body } = await house.webhook(number_of(who), text, fresh_id());
      assert.equal(`${status} ${body.ok} ${body.delivery}`, "200 true reply", JSON.stringify(body));
      return body.reply;
    },
  },
  {
    name: "terminal", key: (who) => who,
    say: async (house, who, text) => {
      const { code, stdout, stderr } = await house.cli("chat", text, "--session", who);
      assert.equal(code, 0, stderr);
      return stdout.replace(/\n$/, "");
    },
  },
];

// A telephone number for a name.
export const number_of = (who: string): string => `+1${[...who].map((letter) => letter.charCodeAt(0) % 10).join("")}`;
