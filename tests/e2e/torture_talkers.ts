// Clients that never give up: each says one thing after the other through its own door, over every death and freeze of the
// server, and remembers what it was promised. torture_ledger.ts compares the promises with what is stored.
import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { call, say, type Answer, type Prompt } from "../models/fault_server.ts";
import { order_of } from "./automation_house.ts";
import { House, Socket, said_in } from "./talk.ts";

// --- the model -------------------------------------------------------------------------------------

// "sum N …" takes a tool that only looks, "note N …" one that changes something, and anything else is answered at once.
export function answer(prompt: Prompt): Answer {
  const asked = prompt.turns.findLastIndex((turn) => turn.role === "user"), words = prompt.turns[asked]?.text ?? "";
  const results = prompt.turns.slice(asked + 1).filter((turn) => turn.role === "tool");
  const [, wish, number] = /(sum|note|plain) (\d+) /.exec(order_of(prompt) ?? words) ?? [];
  if (results.length) return say(`Number ${number}: ${results.at(-1)!.text}`);
  if (wish === "sum") return call(["calculate", { expression: `${number}+1` }]);
  if (wish === "note") return call(["tasks", { action: "add", title: `task ${number}` }]);
  return say(`Number ${number} was heard.`);
}

const wishes = ["plain", "sum", "plain", "note"];
export const words_of = (who: string, n: number): string => `${wishes[n % wishes.length]} ${n} from ${who}`;

// Why a server may refuse for now. Over HTTP it is a 503.
const unavailable = new Set(["store_fenced", "store_full"]);

// --- what was promised -----------------------------------------------------------------------------

// One message: when it was acknowledged, and what its sender was told in the end.
export interface Promised { who: string; id: string; text: string; turn_id?: string; session_id?: string; response?: string; resolved?: boolean }

export class Talkers {
  readonly promises = new Map<string, Promised>();  // by the message's id: whatever was acknowledged
  answered = 0;
  resent = 0;
  stopped = false;
  house: House;
  patience_ms = 600_000;  // after which a client hangs up and asks again
  #up = Promise.withResolvers<void>();
  readonly #heard = new EventEmitter();
  #all: Promise<unknown> = Promise.resolve();

  constructor(house: House) {
    this.house = house;
    this.#up.resolve();
  }

