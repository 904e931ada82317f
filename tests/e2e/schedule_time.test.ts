// When a schedule is due, asked of the binary and of croner, a cron library that others rely on. For what both
// accept they must name the same instants; where rouse differs it is on purpose, and docs/adr/0015 says why.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, test } from "node:test";
import { root, run } from "./server.ts";

const require = createRequire(join(root, "web/package.json"));
const { Cron } = require("croner") as typeof import("croner");

function ours(expression: string, zone: string, from: string, count: number): string[] {
  const { code, stdout, stderr } = run(["automations", "preview", expression, "--zone", zone, "--from", from, "--count", String(count), "--json"]);
  assert.equal(code, 0, `${expression}: ${stderr}`);
  return JSON.parse(stdout).next;
}
function theirs(expression: string, zone: string, from: string, count: number): string[] {
  return new Cron(expression, { timezone: zone, paused: true }).nextRuns(count, new Date(from)).map((due) => due.toISOString());
}

// Seeded, so that a failure can be repeated (mulberry32).
let state = 6;
function below(bound: number): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
}
const between = (min: number, max: number) => min + below(max - min + 1);
const one_of = <T>(choices: T[]): T => choices[below(choices.length)]!;

function field(min: number, max: number): string {
  const from = between(min, max);
  return one_of([
    "*", "*", `*/${between(2, max - min)}`, `${from}-${between(from, max)}`, `${from},${between(min, max)},${between(min, max)}`,
    `${min}-${max}/${between(2, max - min)}`, String(from), String(from),
  ]);
}
const plain_days = () => field(1, 31);
const signed_days = () => one_of(["L", `${between(1, 28)}W`, "LW", "1,L"]);
const month = () => one_of(["*", "*", field(1, 12), "JAN,jul", "Mar-OCT"]);
const weekday = () => one_of(["*", "*", "*", "?", `${between(0, 6)}#L`, `${between(0, 6)}L`, `${between(0, 6)}#${between(1, 5)}`, field(0, 6), "MON-fri", "5-7"]);
// Days of a month only in months of 31 days, and so with a weekday: croner has a fault in the shorter ones, see below.
const long_months = () => one_of(["1,3,5,7,8,10,12", "JAN,jul", "5"]);
const dates = () => one_of([
  () => `${one_of(["*", "?"])} ${month()} ${weekday()}`,
  () => `${signed_days()} ${month()} ${one_of(["*", "?"])}`,
  () => `${plain_days()} ${long_months()} ${one_of(["*", weekday()])}`,
  () => `${signed_days()} ${long_months()} ${weekday()}`,
])();
const second = () => (below(5) === 0 ? `${field(0, 59)} ` : "");

