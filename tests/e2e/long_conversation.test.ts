// A conversation of 20,000 messages: a summary stands for them, the talk goes on with a small prompt, and what was said
// at the very beginning is still found and still listed. And what happens when the model's service says "too long".
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, test } from "node:test";
import type { Received } from "../models/fault_server.ts";
import { House, Socket, text_of, wires } from "./talk.ts";

// Each turn is durable before it is answered. In memory that takes no disk's time, which is not what is tested here.
if (existsSync("/dev/shm")) process.env.TMPDIR = "/dev/shm";

const fact = "the vault code word is heliotrope";
const subjects = ["the harvest", "a bridge over the river", "the price of copper", "Ada's engine", "the night train to Lisbon", "tulips"];
const question = (n: number) => `question ${n}: what do you know about ${subjects[n % subjects.length]}?`;
const answer = (n: number) => `Answer ${n}. ${subjects[n % subjects.length]} would fill a book; the short of it is on page ${n % 97} of the atlas.`;

// Turns that a bridge tells of, as docs/sessions.md says: the first one alone, so that it is the oldest, then in any order.
async function grow(house: House, name: string, turns: number, first = question(0)): Promise<string> {
  const { status, body } = await house.server.json("/kernel/sessions/resolve",
    { workspace_id: "ws_default", channel: "api", remote_jid: name, user_message: first, message_id: `${name}-0` });
  assert.equal(status, 200, JSON.stringify(body));
  const { session_id } = body;
  const tell = async (n: number, user_message: string) => {
    const told = await house.server.json(`/kernel/sessions/${session_id}`,
      { workspace_id: "ws_default", user_message, assistant_response: answer(n), action_type: "answer", message_id: `${name}-${n}` }, "PATCH");
    assert.equal(told.status, 200, JSON.stringify(told.body));
  };
  await tell(0, first);
  let n = 1;
  await Promise.all(Array.from({ length: 16 }, async () => { while (n < turns) { const mine = n++; await tell(mine, question(mine)); } }));
  return session_id;
}

const overview = async (house: House, name: string) => (await house.server.json(`/api/conversations/api:${name}`)).body;
const compactions = async (house: House, name: string): Promise<any[]> => {
  const { status, body } = await house.server.json(`/api/conversations/api:${name}/compactions`);
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.next_cursor, null);
  return body.items;
};
const compact = (house: House, name: string) => house.server.json(`/api/conversations/api:${name}/compact`, undefined, "POST");

// A prompt that begins with the handoff summary, and goes on word for word.
function check_handoff(request: Received, made: any): void {
  const [first] = request.prompt!.turns;
  assert.equal(first!.role, "user");
  assert.ok(first!.text.startsWith(`[This conversation grew long. A summary stands for its first ${made.through_seq} messages`), first!.text.slice(0, 300));
  assert.ok(first!.text.includes(made.summary), "the summary is not the one that is listed");
}