  // Everybody begins to talk.
  begin({ http = 4, streams = 2, sockets = 4, kernels = 2 }: { http?: number; streams?: number; sockets?: number; kernels?: number } = {}): void {
    const several = (count: number, name: string, talk: (who: string) => Promise<void>) =>
      Array.from({ length: count }, (_, index) => talk(`${name}${index}`));
    this.#all = Promise.all([
      ...several(http, "http", (who) => this.#over_http(who)),
      ...several(streams, "stream", (who) => this.#over_stream(who)),
      ...several(sockets, "socket", (who) => this.#over_websocket(who)),
      ...several(kernels, "kernel", (who) => this.#over_kernel(who)),
    ]);
    this.#all.catch(() => this.#heard.emit("heard"));
  }
  down(): void { this.#up = Promise.withResolvers(); }
  up(): void { this.#up.resolve(); }

  // Everybody finishes what was begun.
  async end(): Promise<void> {
    this.stopped = true;
    await this.#all;
  }

  // Until so many more answers were heard; a client that ended early tells why.
  async more(count: number): Promise<void> {
    const target = this.answered + count;
    while (this.answered < target) await Promise.race([once(this.#heard, "heard"), this.#all]);
  }

  #promise(who: string, n: number, more: Partial<Promised>): void {
    const id = `${who}-${n}`;
    this.promises.set(id, { who, id, text: words_of(who, n), ...this.promises.get(id), ...more });
  }
  #answered(): void {
    ++this.answered;
    this.#heard.emit("heard");
  }

  // Says each thing until it succeeded. What `attempt` gives tells whether it did.
  async #each(attempt: (n: number) => Promise<boolean>): Promise<void> {
    for (let n = 0; !this.stopped; ++n) {
      for (let tries = 0; ; ++tries) {
        await this.#up.promise;
        if (tries) ++this.resent;
        if (await attempt(n)) break;
      }
      this.#answered();
    }
  }

  async #ask(path: string, body: object, method = "POST"): Promise<{ status: number; body: any }> {
    const answer = await this.#send(path, body, method), told = { status: answer.status, body: await answer.json() };
    if (told.status === 503) throw new Error(told.body.error);  // not now: nothing was promised
    return told;
  }
  #send(path: string, body: object, method = "POST"): Promise<Response> {
    return this.house.server.fetch(path, { method, body: JSON.stringify(body), headers: { "content-type": "application/json" }, signal: AbortSignal.timeout(this.patience_ms) });
  }

  #over_http(who: string): Promise<void> {
    return this.#each(async (n) => {
      const told = await this.#ask("/api/chat", { session_id: who, message: words_of(who, n), client_message_id: `${who}-${n}` }).catch(() => undefined);
      if (!told) return false;
      assert.equal(told.status, 200, JSON.stringify(told.body));
      this.#promise(who, n, { turn_id: told.body.turn_id, response: told.body.response });
      return true;
    });
  }

  // The first event acknowledges, the last one answers; in between the connection may end.
  #over_stream(who: string): Promise<void> {
    return this.#each(async (n) => {
      const events = await this.#stream(who, n).catch(() => []);
      const turn = events.find((one) => one.event === "turn"), done = events.find((one) => one.event === "done");
      if (turn) this.#promise(who, n, { turn_id: turn.data.turn_id });
      if (done) this.#promise(who, n, { turn_id: done.data.turn_id, response: done.data.response });
      return done !== undefined;
    });
  }
  async #stream(who: string, n: number): Promise<{ event: string; data: any }[]> {
    const answer = await this.#send("/api/chat", { session_id: who, message: words_of(who, n), client_message_id: `${who}-${n}`, stream: true });
    let text = "";
    try {
      for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream() as any)) text += chunk;
    } catch { /* the end of the server; what came before counts */ }
    return text.split("\n\n").slice(0, -1).flatMap((frame) => {
      const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(frame) ?? [];
      return event ? [{ event, data: JSON.parse(data!) }] : [];
    });
  }

  // A bridge: where does this belong, and this was answered. Both are repeated until they are acknowledged.
  async #over_kernel(who: string): Promise<void> {
    const about = { workspace_id: "ws_default", channel: "telegram", remote_jid: who };
    await this.#each(async (n) => {
      const text = words_of(who, n), message_id = `${who}-${n}`;
      const resolved = await this.#ask("/kernel/sessions/resolve", { ...about, user_message: text, message_id }).catch(() => undefined);
      if (!resolved) return false;
      assert.equal(resolved.status, 200, JSON.stringify(resolved.body));
      const session_id = resolved.body.session_id as string, before = this.promises.get(message_id)?.session_id ?? session_id;
      assert.equal(session_id, before, "a redelivery gets the first answer");
      this.#promise(who, n, { session_id, resolved: true });
      const response = `Recorded ${n}.`;
      const told = await this.#ask(`/kernel/sessions/${session_id}`, { workspace_id: "ws_default", user_message: text, assistant_response: response, action_type: "answer", message_id }, "PATCH").catch(() => undefined);
      if (!told) return false;
      assert.equal(told.status, 200, JSON.stringify(told.body));
      this.#promise(who, n, { response });
      return true;
    });
  }

  // Sends each message until it is acknowledged, never again after that, and waits for the end of its turn.
  async #over_websocket(who: string): Promise<void> {
    let n = 0, seq = 0, turn: string | undefined;
    while (true) {
      await this.#up.promise;
      const socket = await Socket.open(this.house.server, { after: seq }).catch(() => undefined);
      if (!socket) continue;
      const speak = () => socket.send({ type: "chat", session_id: who, message: words_of(who, n), client_message_id: `${who}-${n}` });
      socket.send({ type: "ping" });  // what happened while we were away comes before the answer to this
      let away = true;
      for (let frame; (frame = await socket.frame());) {
        assert.notEqual(frame.type, "reset", "the events are kept for longer than this takes");
        if (frame.seq !== undefined) {
          assert.ok(seq === 0 || frame.type === "hello" || frame.seq === seq + 1, `event ${frame.seq} came after ${seq}`);
          if (frame.type !== "hello") seq = frame.seq;
        }
        const ours: boolean = frame.client_message_id === `${who}-${n}`;
        if (ours && frame.type === "error" && unavailable.has(frame.error)) { socket.close(); break; }
        assert.ok(!(ours && frame.type === "error"), JSON.stringify(frame));
        if (ours && !turn && (frame.type === "accepted" || frame.type === "turn_queued")) {
          turn = frame.turn_id as string;
          this.#promise(who, n, { turn_id: turn });
        } else if (frame.type === "pong") {
          away = false;
          if (!turn) speak();
        } else if (frame.type === "turn_ended" && frame.turn_id === turn) {
          this.#promise(who, n, { response: said_in(frame.messages) });
          this.#answered();
          ++n;
          turn = undefined;
          if (this.stopped) return socket.close();
          if (!away) speak();
        }
      }
    }
  }
}
