// What the benchmarks share: where things are, a server to measure, what it used, and load.
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { median, type Spread } from "./figures.ts";

export const root = resolve(import.meta.dirname, "..");
export const build = resolve(root, process.env.ROUSE_BUILD ?? "build/release");
export const rouse = process.env.ROUSE_BINARY ?? join(build, "rouse");
// `make bench-full`: millions of rows; else a hundred thousand at most.
export const full = process.argv.includes("--full");
// On the same file system as the repository: a tmpfs would make every fsync free.
mkdirSync(join(root, "build"), { recursive: true });
export const scratch = mkdtempSync(join(root, "build/bench-"));

// A benchmark that can't run here says why.
export class Skip extends Error {}
export function needs(tool: string) {
  try {
    execFileSync("which", [tool], { stdio: "ignore" });
  } catch {
    throw new Skip(`there is no ${tool} here (scripts/install bench)`);
  }
}

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

export function keep(child: ChildProcess): ChildProcess {
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
// What a benchmark that failed left running.
export async function stopAll() {
  for (const child of running) await end(child);
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

// The data folder of a server that has run once, so that the tables are there.
export async function stopped(name: string): Promise<string> {
  const server = await start(name);
  await server.stop();
  return server.data;
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

export async function ask(server: Server, method: string, path: string, body?: object): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method, headers: { Authorization: `Bearer ${server.token}`, "Content-Type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}: ${text.slice(0, 300)}`);
  return text;
}

// Milliseconds from exec to an answered /health, of each start.
export function startTimes(data: string, runs: number): number[] {
  const out = execFileSync(join(build, "bench/start_time"), [rouse, data, "18999", `${runs}`], { encoding: "utf8" });
  return out.split("\n")[1]!.trim().split(" ").map(Number);
}

// --- what it used ----------------------------------------------------------------------------------

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

// Until it does nothing any more, or ten minutes have passed.
export async function rest(server: Server) {
  for (let i = 0, calm = 0; i < 2_400 && calm < 4; ++i) {
    const before = deeds(server.process.pid!);
    await wait(250);
    calm = since(before, server.process.pid!).us < 2_000 ? calm + 1 : 0;
  }
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
  needs("wrk");
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

// What bench/drive.cc saw; times in microseconds.
export interface Driven {
  requests: number; errors: number; seconds: number; per_second: number; tokens: number; tokens_per_second: number;
  latency: Spread; first_byte: Spread; first_token: Spread; first_lag: Spread; lag: Spread;
}
export interface Drive { body: object; token?: string; connections?: number; conversations?: number; seconds: number; pauseUs?: number }
export function drive(url: string, { body, token, connections = 1, conversations = 1, seconds, pauseUs = 0 }: Drive): Driven {
  const args = [url, "--body", JSON.stringify(body), "--connections", `${connections}`, "--conversations", `${conversations}`,
    "--seconds", `${seconds}`, "--pause-us", `${pauseUs}`];
  if (token) args.push("--header", `Authorization: Bearer ${token}`);
  const seen = JSON.parse(execFileSync(join(build, "bench/drive"), args, { encoding: "utf8" })) as Driven;
  if (seen.errors > 0 || seen.requests === 0) throw new Error(`${seen.errors} of ${seen.requests} requests to ${url} failed`);
  return seen;
}

export const perSecond = (runs: { per_second: number }[]) => runs.map((run) => run.per_second);
export const spreadOf = (runs: Spread[]): Spread => ({
  p50: median(runs.map((run) => run.p50)), p90: median(runs.map((run) => run.p90)), p99: median(runs.map((run) => run.p99)),
  p999: median(runs.map((run) => run.p999)), max: Math.max(...runs.map((run) => run.max)),
});
