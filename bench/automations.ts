// Benchmarks of automations: a store of very many jobs (start, the cost of a tick; idle is in foundation.ts), ten
// thousand due at one instant, and how late an idle server is. Jobs are written into the database while the server is stopped; the
// model is the offline one.
import { execFileSync } from "node:child_process";
import { Agent, get } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { copyOf, fixture, insertJobs as insert, rows } from "./fixtures.ts";
import { median, percentile, report } from "./figures.ts";
import { build, deeds, scratch, since, start, startTimes, stopped, type Server } from "./lib.ts";

const day = 86_400_000;
const file = (data: string) => join(data, "rouse.db");

function look<T>(data: string, sql: string, ...values: number[]): T[] {
  const database = new DatabaseSync(file(data), { readOnly: true });
  try {
    return database.prepare(sql).all(...values) as T[];
  } finally {
    database.close();
  }
}

// --- very many stored ------------------------------------------------------------------------------

export async function jobs_stored() {
  const stored = rows.stored.toLocaleString("en");
  const none = await stopped("jobs_none"), many = copyOf(await fixture("jobs", rows.stored), "jobs_many");
  const noneMs: number[] = [], manyMs: number[] = [];
  for (let i = 0; i < 9; ++i) {  // taking turns, so that a noisy moment hits both
    noneMs.push(...startTimes(none, 1));
    manyMs.push(...startTimes(many, 1));
  }
  report(`${stored} jobs: exec to /health`, manyMs, "ms", { limit: { what: "with none", value: noneMs }, budget: { most: 50 } });
  await tickCost(none, many);
}

// A hundred instants, each alone in its tick. They are settled without a run: a turn would cost far more than the tick.
async function tickCost(none: string, many: string) {
  const count = 100, apart = 50, first = Date.now() + 4_000;
  for (const data of [none, many]) {
    insert(data, Array.from({ length: count }, (_, i) =>
      ({ due: first + i * apart, every: day, backoff: first + day })));
  }
  const servers = [await start("jobs_none"), await start("jobs_many")];
  await wait(first - 500 - Date.now());
  const before = servers.map((server) => deeds(server.process.pid!));
  await wait(first + count * apart + 500 - Date.now());
  const [noneUs, manyUs] = servers.map((server, i) => since(before[i]!, server.process.pid!).us / count) as [number, number];
  for (const server of servers) await server.stop();
  for (const data of [none, many]) {
    const [settled] = look<{ count: number }>(data, "SELECT COUNT(*) AS count FROM occurrences WHERE due_ms >= ?", first);
    if (settled!.count !== count) throw new Error(`${settled!.count} instants were settled, not ${count}`);
  }
  report("… CPU of a tick that settles one instant", manyUs, "µs", { limit: { what: "with no other jobs", value: noneUs }, budget: { ratio_most: 1.5 } });
}

// --- a herd ----------------------------------------------------------------------------------------

// Asks on and on, without waiting for answers, until it is told to stop; then says what each answer took.
function reading(server: Server, paths: string[], everyMs: number): { stop(): Promise<{ at: number; ms: number }[]> } {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const asked: Promise<{ at: number; ms: number }>[] = [];
  const ask = (path: string) => new Promise<{ at: number; ms: number }>((done, fail) => {
    const at = Date.now(), began = performance.now();
    get({ host: "127.0.0.1", port: server.port, path, agent, headers: { Authorization: `Bearer ${server.token}` } }, (answer) => {
      answer.resume();
      answer.on("end", () => (answer.statusCode === 200 ? done({ at, ms: performance.now() - began }) : fail(new Error(`${path}: ${answer.statusCode}`))));
    }).on("error", fail);
  });
  const timer = setInterval(() => asked.push(...paths.map(ask)), everyMs);
  return {
    stop: async () => {
      clearInterval(timer);
      const took = await Promise.all(asked);
      agent.destroy();
      return took;
    },
  };
}

export async function jobs_herd() {
  const count = 10_000, limitMs = 1_000, readLimitMs = 50;
  const data = await stopped("jobs_herd");
  const due = Date.now() + 8_000;
  insert(data, Array.from({ length: count }, () => ({ due })));
  const server = await start("jobs_herd");
  const database = new DatabaseSync(file(data), { readOnly: true });
  const unclaimed = database.prepare("SELECT 1 FROM jobs WHERE next_ms <= ? LIMIT 1");
  await wait(due - 3_000 - Date.now());
  const reads = reading(server, ["/api/automations?limit=10", "/api/conversations"], 5);
  await wait(due - Date.now());
  while (unclaimed.get(due)) {
    if (Date.now() > due + 30_000) throw new Error("not all were claimed within 30 s");
    await wait(5);
  }
  const claimed = Date.now();
  await wait(5_000);
  const took = await reads.stop();
  const { rows, last, ran } = database.prepare(
    "SELECT COUNT(*) AS rows, MAX(claimed_ms) AS last, SUM(state = 'ok') AS ran FROM occurrences WHERE due_ms = ?").get(due) as { rows: number; last: number; ran: number };
  database.close();
  await server.stop();
  if (rows !== count) throw new Error(`${rows} occurrences of ${count}`);

  const ms = claimed - due;
  const raw = execFileSync(join(build, "bench/raw_sqlite"), [join(scratch, "herd_raw.db"), `${2 * count}`], { encoding: "utf8" });
  report(`${count.toLocaleString("en")} due at one instant, the last one claimed after`, ms, "ms", { budget: { most: limitMs }, note: `read as due after ${last - due} ms` });
  report("… claims", count / ms * 1000, "/s", { limit: { what: "of two raw rows each", value: Number(raw.split(" ")[0]) / 2 } });
  const p99 = (from: number, to: number) => percentile(took.filter(({ at }) => at >= from && at < to).map((one) => one.ms), 0.99);
  const before = p99(0, due), during = p99(due, claimed), after = p99(claimed, Infinity);
  report("… API reads while they are claimed, p99", during, "ms", { budget: { most: readLimitMs }, note: `before ${before.toFixed(1)} ms` });
  report("… API reads while they run, p99", after, "ms", { budget: { most: readLimitMs }, note: `${ran} ran in 5 s` });
}

// --- lateness --------------------------------------------------------------------------------------

export async function jobs_lateness() {
  const count = 200, apart = 100, limitMs = 50;
  const data = await stopped("jobs_lateness");
  const first = Date.now() + 3_000;
  insert(data, Array.from({ length: count }, (_, i) => ({ due: first + i * apart })));
  const server = await start("jobs_lateness");
  await wait(first + count * apart + 1_000 - Date.now());
  await server.stop();
  const late = look<{ ms: number }>(data, "SELECT claimed_ms - due_ms AS ms FROM occurrences").map(({ ms }) => ms);
  if (late.length !== count) throw new Error(`${late.length} of ${count} came`);
  report(`lateness of ${count} one-shots on an idle server, p99`, percentile(late, 0.99), "ms", { budget: { most: limitMs }, note: `p50 ${median(late)} ms` });
}