describe("20,000 messages", () => {  // SE-3, S0-C12
  const TURNS = 10_000;

  test("compact, go on, and forget nothing", { timeout: 280_000 }, async () => {
    const house = await House.start({ model: "openai" });
    const session = await grow(house, "long", TURNS, fact);
    assert.equal((await overview(house, "long")).message_count, 2 * TURNS);

    const { status, body } = await compact(house, "long");
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.compacted, true);
    assert.equal(body.messages, 2 * TURNS - 6, "the newest six stay word for word");
    assert.match(body.message, /^Compacted: 19994 messages are now a summary, .* stay readable and searchable\.$/);
    const made = body.compaction;
    assert.deepEqual([made.from_seq, made.through_seq, made.session_id, made.turn_id, made.reason, made.untrusted, made.in_use],
      [1, 2 * TURNS - 6, session, null, "asked", false, true]);
    assert.ok(Buffer.byteLength(made.summary) <= 5 << 10 && made.summary !== "", `${made.summary.length} characters`);
    assert.ok(made.tokens_after < made.tokens_before, JSON.stringify(made));
    assert.deepEqual(await compactions(house, "long"), [made]);

    // Again: there is nothing to gain, and that is no failure.
    const again = await compact(house, "long");
    assert.deepEqual([again.status, again.body.compacted, again.body.messages, again.body.compaction], [200, false, 0, null]);

    const check = async (round: number) => {
      // The conversation goes on, in a small prompt that begins with the summary.
      const before = house.models.requests.length;
      const next = await house.chat("long", `And now, in round ${round}?`);
      assert.deepEqual([next.body.verdict, next.body.response], ["spoke", `You said: And now, in round ${round}?`], JSON.stringify(next.body));
      assert.equal(next.body.kernel_session_id, session);
      assert.equal(house.models.requests.length, before + 1);
      const request = house.models.requests[before]!;
      check_handoff(request, made);
      assert.ok(request.text.length < 60_000, `${request.text.length} characters`);
      assert.ok(request.prompt!.turns.length <= 30, `${request.prompt!.turns.length} messages`);

      // The early fact, for a person and for the model.
      const found = (await house.server.json("/api/search?q=heliotrope+vault&conversation=api:long")).body.items;
      assert.ok(found.some((one: any) => one.seq === 1 && JSON.stringify(one).includes("heliotrope")), JSON.stringify(found));
      const searched = await house.chat("long", 'use search_conversations {"query":"\\"vault code word\\""}');
      assert.match(searched.body.response, /^The tool said: [^]*the vault code word is heliotrope/);

      // Nothing is gone.
      const all = await house.messages("api:long");
      assert.ok(all.length >= 2 * TURNS + 2, `${all.length} messages`);
      assert.deepEqual(all.map((one) => one.seq), Array.from(all, (_, i) => i + 1));
      assert.equal(text_of(all[0]), fact);
      assert.ok(request.prompt!.turns[0]!.text.endsWith(text_of(all[made.through_seq])), "after the summary the words themselves");
      assert.equal(new Set(all.slice(0, 2 * TURNS).map(text_of)).size, 2 * TURNS, "each question and each answer once");
      assert.equal((await overview(house, "long")).message_count, all.length);
    };
    await check(1);
    await house.restart();
    await check(2);
    assert.deepEqual(await compactions(house, "long"), [made]);
    const exported = await (await house.server.fetch("/api/conversations/api:long/export?format=markdown")).text();
    assert.ok(exported.includes(fact) && exported.includes(answer(TURNS - 1)));
    await house.close();
  });
});

for (const wire of wires) {
  describe(`${wire} says that the prompt is too long`, () => {  // SE-3: one compaction, one retry
    test("once: the turn succeeds with a summary", async () => {
      const house = await House.start({ model: wire, script: [{ fail: "context_full" }] });
      await grow(house, "full", 50, fact);
      const live = await Socket.open(house.server);
      const { body } = await house.chat("full", "hello");
      assert.deepEqual([body.verdict, body.reason, body.response], ["spoke", "", "You said: hello"], JSON.stringify(body));
      const [refused, taken, ...more] = house.models.requests;
      assert.deepEqual(more, [], "one more try");
      const made = await compactions(house, "full");
      assert.deepEqual(made.map((one) => [one.reason, one.turn_id, one.in_use]), [["overflow", body.turn_id, true]]);
      check_handoff(taken!, made[0]);
      assert.ok(taken!.prompt!.turns.length < refused!.prompt!.turns.length && taken!.text.length < refused!.text.length);
      assert.equal(refused!.prompt!.turns[0]!.text, fact);
      const event = await live.next((frame) => frame.type === "compacted");
      assert.deepEqual([event.reason, event.through_seq], ["overflow", made[0].through_seq]);
      live.close();

      // The next turn starts from there.
      assert.equal((await house.chat("full", "and on")).body.response, "You said: and on");
      check_handoff(house.models.requests.at(-1)!, made[0]);
      assert.equal((await house.messages("api:full")).length, 104);
      await house.close();
    });

    test("twice: a clear failure, and the conversation goes on", async () => {
      const house = await House.start({ model: wire, script: [{ fail: "context_full" }, { fail: "context_full" }] });
      await grow(house, "full", 50, fact);
      const { body } = await house.chat("full", "hello");
      assert.deepEqual([body.verdict, body.reason], ["failed", "model_context_full"], JSON.stringify(body));
      assert.match(body.response, /too long for the model; \/clear starts fresh/);
      assert.equal(house.models.requests.length, 2, "one more try, not two");
      assert.equal((await compactions(house, "full")).length, 1, "at most once a turn");
      assert.equal((await house.chat("full", "and on")).body.response, "You said: and on");
      assert.equal((await house.messages("api:full")).length, 104);
      await house.close();
    });
  });
}

