// Clients that are slow, silent, half gone or hostile, many at a time: memory stays within a bound, and whoever behaves is
// served meanwhile.
import assert from "node:assert/strict";
import { connect, type Socket as Tcp } from "node:net";
import { after, test } from "node:test";
import { until } from "./automation_house.ts";
import type { Server } from "./server.ts";
import { House, Socket } from "./talk.ts";
import { rss_bytes } from "./torture_process.ts";

const MIB = 1 << 20;
// Memory that the server may take for its own work, whoever comes; and for each connection that has asked for nothing yet.
const OWN_NEEDS = 16 * MIB, EACH = 64 << 10;
const QUEUE = MIB;  // what may wait for one page (docs/websocket.md)
const open_sockets = new Set<Tcp>();
after(() => open_sockets.forEach((socket) => socket.destroy()));

// A connection of bytes. It reads only what it is told to.
function raw(server: Server, first: string): { socket: Tcp; closed: Promise<void>; text: () => string } {
  let text = "";
  const socket = connect(server.port, "127.0.0.1", () => socket.write(first));
  open_sockets.add(socket);
  socket.on("error", () => {});
  socket.on("data", (chunk) => (text += chunk.toString("latin1")));
  const closed = new Promise<void>((done) => socket.once("close", () => { open_sockets.delete(socket); done(); }));
  return { socket, closed, text: () => text };
}
const several = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));
const head = (server: Server, path: string, more = ""): string =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${server.token}\r\n${more}\r\n`;
const metric = async (server: Server, name: string): Promise<number> =>
  Number(new RegExp(`^${name} (\\d+)`, "m").exec(await (await server.fetch("/metrics")).text())![1]);

// The highest that memory came to while this went on, and that somebody who behaves was answered all the time.
async function watched(house: House, what: () => Promise<void>): Promise<{ grown: number; served: number }> {
  const pid = house.server.pid, before = rss_bytes(pid);
  let most = before, served = 0, over = false;
  const work = what().finally(() => (over = true));
  do {
    const { status } = await house.chat("well-behaved", `my name is Ada${served}`);
    assert.equal(status, 200);
    ++served;
    most = Math.max(most, rss_bytes(pid));
  } while (!over);
  await work;
  return { grown: most - before, served };
}

test("200 that write a byte at a time, or half a head and no more", async () => {
  const house = await House.start(), { server } = house;
  const request = head(server, "/api/me");
  const { grown, served } = await watched(house, async () => {
    const slow = several(100, () => raw(server, ""));
    const halves = several(50, () => raw(server, request.slice(0, 40)));
    const half_closed = several(50, () => { const one = raw(server, request.slice(0, 40)); one.socket.once("connect", () => one.socket.end()); return one; });
    for (const byte of request) {
      for (const one of slow) one.socket.write(byte);
      await new Promise(setImmediate);
    }
    await until("all slow ones have their answer", async () => slow.every((one) => /^HTTP\/1\.1 200 /.test(one.text())));
    for (const one of slow) one.socket.destroy();
    await Promise.all(half_closed.map((one) => one.closed));
    await Promise.all(halves.map((one) => one.closed));  // the deadline of a head
    for (const one of halves) assert.match(one.text(), /^(HTTP\/1\.1 408 |$)/);
  });
  assert.ok(grown < 200 * EACH, `memory grew by ${grown}`);
  console.log(`slow writers: memory grew by at most ${(grown / MIB).toFixed(1)} MiB, ${served} others served`);
  await house.close();
});

test("heads without an end, bodies that never come", async () => {
  const house = await House.start(), { server } = house;
  const field = `X-Much: ${"m".repeat(1000)}\r\n`;
  const { grown, served } = await watched(house, async () => {
    const giants = several(100, () => raw(server, head(server, "/api/me", field.repeat(40))));
    await Promise.all(giants.map((one) => one.closed));
    for (const one of giants) assert.match(one.text(), /^HTTP\/1\.1 431 /);
    const many = several(20, () => raw(server, head(server, "/api/me", "A: b\r\n".repeat(2_000))));
    await Promise.all(many.map((one) => one.closed));
    for (const one of many) assert.match(one.text(), /^HTTP\/1\.1 431 /);
    // Announced and not sent: nothing is kept ready for what doesn't come.
    const announced = several(100, () => raw(server, head(server, "/api/chat", "Content-Type: application/json\r\nContent-Length: 1000000\r\n").replace("GET", "POST")));
    const too_large = several(20, () => raw(server, head(server, "/api/chat", "Content-Type: application/json\r\nContent-Length: 99999999999\r\n").replace("GET", "POST")));
    await Promise.all(too_large.map((one) => one.closed));
    for (const one of too_large) assert.match(one.text(), /^HTTP\/1\.1 413 /);
    for (const one of announced) one.socket.destroy();
    await Promise.all(announced.map((one) => one.closed));
  });
  assert.ok(grown < 240 * EACH, `memory grew by ${grown}`);
  assert.ok(await metric(server, "rouse_bad_requests_total") >= 120);
  console.log(`giant heads: memory grew by at most ${(grown / MIB).toFixed(1)} MiB, ${served} others served`);
  await house.close();
});

test("20 pages that never read are dropped at their bound, and a page that reads misses nothing", async () => {
  const house = await House.start(), { server } = house, deaf = 20;
  const key = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
  const before = rss_bytes(server.pid);
  const pages = several(deaf, () => { const one = raw(server, head(server, "/ws", key)); one.socket.pause(); return one; });
  await until("they are connected", async () => (await metric(server, "rouse_websockets")) === deaf);
  const reader = await Socket.open(server), from = reader.frames[0].seq;
  let most = before, said = 0;
  const dropped = () => metric(server, "rouse_slow_clients_dropped_total");
  const text = "word ".repeat(40_000);
  for (; (await dropped()) < deaf; ++said) {
    assert.ok(said < 2_000, "they are never dropped");
    assert.equal((await house.chat(`talk-${said % 50}`, `${said} ${text}`)).status, 200);
    most = Math.max(most, rss_bytes(server.pid));
  }
  assert.ok(most - before < deaf * QUEUE + OWN_NEEDS, `memory grew by ${most - before}`);
  await until("they are gone", async () => (await metric(server, "rouse_websockets")) === 1);
  reader.send({ type: "ping" });
  await reader.next((frame) => frame.type === "pong");
  const seqs = reader.frames.filter((frame) => frame.type !== "hello" && frame.seq !== undefined).map((frame) => frame.seq);
  assert.deepEqual(seqs, seqs.map((_, index) => from + 1 + index), "every event, in order");
  assert.ok(seqs.length >= said * 2);
  reader.close();
  for (const one of pages) one.socket.destroy();
  console.log(`${deaf} deaf pages: dropped after ${said} messages, memory grew by at most ${((most - before) / MIB).toFixed(1)} MiB, ${((rss_bytes(server.pid) - before) / MIB).toFixed(1)} MiB are left`);
  await house.close();
});

test("answers that nobody reads wait within a bound", async () => {
  const house = await House.start(), { server } = house, deaf = 40;
  for (let n = 0; n < 30; ++n) assert.equal((await house.chat("large", `${n} ${"word ".repeat(20_000)}`)).status, 200);
  const whole = (await (await server.fetch("/api/conversations/large/messages?limit=200")).text()).length;
  const before = rss_bytes(server.pid);
  const { grown, served } = await watched(house, async () => {
    const readers = several(deaf, (index) => {
      const paths = ["/api/conversations/large/messages?limit=200", "/api/conversations/large/export"];
      const one = raw(server, head(server, paths[index % paths.length]!));
      one.socket.pause();
      return one;
    });
    await until("they are connected", async () => (await metric(server, "rouse_connections")) > deaf);
    for (let n = 0; n < 20; ++n) assert.equal((await server.fetch("/health")).status, 200);
    for (const one of readers) one.socket.destroy();
    await Promise.all(readers.map((one) => one.closed));
    await until("they are gone", async () => (await metric(server, "rouse_connections")) < deaf);
  });
  assert.ok(grown < deaf * whole + OWN_NEEDS, `memory grew by ${grown}`);
  console.log(`${deaf} that don't read ${(whole / MIB).toFixed(1)} MiB: memory grew by at most ${(grown / MIB).toFixed(1)} MiB, ${((rss_bytes(server.pid) - before) / MIB).toFixed(1)} MiB are left, ${served} others served`);
  await house.close();
});