describe("the same instants as croner", () => {
  test("300 expressions where no clock ever changes", () => {
    for (let i = 0; i < 300; ++i) {
      const expression = `${second()}${field(0, 59)} ${field(0, 23)} ${dates()}`;
      const zone = one_of(["UTC", "Asia/Kolkata", "Asia/Tokyo", "America/Phoenix", "Asia/Kathmandu"]);
      const from = new Date(Date.UTC(between(2024, 2035), below(12), between(1, 28), below(24), below(60), below(60))).toISOString();
      // Neither matches the 30th of February; rouse says so, croner finds nothing.
      const expected = theirs(expression, zone, from, 6);
      if (expected.length === 0) continue;
      assert.deepEqual(ours(expression, zone, from, 6), expected, `${expression} in ${zone} after ${from}`);
    }
  });

  // A single time, or one that follows the clock: there croner has the same rule.
  const changes = [
    ["America/New_York", "2026-03-08"], ["America/New_York", "2026-11-01"], ["Europe/Berlin", "2027-03-28"], ["Europe/Berlin", "2027-10-31"],
    ["Australia/Lord_Howe", "2026-10-03"], ["Australia/Lord_Howe", "2026-04-04"], ["America/Santiago", "2026-09-06"], ["America/Santiago", "2026-04-04"],
    ["Australia/Adelaide", "2026-10-03"], ["Europe/London", "2026-10-25"], ["America/St_Johns", "2026-03-08"], ["Pacific/Auckland", "2026-09-26"],
  ] as const;
  test("the days around changes of the clocks", () => {
    for (const [zone, change] of changes) {
      for (let i = 0; i < 20; ++i) {
        const times = one_of([
          `${between(0, 59)} ${between(0, 3)}`, `${between(0, 59)} 23`, `*/${between(2, 30)} *`, `${between(0, 59)} *`, `${between(0, 59)} */${between(2, 6)}`,
          `* ${between(0, 3)}`, `*/${between(5, 30)} 0-4`, `${between(0, 59)} ${between(0, 59)} *`, `*/20 ${between(0, 59)} *`,
        ]);
        const expression = `${times} * * *`;
        const from = new Date(Date.parse(`${change}T00:00:00Z`) - between(0, 30) * 3_600_000 - below(3600) * 1000).toISOString();
        assert.deepEqual(ours(expression, zone, from, 24), theirs(expression, zone, from, 24), `${expression} in ${zone} after ${from}`);
      }
    }
  });

  test("nicknames", () => {
    for (const name of ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"]) {
      assert.deepEqual(ours(name, "Europe/Berlin", "2026-03-28T12:00:00Z", 10), theirs(name, "Europe/Berlin", "2026-03-28T12:00:00Z", 10), name);
    }
  });
});

describe("where rouse differs from croner, on purpose (docs/adr/0015)", () => {
  const differences: [why: string, expression: string, zone: string, from: string, rouse: string[], croner: string[]][] = [
    ["a list of hours is a list of fixed times: none is lost in a gap",
      "30 1,2 * * *", "America/New_York", "2026-03-08T05:00:00Z",
      ["2026-03-08T06:30:00.000Z", "2026-03-08T07:00:00.000Z"], ["2026-03-08T06:30:00.000Z", "2026-03-09T05:30:00.000Z"]],
    ["and none comes twice in a repeated hour",
      "30 1,2 * * *", "America/New_York", "2026-11-01T04:00:00Z",
      ["2026-11-01T05:30:00.000Z", "2026-11-01T07:30:00.000Z"], ["2026-11-01T05:30:00.000Z", "2026-11-01T06:30:00.000Z"]],
    ["a range of minutes at a fixed hour, too",
      "0-1 2 * * *", "America/New_York", "2026-03-08T05:00:00Z",
      ["2026-03-08T07:00:00.000Z", "2026-03-09T06:00:00.000Z"], ["2026-03-09T06:00:00.000Z", "2026-03-09T06:01:00.000Z"]],
    ["the second has no say in what is fixed",
      "*/30 30 2 * * *", "America/New_York", "2026-03-08T05:00:00Z",
      ["2026-03-08T07:00:00.000Z", "2026-03-09T06:30:00.000Z"], ["2026-03-09T06:30:00.000Z", "2026-03-09T06:30:30.000Z"]],
    ["*/1 is every day and restricts nothing",
      "0 0 */1 * FRI", "UTC", "2026-01-01T00:00:00Z",
      ["2026-01-02T00:00:00.000Z", "2026-01-09T00:00:00.000Z"], ["2026-01-02T00:00:00.000Z", "2026-01-03T00:00:00.000Z"]],
    ["the 1st of March is due; croner finds the 30th of February first",
      "0 4 1,30 * *", "UTC", "2029-02-05T00:00:00Z",
      ["2029-03-01T04:00:00.000Z", "2029-03-30T04:00:00.000Z"], ["2029-03-30T04:00:00.000Z", "2029-04-01T04:00:00.000Z"]],
    ["the same with a weekday",
      "0 4 1 * FRI", "UTC", "2029-02-25T05:00:00Z",
      ["2029-03-01T04:00:00.000Z", "2029-03-02T04:00:00.000Z"], ["2029-03-02T04:00:00.000Z", "2029-03-09T04:00:00.000Z"]],
  ];
  for (const [why, expression, zone, from, rouse, croner] of differences) {
    test(`${expression}: ${why}`, () => {
      assert.deepEqual(ours(expression, zone, from, 2), rouse);
      assert.deepEqual(theirs(expression, zone, from, 2), croner, "croner changed: is it still a difference?");
    });
  }

  test("syntax that only one of them accepts", () => {
    for (const only_ours of ["0 22-2 * * *", "0 0 * * FRI-MON", "5/10 * * * *", "0 18 L-3 * *", "0 0 LW,15 * *"]) {
      assert.equal(ours(only_ours, "UTC", "2026-01-01T00:00:00Z", 1).length, 1);
      assert.throws(() => theirs(only_ours, "UTC", "2026-01-01T00:00:00Z", 1), only_ours);
    }
    for (const only_theirs of ["? ? * * *", "0 0 0 * * * 2027", "0 12 1 * +MON", "0 0 5L * *"]) {
      const { code, stderr } = run(["automations", "preview", only_theirs, "--zone", "UTC"]);
      assert.equal(code, 1);
      assert.match(stderr, /column \d+/, only_theirs);
      assert.equal(theirs(only_theirs, "UTC", "2026-01-01T00:00:00Z", 1).length, 1);
    }
    assert.deepEqual(theirs("0 0 30 2 *", "UTC", "2026-01-01T00:00:00Z", 1), []);
    assert.match(run(["automations", "preview", "0 0 30 2 *"]).stderr, /column 5: never due/);
  });
});

