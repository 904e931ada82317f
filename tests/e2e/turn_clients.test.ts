// Many people at once, messages that are delivered again and again, and clients whose connection breaks at any moment:
// nobody hears what is another's, nothing is said twice, and everybody ends with the committed text.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { call, say, type Answer, type Prompt } from "../models/fault_server.ts";
import { House, Socket, doors, sse_events, text_of, wires } from "./talk.ts";

describe("64 senders at once", () => {
  const SENDERS = 64;
  let house: House;
  before(async () => { house = await House.start({ model: "openai" }); });
  after(() => house.close());

  const word = (who: number) => `word-${who}-of-mine`;
  const words_in = (text: string) => [...new Set([...text.matchAll(/word-\d+-of-mine/g)].map(([found]) => found))];
  const script = (who: number) => [`my secret is ${word(who)}`, `use calculate {"expression":"${who}+1000"}`, "what did I say first?"];
  const right = (who: number) => [`You said: my secret is ${word(who)}`, `The tool said: ${who}+1000 = ${who + 1000}`, `You said first: "my secret is ${word(who)}"`];

  interface Sender { name: string; say: (who: number, text: string, id: string) => Promise<[reply: string, turn: string]> }
  const senders: Sender[] = [
    {
      name: "over the bridge",
      say: async (who, text, id) => {
        const { status, body } = await house.webhook(`+1${who}`, text, id);
        assert.equal(status, 200, JSON.stringify(body));
        return [body.reply, body.session_id];
      },
    },
    {
      name: "over HTTP",
      say: async (who, text, id) => {
        const { status, body } = await house.chat(`sender-${who}`, text, { client_message_id: id });
        assert.equal(status, 200, JSON.stringify(body));
        return [body.reply ?? body.response, body.turn_id];
      },
    },
  ];

  for (const { name, say: deliver } of senders) {
    test(`${name}, each message up to five times: nobody hears another's word`, async () => {  // SE-8, SE-11
      const first_request = house.models.requests.length;
      // All use the same message ids; each also delivers older messages again in between.
      const replies = await Promise.all(Array.from({ length: SENDERS }, async (_, who) => {
        const heard: string[] = [];
        for (const [n, text] of script(who).entries()) {
          const times = 1 + (who + n) % 5;
          const answers = await Promise.all([
            ...Array.from({ length: times }, () => deliver(who, text, `m${n}`)),
            ...(n > 0 ? [deliver(who, script(who)[n - 1]!, `m${n - 1}`)] : []),
          ]);
          const older = n > 0 ? answers.pop()! : undefined;
          if (older) assert.equal(older[0], heard.at(-1), "an old message has its old answer");
          assert.equal(new Set(answers.map((one) => one.join(" "))).size, 1, "each delivery has the same answer");
          heard.push(answers[0]![0]);
        }
        return heard;
      }));
      for (const [who, heard] of replies.entries()) {
        assert.deepEqual(heard, right(who));
        assert.deepEqual(words_in(heard.join()), [word(who)]);
      }
      const requests = house.models.requests.slice(first_request);
      assert.equal(requests.length, SENDERS * 4, "each message got to the model once, and once more with the tool's result");
      for (const request of requests) assert.equal(words_in(request.text).length, 1, "one person in a prompt");
    });
  }

  test("the same message five times at the same instant is one turn", async () => {
    for (const door of ["chat", "webhook"] as const) {
      const before = house.models.requests.length;
      const answers = await Promise.all(Array.from({ length: 5 }, () => (door === "chat"
        ? house.chat("five", "hello", { client_message_id: "once" }) : house.webhook("+5555", "hello", "once"))));
      assert.deepEqual(answers.map(({ status }) => status), [200, 200, 200, 200, 200]);
      assert.equal(new Set(answers.map(({ body }) => JSON.stringify(body))).size, 1, "one answer");
      assert.equal(house.models.requests.length, before + 1, door);
    }
    assert.equal((await house.turns("&conversation_id=five")).length, 1);
  });

  test("an Idempotency-Key does what a client_message_id does", async () => {
    const ask = () => house.server.fetch("/api/chat", {
      method: "POST", headers: { "content-type": "application/json", "idempotency-key": "key-1" },
      body: JSON.stringify({ session_id: "key", message: "hello" }),
    }).then((answer) => answer.json());
    assert.deepEqual(await ask(), await ask());
    assert.equal((await house.turns("&conversation_id=key")).length, 1);
  });

  test("a message sent again by another name of its conversation, or through another door, is the same turn", async () => {
    const first = (await house.chat("named", "hello", { client_message_id: "once" })).body;
    const socket = await Socket.open(house.server);
    for (const session_id of ["named", first.conversation_id, first.kernel_session_id, "api:named"]) {
      assert.equal((await house.chat(session_id, "hello", { client_message_id: "once" })).body.turn_id, first.turn_id, session_id);
      socket.send({ type: "chat", session_id, message: "hello", client_message_id: "once" });
      const accepted = await socket.next((frame) => frame.type === "accepted");
      assert.deepEqual([accepted.turn_id, accepted.redelivered], [first.turn_id, true], `WebSocket: ${session_id}`);
    }
    socket.close();
  });

  test("the same session_id under two tokens is two conversations", async () => {  // S2-C1
    const tokens = await Promise.all(["Ada", "Ben"].map(async (name) => {
      const made = (await house.server.json("/kernel/workspaces", { type: "personal", name })).body;
      return (await house.cli("token", "create", name, "--workspace", made.workspace_id)).stdout.trim();
    }));
    const said = (token: string, message: string) => fetch(`${house.server.url}/api/chat`, {
      method: "POST", headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({ session_id: "shared", message, client_message_id: message }),
    }).then((answer) => answer.json() as Promise<any>);
    const openers = tokens.map((_, who) => `I am ${word(who)}`);
    const first = await Promise.all(tokens.map((token, who) => said(token, openers[who]!)));
    assert.notEqual(first[0].conversation_id, first[1].conversation_id);
    const then = await Promise.all(tokens.map((token) => said(token, "what did I say first?")));
    assert.deepEqual(then.map((one) => one.response), openers.map((text) => `You said first: "${text}"`));
    // Nor does a name of the other's conversation open it.
    const stolen = await said(tokens[0]!, "what did I say first?");
    const stranger = await fetch(`${house.server.url}/api/conversations/${first[1].conversation_id}/messages`, { headers: { authorization: `Bearer ${tokens[0]}` } });
    assert.equal(stranger.status, 404);
    assert.equal((await fetch(`${house.server.url}/api/turns/${first[1].turn_id}`, { headers: { authorization: `Bearer ${tokens[0]}` } })).status, 404);
    assert.deepEqual(words_in(stolen.response), [word(0)]);
    const live = await Socket.open(house.server, { after: 0, token: tokens[0]! });
    live.send({ type: "ping" });
    await live.next((frame) => frame.type === "pong");
    assert.deepEqual(words_in(JSON.stringify(live.frames)), [word(0)]);
    live.close();
  });

  test("two doors into one conversation are one conversation", async () => {
    const [whole, , socket, , terminal] = doors;
    await whole!.say(house, "family", "the cat is called Mia");
    assert.match(await socket!.say(house, "family", "what did I say first?"), /Mia/);
    assert.match(await terminal!.say(house, "family", "what did I say first?"), /Mia/);
  });
});

