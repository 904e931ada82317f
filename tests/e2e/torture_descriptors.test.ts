// A server that may open few files, and hundreds of connections that do nothing: whoever is connected is served, the others
// wait, nothing spins, the log says it, and when they leave everything is as before.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { connect, type Socket as Tcp } from "node:net";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { until } from "./automation_house.ts";
import type { Server } from "./server.ts";
import { House } from "./talk.ts";
import { cpu_ms, descriptors } from "./torture_process.ts";

const MOST = 48;            // descriptors that the server may have
const IDLE = 400;           // connections that do nothing
const WATCHED_MS = 2_000;   // how long its CPU time is looked at
const SPINNING = 0.5;       // of a core; a server that waits needs a hundredth of that

// One connection that stays, as a browser's.
class Kept {
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  constructor(server: Server) { this.#server = server; }

  get(path: string, body?: object): Promise<{ status: number; body: any }> {
    return new Promise((done, fail) => {
      const sent = request(this.#server.url + path, { agent: this.#agent, method: body ? "POST" : "GET", headers: { authorization: `Bearer ${this.#server.token}`, "content-type": "application/json" } }, async (answer) => {
        let text = "";
        for await (const chunk of answer) text += chunk;
        done({ status: answer.statusCode!, body: JSON.parse(text) });
      });
      sent.on("error", fail);
      sent.end(body && JSON.stringify(body));
    });
  }
  close(): void { this.#agent.destroy(); }
}

async function crowd(port: number, count: number): Promise<Tcp[]> {
  return Promise.all(Array.from({ length: count }, async () => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    await once(socket, "connect");
    return socket;
  }));
}

test(`${IDLE} idle connections on ${MOST} descriptors`, async () => {
  const house = await House.start(), { server } = house, kept = new Kept(server);
  assert.equal((await kept.get("/health")).status, 200);
  assert.equal((await kept.get("/api/chat", { session_id: "kitchen", message: "my name is Ada" })).status, 200);
  const limited = spawnSync("prlimit", ["--pid", `${server.pid}`, `--nofile=${MOST}:${MOST}`], { encoding: "utf8" });
  assert.equal(limited.status, 0, limited.stderr);
  const before = descriptors(server.pid);

  const idle = await crowd(server.port, IDLE);  // the kernel takes them, the server can't
  await until("its descriptors are used up", async () => descriptors(server.pid) >= MOST);
  await server.logged(/http\.exhausted.*new connections have to wait: .*ulimit -n/);
  const busy = cpu_ms(server.pid);
  await pause(WATCHED_MS);
  const share = (cpu_ms(server.pid) - busy) / WATCHED_MS;
  assert.ok(share < SPINNING, `it spins: ${share} of a core`);

  // Who is connected is served, and what needs no new descriptor works as ever.
  assert.equal((await kept.get("/health")).status, 200);
  assert.equal((await kept.get("/api/conversations")).status, 200);
  const told = await kept.get("/api/chat", { session_id: "kitchen", message: "what is my name?" });
  assert.equal(told.status, 200, JSON.stringify(told.body));
  assert.match(told.body.response, /Ada/);

  for (const socket of idle) socket.destroy();
  assert.equal((await fetch(`${server.url}/health`)).status, 200, "a new one is taken again, without a restart");
  await until("its descriptors are free again", async () => descriptors(server.pid) <= before + 1);
  assert.equal(server.stderr.match(/http\.exhausted/g)?.length, 1, "told once, not for each");
  kept.close();
  console.log(`${IDLE} idle connections on ${MOST} descriptors: ${(share * 100).toFixed(1)} % of a core, ${before} descriptors before, ${descriptors(server.pid)} after`);
  await house.close();
});

test("no descriptor for the model: the turn ends with words, and the next one is answered", async () => {
  const house = await House.start({ model: "openai" }), { server } = house, kept = new Kept(server);
  assert.equal((await kept.get("/health")).status, 200);
  spawnSync("prlimit", ["--pid", `${server.pid}`, `--nofile=${MOST}:${MOST}`]);
  const idle = await crowd(server.port, IDLE);
  await until("its descriptors are used up", async () => descriptors(server.pid) >= MOST);
  const told = await kept.get("/api/chat", { session_id: "kitchen", message: "hello" });
  assert.equal(`${told.status} ${told.body.verdict} ${told.body.reason}`, "200 failed model_unreachable", JSON.stringify(told.body));
  assert.match(told.body.response, /Too many open files\. Your message is kept; please try again/);
  for (const socket of idle) socket.destroy();
  assert.equal((await house.chat("kitchen", "hello again")).body.verdict, "spoke");
  kept.close();
  await house.close();
});
