// A long, steady life of the real server: everything it can do, at a moderate pace, for MINUTES (30). What must not grow is
// sampled each second: memory, descriptors, the write-ahead log. The second half is held against the first; latencies and
// wake-ups are printed, since they belong to the machine.
//
//   make soak MINUTES=30
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { call, say, type Answer, type Prompt } from "../models/fault_server.ts";
import { change, each_second, make, until } from "../e2e/automation_house.ts";
import { House, Socket } from "../e2e/talk.ts";
import { Stored, at_rest, check_file, check_instants, check_numbers, check_turns } from "../e2e/torture_ledger.ts";
import { anonymous_bytes, connections_to, cpu_ms, descriptors, rss_bytes, wake_ups } from "../e2e/torture_process.ts";
import { answer } from "../e2e/torture_talkers.ts";
import { Line, actors, type Actor } from "./actors.ts";

const MINUTES = Number(process.env.MINUTES ?? 30);
const WARM_MS = MINUTES * 15_000, WARM_PACE = 8;  // first a quarter of the time, eight times as fast: caches fill to their bounds
const HALF_MS = MINUTES * 22_500;
const RSS_GROWTH = 1.05, RSS_SLACK = 1 << 20;     // the highest of the second half against the highest of the first, and a little more
const WAL_MOST = 64 << 20;    // what the store promises (docs/adr, PF-5)
const WATCHERS = 5, JOBS = 3;
const LOOKS_AT_REST = 400;    // the same count so often is at rest: ten seconds, twice as long as our own idle connections live

const mib = (bytes: number): string => `${(bytes / (1 << 20)).toFixed(1)} MiB`;
const quantile = (sorted: number[], q: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? NaN;

function think(prompt: Prompt): Answer {
  const [, number] = /^write (\d+) into a file$/.exec(prompt.turns.at(-1)?.text ?? "") ?? [];
  if (number) return call(["write_file", { path: "soak.txt", text: number }]);
  return prompt.turns.at(-1)?.role === "tool" ? say(`The tool said: ${prompt.turns.at(-1)!.text}`) : answer(prompt);
}

// --- one part --------------------------------------------------------------------------------------

interface Part { rss: number[]; anonymous: number[]; wal: number[]; fds: number; latencies: number[]; requests: number; wake_ups: number; cpu_ms: number; seconds: number }

async function live(who: Actor, from: number, pace: number, ends: () => boolean): Promise<number> {
  let n = from;
  for (let due = performance.now(); !ends(); due += who.every_ms / pace) {
    await who.act(n++).catch((problem) => { throw new Error(`${who.name}, ${n - 1}: ${problem.message}`, { cause: problem }); });
    await pause(Math.max(0, due + who.every_ms / pace - performance.now()));
  }
  return n;
}

async function part(house: House, line: Line, cast: Actor[], counts: number[], length_ms = HALF_MS, pace = 1): Promise<Part> {
  const pid = house.server.pid, began = performance.now(), requests = line.requests;
  const woken = wake_ups(pid), busy = cpu_ms(pid);
  const rss: number[] = [], anonymous: number[] = [], wal: number[] = [];
  line.latencies_ms.length = 0;
  const ends = () => performance.now() - began >= length_ms;
  const lives = Promise.all(cast.map(async (who, index) => { counts[index] = await live(who, counts[index]!, pace, ends); }));
  while (!ends()) {
    rss.push(rss_bytes(pid));
    anonymous.push(anonymous_bytes(pid));
    wal.push(statSync(join(house.data, "rouse.db-wal")).size);
    house.models.requests.length = 0;  // what the test itself remembers
    await Promise.race([pause(1_000), lives]);
  }
  await lives;
  line.hang_up();
  const seconds = (performance.now() - began) / 1000;
  return { rss, anonymous, wal, fds: descriptors(pid), latencies: line.latencies_ms.toSorted((a, b) => a - b), requests: line.requests - requests, wake_ups: wake_ups(pid) - woken, cpu_ms: cpu_ms(pid) - busy, seconds };
}

// The descriptors once nothing runs and nobody but the watchers is connected. Connections to the model are kept for 45 s, a
// bounded number of them, and not counted.
async function at_lull(house: House, jobs: any[], expected?: number): Promise<number> {
  for (const job of jobs) await change(house, job.id, "/pause");
  for (const job of jobs) await at_rest(house, job.id);
  let last = -1, same = 0;
  const count = await until("the descriptors come to rest", async () => {
    const now = descriptors(house.server.pid) - connections_to(house.server.pid, house.models.port);
    same = now === last ? same + 1 : 0;
    last = now;
    return (now === expected || same >= LOOKS_AT_REST) && now;
  });
  for (const job of jobs) await change(house, job.id, "/resume");
  return count;
}

function tell(name: string, one: Part): void {
  console.log(`${name}: ${one.requests} requests in ${one.seconds.toFixed(0)} s, p50 ${quantile(one.latencies, 0.5).toFixed(1)} ms, p99 ${quantile(one.latencies, 0.99).toFixed(1)} ms; ` +
    `RSS at most ${mib(Math.max(...one.rss))}, heap ${mib(one.anonymous[0]!)} to ${mib(one.anonymous.at(-1)!)}; WAL at most ${mib(Math.max(...one.wal))}; ` +
    `${one.fds} descriptors; ${(one.wake_ups / one.seconds).toFixed(0)} wake-ups/s, CPU ${(one.cpu_ms / one.seconds / 10).toFixed(1)} %`);
}

// --- both ------------------------------------------------------------------------------------------

test(`${MINUTES} minutes of everything: nothing grows`, async () => {
  const house = await House.start({ model: "openai", script: () => ({ answer: think }), config: { automations: { stagger_ms: 0 }, activity: { idle_seconds: 10 } } });
  const line = new Line(house), cast = actors(line), counts = cast.map(() => 0);
  const jobs: any[] = [];
  for (let n = 0; n < JOBS; ++n) jobs.push(await make(house, { message: `${n % 2 ? "sum" : "plain"} ${n} for the job`, session_key: `websocket:job${n}`, schedule: each_second }));
  const watchers = await Promise.all(Array.from({ length: WATCHERS }, () => Socket.open(house.server)));
  const forget = setInterval(() => watchers.forEach((one) => (one.frames.length = 0)), 5_000);

  const warm = await part(house, line, cast, counts, WARM_MS, WARM_PACE);
  tell("warming up ", warm);
  const first = await part(house, line, cast, counts);
  first.fds = await at_lull(house, jobs);
  tell("first half ", first);
  const second = await part(house, line, cast, counts);
  second.fds = await at_lull(house, jobs, first.fds);
  tell("second half", second);
  clearInterval(forget);

  assert.ok(Math.max(...second.rss) <= Math.max(...first.rss) * RSS_GROWTH + RSS_SLACK, "memory grew");
  assert.equal(second.fds, first.fds, "descriptors");
  assert.ok(Math.max(...warm.wal, ...first.wal, ...second.wal) <= WAL_MOST, "the write-ahead log grew");
  assert.ok(watchers.every((one) => !one.closed), "a page that watched was dropped");

  for (const job of jobs) await change(house, job.id, "/pause");
  for (const job of jobs) await at_rest(house, job.id);
  for (const one of watchers) one.close();
  await house.close();
  const stored = new Stored(house.data);
  check_file(stored);
  check_numbers(stored);
  assert.equal(check_turns(stored).doubled, 0, "closures doubled");
  for (const job of jobs) assert.equal(check_instants(stored, job.id, each_second.every_ms).undecided, 0, "instants without disposition");
  stored.close();
});
