// Every acknowledged write survives SIGKILL: a load of writes, a kill in the middle, a restart, a count.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { Server, temp_dir } from "./server.ts";

const KILLS = 100;
const WRITERS = 16;

async function write_until_killed(server: Server, acknowledged: Set<string>): Promise<void> {
  const token = server.token, url = server.url;
  const init = { method: "POST", body: '{"type":"kill"}', headers: { "content-type": "application/json", authorization: `Bearer ${token}` } };
  const writer = async () => {
    try {
      while (true) {
        const answer = await fetch(`${url}/kernel/workspaces`, init);
        const body = await answer.json() as { workspace_id: string };
        if (answer.status === 200) acknowledged.add(body.workspace_id);
      }
    } catch { /* the kill */ }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
}

async function stored(server: Server): Promise<Set<string>> {
  const found = new Set<string>();
  let cursor = "";
  do {
    const page = (await server.json(`/kernel/workspaces?limit=200&cursor=${cursor}`)).body;
    for (const item of page.items) found.add(item.workspace_id);
    cursor = page.next_cursor ?? "";
  } while (cursor);
  return found;
}

test(`${KILLS} kills under load lose no acknowledged write`, async () => {
  const data = temp_dir();
  const acknowledged = new Set<string>();
  for (let i = 0; i < KILLS; ++i) {
    const server = await Server.start({ data });
    const before = acknowledged.size;
    const load = write_until_killed(server, acknowledged);
    // Kill after a few acknowledgements, another number each time, so that it hits every phase.
    while (acknowledged.size < before + 1 + (i * 7) % 40) await new Promise(setImmediate);
    await server.kill();
    await load;
  }
  const server = await Server.start({ data });
  const found = await stored(server);
  const lost = [...acknowledged].filter((id) => !found.has(id));
  assert.deepEqual(lost, []);
  assert.ok(acknowledged.size >= KILLS, `${acknowledged.size} writes were acknowledged`);
  console.log(`${KILLS} kills, ${acknowledged.size} acknowledged writes, ${found.size} stored, ${lost.length} lost`);
  assert.equal(await server.stop(), 0);
});

test("SIGTERM lets running work end, commits and exits 0", async () => {
  const data = temp_dir();
  const server = await Server.start({ data });
  const acknowledged = new Set<string>();
  const load = write_until_killed(server, acknowledged);
  while (acknowledged.size < 50) await new Promise(setImmediate);
  assert.equal(await server.stop(), 0);
  await load;
  const again = await Server.start({ data });
  const found = await stored(again);
  assert.deepEqual([...acknowledged].filter((id) => !found.has(id)), []);
  assert.equal(await again.stop(), 0);
});

test("half a request does not hold up a stop", async () => {
  const data = temp_dir();
  // Waiting for it would take longer than the test may.
  writeFileSync(join(data, "rouse.yaml"), "shutdown: {deadline_seconds: 600}\n");
  const server = await Server.start({ data });
  const socket = connect(server.port, "127.0.0.1", () => socket.write("GET /hea"));
  socket.on("error", () => {});
  await server.json("/api/me");
  assert.equal(await server.stop(), 0);
  socket.destroy();
});
