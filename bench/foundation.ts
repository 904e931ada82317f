// Benchmarks of what everything stands on: the binary, its start, its idle, HTTP, durable writes, sockets.
import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { copyOf, fixture, rows } from "./fixtures.ts";
import { report } from "./figures.ts";
import { Skip, build, deeds, root, rouse, rssKb, scratch, since, start, startBare, startTimes, stopped, wrk, type Deeds } from "./lib.ts";

export async function binary_size() {
  report("release binary, web app inside", statSync(rouse).size / 1e6, "MB", { budget: { most: 12 } });
}

export async function start_time() {
  report("exec to /health, existing database", startTimes(await stopped("start"), 20), "ms", { budget: { most: 10 } });
  const used = copyOf(await fixture("used", rows.stored), "start_used");
  report(`… with ${rows.stored.toLocaleString("en")} conversations and jobs`, startTimes(used, 20), "ms", { budget: { most: 50 } });
}

// An empty server and one with very many conversations and jobs, side by side: what nobody uses costs nothing.
export async function idle() {
  copyOf(await fixture("used", rows.stored), "idle_used");
  const pids = [await start("idle"), await start("idle_used")].map((server) => server.process.pid!);
  await wait(5_000);
  const [emptyKb, usedKb] = pids.map(rssKb) as [number, number], before = pids.map(deeds);
  await wait(60_000);
  const [empty, used] = pids.map((pid, i) => since(before[i]!, pid)) as [Deeds, Deeds];
  const percent = ({ us }: Deeds) => us / 60e6 * 100;
  report("idle RSS 5 s after start", emptyKb / 1000, "MB", { budget: { most: 8 } });
  report("idle CPU over 60 s", percent(empty), "%", { budget: { most: 0.1 } });
  report("idle wake-ups in a minute", empty.wakes, "", { budget: { most: 2 } });
  const stored = `${rows.stored.toLocaleString("en")} conversations and jobs`;
  // Zero, but for a page or two of what a start leaves in the allocator: 4 KB is 0.04 bytes of each of 100,000.
  report(`${stored}: RSS of each`, Math.max(0, usedKb - emptyKb) * 1024 / rows.stored, "bytes", { budget: { most: 5 }, note: `${(usedKb / 1000).toFixed(2)} MB in all` });
  report("… idle CPU over 60 s", percent(used), "%", { limit: { what: "with none", value: percent(empty) }, budget: { most: 0.1 } });
  report("… idle wake-ups in a minute", used.wakes, "", { budget: { most: 2 } });
}

export async function throughput() {
  const server = await start("throughput");
  const beast = await startBare("bare_beast", 18998), epoll = await startBare("bare_epoll", 18992);
  const url = `http://127.0.0.1:${server.port}/api/me`;
  const auth = ["-H", `Authorization: Bearer ${server.token}`];
  wrk(url, 1, ...auth);
  const ours: number[] = [], beasts: number[] = [], epolls: number[] = [];
  for (let i = 0; i < 5; ++i) {  // taking turns, so that a noisy minute hits all
    epolls.push(wrk("http://127.0.0.1:18992/", 2).perSecond);
    beasts.push(wrk("http://127.0.0.1:18998/", 2).perSecond);
    const run = wrk(url, 2, ...auth);
    if (run.errors) throw new Error(`${run.errors} answers were not 2xx`);
    ours.push(run.perSecond);
  }
  for (const one of [beast, epoll, server]) await one.stop();
  report("authenticated JSON route, 64 connections", ours, "/s", { limit: { what: "bare Beast", value: beasts }, budget: { ratio_least: 0.7 } });
  report("… beside a bare loop over epoll", ours, "/s", { limit: { what: "bare epoll", value: epolls } });
}

export async function durable_writes() {
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
  report("durable writes over HTTP, 64 connections", ours, "/s",
    { limit: { what: "with an fsync for each", value: single }, budget: { ratio_least: 4 }, note: `p99 ${p99}` });
}

export async function idle_websockets() {
  const count = 10_000, files = Number(execFileSync("sh", ["-c", "ulimit -Hn"], { encoding: "utf8" }));
  if (files < count + 200) throw new Skip(`a process may open ${files} files here, and it takes ${count}`);
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
  report(`memory of each of ${count.toLocaleString("en")} open WebSockets`, (rssKb(server.process.pid!) - before) / count, "KB", { budget: { most: 12 } });
  for (const socket of sockets) socket.destroy();
  await server.stop();
}
