// Rules for code and rules of the owner's own: what they refuse and when they let go, on every path to an agent, while
// files are edited, broken and mended, and while the server dies.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { call, say } from "../models/fault_server.ts";
import { get, make, over, soon, until } from "./automation_house.ts";
import { add_task, commit, gates, is_first_run, join_project, of_event, project_config, repository, start, tool_ends, write } from "./lifecycle_house.ts";
import { House, number_of } from "./talk.ts";

const hello = { path: "a.txt", text: "hello" };
const claim_first = "Claim a task before you change files of this project: tasks with action claim and its number. If there is none for this, add one first.";

describe("in a project under git", () => {
  test("files are written for a claimed task, and nobody is asked before that", async () => {
    const folder = repository();
    const house = await start({ config: { projects: [{ key: "atlas", path: folder }] } });
    await add_task(house, "mend the gate");
    await join_project(house, "code");
    // A model that insists.
    house.models.queue(...Array(3).fill({ answer: call(["write_file", hello]) }));
    const refused = await house.chat("code", "write it");
    assert.deepEqual(refused.body.pending_approvals, [], "the rules come before anybody is asked");
    assert.deepEqual(await tool_ends(house, "code"), Array(3).fill({ tool: "write_file", failed: true, text: claim_first }));
    const { variables } = await gates(house, "code");
    assert.equal(variables._tool_block_pending, true);

    house.models.queue({ answer: call(["tasks", { action: "claim", number: 1 }]) }, { answer: call(["write_file", hello]) });
    const asked = await house.chat("code", "claim it first");
    assert.equal(asked.body.pending_approvals.length, 1, "now it is the owner's word that counts");
    assert.ok(!existsSync(join(folder, "a.txt")));
    assert.equal((await house.server.json(`/api/approvals/${asked.body.pending_approvals[0].approval_id}`, { decision: "approve" })).status, 200);
    await until("it is written", async () => (await house.turns()).some((one) => one.kind === "approval" && one.verdict));
    assert.equal(readFileSync(join(folder, "a.txt"), "utf8"), "hello");
    await house.close();
  });

  test("a yes doesn't help a call whose task is gone", async () => {
    const folder = repository();
    const house = await start({ config: { projects: [{ key: "atlas", path: folder }] } });
    await add_task(house, "mend the gate");
    await join_project(house, "code");
    house.models.queue({ answer: call(["tasks", { action: "claim", number: 1 }]) }, { answer: call(["write_file", hello]) },
      { answer: call(["tasks", { action: "close", number: 1, reason: "obsolete" }]) });
    const { body } = await house.chat("code", "go");
    assert.equal((await house.server.json(`/api/approvals/${body.pending_approvals[0].approval_id}`, { decision: "approve" })).status, 200);
    await until("it is decided", async () => (await house.turns()).some((one) => one.kind === "approval" && one.verdict));
    assert.ok(!existsSync(join(folder, "a.txt")), "it was written without a task");
    assert.deepEqual((await tool_ends(house, "code")).at(-1), { tool: "write_file", failed: true, text: claim_first });
    await house.close();
  });

  test("a task may be claimed by its title, too", async () => {
    const folder = repository();
    const house = await start({ config: project_config(folder) });
    await add_task(house, "mend the gate");
    await join_project(house, "code");
    house.models.queue({ answer: call(["tasks", { action: "claim", title: "mend the gate" }]) }, { answer: call(["write_file", hello]) });
    await house.chat("code", "go");
    assert.deepEqual((await tool_ends(house, "code")).map((one) => one.failed), [false, false], JSON.stringify(await tool_ends(house, "code")));
    await house.close();
  });

  test("plans need no task, and in plan mode nothing else is asked for", async () => {
    const folder = repository();
    const house = await start({ config: project_config(folder) });
    await join_project(house, "code");
    house.models.queue({ answer: call(["write_file", { path: "plans/next.md", text: "# Next" }]) }, { answer: call(["write_file", hello]) });
    await house.chat("code", "plan it");
    assert.deepEqual((await tool_ends(house, "code")).map((one) => one.failed), [false, true]);
    await house.chat("code", "plan mode is active");
    assert.equal((await gates(house, "code")).variables.plan_mode, true);
    await house.close();
  });

  test("a task ends with a commit, and with what is worth remembering", async () => {
    const folder = repository();
    const house = await start({ config: project_config(folder) });
    await add_task(house, "mend the gate");
    await join_project(house, "code");
    house.models.queue(...[{ action: "claim", number: 1 }, { action: "complete", number: 1 }].map((one) => ({ answer: call(["tasks", one]) })));
    await house.chat("code", "go");
    assert.match((await tool_ends(house, "code")).at(-1)!.text, /^Commit what you did and name the commit/);
    assert.equal((await get(house, "/api/tasks/1")).state, "claimed");

    writeFileSync(join(folder, "gate.txt"), "mended");
    const hash = commit(folder, "Mend the gate");
    house.models.queue({ answer: call(["tasks", { action: "complete", number: 1, commits: [hash] }]) }, { answer: say("Done.") });
    const asked = house.models.requests.length;
    await house.chat("code", "it is committed");
    assert.equal((await get(house, "/api/tasks/1")).state, "done");
    assert.ok(house.models.requests.slice(asked).some((one) => one.text.includes("is something of this worth remembering?")));
    const stops = of_event(await gates(house, "code"), "on_stop").slice(-2);
    assert.deepEqual(stops.map((one) => one.decision), ["block", "allow"], "sent back once to remember");
    assert.equal((await gates(house, "code")).variables.memories_extracted, true);
    await house.close();
  });

  test("the offline model is held to it", async () => {
    const folder = repository();
    const house = await start({ model: "offline", config: project_config(folder) });
    await join_project(house, "code");
    const { body } = await house.chat("code", "write hello to the file a.txt");
    assert.equal(body.verdict, "spoke");
    assert.ok(!existsSync(join(folder, "a.txt")));
    assert.deepEqual(await tool_ends(house, "code"), [{ tool: "write_file", failed: true, text: claim_first }]);
    await house.close();
  });

  test("the offline model says what the rule asks for, and is not sent back to what it can't do", async () => {
    const house = await start({ model: "offline", config: project_config(repository()) });
    await join_project(house, "code");
    const { body } = await house.chat("code", "write hello to the file a.txt");
    await house.close();
    assert.match(body.response, /Claim a task/);
  });
});

