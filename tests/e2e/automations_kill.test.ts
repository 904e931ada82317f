// SIGKILL of the real binary while automations are claimed, queued and running: each due instant is covered by the ledger
// exactly once, what ran stands in the transcript exactly once, and after the last kill nothing stays open (CR-5, CR-17).
import assert from "node:assert/strict";
import { test } from "node:test";
import { say } from "../models/fault_server.ts";
import { answer_to, change, each_second, get, is_open, ledger_of, look_at, make, over, path_of, runs_of, soon, triggers, until, with_reports } from "./automation_house.ts";
import { House } from "./talk.ts";

const KILLS = 36;
const answer = with_reports((order) => say(`Done: ${order}`));
const ms = (iso: string): number => Date.parse(iso);

// Every instant of the grid from the first row to the last is covered, and by one row.
function check_coverage(rows: any[], every_ms: number): number {
  const ordered = rows.toSorted((a, b) => ms(a.scheduled_for) - ms(b.scheduled_for));
  let next = ms(ordered[0].scheduled_for), covered = 0;
  for (const row of ordered) {
    assert.equal(ms(row.scheduled_for), next, `a gap or an overlap before ${JSON.stringify(row)}`);
    assert.equal(ms(row.until ?? row.scheduled_for), next + (row.count - 1) * every_ms, JSON.stringify(row));
    next += row.count * every_ms;
    covered += row.count;
  }
  return covered;
}

// What the ledger, the records and the transcript say is the same.
async function check_story(house: House, id: string, session_key: string): Promise<Record<string, number>> {
  const rows = await ledger_of(house, id), runs = await runs_of(house, id);
  const messages = await house.messages(session_key), found = triggers(messages);
  assert.equal(new Set(runs.map((run) => run.id)).size, runs.length);
  assert.equal(new Set(found.map((one) => one.automation_run_id)).size, found.length, "no run told twice");
  const by_id = new Map(runs.map((run) => [run.id, run]));
  for (const trigger of found) {
    const run = by_id.get(trigger.automation_run_id);
    assert.ok(run, `a run without a record: ${trigger.automation_run_id}`);
    assert.notEqual(answer_to(messages, trigger), "", "each run that is told is closed");
    const closures = messages.filter((one) => one.role === "assistant" && one.turn_id === trigger.turn_id);
    assert.equal(closures.length, 1, "and once");
  }
  const counts: Record<string, number> = {};
  for (const row of rows) {
    const fate = [row.status, row.reason].join(" ").trim();
    counts[fate] = (counts[fate] ?? 0) + row.count;
    assert.ok(!is_open(row), JSON.stringify(row));
    const tries = runs.filter((run) => run.scheduled_for === row.scheduled_for);
    const good = tries.filter((run) => run.status === "ok");
    assert.equal(good.length, row.status === "ok" ? 1 : 0, `${JSON.stringify(row)} ran as ${JSON.stringify(tries.map((run) => run.status))}`);
    for (const run of good) assert.ok(found.some((one) => one.automation_run_id === run.id), "what ran well is told");
  }
  assert.ok(runs.every((run) => rows.some((row) => row.scheduled_for === run.scheduled_for)), "no run of an instant that wasn't due");
  return counts;
}