// --- connections that break ------------------------------------------------------------------------

// Some words, a tool, and then many words, some of them not ASCII.
const poem = Array.from({ length: 12 }, (_, i) => `Zeile ${i} über 世界 👩🏽‍🚀;`).join(" ");
function recite(prompt: Prompt): Answer {
  if (prompt.turns.at(-1)!.role === "tool") return say(poem);
  return { blocks: [{ text: "Lass mich rechnen …" }, ...call(["calculate", { expression: "6*7" }]).blocks] };
}

// A page that keeps to docs/websocket.md, and checks on the way that nothing is missing and nothing comes twice.
class Page {
  seq: number;
  turn = "";
  blocks: string[] = [];  // what it shows, provisional
  committed: any[] | undefined;
  connections = 0;

  constructor(seq: number) { this.seq = seq; }

  // Reads so many frames after the greeting; true when the turn is over.
  async read(house: House, count: number, say?: object): Promise<boolean> {
    const socket = await Socket.open(house.server, { after: this.seq });
    ++this.connections;
    if (say) socket.send(say);
    for (let i = 0; i < count && !this.committed;) {
      const frame = await socket.frame();
      if (!frame) return false;  // the server went away
      if (frame.type !== "health") ++i;
      this.#take(frame);
    }
    socket.close();
    return this.committed !== undefined;
  }