// --- workflows of the owner ------------------------------------------------------------------------

const no_tasks = (reason: string) => `name: mine\ntriggers:\n  on_before_tool:\n    - action: block_tools\n      rules:\n        - tools: [tasks]\n          reason: "${reason}"\n`;
const list: [string, object] = ["tasks", { action: "list" }];
const reasons = async (house: House, conversation: string): Promise<string[]> => (await tool_ends(house, conversation)).map((one) => one.text);
const workflow = (house: House, name = "mine"): Promise<any> => get(house, `/api/workflows/${name}`);

describe("a workflow of the owner", () => {
  test("that is made and edited while a turn runs applies from the next event on", async () => {
    const house = await start();
    house.models.queue({ answer: call(list), stall: "mid_stream" }, { answer: call(list), stall: "mid_stream" }, { answer: call(list), stall: "mid_stream" });
    const turn = house.chat("a", "list them");
    const then = async (text: string) => {
      await house.models.stalled();
      write(house, { "workflows/mine.yaml": text });
      await until("it was read", async () => (await house.server.json("/api/workflows/mine")).body.text === text);
      const asked = house.models.requests.length;
      house.models.release();
      await house.models.received(asked + 1);
    };
    await then(no_tasks("No lists today."));
    await then(no_tasks("No lists this week."));
    await then("");
    assert.equal((await turn).body.verdict, "spoke");
    assert.deepEqual(await reasons(house, "a"), ["No lists today.", "No lists this week.", "no open tasks"]);
    await house.close();
  });

  test("that breaks stays in force as it was, and everybody is told where it is broken", async () => {
    const house = await start({}, { "workflows/mine.yaml": no_tasks("No lists today.") });
    assert.equal((await get(house, "/api/health")).status, "ok");
    write(house, { "workflows/mine.yaml": no_tasks("No lists at all.").replace("block_tools", "blok_tools") });
    await house.server.logged(/workflow\.refused .*mine\.yaml/);
    const broken = await workflow(house);
    assert.equal(broken.state, "broken");
    assert.deepEqual(broken.problems.map((one: any) => [one.file, one.line, one.message]), [["workflows/mine.yaml", 4, "there is no action 'blok_tools'; did you mean 'block_tools'?"]]);
    const health = await get(house, "/api/health");
    assert.equal(health.status, "degraded");
    assert.match(health.problems.join("\n"), /mine\.yaml:4:.*blok_tools/);
    house.models.queue({ answer: call(list) });
    await house.chat("a", "list them");
    assert.deepEqual(await reasons(house, "a"), ["No lists today."]);

    await house.restart();  // a start doesn't let go what a broken edit couldn't
    assert.equal((await workflow(house)).state, "broken");
    assert.equal((await get(house, "/api/health")).status, "degraded");
    house.models.queue({ answer: call(list) });
    await house.chat("b", "list them");
    assert.deepEqual(await reasons(house, "b"), ["No lists today."]);

    write(house, { "workflows/mine.yaml": no_tasks("Lists tomorrow.") });
    await until("it is mended", async () => (await workflow(house)).state === "active");
    assert.equal((await get(house, "/api/health")).status, "ok");
    house.models.queue({ answer: call(list) });
    await house.chat("a", "list them");
    assert.equal((await reasons(house, "a")).at(-1), "Lists tomorrow.");
    await house.close();
  });

  test("that was broken from the start is not in force, and the others are", async () => {
    const house = await start({}, { "workflows/mine.yaml": "name: mine\ntriggers: {on_stop: [{action: block_stop}]}\n", "workflows/other.yaml": no_tasks("No lists.").replace("mine", "other") });
    assert.equal((await workflow(house)).state, "broken");
    assert.equal((await workflow(house)).loaded_at, null);
    house.models.queue({ answer: call(list) });
    await house.chat("a", "list them");
    assert.deepEqual(await reasons(house, "a"), ["No lists."]);
    await house.close();
  });

  test("sends a model back until it says the word, and not for ever", async () => {
    const polite = `name: polite\ntriggers:\n  on_stop:\n    - action: block_stop\n      when: "'please' not in answer.lower()"\n      reason: "Say please."\n`;
    const house = await start({}, { "workflows/polite.yaml": polite });
    house.models.queue({ answer: say("No.") }, { answer: say("Please wait.") });
    assert.equal((await house.chat("a", "be polite")).body.response, "Please wait.");
    const stubborn = "I won't.";
    house.models.queue(...Array(20).fill({ answer: say(stubborn) }));
    const asked = house.models.requests.length;
    const { body } = await house.chat("b", "be polite");
    assert.deepEqual([body.verdict, body.response], ["spoke", stubborn]);
    assert.ok(house.models.requests.length - asked < 20, "it was sent back for ever");
    await house.close();
  });

  test("of the name of one of rouse's own takes its place; an empty one switches it off", async () => {
    const house = await start({ config: project_config(repository()) }, { "workflows/headless-lifecycle.yaml": "" });
    assert.equal((await workflow(house, "headless-lifecycle")).state, "off");
    await join_project(house, "code");
    house.models.queue({ answer: call(["write_file", hello]) });
    await house.chat("code", "write it");
    assert.deepEqual((await tool_ends(house, "code")).map((one) => one.failed), [false]);
    assert.deepEqual((await gates(house, "code")).firings, []);
    await house.close();
  });

  test("may speak of a single project", async () => {
    const only_atlas = no_tasks("No lists in {{ project.key }}.").replace("reason:", `when: "project.key == 'atlas'"\n          reason:`);
    const house = await start({ config: project_config(repository()) }, { "workflows/mine.yaml": only_atlas });
    await join_project(house, "code");
    for (const conversation of ["code", "plain"]) {
      house.models.queue({ answer: call(list) });
      await house.chat(conversation, "list them");
    }
    assert.deepEqual([await reasons(house, "code"), await reasons(house, "plain")], [["No lists in atlas."], ["no open tasks"]]);
    await house.close();
  });

  test("whose rule can't be decided refuses", async () => {
    const careless = no_tasks("No.").replace("reason:", `when: "tool_input.owner == 'Ada'"\n          reason:`);
    const house = await start({}, { "workflows/mine.yaml": careless });
    house.models.queue({ answer: call(list) });
    await house.chat("a", "list them");
    assert.match((await reasons(house, "a"))[0]!, /^Tool 'tasks' is blocked: the rule in line 6 could not be decided/);
    await house.close();
  });
});

