// SIGKILL of the real binary under clients that talk: what was acknowledged is answered exactly once, whatever the
// moment; the transcript is well formed, and nothing is left running.
import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { test } from "node:test";
import { call, say, type Answer, type Prompt } from "../models/fault_server.ts";
import { House, Socket, bridge, said_in, text_of, wires } from "./talk.ts";

const KILLS = 100;

// The model takes three tools, one after the other, and then says what they gave.
function three_steps(prompt: Prompt): Answer {
  const asked = prompt.turns.findLastIndex((turn) => turn.role === "user");
  const results = prompt.turns.slice(asked + 1).filter((turn) => turn.role === "tool").map((turn) => turn.text);
  const number = /steps (\d+)/.exec(prompt.turns[asked]!.text)?.[1];
  if (!number) return say("Pardon?");
  return results.length < 3 ? call(["calculate", { expression: `${number}+${results.length}` }]) : say(`${number}: ${results.join(" | ")}`);
}
const right_answer = (n: number) => `${n}: ${n}+0 = ${n} | ${n}+1 = ${n + 1} | ${n}+2 = ${n + 2}`;

// What one client knows of its conversation: what it was told, message by message.
interface Told { turn_id: string; response: string; verdict: string }

// Clients that go on over kills. `up` is when there is a server to talk to.
class Load {
  readonly told = new Map<string, Told[]>();
  answers = 0;
  acknowledged = 0;
  resent = 0;
  stopped = false;
  house: House;
  readonly changed = new EventEmitter();
  #up = Promise.withResolvers<void>();

  constructor(house: House) {
    this.house = house;
    this.#up.resolve();
  }