  #take(frame: any): void {
    if (frame.seq !== undefined) {
      assert.equal(frame.seq, this.seq + 1, "no gap, nothing twice");
      this.seq = frame.seq;
    }
    if (frame.type === "accepted") this.turn = frame.turn_id;
    if (frame.type === "turn_queued") this.turn = frame.turn_id;
    if (!this.turn || frame.turn_id !== this.turn) return;
    if (frame.type === "turn_snapshot") this.blocks = [...frame.blocks];
    if (frame.type === "turn_again") this.blocks = [];
    if (frame.type === "delta") this.#append(frame);
    if (frame.type === "turn_ended") this.#end(frame);
  }
  #append({ block, offset, text }: any): void {
    assert.equal(offset, Buffer.byteLength(this.blocks[block] ?? ""), "a delta begins where the text ends");
    this.blocks[block] = (this.blocks[block] ?? "") + text;
  }
  #end({ messages }: any): void {
    this.committed = messages;
    const said = messages.filter((one: any) => one.role === "assistant").map(text_of).join("");
    assert.ok(said.includes(this.blocks.join("")), `what was shown is no part of it: ${JSON.stringify(this.blocks)}`);
  }
}

const newest = async (house: House): Promise<number> => {
  const socket = await Socket.open(house.server);
  socket.close();
  return socket.frames[0].seq;
};

for (const wire of wires) {
  describe(`a client whose connection breaks, ${wire}`, () => {
    let house: House;
    // The first try of each last answer breaks in the middle, so that clients also see text taken back.
    before(async () => {
      const broken = new Set<string>();
      house = await House.start({
        model: wire,
        script: ({ text }) => {
          const poem_of = /poem \d+/.exec(text)?.[0] ?? "", second = text.includes("6*7 = 42");
          const breaks = second && !broken.has(poem_of);
          if (second) broken.add(poem_of);
          return { answer: recite, split: true, ...(breaks ? { cut: "mid_stream" } : {}) };
        },
      });
    });
    after(() => house.close());

    for (const every of [1, 2, 3, 4, 5, 8, 13, 21, 34]) {
      test(`after every ${every}. frame: it ends with the committed text`, async () => {
        const name = `every-${every}`, page = new Page(await newest(house));
        const chat = { type: "chat", session_id: name, message: `poem ${every}`, client_message_id: name };
        // Said again until it is known to be taken.
        while (!(await page.read(house, every, page.turn ? undefined : chat)));
        const stored = (await house.messages(name)).map(({ role, content, seq }) => ({ role, content, seq }));
        assert.deepEqual(page.committed!.map(({ role, content, seq }) => ({ role, content, seq })), stored);
        assert.equal(text_of(stored.at(-1)), poem);
        assert.equal((await house.turns(`&conversation_id=${name}`)).length, 1);
        if (every < 5) assert.ok(page.connections > 3, `${page.connections} connections`);
      });
    }

    for (const every of [1, 3, 8]) {
      test(`a stream over HTTP, left after ${every} events and asked for again`, async () => {
        const session_id = `sse-${every}`;
        for (let left = 1; ; ++left) {
          const gone = new AbortController();
          const answer = await house.server.fetch("/api/chat", {
            method: "POST", signal: gone.signal, headers: { "content-type": "application/json" },
            body: JSON.stringify({ session_id, message: `poem 9${every}`, client_message_id: session_id, stream: true }),
          });
          let text = "", done: any, blocks: string[] = [];
          for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
            text += chunk;
            const events = sse_events(text.slice(0, text.lastIndexOf("\n\n") + 2));
            done = events.find((one) => one.event === "done")?.data;
            blocks = [];
            for (const { event, data } of events) {
              if (event === "again") blocks = [];
              if (event !== "delta") continue;
              assert.equal(data.offset, Buffer.byteLength(blocks[data.block] ?? ""));
              blocks[data.block] = (blocks[data.block] ?? "") + data.text;
            }
            if (!done && events.length >= every * left) { gone.abort(); break; }
          }
          if (!done) continue;
          assert.equal(done.response, poem);
          assert.ok(blocks.length === 0 || blocks.join("").endsWith(poem));
          break;
        }
        assert.equal((await house.turns(`&conversation_id=${session_id}`)).length, 1);
      });
    }
  });

  test(`${wire}: the server is killed in the middle of an answer, and the client still ends with the committed text`, async () => {
    const house = await House.start({ model: wire, script: [{ answer: say(poem), stall: "mid_stream" }, { answer: say(poem), split: true }] });
    const page = new Page(await newest(house));
    const reading = page.read(house, Infinity, { type: "chat", session_id: "k", message: "poem 1", client_message_id: "k" });
    await house.models.stalled();
    while (!page.blocks.join("").includes("Zeile 3")) await new Promise(setImmediate);
    await house.kill();
    assert.equal(await reading, false);
    await house.wake();
    page.blocks = [];  // another boot: what was provisional is void
    while (!(await page.read(house, 10)));
    assert.equal(text_of(page.committed!.at(-1)), poem);
    assert.equal(page.committed!.length, 2);
    assert.equal(house.models.requests.length, 2);
    await house.close();
  });
}