// --- every path ------------------------------------------------------------------------------------

describe("every path to an agent goes through the rules", () => {
  const kinds = `name: kinds\ntriggers:\n  on_before_agent:\n    - {action: inject_context, template: "This turn is of the kind {{ turn.kind }}."}\n`;

  test("a person, an automation, a greeting, and a messenger", async () => {
    const house = await start({}, { "workflows/kinds.yaml": kinds });
    await house.chat("kitchen", "hello");
    const job = await make(house, { message: "Count the milk", session_key: "kitchen", schedule: soon(300) });
    await over(house, job.id);
    const kitchen = await gates(house, "kitchen");
    assert.equal(of_event(kitchen, "on_before_agent").length, 2);
    assert.deepEqual(of_event(kitchen, "on_before_agent").map(is_first_run), [true, false]);
    assert.equal(of_event(kitchen, "on_stop").length, 2);

    const opened = (await house.server.json("/api/chat/session_open", { agent_name: "assistant", session_id: "door" })).body;
    assert.equal(opened.silent, false, JSON.stringify(opened));
    const door = await gates(house, "door");
    assert.deepEqual(of_event(door, "on_before_agent").map(is_first_run), [true]);

    await house.webhook(number_of("ada"), "good morning", "m1");
    const { session_id } = (await house.webhook(number_of("ada"), "good evening", "m2")).body;
    const { workspace_id } = (await get(house, `/kernel/sessions/${session_id}`)).session;
    const phone = await gates(house, `whatsapp:${number_of("ada")}`, workspace_id);
    assert.equal(phone.source, "whatsapp");
    assert.equal(of_event(phone, "on_session_start", "session-lifecycle").length, 1);
    assert.equal(of_event(phone, "on_before_agent", "session-lifecycle").length, 2);
    assert.deepEqual(of_event(phone, "on_before_agent"), [], "the other one is for clients without hooks");
    const told = house.models.requests.map((one) => /This turn is of the kind (\w+)\./.exec(one.prompt!.system)?.[1]);
    assert.deepEqual(told, ["user", "automation", "session_open", "user", "user"]);
    await house.close();
  });

  test("a turn that goes on after a death", async () => {
    const house = await start({}, { "workflows/mine.yaml": no_tasks("No lists.") });
    house.models.queue({ answer: call(list) }, { stall: "mid_stream" }, { answer: call(list) }, { answer: say("I give up.") }, { answer: say("I give up.") }, { answer: say("I give up.") });
    const lost = house.chat("a", "list them").catch(() => undefined);
    await house.models.received(2);
    await house.models.stalled();
    await house.kill();
    await lost;
    await house.wake();
    const turn = await until("it is over", async () => (await house.turns()).find((one) => one.verdict));
    assert.equal(turn.verdict, "spoke", JSON.stringify(turn));
    assert.deepEqual(await reasons(house, "a"), ["No lists.", "No lists."]);
    const trace = await gates(house, "a");
    assert.equal(of_event(trace, "on_before_tool", "mine").length, 2);
    assert.equal(of_event(trace, "on_before_agent").filter(is_first_run).length, 1, JSON.stringify(trace.firings));
    await house.close();
  });
});
