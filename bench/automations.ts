// Benchmarks of automations: a store of a million jobs (start, memory, idle, the cost of a tick), ten thousand due at
// one instant, and how late an idle server is. Jobs are written into the database while the server is stopped; the
// model is the offline one.
import { execFileSync } from "node:child_process";
import { closeSync, fsyncSync, openSync } from "node:fs";
import { Agent, get } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { build, deeds, median, report, rouse, rssKb, since, start, type Deeds, type Server } from "./lib.ts";

const million = 1_000_000, minute = 60_000, day = 86_400_000;

const file = (data: string) => join(data, "rouse.db");
const percentile = (values: number[], share: number) => values.toSorted((a, b) => a - b)[Math.floor(values.length * share)]!;
const mb = (kb: number) => (kb / 1000).toFixed(2);

// --- jobs to measure with --------------------------------------------------------------------------

interface JobRow {
  number: number;
  due: number;
  every?: number;  // once, if neither this
  cron?: string;   // nor this
  backoff?: number;  // until then its instants are settled without a run
}

// Into the database of a stopped server; synced, so that nothing of it is still on its way to the disk.
function insert(data: string, jobs: Iterable<JobRow>) {
  const database = new DatabaseSync(file(data));
  database.exec("PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF; PRAGMA cache_size=-1000000; BEGIN EXCLUSIVE");
  const row = database.prepare(`
    INSERT INTO jobs (number, workspace_id, job_id, name, message, kind, session_key, schedule_kind, at_ms, every_ms, anchor_ms,
      expr, zone, state, state_by, state_reason, state_ms, next_ms, catch_up, catch_up_max, window_ms, timeout_ms, failures,
      backoff_ms, extra, provenance, source, created_ms, updated_ms)
    VALUES (?1, 'ws_default', ?2, ?3, ?4, 'bound', ?5, ?6, ?7, ?8, ?9, ?10, 'UTC', 'active', 'api', '', ?11, ?12, 'latest', 10,
      ${7 * day}, ${10 * minute}, 0, ?13, '{}', 'owner', 'api', ?11, ?11)`);
  const now = Date.now();
  for (const { number, due, every = 0, cron = "", backoff = null } of jobs) {
    row.run(number, ((number * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, "0"), `report ${number}`,
      `Report ${number}: look at what came in since yesterday, and say in three lines what somebody has to answer.`,
      `websocket:bench-${number}`, cron ? "cron" : every ? "every" : "at", cron || every ? 0 : due,
      every, every && due - every, cron, now, due, backoff);
  }
  database.exec("COMMIT; PRAGMA journal_mode=WAL");
  database.close();
  const handle = openSync(file(data), "r+");
  fsyncSync(handle);
  closeSync(handle);
}

// Of all kinds, due at any minute of the year that begins tomorrow: none while the benchmark runs.
function* overAYear(count: number): Generator<JobRow> {
  const tomorrow = Math.ceil(Date.now() / day + 1) * day;
  for (let number = 1; number <= count; ++number) {
    const at = new Date(tomorrow + (number * 7_919 * minute) % (364 * day)), due = at.getTime();
    if (number % 3 === 0) yield { number, due };
    else if (number % 3 === 1) yield { number, due, every: 30 * day };
    else yield { number, due, cron: `${at.getUTCMinutes()} ${at.getUTCHours()} ${at.getUTCDate()} ${at.getUTCMonth() + 1} *` };
  }
}

// The data folder of a server that has run once, so that the tables are there.
async function stopped(name: string): Promise<string> {
  const server = await start(name);
  await server.stop();
  return server.data;
}

function look<T>(data: string, sql: string, ...values: number[]): T[] {
  const database = new DatabaseSync(file(data), { readOnly: true });
  try {
    return database.prepare(sql).all(...values) as T[];
  } finally {
    database.close();
  }
}

// --- a million stored ------------------------------------------------------------------------------

function startTimes(data: string, runs: number): number[] {
  const out = execFileSync(join(build, "bench/start_time"), [rouse, data, "18995", `${runs}`], { encoding: "utf8" });
  return out.split("\n")[1]!.trim().split(" ").map(Number);
}

export async function jobs_million() {
  const none = await stopped("jobs_none"), many = await stopped("jobs_million");
  insert(many, overAYear(million));

  const noneMs: number[] = [], manyMs: number[] = [];
  for (let i = 0; i < 3; ++i) {  // taking turns, so that a noisy moment hits both
    noneMs.push(...startTimes(none, 3));
    manyMs.push(...startTimes(many, 3));
  }
  const ms = median(manyMs);
  report("1,000,000 jobs: exec to /health, median of 9", `${ms.toFixed(2)} ms`, `50 ms (no jobs ${median(noneMs).toFixed(2)} ms)`, ms <= 50);

  const servers = [await start("jobs_none"), await start("jobs_million")];
  const pids = servers.map((server) => server.process.pid!);
  await wait(5_000);
  const [noneKb, manyKb] = pids.map(rssKb) as [number, number];
  report("… RSS 5 s after start", `${mb(manyKb)} MB`, `2 MB more than no jobs (${mb(noneKb)} MB)`, manyKb <= noneKb + 2_000);
  const before = pids.map(deeds);
  await wait(60_000);
  const [noneIdle, manyIdle] = pids.map((pid, i) => since(before[i]!, pid)) as [Deeds, Deeds];
  const percent = ({ us }: Deeds) => us / 60e6 * 100;
  report("… idle CPU over 60 s", `${percent(manyIdle).toFixed(3)} %`, `0.1 % (no jobs ${percent(noneIdle).toFixed(3)} %)`, percent(manyIdle) <= 0.1);
  report("… idle wake-ups in a minute", `${manyIdle.wakes}`, `2 (no jobs ${noneIdle.wakes})`, manyIdle.wakes <= 2);
  for (const server of servers) await server.stop();
  await tickCost(none, many);
}

// A hundred instants, each alone in its tick. They are settled without a run: a turn would cost far more than the tick.
async function tickCost(none: string, many: string) {
  const count = 100, apart = 50, first = Date.now() + 4_000;
  for (const data of [none, many]) {
    insert(data, Array.from({ length: count }, (_, i) =>
      ({ number: million + 1 + i, due: first + i * apart, every: day, backoff: first + day })));
  }
  const servers = [await start("jobs_none"), await start("jobs_million")];
  await wait(first - 500 - Date.now());
  const before = servers.map((server) => deeds(server.process.pid!));
  await wait(first + count * apart + 500 - Date.now());
  const [noneUs, manyUs] = servers.map((server, i) => since(before[i]!, server.process.pid!).us / count) as [number, number];
  for (const server of servers) await server.stop();
  for (const data of [none, many]) {
    const [settled] = look<{ count: number }>(data, "SELECT COUNT(*) AS count FROM occurrences WHERE due_ms >= ?", first);
    if (settled!.count !== count) throw new Error(`${settled!.count} instants were settled, not ${count}`);
  }
  const ratio = manyUs / noneUs;
  report("… CPU of a tick that settles one instant", `${manyUs.toFixed(0)} us`, `(no other jobs ${noneUs.toFixed(0)} us)`, true);
  report("… of the same with no other jobs, same run", `${ratio.toFixed(2)} x`, "1.5 x", ratio <= 1.5);
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
  insert(data, Array.from({ length: count }, (_, i) => ({ number: i + 1, due })));
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
  report(`${count} due at one instant, the last one claimed after`, `${ms} ms`, `${limitMs} ms (read as due after ${last - due} ms)`, ms <= limitMs);
  const p99 = (from: number, to: number) => percentile(took.filter(({ at }) => at >= from && at < to).map(({ ms }) => ms), 0.99);
  const before = p99(0, due), during = p99(due, claimed), after = p99(claimed, Infinity);
  report("… API reads while they are claimed, p99", `${during.toFixed(1)} ms`, `${readLimitMs} ms (before ${before.toFixed(1)} ms)`, during <= readLimitMs);
  report("… API reads while they run, p99", `${after.toFixed(1)} ms`, `${readLimitMs} ms (${ran} ran in 5 s)`, after <= readLimitMs);
}

// --- lateness --------------------------------------------------------------------------------------

export async function jobs_lateness() {
  const count = 200, apart = 100, limitMs = 50;
  const data = await stopped("jobs_lateness");
  const first = Date.now() + 3_000;
  insert(data, Array.from({ length: count }, (_, i) => ({ number: i + 1, due: first + i * apart })));
  const server = await start("jobs_lateness");
  await wait(first + count * apart + 1_000 - Date.now());
  await server.stop();
  const late = look<{ ms: number }>(data, "SELECT claimed_ms - due_ms AS ms FROM occurrences").map(({ ms }) => ms);
  if (late.length !== count) throw new Error(`${late.length} of ${count} came`);
  const p99 = percentile(late, 0.99);
  report(`lateness of ${count} one-shots on an idle server, p99`, `${p99} ms`, `${limitMs} ms (p50 ${median(late)} ms)`, p99 <= limitMs);
}
