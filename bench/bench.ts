// Every benchmark, each figure beside its limit: node bench/bench.ts [NAME…]. Servers and clients run on
// loopback, bounded in count and time. Times on shared machines are noisy: ratios are taken within one run.
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, mkdirSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join, resolve } from "node:path";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";

const root = resolve(import.meta.dirname, "..");
const build = join(root, "build/release");
const rouse = join(build, "rouse");
// On the same file system as the repository: a tmpfs would make every fsync free.
const scratch = mkdtempSync(join(root, "build/bench-"));

interface Figure {
  name: string;
  value: string;
  limit: string;
  ok: boolean;
}
const figures: Figure[] = [];
function report(name: string, value: string, limit: string, ok: boolean) {
  figures.push({ name, value, limit, ok });
  console.log(`${ok ? "ok  " : "OVER"}  ${name.padEnd(52)} ${value.padStart(18)}   limit ${limit}`);
}

// --- a server to measure ---------------------------------------------------------------------------

interface Server {
  process: ChildProcess;
  port: number;
  token: string;
  stop(): Promise<void>;
}

async function start(name: string): Promise<Server> {
  const data = join(scratch, name);
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const child = spawn(rouse, ["serve", "--data", data, "--listen", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "ignore"] });
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
  return {
    process: child, port, token,
    async stop() {
      child.removeAllListeners("exit");
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    },
  };
}

function rssKb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]);
}

// CPU ticks and how often any thread went to sleep, which is how often it had been woken.
function activity(pid: number) {
  let ticks = 0, switches = 0;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const stat = readFileSync(`/proc/${pid}/task/${task}/stat`, "utf8").split(") ")[1]!.split(" ");
    ticks += Number(stat[11]) + Number(stat[12]);
    switches += Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/task/${task}/status`, "utf8"))![1]);
  }
  return { ticks, switches };
}

interface WrkResult { perSecond: number; p99: string; errors: number }
function wrk(url: string, seconds: number, ...args: string[]): WrkResult {
  const out = execFileSync("wrk", ["-t1", "-c64", `-d${seconds}s`, "--latency", ...args, url], { encoding: "utf8" });
  const bad = /Non-2xx or 3xx responses: (\d+)/.exec(out);
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(out)![1]),
    p99: /99%\s+(\S+)/.exec(out)![1]!,
    errors: bad ? Number(bad[1]) : 0,
  };
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

// --- the benchmarks --------------------------------------------------------------------------------

async function binary_size() {
  const mb = statSync(rouse).size / 1e6;
  report("release binary, web app inside", `${mb.toFixed(2)} MB`, "12 MB", mb <= 12);
}

async function start_time() {
  const first = await start("start");
  await first.stop();
  const out = execFileSync(join(build, "bench/start_time"), [rouse, join(scratch, "start"), "18999", "20"], { encoding: "utf8" });
  const ms = Number(out.split("\n")[0]);
  report("exec to /health answering, median of 20", `${ms.toFixed(2)} ms`, "10 ms", ms <= 10);
}

async function idle() {
  const server = await start("idle");
  await wait(5_000);
  const kb = rssKb(server.process.pid!);
  report("idle RSS 5 s after start", `${(kb / 1000).toFixed(2)} MB`, "8 MB", kb <= 8_000);
  const before = activity(server.process.pid!);
  await wait(60_000);
  const after = activity(server.process.pid!);
  const percent = (after.ticks - before.ticks) / (60 * 100) * 100;
  const wakes = after.switches - before.switches;
  report("idle CPU over 60 s", `${percent.toFixed(3)} %`, "0.1 %", percent <= 0.1);
  report("idle wake-ups in a minute", `${wakes}`, "2", wakes <= 2);
  await server.stop();
}

async function throughput() {
  const server = await start("throughput");
  const bare = spawn(join(build, "bench/bare_beast"), ["18998"], { stdio: "ignore" });
  await wait(300);
  const url = `http://127.0.0.1:${server.port}/api/me`;
  const auth = ["-H", `Authorization: Bearer ${server.token}`];
  wrk(url, 1, ...auth);
  const ours: number[] = [], theirs: number[] = [];
  for (let i = 0; i < 5; ++i) {  // taking turns, so that a noisy minute hits both
    theirs.push(wrk("http://127.0.0.1:18998/", 2).perSecond);
    const run = wrk(url, 2, ...auth);
    if (run.errors) throw new Error(`${run.errors} answers were not 2xx`);
    ours.push(run.perSecond);
  }
  bare.kill();
  await server.stop();
  const ratio = median(ours.map((v, i) => v / theirs[i]!)) * 100;
  report("authenticated JSON route, 64 connections", `${median(ours).toFixed(0)}/s`, `(bare Beast ${median(theirs).toFixed(0)}/s)`, true);
  report("… of a bare Beast server in the same run", `${ratio.toFixed(0)} %`, "70 % at least", ratio >= 70);
}

async function durable_writes() {
  const server = await start("writes");
  const url = `http://127.0.0.1:${server.port}/kernel/workspaces`;
  const args = ["-s", join(root, "bench/new_workspace.lua"), "-H", `Authorization: Bearer ${server.token}`];
  const ours: number[] = [], single: number[] = [];
  let p99 = "";
  for (let i = 0; i < 5; ++i) {
    single.push(Number(execFileSync(join(build, "bench/fsync_rate"), [scratch, "1000"], { encoding: "utf8" })));
    const run = wrk(url, 3, ...args);
    if (run.errors) throw new Error(`${run.errors} answers were not 2xx`);
    ours.push(run.perSecond);
    p99 = run.p99;
  }
  await server.stop();
  const ratio = median(ours.map((v, i) => v / single[i]!));
  report("durable writes over HTTP, 64 connections", `${median(ours).toFixed(0)}/s`, `(p99 ${p99})`, true);
  report("… against one fsync a write on this disk", `${ratio.toFixed(1)} x`, `4 x at least (${median(single).toFixed(0)}/s)`, ratio >= 4);
}

async function idle_websockets() {
  const count = 10_000;
  const server = await start("websockets");
  const before = rssKb(server.process.pid!);
  const sockets: Socket[] = [];
  const handshake = [
    "GET /ws HTTP/1.1", "Host: 127.0.0.1", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", `Authorization: Bearer ${server.token}`, "", ""].join("\r\n");
  const open = () => new Promise<void>((done, fail) => {
    const socket = connect(server.port, "127.0.0.1", () => socket.write(handshake));
    let text = "";
    socket.on("error", fail);
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (text.includes('"type":"health"')) done();
      else if (!text.startsWith("HTTP/1.1 101")) fail(new Error(text.slice(0, 200)));
    });
    sockets.push(socket);
  });
  for (let at = 0; at < count; at += 200) await Promise.all(Array.from({ length: 200 }, open));
  await wait(2_000);
  const kb = (rssKb(server.process.pid!) - before) / count;
  report(`${count} idle WebSockets, memory each`, `${kb.toFixed(2)} KB`, "12 KB", kb <= 12);
  for (const socket of sockets) socket.destroy();
  await server.stop();
}

const all: Record<string, () => Promise<void>> = { binary_size, start_time, idle, throughput, durable_writes, idle_websockets };
const wanted = process.argv.slice(2);
try {
  for (const [name, run] of Object.entries(all)) {
    if (wanted.length === 0 || wanted.includes(name)) await run();
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
const over = figures.filter((f) => !f.ok).length;
console.log(over ? `${over} of ${figures.length} figures are over their limit` : `all ${figures.length} figures within their limits`);
process.exit(over ? 1 : 0);
