// A turn as a person meets it: a message, a tool call, a reply, a restart of the server, and a follow-up that
// remembers, through every door and with every kind of model; then /clear, cancelling, and replies that leave through
// a bridge.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { say } from "../models/fault_server.ts";
import { House, Socket, bridge, bridge_secret, doors, number_of, said_in, text_of, type Door, type ModelName } from "./talk.ts";

interface Talk {
  model: ModelName;
  name: RegExp;       // of the model, as the turn tells it
  hello: [string, RegExp];
  tool: [string, RegExp, string];  // what is asked, the answer, the tool that gave it
  memory: [string, RegExp];
}

const over_a_wire = (model: ModelName, name: RegExp): Talk => ({
  model, name,
  hello: ["my name is Ada", /^You said: my name is Ada$/],
  tool: ['use calculate {"expression":"6*7"}', /^The tool said: 6\*7 = 42$/, "calculate"],
  memory: ["what did I say first?", /^You said first: "my name is Ada"$/],
});
const talks: Talk[] = [
  {
    model: "offline", name: /^offline/,
    hello: ["my name is Ada", /Nice to meet you, Ada!/],
    tool: ["what is 12 * (3+4)?", /^12 \* \(3\+4\) = 84\.$/, "calculate"],
    memory: ["what is my name?", /^Your name is Ada\.$/],
  },
  over_a_wire("openai", /^openai\/gpt-4o$/),
  over_a_wire("anthropic", /^anthropic\/claude-sonnet-4-5$/),
];

// Where a door's conversation is: a sender of a bridge has a workspace of their own.
async function place_of(house: House, door: Door, who: string): Promise<[conversation: string, query: string]> {
  if (door.name !== "WhatsApp") return [door.key(who), ""];
  const { body } = await house.webhook(number_of(who), "are you there?", "where");
  const session = (await house.server.json(`/kernel/sessions/${body.session_id}`)).body.session;
  return [door.key(who), `&workspace_id=${session.workspace_id}`];
}

for (const talk of talks) {
  describe(`a conversation with the ${talk.model} model`, () => {
    let house: House;
    before(async () => { house = await House.start({ model: talk.model }); });
    after(() => house.close());
    const person = (door: Door) => `ada-${doors.indexOf(door)}`;

    for (const door of doors) {
      // A sum never gets to a model on WhatsApp; the offline model's other tool tells the time.
      const tool: Talk["tool"] = talk.model === "offline" && door.name === "WhatsApp"
        ? ["what day is it today?", /^Today is \w+day, \d+ \w+ \d{4}\.$/, "current_time"] : talk.tool;
      test(`${door.name}: from the first message to a tool's result`, async () => {  // S0-04, S0-10
        const who = person(door);
        assert.match(await door.say(house, who, talk.hello[0]), talk.hello[1]);
        assert.match(await door.say(house, who, tool[0]), tool[1]);
        const [conversation, query] = await place_of(house, door, who);
        const all = await house.messages(conversation, query);
        assert.equal(text_of(all[0]), talk.hello[0]);
        // The offline model keeps a name in its memory, which is a call of a tool of its own.
        const kept = talk.model === "offline" ? 2 : 0;
        assert.deepEqual(all.slice(0, 2 + kept).map((one) => one.role), kept ? ["user", "assistant", "tool", "assistant"] : ["user", "assistant"]);
        const messages = [all[0], all[1], ...all.slice(2 + kept, 6 + kept)];
        assert.deepEqual(messages.slice(2).map((one) => one.role), ["user", "assistant", "tool", "assistant"]);
        const [call, result] = [messages[3].content[0], messages[4].content[0]];
        assert.deepEqual([call.type, call.tool, result.type, result.tool, result.call_id], ["tool_call", tool[2], "tool_result", tool[2], call.call_id]);
        assert.ok(!result.failed);
        const turns = (await house.turns(`&conversation_id=${encodeURIComponent(conversation)}${query}`)).reverse().slice(0, 2);
        for (const turn of turns) {
          assert.deepEqual([turn.state, turn.verdict, turn.attempts, turn.error], ["done", "spoke", 1, null]);
          assert.match(turn.model, talk.name);
        }
        assert.deepEqual(turns.map((one) => one.turn_id), [messages[0].turn_id, messages[2].turn_id]);
      });
    }

    test("the server is stopped and started", () => house.restart());

    for (const door of doors) {
      test(`${door.name}: a follow-up remembers`, async () => {  // S0-23
        assert.match(await door.say(house, person(door), talk.memory[0]), talk.memory[1]);
      });
    }

    test("nothing is left running", async () => {
      assert.deepEqual([...new Set((await house.turns()).map((turn) => turn.state))], ["done"]);
    });
  });
}

