// A model server for tests that speaks Anthropic Messages and OpenAI chat completions as the real services do, and
// misbehaves on demand. tests/e2e/fault_server.test.ts holds it to the services' own clients.
//
//   const models = await FaultServer.start([{ fail: "rate_limited", retry_after: 2 }, { stall: "mid_stream" }]);
//
// The first request gets the first behaviour, and so on; when the script has ended, the small model of brain.ts
// answers. Requests are checked as the services check them, script or not: what they would refuse is refused, with
// their words, and kept in `refused`. Nothing here waits for time: a stall ends when the client goes away or when the
// test says release().
//
// By hand: node tests/models/fault_server.ts --port 8089 [--script '[{"fail":"overloaded"},{"split":true}]']
import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { anthropic_wire } from "./anthropic_wire.ts";
import { calls_of, keep_within, text_of, think, type Answer, type Prompt } from "./brain.ts";
import { openai_wire } from "./openai_wire.ts";
import { Refusal, is_object, type Failure, type Headers, type Reply, type Wire } from "./wire.ts";

export { call, nothing, say, type Answer, type Prompt, type Usage } from "./brain.ts";
export type { Failure } from "./wire.ts";

// What to do with one request. Everything that is absent goes as in the real service.
export interface Behaviour {
  answer?: Answer | ((prompt: Prompt) => Answer);  // instead of the small model's
  fail?: Failure;                // an error of the service, with its status, headers and body
  retry_after?: number;          // seconds, of "rate_limited" (1)
  stall?: "head" | "first_event" | "mid_stream";  // nothing comes before the head, after it, or in the middle of an event
  split?: boolean;               // every byte comes alone, so characters and frames are cut everywhere
  cut?: "before_head" | "mid_stream" | "clean_end";  // the connection ends; a clean end has no last event, yet is HTTP
  garbage?: "html" | "not_json" | "not_sse" | "bad_event";
  error_event?: boolean;         // the stream begins well and ends with an error; without a stream: a 500
  truncate_arguments?: boolean;  // tool arguments end half way, and so does the answer: max_tokens
  duplicate_ids?: boolean;       // all calls of the answer have the same id
}

export type Ending = "answered" | "cut" | "client_gone";

export interface Received {
  method: string;
  path: string;
  headers: Headers;
  text: string;            // the body as it came
  body: any;               // and what it says
  prompt?: Prompt;         // of a request that was not refused
  ended: Promise<Ending>;
}

export type Script = Behaviour[] | ((request: Received, index: number) => Behaviour | undefined);

export class FaultServer {
  readonly requests: Received[] = [];
  readonly refused: string[] = [];  // the bodies of refusals that no behaviour asked for
  #http: Server;
  #script: Script;
  #wires: Record<string, Wire> = { "/v1/messages": anthropic_wire(), "/v1/chat/completions": openai_wire() };
  #held = new Set<() => void>();
  #changed = new EventEmitter();

