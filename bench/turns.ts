// Benchmarks of the turn, with a model on the same machine that answers at once: what a turn adds to the two fsyncs it
// can't do without, how many there are in a second and how long they take, what is sent, and what stays in memory and
// on disk.
import { execFileSync } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { report } from "./figures.ts";
import { House, askModel, modelPort } from "./house.ts";
import { ask, build, full, perSecond, root, rssKb, scratch, spreadOf, startBare, stopped, wrkWith, type Driven } from "./lib.ts";

const relayPort = 18995;
const completions = `http://127.0.0.1:${modelPort}/v1/chat/completions`;

export async function turn_request_size() {
  const house = await House.open("turn_request_size");
  await house.turn("size", "hi");
  const { requests, max_body_bytes } = await house.stats();
  await house.close();
  report("request body of a turn that says 'hi'", max_body_bytes, "bytes", { budget: { most: 8_192 }, note: `default tools, ${requests} request${requests === 1 ? "" : "s"}` });
}

// A beat that must ask, after a hundred things happened, and one that can't have anything to say.
export async function heartbeat_request_size() {
  const name = "heartbeat_size", data = await stopped(name);
  writeFileSync(join(data, "heartbeat.json"), JSON.stringify({ active_hours: null, quiet_after_message_minutes: 0 }));
  writeFileSync(join(data, "heartbeat-prompt.md"), "- If something that was promised is still open, remind me of it. (on change)\n");
  const database = new DatabaseSync(join(data, "rouse.db")), now = Date.now();
  const row = database.prepare("INSERT INTO activity (id, ts, type, summary, workspace_id, details) VALUES (?, ?, 'message', ?, 'ws_default', '{}')");
  for (let i = 0; i < 100; ++i) row.run(i + 1, now - (100 - i) * 60_000, `Wrote to Ada about part ${i} of the plan. She has not answered yet; 7 of 8 tests pass.`);
  database.close();
  const house = await House.open(name);
  const beat = async () => {
    const before = await house.stats();
    await ask(house.server, "POST", "/api/heartbeat/run", {});
    return (await house.stats()).requests - before.requests;
  };
  const asked = await beat(), { last_body_bytes } = await house.stats(), quiet = await beat();
  await house.close();
  if (asked !== 1) throw new Error(`the first beat made ${asked} calls`);
  report("request body of a heartbeat", last_body_bytes, "bytes", { budget: { most: 16_384 } });
  report("model calls of a heartbeat when nothing can have changed", quiet, "", { budget: { most: 0 } });
}

// Two bare fsyncs, one after the other, on the disk that the server writes to; or each after a pause, as a turn has them.
export function fsyncPairs(milliseconds: number, apartUs = 0): { p50Us: number; p99Us: number } {
  const [p50Us, p99Us] = execFileSync(join(build, "bench/fsync_pairs"), [scratch, `${milliseconds}`, `${apartUs}`], { encoding: "utf8" }).split(" ").map(Number);
  return { p50Us: p50Us!, p99Us: p99Us! };
}

export async function turn_latency() {
  const house = await House.open("turn_latency");
  await house.load(1, 1);
  const relay = await startBare("bare_relay", relayPort, `${modelPort}`, "/v1/chat/completions", scratch);
  const turn50s: number[] = [], turn99s: number[] = [];
  const p50s: number[] = [], p99s: number[] = [], bare50s: number[] = [], bare99s: number[] = [], paced50s: number[] = [], paced99s: number[] = [], models: number[] = [];
  for (let i = 0; i < 7; ++i) {  // taking turns, so that a noisy minute of the disk hits both
    const bare = fsyncPairs(2_000), paced = fsyncPairs(1_000, 200);
    const run = await house.load(2, 1);
    const bytes = (await house.stats()).last_body_bytes;
    const model = askModel(completions, bytes, { seconds: 1 }).latency.p50;
    const bareTurn = askModel(`http://127.0.0.1:${relayPort}/`, bytes, { seconds: 1 }).latency;
    turn50s.push((bareTurn.p50 - model) / 1000);
    turn99s.push((bareTurn.p99 - model) / 1000);
    models.push(model / 1000);
    p50s.push((run.latency.p50 - model) / 1000);  // what the turn adds to the model
    p99s.push((run.latency.p99 - model) / 1000);
    bare50s.push(bare.p50Us / 1000);
    bare99s.push(bare.p99Us / 1000);
    paced50s.push(paced.p50Us / 1000);
    paced99s.push(paced.p99Us / 1000);
  }
  await relay.stop();
  await house.close();
  report("two bare fsyncs, 0.2 ms before each, p50 (to compare)", paced50s, "ms");
  report("… their p99", paced99s, "ms");
  report("a bare turn, nothing but the model and two fsyncs: what it adds, p50 (to compare)", turn50s, "ms", { limit: { what: "two bare fsyncs", value: bare50s } });
  report("… its p99", turn99s, "ms", { limit: { what: "two bare fsyncs", value: bare99s } });
  report("the model's own time (not counted below)", models, "ms");
  report("added latency of a durable turn, one conversation, p50", p50s, "ms", { limit: { what: "two bare fsyncs", value: bare50s }, budget: { ratio_most: 2.5 } });
  report("… its p99", p99s, "ms", { limit: { what: "two bare fsyncs", value: bare99s }, budget: { ratio_most: 2 } });
}

