// SIGKILL of the real binary at any moment, while people talk through every door and automations fire each second: nothing
// acknowledged is lost, nothing visible is doubled, each due instant has its disposition.
//
//   make torture KILLS=500 [TORTURE_SEED=…]
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { change, each_second, make, over } from "./automation_house.ts";
import { rouse } from "./server.ts";
import { House } from "./talk.ts";
import { Chance } from "./torture_chance.ts";
import { Stored, at_rest, check_file, check_instants, check_numbers, check_promises, check_turns } from "./torture_ledger.ts";
import { Talkers, answer } from "./torture_talkers.ts";

const KILLS = Number(process.env.KILLS ?? 25);
const JOBS = 4;

// The moment of a death is the one thing that is up to time here: it must hit what no event marks.
const MOMENTS = {
  early: 40,   // ms after it listens: turns of the life before are taken up
  late: 400,   // in the middle of everything
  start: 12,   // after exec: before it listens
};

// A life that ends before it could say a word.
async function die_while_starting(data: string, after_ms: number): Promise<void> {
  const child = spawn(rouse, ["serve", "--data", data, "--listen", "127.0.0.1:0"], { stdio: "ignore", env: { HOME: "/nonexistent" } });
  const closed = once(child, "close");
  await pause(after_ms);
  child.kill("SIGKILL");
  await closed;
}

test(`${KILLS} kills under load, at any moment`, { timeout: 60_000 + KILLS * 4_000 }, async () => {
  const chance = new Chance();
  console.log(`TORTURE_SEED=${chance.seed}`);
  const house = await House.start({
    model: "openai",
    script: (_, index) => ({ answer, split: index % 7 === 0 }),  // some come byte by byte, so that a kill finds one half way
    config: { automations: { crash_hold_minutes: 0, stagger_ms: 0 } },
  });
  const jobs: any[] = [];
  for (let n = 0; n < JOBS; ++n) {
    const session_key = n === 0 ? "websocket:http0" : `websocket:job${n}`;  // one in a conversation where somebody talks
    jobs.push(await make(house, { message: `${n % 2 ? "sum" : "plain"} ${n} for the job`, session_key, schedule: each_second, catch_up: "all", catch_up_max: 3 }));
  }
  const talkers = new Talkers(house);
  talkers.begin();
  for (let i = 0; i < KILLS; ++i) {
    const kind = chance.below(10);
    if (kind < 3) await talkers.more(1 + chance.below(24));
    else await pause(chance.below(kind < 6 ? MOMENTS.early : MOMENTS.late));
    talkers.down();
    await house.kill();
    if (kind === 9) await die_while_starting(house.data, chance.below(MOMENTS.start));
    await house.wake();
    talkers.up();
  }
  await talkers.more(20);  // there is life after it
  await talkers.end();
  for (const job of jobs) await over(house, job.id);
  for (const job of jobs) await change(house, job.id, "/pause");
  for (const job of jobs) await at_rest(house, job.id);
  await house.close();

  const stored = new Stored(house.data);
  check_file(stored);
  check_numbers(stored);
  const { turns, doubled: closures_doubled, verdicts } = check_turns(stored);
  const { acknowledged, lost, doubled } = check_promises(stored, talkers.promises.values());
  const ledgers = jobs.map((job) => check_instants(stored, job.id, each_second.every_ms));
  stored.close();
  const sum = (count: (one: (typeof ledgers)[number]) => number) => ledgers.reduce((total, one) => total + count(one), 0);
  console.log(`${KILLS} kills (seed ${chance.seed}): ${acknowledged} messages acknowledged, ${lost.length} lost, ${doubled.length} doubled, ${talkers.resent} sent again; ` +
    `${turns} turns, ${closures_doubled} closures doubled, ${JSON.stringify(verdicts)}; ` +
    `${sum((one) => one.instants)} instants of ${JOBS} jobs, ${sum((one) => one.undecided)} without disposition, ${JSON.stringify(ledgers[1]!.fates)}`);
  assert.deepEqual(lost, []);
  assert.deepEqual(doubled, []);
  assert.equal(closures_doubled, 0);
  assert.equal(sum((one) => one.undecided), 0);
  assert.ok(acknowledged > KILLS, "it was under load");
});
