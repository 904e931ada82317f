// The clock on the wall is set ahead by a day and back by an hour under the running server (libfaketime; the clock that only
// counts goes on): what is due once runs once, no instant runs twice, and what was missed is told.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { change, get, ledger_of, make, over, runs_of, until } from "./automation_house.ts";
import { Server, temp_dir } from "./server.ts";
import type { House } from "./talk.ts";
import { Stored, at_rest, check_file, check_turns } from "./torture_ledger.ts";

// libfaketime 0.9.10 shifts absolute timers of the clock that only counts, too, against its own setting: "at once" a day ahead is
// an invalid time, and the timer never rings. So that one call goes straight to the kernel.
const timers = `
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>
int timerfd_settime(int fd, int flags, const struct itimerspec* to, struct itimerspec* before) {
  return (int)syscall(SYS_timerfd_settime, fd, flags, to, before);
}`;
const faketime = ["x86_64", "aarch64"].map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`).find(existsSync);
// What is to be loaded before the server, or why it can't be.
function preload(): { libraries: string } | { reason: string } {
  if (!faketime) return { reason: "libfaketime is not installed" };
  const shim = join(temp_dir(), "timers.so");
  const built = spawnSync("clang-19", ["-shared", "-fPIC", "-o", shim, "-x", "c", "-"], { input: timers, encoding: "utf8" });
  return built.status === 0 ? { libraries: `${shim}:${faketime}` } : { reason: `clang-19: ${built.error?.message ?? built.stderr}` };
}
const clock = preload();
if ("reason" in clock) console.log(`SKIPPED: torture_clock: ${clock.reason}`);
const skip = "reason" in clock && clock.reason;

const SECOND = 1_000, HOUR = 3_600 * SECOND, DAY = 24 * HOUR;

// A server whose clock on the wall is ours to set: it begins ten minutes after some hour, at whatever time of day.
class Wall {
  readonly #begin_ms = HOUR / 6 - Date.now() % HOUR;
  readonly data = temp_dir();
  readonly #file = join(temp_dir(), "offset");
  #offset_ms = 0;
  server!: Server;

  async start(): Promise<House> {
    this.set(this.#offset_ms);
    writeFileSync(join(this.data, "rouse.yaml"), "automations: {stagger_ms: 0, crash_hold_minutes: 0}\n");
    this.server = await Server.start({ data: this.data, env: { LD_PRELOAD: "libraries" in clock ? clock.libraries : "", FAKETIME_TIMESTAMP_FILE: this.#file, FAKETIME_DONT_FAKE_MONOTONIC: "1", FAKETIME_NO_CACHE: "1" } });
    return { server: this.server, data: this.data } as unknown as House;
  }
  set(offset_ms: number): void {
    this.#offset_ms = offset_ms;
    const whole = this.#begin_ms + offset_ms;
    writeFileSync(this.#file, `${whole < 0 ? "-" : "+"}${Math.abs(whole) / SECOND}`);
  }
  now(): number { return Date.now() + this.#begin_ms + this.#offset_ms; }
  in(ms: number): { kind: "at"; at: string } { return { kind: "at", at: new Date(this.now() + ms).toISOString() }; }

  // A new automation wakes the scheduler, so it looks at the clock; when this one has run, everything due before it was claimed.
  async look(house: House): Promise<void> {
    const job = await make(house, { message: "what is 1+1?", session_key: "websocket:look", schedule: this.in(1_500) });
    assert.equal((await over(house, job.id)).status, "ok");
  }
}

const runs_by_instant = async (house: House, id: string): Promise<Map<string, number>> => {
  const counts = new Map<string, number>();
  for (const run of await runs_of(house, id)) counts.set(run.scheduled_for, (counts.get(run.scheduled_for) ?? 0) + 1);
  return counts;
};
const ms = (iso: string): number => Date.parse(iso);

test("ahead by a day, back by an hour, and on again: each instant once", { skip }, async () => {  // CR-9, CR-10
  const wall = new Wall(), house = await wall.start();
  assert.ok(Math.abs(ms((await get(house, "/api/health")).at) - wall.now()) < HOUR / 20, "the library is in force");
  const wish = (schedule: object, more: object = {}) => make(house, { message: "what is 2+2?", session_key: "websocket:jobs", schedule, ...more });
  const once = await wish(wall.in(6 * HOUR));
  const hourly = await wish({ kind: "cron", expr: "0 * * * *", tz: "UTC" });
  const skipping = await wish({ kind: "cron", expr: "30 * * * *", tz: "UTC" }, { catch_up: "skip" });
  const each_minute = await wish({ kind: "every", every_ms: 60 * SECOND });
  await wall.look(house);
  assert.equal((await runs_of(house, once.id)).length, 0, "not yet");

  // A day ahead: as after a long sleep.
  wall.set(DAY);
  await wall.look(house);
  assert.match(await wall.server.logged(/scheduler\.time_jumped.*/), /by/);
  for (const job of [once, hourly, each_minute]) await over(house, job.id);
  const [run] = await runs_of(house, once.id);
  assert.equal(run.status, "ok");
  assert.equal(run.late, true, JSON.stringify(run));
  const rows = await ledger_of(house, hourly.id);
  const missed = rows.filter((row) => row.status === "missed").reduce((sum, row) => sum + row.count, 0);
  assert.ok(missed >= 22 && missed <= 24, JSON.stringify(rows));
  assert.equal((await runs_of(house, hourly.id)).length, 1, "the newest is made up for, once");
  assert.equal((await runs_of(house, skipping.id)).length, 0);
  assert.ok((await ledger_of(house, skipping.id)).every((row) => row.status === "missed"), "and skipped ones are told");

  // An hour back: those instants have been.
  wall.set(DAY - HOUR);
  await wall.look(house);
  await wall.server.logged(/scheduler\.clock_set_back/);
  await wall.look(house);
  assert.equal((await runs_of(house, once.id)).length, 1);
  assert.equal((await runs_of(house, hourly.id)).length, 1, "nothing runs again");

  // And on: through the hour that comes for the second time, and one more.
  wall.set(DAY);
  await wall.look(house);
  wall.set(DAY + HOUR);
  await wall.look(house);
  await until("the next hour runs", async () => (await runs_of(house, hourly.id)).length >= 2);
  for (const job of [hourly, skipping, each_minute]) await change(house, job.id, "/pause");
  for (const job of [once, hourly, skipping, each_minute]) {
    await at_rest(house, job.id);
    const twice = [...await runs_by_instant(house, job.id)].filter(([, count]) => count > 1);
    assert.deepEqual(twice, [], `${job.id}: instants that ran twice`);
    const rows = (await ledger_of(house, job.id)).toSorted((a, b) => ms(a.scheduled_for) - ms(b.scheduled_for));
    for (const [index, row] of rows.entries()) {
      assert.ok(index === 0 || ms(row.scheduled_for) > ms(rows[index - 1].until ?? rows[index - 1].scheduled_for), `${job.id}: an instant with two fates: ${JSON.stringify(rows)}`);
    }
  }
  assert.equal((await runs_of(house, once.id)).length, 1, "a one-shot has one shot");
  const fates = (list: any[]) => list.map((row) => `${row.status} ${row.reason ?? ""} x${row.count}`.replace("  ", " "));
  console.log(`clock: one-shot ${fates(await ledger_of(house, once.id))}; hourly ${fates(await ledger_of(house, hourly.id))}; each minute ${fates(await ledger_of(house, each_minute.id))}`);
  assert.equal(await wall.server.stop(), 0);
  const stored = new Stored(wall.data);
  check_file(stored);
  assert.equal(check_turns(stored).doubled, 0);
  stored.close();
});

test("killed, and started an hour in the past and a day ahead: each instant once", { skip }, async () => {
  const wall = new Wall();
  let house = await wall.start();
  const once = await make(house, { message: "what is 2+2?", session_key: "websocket:jobs", schedule: wall.in(1_500) });
  const hourly = await make(house, { message: "what is 3+3?", session_key: "websocket:jobs", schedule: { kind: "cron", expr: "0 * * * *", tz: "UTC" } });
  assert.equal((await over(house, once.id)).status, "ok");
  for (const offset of [-HOUR, DAY, DAY - HOUR, DAY + HOUR]) {
    await wall.server.kill();
    wall.set(offset);
    house = await wall.start();
    await wall.look(house);
  }
  await until("the hours were made up for", async () => (await runs_of(house, hourly.id)).length >= 1);
  await change(house, hourly.id, "/pause");
  await at_rest(house, hourly.id);
  assert.equal((await runs_of(house, once.id)).length, 1);
  assert.deepEqual([...await runs_by_instant(house, hourly.id)].filter(([, count]) => count > 1), []);
  assert.equal(await wall.server.stop(), 0);
});
