// Somebody opens the app: the real binary greets a newcomer, keeps silent on a reload, gives way to whoever types
// first, and leaves nothing behind when it dies or its model fails.
import assert from "node:assert/strict";
import { test } from "node:test";
import { say } from "../models/fault_server.ts";
import { until } from "./automation_house.ts";
import { House, text_of } from "./talk.ts";

const open = async (house: House, session_id: string): Promise<any> => {
  const { status, body } = await house.server.json("/api/chat/session_open", { agent_name: "assistant", session_id });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};
const conversations = async (house: House): Promise<any[]> => (await house.server.json("/api/conversations")).body.items;

test("a fresh start greets, a reload is silent, and the reply has the greeting before it", async () => {  // S0-45, S0-43, S0-17
  const house = await House.start();
  const hello = await open(house, "first");
  assert.deepEqual(Object.keys(hello).slice(0, 4), ["session_id", "response", "is_new_user", "silent"]);
  assert.equal(`${hello.session_id} ${hello.is_new_user} ${hello.silent}`, "first true false");
  assert.match(hello.response, /remind me in 2 minutes to stretch/);
  assert.match(hello.response, /What should I call you/);

  const again = await open(house, "first");
  assert.equal(`${again.silent} ${again.is_new_user} ${again.response} ${again.turn_id}`, "true false  ");
  assert.equal((await house.turns()).length, 1, "a reload needs no turn");

  const reply = await house.chat("first", "Ada");
  assert.equal(reply.body.conversation_id, hello.conversation_id);
  assert.match(reply.body.response, /Nice to meet you, Ada/);
  const messages = await house.messages("first");
  assert.equal(`${messages[0].role} ${messages[0].source}`, "assistant session_open");
  assert.equal(text_of(messages[0]), hello.response);
  assert.ok(!JSON.stringify(messages).includes("SYSTEM"), "its prompt is nobody's message");
  assert.equal((await conversations(house))[0].title, "Ada");
  await house.close();
});

test("without a token nobody is greeted", async () => {  // S0-07
  const house = await House.start();
  const answer = await fetch(`${house.server.url}/api/chat/session_open`, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ agent_name: "a", session_id: "s" }),
  });
  assert.equal(answer.status, 401);
  assert.deepEqual(await conversations(house), []);
  await house.close();
});

test("the model is told who comes and speaks first; two tabs are greeted once", async () => {  // S0-C1, S0-34, S0-C4
  const house = await House.start({ model: "openai", script: [{ answer: say("Hello, I am here.") }, { answer: say("Gladly.") }] });
  const tabs = await Promise.all([open(house, "tabs"), open(house, "tabs")]);
  assert.deepEqual(tabs.map((one) => one.silent).sort(), [false, true]);
  const asked = house.models.requests[0]!.prompt!;
  assert.deepEqual(asked.turns.map((one) => one.text), ["[SYSTEM: First session. No user message. Begin bootstrap.]"]);
  await house.chat("tabs", "help me");
  const text = house.models.requests[1]!.text;
  assert.ok(text.includes("Hello, I am here."), "the next turn knows the greeting");
  assert.ok(!text.includes("[SYSTEM"), "and not its prompt");
  await house.close();
});

test("whoever types first is answered, and the half made greeting is nowhere", async () => {  // AP-7
  const house = await House.start({ model: "openai", script: [{ answer: say("Hello, I was about to"), stall: "mid_stream" }, { answer: say("Here I am.") }] });
  const opening = open(house, "typed");
  await house.models.received(1);
  const reply = await house.chat("typed", "are you there?");
  assert.equal(reply.body.response, "Here I am.");
  const opened = await opening;
  assert.equal(`${opened.silent} ${opened.reason}`, "true person_spoke");
  assert.deepEqual((await house.messages("typed")).map(text_of), ["are you there?", "Here I am."]);
  await house.close();
});

test("a death in the middle of a greeting leaves nothing, and the next open greets", async () => {
  const house = await House.start({ model: "openai", script: [{ stall: "mid_stream" }, { answer: say("Hello!") }] });
  const lost = house.server.json("/api/chat/session_open", { agent_name: "a", session_id: "killed" }).catch(() => undefined);
  await house.models.received(1);
  await house.kill();
  await lost;
  await house.wake();
  await until("nothing is left of it", async () => (await conversations(house)).length === 0);
  assert.equal(house.models.requests.length, 1, "nobody is greeted late");
  const hello = await open(house, "killed");
  assert.equal(`${hello.is_new_user} ${hello.response}`, "true Hello!");
  await house.close();
});

test("a model that fails is silence for the person and a line in the log", async () => {  // S0-40
  const house = await House.start({ model: "openai", script: () => ({ fail: "unauthorized" }) });
  const opened = await open(house, "failed");
  assert.equal(`${opened.silent} ${opened.response}`, "true ");
  assert.deepEqual(await conversations(house), []);
  assert.match(house.server.stderr, /session_open\.failed/);
  await house.close();
});

test("static costs no token, and off is off", async () => {  // AP-7
  const still = await House.start({ model: "openai", config: { session_open: { greeting: "static" } } });
  assert.match((await open(still, "a")).response, /remind me in 2 minutes/);
  assert.equal(still.models.requests.length, 0);
  await still.close();
  const off = await House.start({ config: { session_open: { greeting: "off" } } });
  assert.equal((await open(off, "a")).silent, true);
  assert.deepEqual(await conversations(off), []);
  await off.close();
});