  private constructor(script: Script) {
    this.#script = script;
    this.#http = createServer((request, response) => {
      this.#serve(request, response).catch((problem) => response.destroy(problem));
    });
  }

  static async start(script: Script = [], port = 0): Promise<FaultServer> {
    const server = new FaultServer(script);
    server.#http.listen(port, "127.0.0.1");
    await once(server.#http, "listening");
    return server;
  }

  get port(): number { return (this.#http.address() as AddressInfo).port; }
  get anthropic_url(): string { return `http://127.0.0.1:${this.port}`; }
  get openai_url(): string { return `${this.anthropic_url}/v1`; }

  // More behaviours for the requests to come.
  queue(...behaviours: Behaviour[]): void {
    if (!Array.isArray(this.#script)) throw new Error("this server's script is a function");
    this.#script.push(...behaviours);
  }

  // Until so many requests have arrived; the last of them.
  async received(count: number): Promise<Received> {
    while (this.requests.length < count) await once(this.#changed, "request");
    return this.requests[count - 1]!;
  }

  // Until so many requests are held by a stall.
  async stalled(count = 1): Promise<void> {
    while (this.#held.size < count) await once(this.#changed, "held");
  }
  release(): void { for (const go_on of this.#held) go_on(); }

  async close(): Promise<void> {
    const closed = once(this.#http, "close");
    this.#http.close();
    this.#http.closeAllConnections();
    await closed;
  }

  // --- one request ---------------------------------------------------------------------------------

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const delivery = new Delivery(response, (resume) => this.#hold(resume, response));
    const received = record(request, Buffer.concat(chunks).toString(), delivery.ended);
    const index = this.requests.push(received) - 1;
    this.#changed.emit("request");
    const behaviour = (Array.isArray(this.#script) ? this.#script.shift() : this.#script(received, index)) ?? {};
    await this.#answer(received, behaviour, delivery);
  }

  async #answer(received: Received, behaviour: Behaviour, delivery: Delivery): Promise<void> {
    const found = received.method === "POST" ? this.#wires[received.path] : undefined;
    const wire = found ?? this.#wires[received.headers["anthropic-version"] ? "/v1/messages" : "/v1/chat/completions"]!;
    try {
      if (!found) throw new Refusal(wire.no_such_path(received.method, received.path));
      if (!is_object(received.body)) throw new Refusal(wire.not_json());
      received.prompt = wire.read(received.headers, received.body);
    } catch (problem) {
      if (!(problem instanceof Refusal)) throw problem;
      this.refused.push(problem.reply.body);
      return delivery.send(whole(problem.reply), {});
    }
    await delivery.send(plan(wire, received, received.prompt, behaviour), behaviour);
  }

  // Waits for release() or for the client to go.
  #hold(resume: () => void, response: ServerResponse): void {
    if (response.closed) return resume();
    const go_on = () => { this.#held.delete(go_on); resume(); };
    this.#held.add(go_on);
    response.once("close", go_on);
    this.#changed.emit("held");
  }
}

function record(request: IncomingMessage, text: string, ended: Promise<Ending>): Received {
  let body: unknown;
  try { body = JSON.parse(text); } catch { body = undefined; }
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, `${value}`]));
  return { method: request.method!, path: request.url!.split("?")[0]!, headers, text, body, ended };
}

// --- what is sent ----------------------------------------------------------------------------------

// An answer before it is on the wire: in parts, of which a stream has one an event.
interface Plan { status: number; headers: Headers; parts: Buffer[] }

const halves = (bytes: Buffer): Buffer[] => [bytes.subarray(0, bytes.length >> 1), bytes.subarray(bytes.length >> 1)];

function whole(reply: Reply): Plan {
  const bytes = Buffer.from(reply.body);
  return { status: reply.status, headers: { ...reply.headers, "content-length": `${bytes.length}` }, parts: halves(bytes) };
}

function plan(wire: Wire, received: Received, prompt: Prompt, behaviour: Behaviour): Plan {
  const about = { headers: received.headers, model: prompt.model, retry_after: behaviour.retry_after ?? 1 };
  if (behaviour.fail) return whole(wire.fail(behaviour.fail, about));
  if (behaviour.garbage && behaviour.garbage !== "bad_event") return garbage(behaviour.garbage);
  if (behaviour.error_event && !prompt.stream) return whole(wire.fail("server_error", about));

  const answer = answer_of(prompt, behaviour);
  const output = text_of(answer) + calls_of(answer).map((call) => call.name + call.arguments).join("");
  const usage = { ...wire.count(received.body, output), ...answer.usage };
  if (!prompt.stream) return whole({ status: 200, headers: { "content-type": "application/json", ...wire.headers() }, body: JSON.stringify(wire.json(prompt, answer, usage)) });

  let frames = wire.frames(prompt, received.body, answer, usage);
  const middle = frames.length >> 1;
  if (behaviour.error_event) frames = [...frames.slice(0, middle), wire.error_frame()];
  if (behaviour.garbage === "bad_event") frames[middle] = frames[middle]!.replace(/^data: .*/m, 'data: {"id":oops');
  return {
    status: 200, headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache", ...wire.headers() },
    parts: frames.map((frame) => Buffer.from(frame)),
  };
}

function answer_of(prompt: Prompt, behaviour: Behaviour): Answer {
  const { answer: given } = behaviour;
  let answer = keep_within(typeof given === "function" ? given(prompt) : given ?? think(prompt), prompt.max_tokens);
  const change = (edit: (call: { name: string; arguments: string }) => object): Answer =>
    ({ ...answer, blocks: answer.blocks.map((block) => ("call" in block ? { call: { ...block.call, ...edit(block.call) } } : block)) });
  if (behaviour.truncate_arguments) answer = { ...change((call) => ({ arguments: call.arguments.slice(0, call.arguments.length >> 1) })), stop: "length" };
  if (behaviour.duplicate_ids) answer = change(() => ({ id: "call_twice" }));
  return answer;
}

function garbage(kind: "html" | "not_json" | "not_sse"): Plan {
  const page = "<html>\n<head><title>Welcome</title></head>\n<body>Please sign in to this network.</body>\n</html>\n";
  switch (kind) {
    case "html": return whole({ status: 200, headers: { "content-type": "text/html" }, body: page });
    case "not_json": return whole({ status: 200, headers: { "content-type": "application/json" }, body: '{"id":"x","choices":[{"ind' });
    case "not_sse": return {
      status: 200, headers: { "content-type": "text/event-stream; charset=utf-8" },
      parts: [Buffer.from([0, 255, 254, 13, 10, 200, 10, 0]), Buffer.from("data; no\nretry:\n\n\u0000::\n\n"), Buffer.from(Array.from({ length: 256 }, (_, i) => i))],
    };
  }
}

// --- how it is sent --------------------------------------------------------------------------------

class Delivery {
  readonly ended: Promise<Ending>;
  #response: ServerResponse;
  #hold: (resume: () => void) => void;
  #cut = false;

  constructor(response: ServerResponse, hold: (resume: () => void) => void) {
    this.#response = response;
    this.#hold = hold;
    this.ended = new Promise((done) => response.once("close", () =>
      done(this.#cut ? "cut" : response.writableFinished ? "answered" : "client_gone")));
    response.on("error", () => {});  // the client went away; `ended` says so
    response.socket?.setNoDelay(true);
  }

  async send({ status, headers, parts }: Plan, { stall, cut, split }: Behaviour): Promise<void> {
    if (stall === "head") await this.#stall();
    if (cut === "before_head") return this.#disconnect();
    this.#response.writeHead(status, headers);
    this.#response.flushHeaders();
    if (stall === "first_event") await this.#stall();
    const middle = parts.length >> 1;
    for (const [i, part] of parts.entries()) {
      if (i === middle && cut === "clean_end") break;
      for (const [j, bytes] of (i === middle ? halves(part) : [part]).entries()) {
        if (j === 1 && cut === "mid_stream") return this.#disconnect();
        if (j === 1 && stall === "mid_stream") await this.#stall();
        await this.#write(bytes, split === true);
      }
    }
    this.#response.end();
  }

  async #write(bytes: Buffer, one_by_one: boolean): Promise<void> {
    if (!one_by_one) return this.#flush(bytes);
    for (const byte of bytes) {
      await this.#flush(Buffer.of(byte));
      await new Promise(setImmediate);  // else several would share a packet
    }
  }

  // What was written has left before anything else happens: a cut must not take it along.
  #flush(bytes: Buffer): Promise<void> {
    if (!bytes.length || this.#response.destroyed) return Promise.resolve();
    return new Promise((done) => this.#response.write(bytes, () => done()));
  }

  #stall(): Promise<void> { return new Promise((resume) => this.#hold(resume)); }

  #disconnect(): void {
    this.#cut = true;
    this.#response.socket?.destroy();
  }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { port: { type: "string", default: "8089" }, script: { type: "string", default: "[]" } } });
  const server = await FaultServer.start(JSON.parse(values.script), Number(values.port));
  console.log(`listening on ${server.anthropic_url} (Anthropic) and ${server.openai_url} (OpenAI)`);
}