  down(): void { this.#up = Promise.withResolvers(); }
  up(): void { this.#up.resolve(); }

  #note(who: string, told: Told): void {
    this.told.set(who, [...(this.told.get(who) ?? []), told]);
    ++this.answers;
    this.changed.emit("heard");
  }

  // Until there are so many of them.
  async until(count: "answers" | "acknowledged", target: number): Promise<void> {
    while (this[count] < target) await once(this.changed, "heard");
  }

  // Sends each message until it has an answer.
  async over_http(who: string): Promise<void> {
    for (let n = 0; !this.stopped; ++n) {
      for (let tries = 0; ; ++tries) {
        await this.#up.promise;
        if (tries) ++this.resent;
        const answer = await this.house.chat(who, `steps ${n}`, { client_message_id: `${who}-${n}` }).catch(() => undefined);
        if (!answer) continue;
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
        this.#note(who, answer.body);
        break;
      }
    }
  }

  // Sends each message until it is acknowledged, never again after that, and waits for the end of its turn.
  async over_websocket(who: string): Promise<void> {
    let n = 0, seq = 0, turn: string | undefined;
    while (true) {
      await this.#up.promise;
      const socket = await Socket.open(this.house.server, { after: seq }).catch(() => undefined);
      if (!socket) continue;
      const speak = () => socket.send({ type: "chat", session_id: who, message: `steps ${n}`, client_message_id: `${who}-${n}` });
      // What happened while we were away comes before the answer to this.
      socket.send({ type: "ping" });
      let away = true;
      for (let frame; (frame = await socket.frame());) {
        seq = frame.seq ?? seq;
        const ours: boolean = frame.client_message_id === `${who}-${n}`;
        assert.ok(!(ours && frame.type === "error"), JSON.stringify(frame));
        if (ours && !turn && (frame.type === "accepted" || frame.type === "turn_queued")) {
          turn = frame.turn_id as string;
          ++this.acknowledged;
          this.changed.emit("heard");
        } else if (frame.type === "pong") {
          away = false;
          if (!turn) speak();
        } else if (frame.type === "turn_ended" && frame.turn_id === turn) {
          this.#note(who, { turn_id: turn!, response: said_in(frame.messages), verdict: frame.verdict });
          ++n;
          turn = undefined;
          if (this.stopped) return socket.close();
          if (!away) speak();
        }
      }
    }
  }
}

// The messages of each turn, in the order of the transcript.
function by_turn(messages: any[]): Map<string, any[]> {
  const turns = new Map<string, any[]>();
  for (const message of messages) turns.set(message.turn_id, [...(turns.get(message.turn_id) ?? []), message]);
  return turns;
}

// The question first, each call followed by its one result, the words last and once.
function check_turn(messages: any[], question: string): void {
  const story = messages.map((one) => one.content.map((block: any) => `${one.role} ${block.type}${block.call_id ? ` ${block.call_id}` : ""}`).join(", "));
  assert.equal(text_of(messages[0]), question, story.join("\n"));
  const blocks = messages.flatMap((one) => one.content);
  const ids = (type: string) => blocks.filter((block) => block.type === type).map((block) => block.call_id);
  assert.deepEqual(ids("tool_result"), ids("tool_call"), story.join("\n"));
  assert.equal(new Set(ids("tool_call")).size, ids("tool_call").length, "no id twice");
  const words = messages.filter((one) => one.role === "assistant" && text_of(one) !== "");
  assert.equal(words.length, 1, `one closure:\n${story.join("\n")}`);
  assert.equal(words[0], messages.at(-1));
}

for (const wire of wires) {
  const kills = KILLS / wires.length;
  test(`${wire}: ${kills} kills under load: each message is answered once`, async () => {
    // Some answers come byte by byte, so that a kill finds one half way.
    const house = await House.start({ model: wire, script: (_, index) => ({ answer: three_steps, split: index % 11 === 0 }) });
    const load = new Load(house);
    const clients = ["h0", "h1", "h2", "h3"].map((who) => load.over_http(who))
      .concat(["w0", "w1", "w2", "w3"].map((who) => load.over_websocket(who)));
    const all = Promise.all(clients);

    // Another moment each time: after some requests to the model, answers, acknowledgements, or right after the start.
    for (let i = 0; i < kills; ++i) {
      const more = i % 10 === 9 ? 0 : 1 + (i * 7) % 19;
      const moment = i % 3 === 0 ? house.models.received(house.models.requests.length + more)
        : i % 3 === 1 ? load.until("answers", load.answers + more) : load.until("acknowledged", load.acknowledged + more);
      await Promise.race([moment, all]);  // a client ends early only if something is wrong
      load.down();
      await house.kill();
      await house.wake();
      load.up();
    }
    load.stopped = true;
    await all;

    const verdicts: Record<string, number> = {};
    for (const [who, told] of load.told) {
      const turns = (await house.turns(`&conversation_id=${who}`)).reverse();
      assert.deepEqual(turns.map((one) => one.turn_id), told.map((one) => one.turn_id), "as many turns as messages, in their order");
      const stories = by_turn(await house.messages(who));
      assert.deepEqual([...stories.keys()], turns.map((one) => one.turn_id));
      for (const [n, turn] of turns.entries()) {
        assert.ok(["done", "parked"].includes(turn.state), turn.state);
        const story = stories.get(turn.turn_id)!;
        check_turn(story, `steps ${n}`);
        assert.equal(said_in(story), told[n]!.response, "what the client was told");
        assert.equal(turn.verdict, told[n]!.verdict);
        if (turn.verdict === "spoke") assert.equal(told[n]!.response, right_answer(n));
        else assert.ok(said_in(story).length > 10, "what happened is said");
        const verdict = [turn.state, turn.verdict, turn.reason].join(" ").trim();
        verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
      }
    }
    // The same message again: the same answer, and no new turn.
    const first = load.told.get("h0")![0]!, again = (await house.chat("h0", "steps 0", { client_message_id: "h0-0" })).body;
    assert.deepEqual([again.turn_id, again.response], [first.turn_id, first.response]);
    assert.ok((verdicts["done spoke"] ?? 0) > kills, JSON.stringify(verdicts));
    console.log(`${wire}: ${kills} kills, ${load.answers} messages, ${load.resent} sent again, ${house.models.requests.length} requests, ${JSON.stringify(verdicts)}`);
    await house.close();
  });
}

test("20 kills while replies leave through a bridge: none is sent twice, none is forgotten", async () => {  // DL-1, DL-3
  const post = await bridge();
  const house = await House.start({ config: { bridges: { whatsapp: { send_url: post.url } }, people: { "whatsapp:+1": "ws_default", "whatsapp:+2": "ws_default", "whatsapp:+3": "ws_default" } } });
  let up = Promise.withResolvers<void>(), stopped = false, replies = 0;
  up.resolve();
  // Delivers each message until the webhook has answered, as a bridge does.
  const write = async (from: string) => {
    for (let n = 0; !stopped; ++n) {
      while (true) {
        await up.promise;
        const answer = await house.webhook(from, `my name is Ada${n}`, `${from}-${n}`).catch(() => undefined);
        if (answer?.status !== 200) continue;
        assert.equal(answer.body.delivery, "outbox");
        ++replies;
        break;
      }
    }
  };
  const writers = Promise.all(["+1", "+2", "+3"].map(write));
  for (let i = 0; i < 20; ++i) {
    await Promise.race([post.received(post.delivered.length + 1 + (i * 7) % 13), writers]);
    up = Promise.withResolvers();
    await house.kill();
    await house.wake();
    up.resolve();
  }
  stopped = true;
  await writers;
  const open = ({ state }: any) => state === "pending" || state === "sending";
  let deliveries = await house.deliveries();
  while (deliveries.some(open)) deliveries = await house.deliveries();

  const keys = post.delivered.map(({ key }) => key), known = new Map(deliveries.map((one) => [one.id, one]));
  assert.equal(new Set(keys).size, keys.length, "no key twice at the bridge");
  assert.ok(keys.every((key) => known.has(key)), "what was sent was written down before");
  assert.equal(deliveries.length, replies, "one delivery a message");
  for (const one of deliveries) {
    assert.ok(one.state === "delivered" ? keys.includes(one.id) : one.state === "unknown", `${one.state}: ${one.error}`);
  }
  const unknown = deliveries.filter(({ state }) => state === "unknown").length;
  assert.ok(unknown <= 20 * 3, "only what was on its way at a kill");
  console.log(`20 kills, ${replies} replies, ${keys.length} at the bridge, ${unknown} unknown`);
  await house.close();
  post.close();
});