describe("WhatsApp's own ways", () => {
  let house: House;
  before(async () => { house = await House.start({ model: "openai" }); });
  after(() => house.close());

  test("a sum is answered at once: no model, no session", async () => {  // S1-C9
    const { status, body } = await house.webhook("+1", "what is 12 * (3+4)?", "m1");
    assert.deepEqual([status, body], [200, { ok: true, session_id: null, reply: "12 * (3+4) = 84", delivery: "reply" }]);
    assert.equal(house.models.requests.length, 0);
  });

  test("to start over is said and done without a model", async () => {  // S1-37
    await house.webhook("+2", "the word is ginger", "m1");
    const fresh = await house.webhook("+2", "start over", "m2");
    assert.equal(fresh.body.reply, "Starting fresh. How can I help you?");
    assert.equal(`${fresh.body.decision} ${fresh.body.reason}`, "new explicit_reset");
    assert.equal(house.models.requests.length, 1);
    const next = await house.webhook("+2", "what did I say first?", "m3");
    assert.doesNotMatch(next.body.reply, /ginger/);
  });

  test("a wrong secret, no sender, nothing said", async () => {
    const wrong = await fetch(`${house.server.url}/webhook/whatsapp`, { method: "POST", body: "not even JSON", headers: { "x-bridge-secret": "wrong" } });
    assert.equal(wrong.status, 401);
    assert.equal((await house.webhook("", "hello")).status, 400);
    assert.equal((await house.webhook("+3", "  ")).status, 400);
    assert.deepEqual((await house.webhook("+3", "my own words", "m1", { fromMe: true })).body, { ok: true, ignored: true });
  });
});

// --- /clear ----------------------------------------------------------------------------------------

interface Clearing { name: string; clear: (house: House, conversation: string) => Promise<void> }

const fresh_start = "Starting fresh. How can I help you?";
const clearings: Clearing[] = [
  {
    name: "POST /api/conversations/{id}/clear",
    clear: async (house, conversation) => {
      const { status, body } = await house.server.json(`/api/conversations/${conversation}/clear`, {});
      assert.deepEqual([status, body], [200, { ok: true, type: "chat_cleared", conversation_id: conversation, message: fresh_start }]);
    },
  },
  {
    name: "/clear as a message",
    clear: async (house, conversation) => {
      const { status, body } = await house.chat(conversation, " /clear ");
      assert.deepEqual([status, body.response, body.verdict, body.reason, body.turn_id], [200, fresh_start, "spoke", "cleared", ""]);
    },
  },
  {
    name: "/new as a streamed message",
    clear: async (house, conversation) => {
      const events = await house.stream(conversation, "/new");
      assert.deepEqual(events.map((one) => [one.event, one.data.response, one.data.reason]), [["done", fresh_start, "cleared"]]);
    },
  },
  {
    name: "clear_chat over the WebSocket",
    clear: async (house, conversation) => {
      const socket = await Socket.open(house.server);
      socket.send({ type: "clear_chat", conversation_id: conversation });
      const cleared = await socket.next((frame) => frame.type === "chat_cleared" && frame.seq === undefined);
      assert.equal(cleared.conversation_id, conversation);
      socket.close();
    },
  },
  {
    name: "/clear over the WebSocket",
    clear: async (house, conversation) => {
      const socket = await Socket.open(house.server);
      socket.send({ type: "chat", session_id: conversation, message: "/clear", client_message_id: "c" });
      const cleared = await socket.next((frame) => frame.type === "chat_cleared" && frame.seq === undefined);
      assert.deepEqual([cleared.conversation_id, cleared.client_message_id], [conversation, "c"]);
      socket.close();
    },
  },
  {
    name: "rouse chat /clear",
    clear: async (house, conversation) => {
      const { code, stdout, stderr } = await house.cli("chat", "/clear", "--session", conversation);
      assert.deepEqual([code, stdout, stderr], [0, `${fresh_start}\n`, ""]);
    },
  },
];

