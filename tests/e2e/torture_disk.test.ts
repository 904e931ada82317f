// A disk that is full, and later has room again: writes are refused with words that help, reads go on, and nothing that was
// acknowledged is lost. The disk is a small tmpfs of its own, so it takes root; elsewhere the test says that it was skipped.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { change, each_second, make, until } from "./automation_house.ts";
import { Server, temp_dir } from "./server.ts";
import { House, Socket } from "./talk.ts";
import { Stored, check_file, check_instants, check_numbers, check_turns } from "./torture_ledger.ts";

const DISK = "24m";

// A disk of its own, or why there is none.
const mounted: string[] = [];
const unmount = (): void => mounted.splice(0).forEach((folder) => {
  spawnSync("umount", ["--lazy", folder]);
  rmSync(folder, { recursive: true, force: true });
});
after(unmount);
process.on("exit", unmount);
function small_disk(): string | Error {
  if (process.getuid!() !== 0) return new Error("only root can mount a small disk");
  const folder = temp_dir();
  const { status, stderr } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${DISK},mode=0700`, "rouse-torture", folder], { encoding: "utf8" });
  if (status !== 0) return new Error(`no small disk can be mounted here: ${stderr.trim()}`);
  mounted.push(folder);
  return folder;
}

// Takes all room there is, to the last byte.
function fill(folder: string): void {
  const file = openSync(join(folder, "ballast"), "a");
  const page = Buffer.alloc(4096);
  try {
    while (true) writeSync(file, page);
  } catch (problem) {
    assert.equal((problem as NodeJS.ErrnoException).code, "ENOSPC");
  } finally {
    closeSync(file);
  }
}
const make_room = (folder: string): void => rmSync(join(folder, "ballast"));

test("a full disk: refused with words, read as ever, well again by itself, nothing lost", async (context) => {
  const data = small_disk();
  if (data instanceof Error) {
    console.log(`SKIPPED: torture_disk: ${data.message}`);
    return context.skip(data.message);
  }
  writeFileSync(join(data, "rouse.yaml"), "automations: {stagger_ms: 0}\n");
  const server = await Server.start({ data });
  const house: any = { server, data };
  const told = new Map<string, string>();  // what was acknowledged, and its answer
  const chat = async (n: number): Promise<{ status: number; body: any }> => {
    const answer = await server.json("/api/chat", { session_id: "kitchen", message: `my name is Ada${n}, and this is ${"long ".repeat(800)}`, client_message_id: `m${n}` });
    if (answer.status === 200) told.set(`m${n}`, answer.body.response);
    return answer;
  };
  const job = await make(house, { message: "what is 2+2?", session_key: "websocket:job", schedule: each_second });
  let n = 0;
  for (; n < 20; ++n) assert.equal((await chat(n)).status, 200);

  for (let round = 0; round < 3; ++round) {
    fill(data);
    // The log keeps its length between two rounds, so there is room inside of it for some messages more.
    let refused = await chat(++n);
    while (refused.status === 200) refused = await chat(++n);
    assert.equal(refused.status, 503, JSON.stringify(refused.body));
    assert.equal(refused.body.error, "store_full");
    assert.match(refused.body.message, /the disk is full; nothing was changed\. Free some space, then try again/);

    const { status: still, body } = await server.json("/api/conversations/kitchen/messages?limit=200");
    assert.equal(still, 200, "reads go on");
    assert.ok(body.items.length > 0);
    assert.equal((await server.json("/api/search?q=Ada1")).status, 200);
    assert.match(JSON.stringify((await server.json("/api/health")).body), /the disk is full/);
    const socket = await Socket.open(server);
    socket.send({ type: "chat", session_id: "kitchen", message: "anybody?", client_message_id: `ws${round}` });
    assert.equal((await socket.next((frame) => frame.client_message_id === `ws${round}`)).error, "store_full");
    socket.close();
    if (round === 0) await server.logged(/scheduler\.tick_failed.*disk is full/);  // an instant that came due could not be claimed

    make_room(data);
    const again = await chat(n);
    assert.equal(again.status, 200, `the very same message, without a restart: ${JSON.stringify(again.body)}`);
    await until("health is well again", async () => (await server.json("/api/health")).body.status === "ok");
  }
  const ran = async () => (await server.json(`/api/automations/${job.id}/runs?limit=200`)).body.items.filter((run: any) => run.status === "ok").length;
  const before = await ran();
  await until("the automation runs again", async () => (await ran()) > before);
  await change(house, job.id, "/pause");
  await until("nothing is open", async () => (await server.json(`/api/automations/${job.id}/occurrences?limit=200`)).body.items.every((one: any) => one.status !== "claimed" && one.status !== "queued"));
  assert.equal(await server.stop(), 0);

  const stored = new Stored(data);
  check_file(stored);
  check_numbers(stored);
  assert.equal(check_turns(stored).doubled, 0);
  for (const id of told.keys()) assert.equal(stored.count("SELECT count(*) FROM inbound WHERE message_id = ?", id), 1, `${id} was acknowledged`);
  const ledger = check_instants(stored, job.id, each_second.every_ms);
  assert.equal(ledger.undecided, 0);
  stored.close();
  console.log(`3 times full: ${told.size} messages acknowledged, 0 lost; ${ledger.instants} instants, ${JSON.stringify(ledger.fates)}`);
  unmount();
});

test("full while the model answers: the turn is closed when there is room, once, and its client is told", async (context) => {
  const disk = small_disk();
  if (disk instanceof Error) return context.skip(disk.message);
  process.env.TMPDIR = disk;  // where a house has its data
  const house = await House.start({ model: "openai", script: ({ text }) => (text.includes("a long story") ? { stall: "mid_stream" } : {}) });
  delete process.env.TMPDIR;
  const story = house.chat("kitchen", "tell me a long story", { client_message_id: "story" });
  await house.models.stalled();
  // Full to the last byte, and the log's own room, too.
  fill(disk);
  for (let n = 0, status = 200; status === 200; ++n) ({ status } = await house.chat("parlour", `this is ${"long ".repeat(800)}`, { client_message_id: `m${n}` }));
  house.models.release();
  const told = await story;
  assert.equal(`${told.status} ${told.body.error}`, "503 store_full", "nothing is told that isn't kept");
  make_room(disk);
  const again = await house.chat("kitchen", "tell me a long story", { client_message_id: "story" });
  assert.equal(again.status, 200, JSON.stringify(again.body));
  assert.equal(again.body.verdict, "spoke");
  assert.equal((await house.messages("kitchen")).filter((one) => one.role === "user").length, 1);
  await house.close();
  const stored = new Stored(house.data);
  check_file(stored);
  assert.equal(check_turns(stored).doubled, 0);
  stored.close();
  console.log(`full while the model answers: ${told.body.error}, then ${again.body.verdict}`);
  unmount();
});

test("a disk that is full from the start: it says so, or starts and serves", async (context) => {
  const data = small_disk();
  if (data instanceof Error) return context.skip(data.message);
  const first = await Server.start({ data });
  assert.equal((await first.json("/api/chat", { session_id: "kitchen", message: "my name is Ada", client_message_id: "m1" })).status, 200);
  await first.kill();
  fill(data);
  // What it can't write it says; it neither hangs nor harms what is there.
  const second = await Server.start({ data }).catch((problem: Error) => problem);
  if (second instanceof Error) assert.match(second.message, /disk is full|No space left/, second.message);
  else await second.kill();
  make_room(data);
  const third = await Server.start({ data });
  const { body } = await third.json("/api/conversations/kitchen/messages");
  assert.match(JSON.stringify(body), /my name is Ada/);
  assert.equal(await third.stop(), 0);
  console.log(`full from the start: ${second instanceof Error ? second.message.split("\n").at(-2) : "it serves"}`);
  unmount();
});
