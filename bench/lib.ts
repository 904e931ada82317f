// What the benchmarks share: where things are, the table of figures, a server to measure, wrk.
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

export const root = resolve(import.meta.dirname, "..");
export const build = resolve(root, process.env.ROUSE_BUILD ?? "build/release");
export const rouse = join(build, "rouse");
// On the same file system as the repository: a tmpfs would make every fsync free.
export const scratch = mkdtempSync(join(root, "build/bench-"));

// --- the table -------------------------------------------------------------------------------------

interface Figure {
  name: string;
  value: string;
  limit: string;
  ok: boolean;
}
export const figures: Figure[] = [];
export function report(name: string, value: string, limit: string, ok: boolean) {
  figures.push({ name, value, limit, ok });
  console.log(`${ok ? "ok  " : "OVER"}  ${name.padEnd(52)} ${value.padStart(18)}   limit ${limit}`);
}

export const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

// --- servers to measure ----------------------------------------------------------------------------

export interface Server {
  process: ChildProcess;
  port: number;
  token: string;
  data: string;
  stop(): Promise<void>;
}

// Nothing that was started outlives this process, however it ends.
const running = new Set<ChildProcess>();
process.on("exit", () => { for (const child of running) child.kill("SIGKILL"); });
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));

function keep(child: ChildProcess): ChildProcess {
  running.add(child);
  child.on("exit", () => running.delete(child));
  return child;
}

async function end(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}

// A second start() of the same name finds the data of the first. `env` comes on top of ours.
export async function start(name: string, env: Record<string, string> = {}): Promise<Server> {
  const data = join(scratch, name);
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const child = keep(spawn(rouse, ["serve", "--data", data, "--listen", "127.0.0.1:0"],
    { stdio: ["ignore", "pipe", "ignore"], env: { ...process.env, ...env } }));
  let out = "";
  const port = await new Promise<number>((done, fail) => {
    child.stdout!.on("data", (chunk) => {
      out += chunk;
      const found = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(out);
      if (found) done(Number(found[1]));
    });
    child.on("exit", (code) => fail(new Error(`rouse ended with ${code}`)));
  });
  const token = readFileSync(join(data, "token"), "utf8").trim();
  return { process: child, port, token, data, stop: () => end(child) };
}

// A yardstick of bench/*.cc that listens on the port it is told.
export async function startBare(program: string, port: number, ...args: string[]): Promise<Server> {
  const child = keep(spawn(join(build, "bench", program), [`${port}`, ...args], { stdio: ["ignore", "ignore", "inherit"] }));
  for (let tries = 0; ; ++tries) {
    try {
      await (await fetch(`http://127.0.0.1:${port}/`)).arrayBuffer();
      break;
    } catch (problem) {
      if (tries === 100 || child.exitCode !== null) throw new Error(`${program} does not answer`, { cause: problem });
      await wait(20);
    }
  }
  return { process: child, port, token: "", data: "", stop: () => end(child) };
}

export function rssKb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]);
}

// What each thread has done: how long it was on a CPU, which the kernel counts to the nanosecond, and how often it went
// to sleep, which is how often it had been woken.
export interface Deeds { us: number; wakes: number }
export function deeds(pid: number): Map<string, Deeds> {
  const tasks = `/proc/${pid}/task`;
  return new Map(readdirSync(tasks).map((task) => [task, {
    us: Number(readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ")[0]) / 1000,
    wakes: Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(readFileSync(`${tasks}/${task}/status`, "utf8"))![1]),
  }]));
}
// A thread that is gone took its counts along; it was woken at least to end.
export function since(before: Map<string, Deeds>, pid: number): Deeds {
  const now = deeds(pid), sum = { us: 0, wakes: [...before.keys()].filter((task) => !now.has(task)).length };
  for (const [task, { us, wakes }] of now) {
    sum.us += us - (before.get(task)?.us ?? 0);
    sum.wakes += wakes - (before.get(task)?.wakes ?? 0);
  }
  return sum;
}

// --- load ------------------------------------------------------------------------------------------

// "812.00us", "24.90ms" or "1.02s", as wrk writes them.
export function toMs(text: string): number {
  const [, number, unit] = /^([\d.]+)(us|ms|s|m)$/.exec(text) ?? [];
  if (!unit) throw new Error(`'${text}' is not a time of wrk`);
  return Number(number) * { us: 0.001, ms: 1, s: 1_000, m: 60_000 }[unit as "us" | "ms" | "s" | "m"];
}

export interface WrkResult { requests: number; perSecond: number; p50: string; p99: string; errors: number }
export function wrk(url: string, seconds: number, ...args: string[]): WrkResult {
  return wrkWith({}, url, seconds, ...args);
}

// The same with an environment for the script.
export function wrkWith(env: Record<string, string>, url: string, seconds: number, ...args: string[]): WrkResult {
  const out = execFileSync("wrk", ["-t1", "-c64", `-d${seconds}s`, "--latency", ...args, url],
    { encoding: "utf8", env: { ...process.env, ...env } });
  const bad = /Non-2xx or 3xx responses: (\d+)/.exec(out);
  const broken = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(out);
  return {
    requests: Number(/^\s+(\d+) requests in/m.exec(out)![1]),
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(out)![1]),
    p50: /^\s+50%\s+(\S+)/m.exec(out)![1]!,
    p99: /^\s+99%\s+(\S+)/m.exec(out)![1]!,
    errors: Number(bad?.[1] ?? 0) + (broken?.slice(1).reduce((sum, n) => sum + Number(n), 0) ?? 0),
  };
}