describe("clearing a chat", () => {  // S4-22 to S4-27
  let house: House;
  before(async () => {
    house = await House.start({ model: "anthropic", script: ({ text }) => (text.includes("think for long") ? { stall: "mid_stream" } : {}) });
  });
  after(() => house.close());

  for (const [index, { name, clear }] of clearings.entries()) {
    test(`${name}: what was said before is out of mind, not lost`, async () => {
      const conversation = `clear-${index}`;
      const first = (await house.chat(conversation, "the word is ginger")).body;
      await clear(house, conversation);
      const { session } = (await house.server.json(`/kernel/sessions/${first.kernel_session_id}`)).body;
      assert.equal(session.status, "closed");
      const next = (await house.chat(conversation, "what did I say first?")).body;
      assert.equal(next.response, 'You said first: "what did I say first?"');
      assert.equal(next.conversation_id, first.conversation_id);
      assert.notEqual(next.kernel_session_id, first.kernel_session_id);
      assert.equal(text_of((await house.messages(conversation))[0]), "the word is ginger");
    });

    test(`${name}: acknowledged where nothing was`, () => clear(house, `nobody-${index}`));

    test(`${name}: stops what runs and drops what waits`, async () => {
      const conversation = `busy-${index}`, held = house.models.requests.length + 1;
      const running = house.chat(conversation, "think for long about everything there is");
      await house.models.received(held);
      await house.models.stalled();
      const waiting = house.chat(conversation, "and then this", { client_message_id: "waits" });
      while ((await house.turns(`&conversation_id=${conversation}`)).length < 2);
      await clear(house, conversation);
      const [stopped, dropped] = (await Promise.all([running, waiting])).map(({ body }) => body);
      assert.deepEqual([stopped.verdict, stopped.reason, dropped.verdict], ["interrupted", "cleared", "interrupted"]);
      assert.match(stopped.response, /^You said: think for/, "what it had said is kept");
      assert.equal(await house.models.requests[held - 1]!.ended, "client_gone");
      assert.equal(house.models.requests.length, held, "the second never got to the model");
    });
  }
});

describe("cancelling", () => {
  let house: House;
  before(async () => { house = await House.start({ model: "openai", script: () => ({ answer: say("one two three four five six seven eight"), stall: "mid_stream" }) }); });
  after(() => house.close());

  test("what was said until then is kept", async () => {  // S0-13
    const socket = await Socket.open(house.server);
    socket.send({ type: "chat", session_id: "long", message: "count", client_message_id: "c1" });
    const { turn_id } = await socket.next((frame) => frame.type === "accepted");
    await socket.next((frame) => frame.type === "delta" && frame.text.includes("two"));
    const { status, body } = await house.server.json(`/api/turns/${turn_id}/cancel`, {});
    assert.deepEqual([status, body.state, body.verdict], [200, "done", "interrupted"]);
    const ended = await socket.next((frame) => frame.type === "turn_ended");
    assert.match(said_in(ended.messages), /^one two/);
    assert.equal(body.response, said_in(ended.messages));
    assert.equal(await house.models.requests[0]!.ended, "client_gone");
    assert.equal((await house.server.json(`/api/turns/${turn_id}/cancel`, {})).body.verdict, "interrupted", "twice is once");
    socket.close();
  });

  test("a client that goes away cancels nothing", async () => {  // S0-11
    const gone = new AbortController(), before = house.models.requests.length;
    const asked = house.server.fetch("/api/chat", {
      method: "POST", signal: gone.signal, headers: { "content-type": "application/json" },
      body: JSON.stringify({ session_id: "gone", message: "count", client_message_id: "once", stream: true }),
    });
    await house.models.received(before + 1);
    await asked;
    gone.abort();
    const again = house.chat("gone", "count", { client_message_id: "once" });
    await house.models.stalled();
    house.models.release();
    assert.equal((await again).body.response, "one two three four five six seven eight");
    assert.equal(house.models.requests.length, before + 1);
  });
});

// --- looking back ----------------------------------------------------------------------------------

