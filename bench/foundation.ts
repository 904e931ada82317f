// Benchmarks of what everything stands on: the binary, its start, its idle, HTTP, durable writes, sockets.
import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { build, deeds, median, report, root, rouse, rssKb, scratch, since, start, startBare, wrk } from "./lib.ts";

export async function binary_size() {
  const mb = statSync(rouse).size / 1e6;
  report("release binary, web app inside", `${mb.toFixed(2)} MB`, "12 MB", mb <= 12);
}

export async function start_time() {
  const first = await start("start");
  await first.stop();
  const out = execFileSync(join(build, "bench/start_time"), [rouse, join(scratch, "start"), "18999", "20"], { encoding: "utf8" });
  const ms = Number(out.split("\n")[0]);
  report("exec to /health answering, median of 20", `${ms.toFixed(2)} ms`, "10 ms", ms <= 10);
}

export async function idle() {
  const server = await start("idle");
  await wait(5_000);
  const kb = rssKb(server.process.pid!);
  report("idle RSS 5 s after start", `${(kb / 1000).toFixed(2)} MB`, "8 MB", kb <= 8_000);
  const before = deeds(server.process.pid!);
  await wait(60_000);
  const { us, wakes } = since(before, server.process.pid!);
  const percent = us / 60_000_000 * 100;
  report("idle CPU over 60 s", `${percent.toFixed(3)} %`, "0.1 %", percent <= 0.1);
  report("idle wake-ups in a minute", `${wakes}`, "2", wakes <= 2);
  await server.stop();
}

export async function throughput() {
  const server = await start("throughput");
  const bare = await startBare("bare_beast", 18998);
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
  await bare.stop();
  await server.stop();
  const ratio = median(ours.map((v, i) => v / theirs[i]!)) * 100;
  report("authenticated JSON route, 64 connections", `${median(ours).toFixed(0)}/s`, `(bare Beast ${median(theirs).toFixed(0)}/s)`, true);
  report("… of a bare Beast server in the same run", `${ratio.toFixed(0)} %`, "70 % at least", ratio >= 70);
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
  const ratio = median(ours.map((v, i) => v / single[i]!));
  report("durable writes over HTTP, 64 connections", `${median(ours).toFixed(0)}/s`, `(p99 ${p99})`, true);
  report("… against one fsync a write on this disk", `${ratio.toFixed(1)} x`, `4 x at least (${median(single).toFixed(0)}/s)`, ratio >= 4);
}

export async function idle_websockets() {
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