describe("/compact", () => {
  test("as a message over HTTP: the words are an answer, no turn and no message", async () => {
    const house = await House.start({ model: "openai" });
    await grow(house, "word", 50, fact);
    const { status, body } = await house.chat("api:word", " /compact ");
    assert.equal(status, 200, JSON.stringify(body));
    assert.match(body.response, /^Compacted: 94 messages are now a summary/, JSON.stringify(body));
    const made = await compactions(house, "word");
    assert.deepEqual(made.map((one) => [one.reason, one.through_seq]), [["asked", 94]]);
    assert.equal(house.models.requests.length, 0, "the model was asked");
    assert.equal((await house.turns("&conversation_id=api:word")).length, 50);
    assert.equal((await house.messages("api:word")).length, 100);

    // Streamed, with nothing left to gain.
    const events = await house.stream("api:word", "/compact");
    assert.deepEqual(events.map((one) => one.event), ["done"]);
    assert.doesNotMatch(events[0]!.data.response, /^Compacted/);
    assert.equal((await compactions(house, "word")).length, 1);

    assert.equal((await house.chat("word", "hello")).body.response, "You said: hello");
    check_handoff(house.models.requests[0]!, made[0]);
    // A word about it is a message like any other.
    assert.equal((await house.chat("word", "what does /compact do?")).body.response, "You said: what does /compact do?");
    await house.close();
  });

  test("a command finds the conversation that a message would", async () => {
    const house = await House.start({ model: "openai" });
    for (const command of ["/compact", "/clear"]) {
      const name = `named${command.slice(1)}`;
      await grow(house, name, 50, fact);
      const { status, body } = await house.chat(name, command);
      const message = await house.chat(name, "hello");
      assert.equal(message.body.conversation_id, (await overview(house, name)).conversation_id);
      assert.equal(status, 200, `${command}: ${JSON.stringify(body)}`);
    }
    await house.close();
  });

  test("of a short or an unknown conversation", async () => {
    const house = await House.start({ model: "openai" });
    await house.chat("short", "hello");
    const { status, body } = await compact(house, "short");
    assert.deepEqual([status, body.compacted, body.messages, body.compaction], [200, false, 0, null]);
    assert.notEqual(body.message, "");
    assert.deepEqual(await compactions(house, "short"), []);
    assert.equal((await compact(house, "nobody")).status, 404);
    assert.equal((await house.server.json("/api/conversations/api:nobody/compactions")).status, 404);
    await house.close();
  });

  test("with a body of {}, as /clear takes it", async () => {
    const house = await House.start({ model: "openai" });
    await grow(house, "body", 50, fact);
    const { status, body } = await house.server.json("/api/conversations/api:body/compact", {});
    assert.equal(status, 200, JSON.stringify(body));
    await house.close();
  });

  test("twice at once: one is made, and nobody is left without an answer", async () => {
    const house = await House.start({ model: "openai" });
    await grow(house, "race", 500, fact);
    const answers = await Promise.all(Array.from({ length: 5 }, () => compact(house, "race")));
    for (const { status, body } of answers) assert.ok(status === 200 || status === 409, JSON.stringify(body));
    assert.equal(answers.filter(({ body }) => body.compacted).length, 1);
    assert.equal((await compactions(house, "race")).length, 1);
    await house.close();
  });

  test("/clear leaves the summary behind", async () => {
    const house = await House.start({ model: "openai" });
    await grow(house, "gone", 50, fact);
    assert.equal((await compact(house, "gone")).body.compacted, true);
    assert.equal((await house.chat("api:gone", "/clear")).status, 200);
    await house.chat("api:gone", "hello");
    const request = house.models.requests.at(-1)!;
    assert.ok(!request.text.includes("heliotrope") && !request.text.includes("A summary stands for"), "what was cleared came back");
    assert.deepEqual((await compactions(house, "gone")).map((one) => one.in_use), [false]);
    await house.close();
  });
});