test(`${KILLS} kills at any moment: each due instant once`, async () => {  // CR-5, CR-17, CR-19, CR-28
  const house = await House.start({ model: "openai", script: (_, index) => ({ answer, split: index % 5 === 0 }), config: { automations: { crash_hold_minutes: 0, stagger_ms: 0 } } });
  const keys = ["websocket:a", "websocket:b", "websocket:c"];
  const jobs: any[] = [];
  for (const session_key of keys) jobs.push(await make(house, { message: "Count the milk", session_key, schedule: each_second, catch_up: "all", catch_up_max: 3 }));
  const good_runs = async () => (await Promise.all(jobs.map((job) => runs_of(house, job.id)))).flat().filter((run) => run.status === "ok").length;
  for (let i = 0; i < KILLS; ++i) {
    const seen = house.models.requests.length;
    // Another moment each time: as soon as one is claimed, when the model was asked, after an answer.
    const done = i % 3 === 2 ? await good_runs() : 0;
    if (i % 3 === 0) await until("one is open", async () => (await Promise.all(jobs.map((job) => ledger_of(house, job.id)))).flat().some(is_open));
    if (i % 3 === 1) await house.models.received(seen + 1 + i % 4);
    if (i % 3 === 2) await until("one more is done", async () => (await good_runs()) > done);
    await house.kill();
    await house.wake();
  }
  for (const job of jobs) await change(house, job.id, "/pause");
  for (const [n, job] of jobs.entries()) {
    await until("nothing is open", async () => !(await ledger_of(house, job.id)).some(is_open));
    const covered = check_coverage(await ledger_of(house, job.id), each_second.every_ms);
    const counts = await check_story(house, job.id, keys[n]!);
    console.log(`${keys[n]}: ${covered} instants, ${JSON.stringify(counts)}`);
  }
  await house.close();
});

test("killed while it waits behind another turn: it is queued, and runs once afterwards", async () => {  // S3-22, CR-5
  let stall = true;
  const house = await House.start({ model: "openai", script: ({ text }) => (stall && text.includes("a long story") ? { stall: "mid_stream" } : { answer }) });
  const story = house.chat("kitchen", "tell me a long story").catch(() => undefined);
  await house.models.stalled();
  const job = await make(house, { message: "Count the milk", session_key: "kitchen", schedule: soon() });
  await until("it is queued", async () => (await runs_of(house, job.id))[0]?.status === "queued");
  stall = false;
  await house.kill();
  await story;
  await house.wake();
  assert.equal((await over(house, job.id)).status, "ok");
  const counts = await check_story(house, job.id, "kitchen");
  assert.deepEqual(counts, { ok: 1 });
  assert.equal(triggers(await house.messages("kitchen")).length, 1);
  await house.close();
});

test("killed while its model answers: what happened is told once, and it is not begun for ever", async () => {  // CR-5, CR-30
  let stall = true;
  const house = await House.start({ model: "openai", script: () => (stall ? { stall: "mid_stream" } : { answer }) });
  const job = await make(house, { message: "Count the milk", session_key: "websocket:kitchen", schedule: soon() });
  await house.models.stalled();
  stall = false;
  await house.kill();
  await house.wake();
  const run = await over(house, job.id);
  assert.ok(["ok", "interrupted"].includes(run.status), run.status);
  const runs = await runs_of(house, job.id);
  assert.ok(runs.length <= 2, "one more try at most");
  await check_story(house, job.id, "websocket:kitchen");
  const now = await look_at(house, job.id);
  assert.equal(now.next_run_at, null);
  assert.equal((await ledger_of(house, job.id)).length, 1);
  const why = await get(house, `/api/why/automation/${job.id}?at=${encodeURIComponent(job.next_run_at)}`);
  assert.equal(why.code, "ran");
  await house.close();
});

test("killed right after it was made: acknowledged is there, with its key, and runs once", async () => {  // CR-20, CR-28
  const house = await House.start({ model: "openai", script: () => ({ answer }) });
  const wish = { message: "Count the milk", session_key: "websocket:kitchen", schedule: soon(3_000), key: "milk" };
  const job = await make(house, wish);
  await house.kill();
  await house.wake();
  assert.equal((await make(house, wish, 200)).id, job.id);
  assert.equal((await over(house, job.id)).status, "ok");
  assert.equal((await runs_of(house, job.id)).length, 1);
  assert.equal((await house.server.json(path_of(job.id), undefined, "DELETE")).status, 200);
  await house.kill();
  await house.wake();
  const why = await get(house, `/api/why/automation/${job.id}`);
  assert.equal(why.code, "removed");
  await house.close();
});