describe("rouse automations preview", () => {
  // CR-23, through the command line
  test("prints the contract: next, as ISO instants", () => {
    const { code, stdout } = run(["automations", "preview", "30 2 * * *", "--zone", "America/New_York", "--from", "2026-03-08T00:00:00-05:00", "--count", "2", "--json"]);
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout), {
      next: ["2026-03-08T07:00:00.000Z", "2026-03-09T06:30:00.000Z"], words: "every day at 02:30", zone: "America/New_York",
    });
  });

  test("says it in words, then each due instant in the zone and in UTC", () => {
    const { stdout } = run(["automations", "preview", "0 10,14 * * 1-5", "--zone", "Europe/Berlin", "--from", "2026-11-16T00:00:00Z", "--count", "2"]);
    assert.equal(stdout, `every weekday at 10:00 and 14:00

Europe/Berlin          UTC
Mon 16 Nov 2026 10:00  2026-11-16T09:00:00.000Z
Mon 16 Nov 2026 14:00  2026-11-16T13:00:00.000Z
`);
  });

  test("knows every and at", () => {
    assert.deepEqual(ours("every 90s", "UTC", "2026-11-16T00:00:00Z", 2), ["2026-11-16T00:01:30.000Z", "2026-11-16T00:03:00.000Z"]);
    assert.deepEqual(ours("at 2026-11-16T08:00", "Europe/Berlin", "2026-11-16T00:00:00Z", 5), ["2026-11-16T07:00:00.000Z"]);
  });

  test("refuses with the place and the reason", () => {
    const refused: [string[], RegExp][] = [
      [["61 * * * *"], /column 1: '61' is no minute; allowed is 0-59/],
      [["0 8 * * *", "--zone", "Mars/Olympus"], /there is no time zone 'Mars\/Olympus'/],
      [["every 10"], /is not a length of time like 90s/],
      [["at 2020-01-01T00:00:00Z"], /is in the past/],
      [["0 8 * * *", "--from", "noon"], /'noon' is not a time/],
    ];
    for (const [args, message] of refused) {
      const { code, stdout, stderr } = run(["automations", "preview", ...args]);
      assert.equal(code, 1, args.join(" "));
      assert.equal(stdout, "");
      assert.match(stderr, message);
    }
    assert.equal(run(["automations", "preview", "0 8 * * *", "--count", "0"]).code, 2);
  });
});
