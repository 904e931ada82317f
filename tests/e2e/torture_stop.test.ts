// A server that is frozen (SIGSTOP, a paused container, a laptop that sleeps) and thawed: for shorter and for longer than its
// clients wait. Nothing is lost or doubled, and at no time has a store two owners.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { change, each_second, make, over } from "./automation_house.ts";
import { Server, run } from "./server.ts";
import { House } from "./talk.ts";
import { Chance } from "./torture_chance.ts";
import { Stored, at_rest, check_file, check_instants, check_numbers, check_promises, check_turns } from "./torture_ledger.ts";
import { state_of } from "./torture_process.ts";
import { Talkers, answer } from "./torture_talkers.ts";

const BLINKS = 8;
const PATIENCE_MS = 2_000;   // of the clients
// Longer than that, than the job's timeout, and than the head of a request may take (10 s). From STALL_MS on it is told.
const LONG_MS = Number(process.env.FREEZE_SECONDS ?? 12) * 1_000;
const STALL_MS = 120_000;

const frozen = new Set<Server>();
after(() => frozen.forEach(thaw));  // a test that failed half way leaves none behind
async function freeze(server: Server): Promise<void> {
  frozen.add(server);
  server.process.kill("SIGSTOP");
  while (state_of(server.pid) !== "T") await new Promise(setImmediate);
}
function thaw(server: Server): void {
  server.process.kill("SIGCONT");
  frozen.delete(server);
}

const lively_house = (): Promise<House> => House.start({ model: "openai", script: (_, index) => ({ answer, split: index % 7 === 0 }), config: { automations: { stagger_ms: 0 } } });
const make_job = (house: House): Promise<any> => make(house, { message: "sum 1 for the job", session_key: "websocket:job", schedule: each_second, timeout_ms: 5_000, catch_up: "all", catch_up_max: 3 });

// Nobody talks any more, and nothing is due.
async function come_to_rest(house: House, talkers: Talkers, job: any): Promise<void> {
  await talkers.end();
  await over(house, job.id);
  await change(house, job.id, "/pause");
  await at_rest(house, job.id);
}

// What must hold whatever happened.
function check_all(data: string, talkers: Talkers, job: any): string {
  const stored = new Stored(data);
  check_file(stored);
  check_numbers(stored);
  const { doubled: closures, verdicts } = check_turns(stored);
  const { acknowledged, lost, doubled } = check_promises(stored, talkers.promises.values());
  const ledger = check_instants(stored, job.id, each_second.every_ms);
  stored.close();
  assert.deepEqual([lost, doubled, closures, ledger.undecided], [[], [], 0, 0]);
  return `${acknowledged} messages acknowledged, ${lost.length} lost, ${doubled.length} doubled, ${talkers.resent} sent again, ${closures} closures doubled, ${JSON.stringify(verdicts)}; ${ledger.instants} instants, ${ledger.undecided} without disposition, ${JSON.stringify(ledger.fates)}`;
}

test("frozen for moments and for longer than anybody waits: nothing is lost or doubled", async () => {
  const chance = new Chance(), house = await lively_house(), job = await make_job(house), talkers = new Talkers(house);
  talkers.patience_ms = PATIENCE_MS;
  talkers.begin();
  for (let i = 0; i <= BLINKS; ++i) {
    await talkers.more(1 + chance.below(12));
    await freeze(house.server);
    await pause(i < BLINKS ? chance.below(300) : LONG_MS);
    thaw(house.server);
  }
  if (LONG_MS > STALL_MS) {
    await house.server.logged(/scheduler\.stalled.*stood still for/);
    assert.match(JSON.stringify((await house.server.json("/api/health")).body), /stood still for/);
  }
  await talkers.more(20);
  await come_to_rest(house, talkers, job);
  await house.close();
  console.log(`seed ${chance.seed}: ${BLINKS + 1} freezes: ${check_all(house.data, talkers, job)}`);
});

test("a second one is told who has the store, frozen or not, and changes nothing", async () => {  // CR-18
  const house = await lively_house(), job = await make_job(house), talkers = new Talkers(house);
  talkers.begin();
  await talkers.more(10);
  await freeze(house.server);
  const second = run(["serve", "--data", house.data, "--listen", "127.0.0.1:0"]);
  assert.notEqual(second.code, 0);
  assert.match(second.stderr, new RegExp(`Another rouse \\(process ${house.server.pid}, since .*\\) is using .*Stop it, or start with another --data`));
  thaw(house.server);
  await talkers.more(20);
  await come_to_rest(house, talkers, job);
  await house.close();
  check_all(house.data, talkers, job);
});

// A lock that is gone from the folder (a cleaner of temporary files, a file system that lost its locks) is the one way to
// two owners: the epoch in the store decides, and the later one has it.
test("an owner that lost its lock while it was frozen is fenced, says so, and the other has everything", async () => {  // CR-19
  const house = await lively_house(), job = await make_job(house), talkers = new Talkers(house);
  talkers.patience_ms = PATIENCE_MS;
  talkers.begin();
  const old = house.server;
  let in_the_middle = 0;
  for (let taken = false; !taken;) {
    await talkers.more(20);
    await freeze(old);
    rmSync(join(house.data, "lock"), { force: true });
    taken = await house.wake().then(() => true, (problem) => {
      assert.match(problem.message, /another program holds the database/);  // frozen in the middle of a write: nobody takes that away
      ++in_the_middle;
      thaw(old);
      return false;
    });
  }
  await talkers.more(10);
  thaw(old);

  const refused = await old.json("/api/chat", { session_id: "late", message: "are you still there?" });
  assert.equal(refused.status, 503, JSON.stringify(refused.body));
  assert.equal(refused.body.error, "store_fenced");
  assert.match(refused.body.message, /another rouse has taken over this store .* Restart this one/);
  const health = (await old.json("/api/health")).body;
  assert.match(JSON.stringify(health), /another rouse has taken over/);
  await old.logged(/another rouse has taken over/);
  assert.equal((await old.json("/api/conversations")).status, 200, "it may still be read from");
  await talkers.more(20);
  assert.equal(typeof await old.stop(), "number", "it ends when it is asked to");

  await come_to_rest(house, talkers, job);
  assert.equal((await house.messages("late").catch(() => [])).length, 0, "what was refused is nowhere");
  await house.close();
  console.log(`handed over after ${in_the_middle} freezes in the middle of a write: ${check_all(house.data, talkers, job)}`);
});