describe("what was run, what it cost, what the model was told", () => {
  let house: House;
  before(async () => { house = await House.start({ model: "anthropic" }); });
  after(() => house.close());
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await house.cli(...args, "--json");
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };

  test("turns and cost count what the model reported", async () => {  // S0-C10
    const first = (await house.chat("money", "hello")).body, second = (await house.chat("money", 'use calculate {"expression":"1+1"}')).body;
    const { items } = await json("turns", "--conversation", "money");
    assert.deepEqual(items.map((one: any) => one.turn_id), [second.turn_id, first.turn_id]);
    assert.match((await house.cli("turns")).stdout, new RegExp(`^${first.turn_id} +conv_\\S+ +user +spoke`, "m"));
    const { today } = await json("cost");
    // With the default tools the prompt is large enough for the service's cache, which may take all that goes in.
    assert.ok(items[0].tokens_in + items[0].cache_read + items[0].cache_write > 0 && items[0].tokens_out > 0);
    for (const part of ["tokens_in", "tokens_out", "cache_read", "cache_write"]) {
      assert.equal(today[part], items[0][part] + items[1][part], part);
    }
    assert.equal(today.turns, 2);
    assert.ok(Math.abs(today.usd - items[0].cost_usd - items[1].cost_usd) < 1e-9);
  });

  test("prompt show prints what would be sent, and what was", async () => {
    const said = (await house.chat("shown", "my cat is called Ginger")).body;
    const sent = house.models.requests.at(-1)!;
    const parts = async (...args: string[]) => {
      const { code, stdout, stderr } = await house.cli("prompt", "show", "shown", "--full", ...args);
      assert.equal(code, 0, stderr);
      return stdout.split(/^--- (\w+) ---\n/m).slice(1);
    };
    // The tools and the messages are shown with their size alone; all that is text was sent as it is.
    const then = await parts("--turn", said.turn_id);
    for (let i = 0; i < then.length; i += 2) assert.ok(sent.prompt!.system.includes(then[i + 1]!.trim()), `${then[i]} was not sent:\n${then[i + 1]}`);
    await house.chat("shown", "/clear");
    assert.doesNotMatch((await parts()).join(), /Ginger/, "after /clear nothing of it would be sent");
  });
});

// --- replies through a bridge ----------------------------------------------------------------------

// Asked until it is so: a delivery is settled after the bridge has answered.
async function delivery(house: House, workspace: string, settled: (one: any) => boolean): Promise<any> {
  while (true) {
    const { body } = await house.server.json(`/api/deliveries?workspace_id=${workspace}`);
    if (body.items.some(settled)) {
      assert.equal(body.items.length, 1);
      return body.items[0];
    }
  }
}

describe("replies that go through a bridge", () => {  // DL-1, DL-3
  const write_to = async (send_url: string) => {
    const house = await House.start({ config: { bridges: { whatsapp: { send_url } } } });
    const { body } = await house.webhook("+1555", "my name is Ada", "m1");
    assert.deepEqual([body.ok, body.delivery], [true, "outbox"]);
    const { session } = (await house.server.json(`/kernel/sessions/${body.session_id}`)).body;
    return { house, reply: body.reply, workspace: session.workspace_id };
  };

  test("a reply arrives once, with a key, and is delivered", async () => {
    const post = await bridge();
    const { house, reply, workspace } = await write_to(post.url);
    const one = await delivery(house, workspace, ({ state }) => state === "delivered");
    assert.deepEqual([one.attempts, one.to, one.text, one.receipt, one.error], [1, "whatsapp:+1555", reply, "wamid.1", null]);
    assert.deepEqual(post.delivered, [{ key: one.id, secret: bridge_secret, body: { to: "+1555", text: reply, accountId: "default", idempotencyKey: one.id } }]);
    await house.webhook("+1555", "my name is Ada", "m1");
    await house.restart();
    const again = await house.webhook("+1555", "my name is Ada", "m1");
    assert.equal(again.body.reply, reply);
    // The next reply is behind whatever else there were to send.
    await house.webhook("+1555", "what is my name?", "m2");
    await post.received(2);
    assert.deepEqual(post.delivered.map((sent) => sent.body.text), [reply, "Your name is Ada."]);
    await house.close();
    post.close();
  });

  test("a bridge that can't take it now is asked again later, and the turn is none the worse", async () => {
    const post = await bridge(503, 503);
    const { house, workspace } = await write_to(post.url);
    const one = await delivery(house, workspace, ({ attempts, state }) => attempts === 1 && state !== "sending");
    assert.deepEqual([one.state, one.receipt, one.ended_at], ["pending", null, null]);
    assert.match(one.error, /503/);
    assert.ok(Date.parse(one.next_try_at) > Date.parse(one.created_at));
    assert.equal(post.delivered.length, 1);
    const [turn] = await house.turns(`&workspace_id=${workspace}`);
    assert.deepEqual([turn.state, turn.verdict], ["done", "spoke"]);
    await house.close();
    post.close();
  });

  test("a bridge that refuses it is not asked again", async () => {
    const post = await bridge(400);
    const { house, workspace } = await write_to(post.url);
    const one = await delivery(house, workspace, ({ state }) => state === "failed");
    assert.deepEqual([one.attempts, one.next_try_at], [1, null]);
    assert.match(one.error, /400/);
    await house.close();
    post.close();
  });
});
