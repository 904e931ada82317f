// The life of a session in the web app, the terminal and programs, by the rules that ship with rouse: what happens at
// its first prompt, what it may call and when, what a compaction and /clear leave of it. The models here disobey.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { call, say, type Answer } from "../models/fault_server.ts";
import { get } from "./automation_house.ts";
import { actions_of, add_task, gates, grow, is_first_run, join_project, mcp_servers, of_event, project_config, repository, start, tool_ends } from "./lifecycle_house.ts";
import { House, Socket } from "./talk.ts";

const skill = "---\nname: tea\ndescription: how tea is made here\nalways_apply: true\n---\nNever boil the leaves.\n";
const from_workflow = "These skills always apply here:\n- tea: how tea is made here";

describe("the first prompt of a session", () => {  // S4-28: bootstrap, registration, context
  for (const model of ["offline", "openai"] as const) {
    test(`is prepared once, also across a restart (${model})`, async () => {
      const house = await start({ model }, { "skills/tea/SKILL.md": skill });
      await house.chat("a", "hello");
      const first = await gates(house, "a");
      assert.equal(first.source, "claude_sdk");
      assert.equal(first.variables._session_initialized, true);
      const [prepared, ...more] = of_event(first, "on_before_agent");
      assert.deepEqual(more, []);
      assert.deepEqual(actions_of(prepared!), ["memory_sync_import", "task_sync_import", "inject_context", "set_variable"]);
      assert.ok(is_first_run(prepared!));
      assert.equal(prepared!.decision, "inject");

      await house.chat("a", "and again");
      await house.restart();
      await house.chat("a", "and after a restart");
      const later = await gates(house, "a");
      assert.equal(later.session_id, first.session_id);
      assert.equal(later.variables._session_initialized, true);
      const before_each = of_event(later, "on_before_agent");
      assert.equal(before_each.length, 3);
      assert.deepEqual(before_each.map(is_first_run), [true, false, false]);
      assert.ok(before_each.slice(1).every((one) => !actions_of(one).includes("inject_context")), JSON.stringify(before_each));
      await house.close();
    });
  }

  test("in a project it looks at the working copy and brings the open tasks", async () => {
    const folder = repository();
    const house = await start({ config: project_config(folder) });
    await add_task(house, "mend the gate");
    await join_project(house, "code");
    await house.chat("code", "what is to be done?");
    const { system } = house.models.requests.at(-1)!.prompt!;
    assert.match(system, /Open tasks:\n- #1 mend the gate/);
    assert.match(system, /## Pre-Existing Error\/Warning\/Failure Policy/);
    await house.chat("code", "and now?");
    assert.doesNotMatch(house.models.requests.at(-1)!.prompt!.system, /Open tasks:|Pre-Existing Error/);
    await house.close();
  });

  test("tells which skills apply, once in a session", async () => {
    const house = await start({}, { "skills/tea/SKILL.md": skill });
    for (const message of ["one", "two"]) await house.chat("a", message);
    const [one, two] = house.models.requests.map((request) => request.prompt!.system);
    assert.ok(one!.includes(from_workflow), one);
    assert.ok(!two!.includes(from_workflow), "told again");
    for (const system of [one, two]) assert.ok(system!.includes("Never boil the leaves."), "what always applies stands in every prompt");
    await house.server.json("/api/conversations/a/clear", {});
    await house.chat("a", "three");
    assert.ok(house.models.requests[2]!.prompt!.system.includes(from_workflow), "a fresh session is told again");
    await house.close();
  });
});

// --- one thing after the other ---------------------------------------------------------------------

const sum = { server: "all", tool: "get-sum", arguments: { a: 19, b: 23 } };
const look: Record<string, object> = { list_mcp_servers: {}, list_tools: { server: "all" }, get_tool_schema: { server: "all", tool: "get-sum" } };
const servers_first = "Call list_mcp_servers first, to see which servers there are.";
const tools_first = "Call list_tools for the server 'all' first, to see what it has.";
const schema_first = "Read the schema first: get_tool_schema with server 'all' and tool 'get-sum'.";

// Calls in this order, in one turn; then words, as often as it is sent back.
async function calls(house: House, conversation: string, ...wanted: [string, object][]): Promise<{ failed: boolean; text: string }[]> {
  const before = await tool_ends(house, conversation).catch(() => []);
  house.models.queue(...wanted.map((one) => ({ answer: call(one) })));
  const { status, body } = await house.chat(conversation, "go on");
  assert.equal(`${status} ${body.verdict}`, "200 spoke", JSON.stringify(body));
  return (await tool_ends(house, conversation)).slice(before.length).map(({ failed, text }) => ({ failed, text }));
}
const discover = Object.entries(look) as [string, object][];

describe("the tools of an MCP server", () => {  // S4-28: progressive disclosure
  test("are called when they were looked at, in order, however often a model tries", async () => {
    const house = await start({ config: { mcp_servers } });
    const out_of_order = await calls(house, "a",
      ["call_tool", sum], ["get_tool_schema", look.get_tool_schema!], ["list_tools", look.list_tools!], ["call_tool", sum], ["call_tool", sum]);
    assert.deepEqual(out_of_order, [schema_first, tools_first, servers_first, schema_first, schema_first].map((text) => ({ failed: true, text })));
    const refused = await gates(house, "a");
    assert.deepEqual([refused.variables.unlocked_tools, refused.variables.servers_listed, refused.variables.listed_servers], [[], false, []]);
    assert.deepEqual(of_event(refused, "on_before_tool").map((one) => one.decision), Array(5).fill("block"));
    assert.deepEqual(of_event(refused, "on_after_tool"), [], "what was refused was not called");

    // A step is no way around the next one.
    const [servers, schema] = await calls(house, "a", ["list_mcp_servers", {}], ["get_tool_schema", look.get_tool_schema!]);
    assert.match(servers!.text, /^all \(/);
    assert.deepEqual(schema, { failed: true, text: tools_first });
    const [tools, early, read, late, other] = await calls(house, "a",
      ["list_tools", look.list_tools!], ["call_tool", sum], ["get_tool_schema", look.get_tool_schema!], ["call_tool", sum],
      ["call_tool", { server: "all", tool: "echo", arguments: { message: "x" } }]);
    assert.match(tools!.text, /^get-sum: /m);
    assert.deepEqual(early, { failed: true, text: schema_first });
    assert.match(read!.text, /"required":\["a","b"\]/);
    assert.match(late!.text, /42/);
    assert.equal(late!.failed, false);
    assert.match(other!.text, /^Read the schema first: .* tool 'echo'/, "one schema opens one tool");
    const trace = await gates(house, "a");
    assert.deepEqual([trace.variables.unlocked_tools, trace.variables.servers_listed, trace.variables.listed_servers], [["all:get-sum"], true, ["all"]]);

    // It holds across a restart, and for this session alone.
    await house.restart();
    assert.match((await calls(house, "a", ["call_tool", sum]))[0]!.text, /42/);
    assert.deepEqual(await calls(house, "b", ["call_tool", sum]), [{ failed: true, text: schema_first }]);
    await house.close();
  });

  test("a tool of the server that only looks around needs no schema", async () => {
    const house = await start({ config: { mcp_servers } });
    const [found] = await calls(house, "a", ["call_tool", { server: "all", tool: "list_tools", arguments: {} }]);
    assert.doesNotMatch(found!.text, /Read the schema first/);
    await house.close();
  });
});

// --- compaction ------------------------------------------------------------------------------------

test("a compaction makes the agent look again, and hands over once", async () => {  // S4-28: compaction
  const house = await start({ config: { mcp_servers } });
  await calls(house, "a", ...discover, ["call_tool", sum]);
  const found = await gates(house, "a");
  assert.deepEqual(found.variables.unlocked_tools, ["all:get-sum"]);
  await grow(house, found.session_id, 30);
  const { status, body } = await house.server.json("/api/conversations/a/compact", undefined, "POST");
  assert.deepEqual([status, body.compacted], [200, true], JSON.stringify(body));

  const reset = await gates(house, "a");
  assert.equal(reset.session_id, found.session_id);
  assert.deepEqual([reset.variables.unlocked_tools, reset.variables.servers_listed, reset.variables.listed_servers], [[], false, []]);
  assert.equal(of_event(reset, "on_pre_compact").length, 1);
  assert.ok(actions_of(of_event(reset, "on_pre_compact")[0]!).includes("extract_handoff_context"));
  assert.match(reset.variables.compact_markdown, /## Original Goal\ngo on/);
  await house.restart();

  const asked = house.models.requests.length;
  assert.deepEqual(await calls(house, "a", ["call_tool", sum]), [{ failed: true, text: schema_first }]);
  const [next] = house.models.requests.slice(asked);
  assert.match(next!.prompt!.system, /## Original Goal\ngo on\n\n## Recent Activity\n/);
  assert.equal((await gates(house, "a")).variables.compact_markdown, "");

  const again = house.models.requests.length;
  assert.match((await calls(house, "a", ...discover, ["call_tool", sum])).at(-1)!.text, /42/);
  for (const request of house.models.requests.slice(again)) assert.ok(!request.prompt!.system.includes("## Original Goal"), "handed over twice");
  assert.ok(!is_first_run(of_event(await gates(house, "a"), "on_before_agent").at(-1)!), "it is the same session");
  await house.close();
});

test("a compaction in the middle of a turn counts from there on", async () => {
  const house = await start({ config: { mcp_servers } }, { "skills/tea/SKILL.md": skill });
  await calls(house, "a", ...discover);
  await grow(house, (await gates(house, "a")).session_id, 30);
  house.models.queue({ answer: call(["call_tool", sum]) }, { fail: "context_full" }, { answer: call(["call_tool", sum]) });
  const asked = house.models.requests.length;
  await house.chat("a", "add them up");
  assert.equal((await get(house, "/api/conversations/a/compactions")).items.length, 1);
  const [before, after] = (await tool_ends(house, "a")).slice(-2);
  assert.match(before!.text, /42/);
  assert.deepEqual(after, { tool: "call_tool", failed: true, text: schema_first });
  const handed_over = () => house.models.requests.slice(asked).filter((one) => one.prompt!.system.includes("## Original Goal")).length;
  assert.equal(handed_over(), 0, "this turn still knows what it does");
  await house.chat("a", "and now?");
  assert.equal(handed_over(), 1);
  await house.close();
});

test("a compaction in a project writes down tasks and notes for others", async () => {
  const folder = repository();
  const house = await start({ config: project_config(folder) });
  await add_task(house, "mend the gate");
  assert.equal((await house.server.json("/api/memory", { text: "The gate is made of oak." })).status, 201);
  await join_project(house, "code");
  await calls(house, "code", ["tasks", { action: "claim", number: 1 }]);
  await grow(house, (await gates(house, "code")).session_id, 30);
  assert.equal((await house.server.json("/api/conversations/code/compact", undefined, "POST")).body.compacted, true);
  assert.match(readFileSync(join(folder, ".rouse/tasks.jsonl"), "utf8"), /mend the gate/);
  assert.match(readFileSync(join(folder, ".rouse/memories.jsonl"), "utf8"), /made of oak/);
  await house.chat("code", "where were we?");
  const { system } = house.models.requests.findLast((one) => one.prompt!.system.includes("## Active Task"))!.prompt!;
  assert.match(system, /## Active Task\n#1 mend the gate/);
  assert.match(system, /## Worktree\n.* on \S+/);
  await house.close();
});

// --- /clear ----------------------------------------------------------------------------------------

describe("/clear", () => {  // S4-28
  const ways: Record<string, (house: House) => Promise<unknown>> = {
    "clear_chat over the WebSocket": async (house) => {
      const socket = await Socket.open(house.server);
      socket.send({ type: "clear_chat", conversation_id: "a" });
      const done = await socket.next((one) => one.type === "chat_cleared" && one.seq === undefined);
      assert.equal(done.conversation_id, "a");
      assert.match(done.closed_session_id, /^sess_/);
      socket.close();
    },
    "POST /api/conversations/{id}/clear": (house) => house.server.json("/api/conversations/a/clear", {}),
    "the message /clear": (house) => house.chat("a", "/clear"),
  };
  for (const [name, clear] of Object.entries(ways)) {
    test(`${name}: a summary, and a fresh life`, async () => {
      const house = await start({ config: { mcp_servers } });
      await house.chat("a", "plan the harvest feast");
      await calls(house, "a", ...discover);
      const old = await gates(house, "a");
      const page = await Socket.open(house.server);
      await clear(house);
      const told = await page.next((one) => one.type === "chat_cleared" && one.seq !== undefined);
      assert.match(told.summary, /harvest feast/);
      assert.equal(told.status, "completed");
      assert.equal(told.session_id, old.session_id);
      page.close();
      const closed = (await get(house, "/api/conversations/a")).sessions.find((one: any) => one.session_id === old.session_id);
      assert.deepEqual([closed.status, closed.lifecycle_status, closed.close_reason], ["closed", "completed", "cleared"]);
      assert.match(closed.close_summary, /harvest feast/);

      assert.deepEqual(await calls(house, "a", ["list_tools", look.list_tools!]), [{ failed: true, text: servers_first }]);
      const fresh = await gates(house, "a");
      assert.notEqual(fresh.session_id, old.session_id);
      assert.deepEqual([fresh.variables.unlocked_tools, fresh.variables.servers_listed, fresh.variables._session_initialized], [[], false, true]);
      assert.equal(of_event(fresh, "on_before_agent").filter(is_first_run).length, 2, "each session once");
      await house.close();
    });
  }

  test("of a conversation that nobody knows is acknowledged, and nothing is made", async () => {
    const house = await start();
    const socket = await Socket.open(house.server);
    socket.send({ type: "clear_chat", conversation_id: "nobody" });
    const done = await socket.next((one) => one.type === "chat_cleared");
    assert.equal(done.conversation_id, "nobody");
    assert.equal((await house.server.json("/api/conversations/nobody/clear", {})).status, 200);
    assert.deepEqual((await get(house, "/api/conversations")).items, []);
    assert.equal((await house.server.json("/api/conversations/nobody/gates")).status, 404);
    socket.close();
    await house.close();
  });
});

// --- every turn ------------------------------------------------------------------------------------

describe("turn by turn", () => {  // S4-28: stop gates, memory recall, title
  test("who stops before the task is done is sent back twice and then let go, in every turn anew", async () => {
    const house = await start({ config: project_config(repository()) });
    await add_task(house, "mend the gate");
    await join_project(house, "code");
    const reason = "Task #1 (mend the gate) is still yours: finish it and close it, or say what keeps you from it.";
    house.models.queue({ answer: call(["tasks", { action: "claim", number: 1 }]) });
    for (const round of ["claim it", "go on"]) {
      const words: Answer[] = ["I stop.", "I stop again.", "I still stop."].map(say);
      house.models.queue(...words.map((answer) => ({ answer })));
      const asked = house.models.requests.length;
      const { body } = await house.chat("code", round);
      assert.deepEqual([body.verdict, body.response], ["spoke", "I still stop."], JSON.stringify(body));
      const sent_back = house.models.requests.slice(asked).filter((one) => one.prompt!.turns.at(-1)!.text === reason);
      assert.equal(sent_back.length, 2);
      const stops = of_event(await gates(house, "code"), "on_stop").filter((one) => one.turn_id === body.turn_id);
      assert.deepEqual(stops.map((one) => [one.decision, one.reason]), [["block", reason], ["block", reason], ["allow", undefined]]);
    }
    // Done is done: nobody is sent back.
    house.models.queue({ answer: call(["tasks", { action: "close", number: 1, reason: "obsolete" }]) }, { answer: say("Closed.") });
    assert.equal((await house.chat("code", "close it")).body.response, "Closed.");
    assert.equal((await gates(house, "code")).variables.claimed_task, 0);
    await house.close();
  });

  test("what matters and fits is recalled, each note once in a session", async () => {
    const house = await start();
    for (const [text, importance] of [["The owner's dog Rex is allergic to chicken.", 5], ["The dog Rex likes the red ball.", 2]] as const) {
      assert.equal((await house.server.json("/api/memory", { text, importance })).status, 201);
    }
    await house.chat("a", "what may the dog Rex eat for dinner?");
    await house.chat("a", "and the dog Rex for breakfast?");
    const recalled = house.models.requests.map((one) => /Relevant memories:\n([^]*)$/.exec(one.prompt!.system)?.[1] ?? "");
    assert.match(recalled[0]!, /allergic to chicken/);
    assert.doesNotMatch(recalled[0]!, /red ball/, "it matters too little");
    assert.equal(recalled[1], "", "told twice");
    const [first, second] = of_event(await gates(house, "a"), "on_before_agent");
    assert.equal(first!.actions.find((one) => one.action === "memory_recall_relevant")?.detail, "1 recalled");
    assert.ok(!actions_of(second!).includes("memory_recall_relevant"));
    await house.close();
  });

  test("a conversation that nobody named gets a title after its first turns", async () => {
    const long = "Please help me to plan the great harvest feast of the village with all of its guests and their dishes and the music";
    const house = await start();
    const page = await Socket.open(house.server);
    for (const message of [long, "in the old barn"]) await house.chat("a", message);
    const before = (await get(house, "/api/conversations/a")).title;
    await house.chat("a", "with lanterns");
    const { title } = await page.next((one) => one.type === "conversation_changed");
    assert.notEqual(title, before);
    assert.ok(title.length > 0 && title.length <= 60, title);
    assert.equal((await get(house, "/api/conversations/a")).title, title);
    // A name that somebody gave stays.
    await house.server.json("/api/conversations/a", { title: "The feast" }, "PATCH");
    for (const message of ["four", "five"]) await house.chat("a", message);
    assert.equal((await get(house, "/api/conversations/a")).title, "The feast");
    page.close();
    await house.close();
  });
});

test("a plain chat is not touched by the rules for code", async () => {
  const house = await start({ config: { tools: { policy: { write_file: "allow" } } } });
  const [written] = await calls(house, "a", ["write_file", { path: "note.txt", text: "hello" }]);
  assert.equal(written!.failed, false, written!.text);
  assert.equal(readFileSync(join(house.data, "files/note.txt"), "utf8"), "hello");
  assert.equal((await house.server.json("/api/tasks", { title: "buy milk" })).status, 201);
  const [claimed, done] = await calls(house, "a", ["tasks", { action: "claim", number: 1 }], ["tasks", { action: "complete", number: 1 }]);
  assert.deepEqual([claimed!.failed, done!.failed], [false, false], done!.text);
  const trace = await gates(house, "a");
  assert.ok(trace.firings.every((one) => one.decision !== "block" && one.decision !== "error"), JSON.stringify(trace.firings));
  assert.ok(!existsSync(join(house.data, "files/.rouse")), "nothing is synced without a project");
  await house.close();
});
