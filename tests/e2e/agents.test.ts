// Agents: named profiles that answer a conversation. Their choice of tools is kept, whatever the model would like.
import assert from "node:assert/strict";
import { test } from "node:test";
import { call } from "../models/brain.ts";
import { tool_ends } from "./lifecycle_house.ts";
import { House } from "./talk.ts";

test("an agent is offered the tools it may use, and another one that its model calls is not run", async () => {
  const house = await House.start({ model: "openai" });
  await house.chat("a", "hello");
  const offered = () => (house.models.requests.at(-1)!.body as any).tools.map((one: any) => one.function.name);
  assert.ok(offered().includes("save_memory") && offered().includes("tasks"));

  const made = await house.server.json("/api/agents/reader", { instructions: "Read.", tools: '{"allow":["tasks","search_memory"],"deny":["search_memory"]}' }, "PUT");
  assert.equal(made.status, 200, JSON.stringify(made.body));
  assert.equal((await house.server.json("/api/conversations/a", { agent: "reader" }, "PATCH")).status, 200);
  house.models.queue({ answer: call(["save_memory", { text: "the key is under the mat" }]) });
  assert.equal((await house.chat("a", "remember where the key is")).status, 200);
  assert.deepEqual(offered(), ["tasks"]);
  const [end] = await tool_ends(house, "a");
  assert.deepEqual([end!.tool, end!.failed], ["save_memory", true]);
  assert.match(end!.text, /not among the tools/);

  const wrong = await house.server.json("/api/agents/reader", { tools: '{"shell":"off"}' }, "PUT");
  assert.deepEqual([wrong.status, wrong.body.message], [400, "'tools' knows 'allow' and 'deny', not 'shell'"]);
  await house.close();
});

test("an agent that was removed leaves its conversations without tools until another one takes them", async () => {
  const house = await House.start({ model: "openai" });
  const offered = () => ((house.models.requests.at(-1)!.body as any).tools ?? []).map((one: any) => one.function.name);
  await house.server.json("/api/agents/reader", { instructions: "Read.", tools: '{"allow":["tasks"]}' }, "PUT");
  await house.chat("a", "hello");
  await house.server.json("/api/conversations/a", { agent: "reader" }, "PATCH");
  assert.equal((await house.server.json("/api/agents/reader", undefined, "DELETE")).status, 200);
  assert.equal((await house.chat("a", "are you there?")).status, 200);
  assert.deepEqual(offered(), []);
  assert.match(JSON.stringify((house.models.requests.at(-1)!.body as any).messages[0]), /The agent 'reader' that answered here was removed/);
  assert.equal((await house.server.json("/api/conversations/a", { agent: null }, "PATCH")).status, 200);
  await house.chat("a", "and now?");
  assert.ok(offered().includes("tasks"));
  await house.close();
});