// A turn is two durable steps, so half of what a bare group-commit server answers is as many as there could be.
export async function turn_rate() {
  const bare = await startBare("bare_group_commit", 18997, join(scratch, "turn_rate_bare.db"));
  const bareTurns = (connections: number) => wrkWith({}, `http://127.0.0.1:${bare.port}/`, 2, `-c${connections}`, "-s", join(root, "bench/resolve.lua")).perSecond / 2;
  for (const conversations of [1, 8, 64, 2_000]) {
    const connections = conversations === 1 ? 1 : 64;
    const house = await House.open(`turn_rate_${conversations}`);
    await house.load(2, conversations, { connections });  // each has begun before the clock starts
    const runs: Driven[] = [], theirs: number[] = [];
    for (let i = 0; i < 5; ++i) {
      theirs.push(bareTurns(connections));
      runs.push(await house.load(2, conversations, { connections }));
    }
    await house.close();
    const spread = spreadOf(runs.map((run) => run.latency)), ms = (us: number) => (us / 1000).toFixed(2);
    report(`durable turns, ${conversations.toLocaleString("en")} conversation${conversations > 1 ? "s" : ""}, ${connections} connection${connections > 1 ? "s" : ""}`, perSecond(runs), "/s", {
      limit: { what: "bare group commit, two a turn", value: theirs }, spread, ...(connections > 1 ? { budget: { least: 2_000 } } : {}),
      note: `p50 ${ms(spread.p50)}, p90 ${ms(spread.p90)}, p99 ${ms(spread.p99)}, p99.9 ${ms(spread.p999)} ms` });
  }
  await bare.stop();
}

export async function turn_memory() {
  const [early, late] = [20_000, full ? 200_000 : 60_000] as const, conversations = 200;
  const house = await House.open("turn_memory");
  const deadline = Date.now() + 15 * 60_000;
  let turns = 0;
  const rssAfter = async (count: number) => {
    while (turns < count) {
      if (Date.now() > deadline) throw new Error(`only ${turns} turns in a quarter of an hour`);
      turns += (await house.load(5, conversations)).requests;
    }
    await wait(5_000);  // what follows a turn, such as the search index, is done by then
    return rssKb(house.server.process.pid!);
  };
  const before = await rssAfter(early), after = await rssAfter(late);
  await house.close();
  report(`RSS after ${turns.toLocaleString("en")} turns over that after ${early.toLocaleString("en")}`, (after - before) / 1000, "MB", { budget: { most: 2 }, note: `${(after / 1000).toFixed(2)} MB` });
}

// What is on disk after the server has stopped in order, with turns and without; the words themselves are the least.
export async function turn_disk() {
  const words = "And what will the weather be like in Lisbon tomorrow?".length + "ok".length, name = "turn_disk";
  const size = () => statSync(join(scratch, name, "rouse.db")).size;
  const first = await House.open(name);
  await first.load(1, 200);
  await first.close();
  const before = size(), house = await House.open(name);
  const { requests } = await house.load(4, 200);
  await wait(3_000);  // the search index is done by then
  await house.close();
  // Bytes a turn are kilobytes for a thousand.
  report("disk for 1,000 turns, search index included", (size() - before) / requests, "KB", { limit: { what: "the words alone", value: words }, note: `${requests.toLocaleString("en")} turns` });
}
