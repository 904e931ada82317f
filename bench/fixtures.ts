// Stores that have been used for years, made in seconds: data folders with very many conversations, jobs, messages or
// rows, kept in build/bench-fixtures under what they hold, the version of the schema and their size. A benchmark works on
// a copy. What is older than a few days is made anew, because "a moment ago" stands in it.
import { execFileSync } from "node:child_process";
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { build, full, rest, root, scratch, start, stopped, type Server } from "./lib.ts";

// How much there is; `sizes` are the steps of the lines that show how a cost grows.
export const rows = full
  ? { stored: 1_000_000, activity: 10_000_000, sizes: [1_000, 10_000, 100_000, 1_000_000] }
  : { stored: 100_000, activity: 100_000, sizes: [1_000, 10_000, 100_000] };

const shelf = join(root, "build/bench-fixtures"), minute = 60_000, day = 86_400_000, keptDays = 5;
// The sessions in a fixture are still open when it is used.
export const longTimeout = { SESSION_TIMEOUT_MINUTES: "10080" };

const file = (data: string) => join(data, "rouse.db");

// --- jobs ------------------------------------------------------------------------------------------

export interface JobRow {
  due: number;
  every?: number;  // once, if neither this
  cron?: string;   // nor this
  backoff?: number;  // until then its instants are settled without a run
}

// Into the database of a stopped server, after the jobs it has; synced, so that nothing of it is still on its way to the disk.
export function insertJobs(data: string, jobs: Iterable<JobRow>) {
  const database = new DatabaseSync(file(data));
  database.exec("PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF; PRAGMA cache_size=-1000000; BEGIN EXCLUSIVE");
  const row = database.prepare(`
    INSERT INTO jobs (number, workspace_id, job_id, name, message, kind, session_key, schedule_kind, at_ms, every_ms, anchor_ms,
      expr, zone, state, state_by, state_reason, state_ms, next_ms, catch_up, catch_up_max, window_ms, timeout_ms, failures,
      backoff_ms, extra, provenance, source, created_ms, updated_ms)
    VALUES (?1, 'ws_default', ?2, ?3, ?4, 'bound', ?5, ?6, ?7, ?8, ?9, ?10, 'UTC', 'active', 'api', '', ?11, ?12, 'latest', 10,
      ${7 * day}, ${10 * minute}, 0, ?13, '{}', 'owner', 'api', ?11, ?11)`);
  const now = Date.now();
  let { number } = database.prepare("SELECT COALESCE(MAX(number), 0) AS number FROM jobs").get() as { number: number };
  for (const { due, every = 0, cron = "", backoff = null } of jobs) {
    ++number;
    row.run(number, ((number * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, "0"), `report ${number}`,
      `Report ${number}: look at what came in since yesterday, and say in three lines what somebody has to answer.`,
      `websocket:bench-${number}`, cron ? "cron" : every ? "every" : "at", cron || every ? 0 : due,
      every, every && due - every, cron, now, due, backoff);
  }
  database.exec("COMMIT; PRAGMA journal_mode=WAL");
  database.close();
  sync(file(data));
}

// Of all kinds, due at any minute of a year far ahead: none while a benchmark runs.
function* overAYear(count: number): Generator<JobRow> {
  const begin = Date.UTC(2080, 0, 1);
  for (let number = 1; number <= count; ++number) {
    const at = new Date(begin + (number * 7_919 * minute) % (364 * day)), due = at.getTime();
    if (number % 3 === 0) yield { due };
    else if (number % 3 === 1) yield { due, every: 30 * day };
    else yield { due, cron: `${at.getUTCMinutes()} ${at.getUTCHours()} ${at.getUTCDate()} ${at.getUTCMonth() + 1} *` };
  }
}

// --- the shelf -------------------------------------------------------------------------------------

function schemaVersion(data: string): number {
  const database = new DatabaseSync(file(data), { readOnly: true });
  const { user_version } = database.prepare("PRAGMA user_version").get() as { user_version: number };
  database.close();
  return user_version;
}

const seed = (data: string, what: "many" | "long", count: number) =>
  execFileSync(join(build, "bench/seed_conversations"), [file(data), what, `${count}`], { encoding: "utf8" }).trim();

const makers: Record<string, (data: string, count: number) => string | void> = {
  conversations: (data, count) => seed(data, "many", count),
  long: (data, count) => seed(data, "long", count),
  jobs: (data, count) => insertJobs(data, overAYear(count)),
  used: (data, count) => {
    seed(data, "many", count);
    insertJobs(data, overAYear(count));
  },
};
export type Kind = "conversations" | "long" | "jobs" | "used";

// A folder on the shelf; data/ is in it, and note has what its maker said. A server has run over it until it came to rest:
// messages, for one, are in the search index.
export function fixture(kind: Kind, count: number): Promise<string> {
  return shelve(kind, count, async (name) => {
    const note = makers[kind]!(await stopped(name), count) ?? "", server = await start(name);
    await rest(server);
    await server.stop();
    return note;
  });
}
export const fixtureNote = (folder: string) => readFileSync(join(folder, "note"), "utf8");

// The same with a maker of one's own: for the data of a stopped server, or for a server that runs.
export function fixtureFilled(kind: string, count: number, fill: (data: string) => string | void): Promise<string> {
  return shelve(kind, count, async (name) => fill(await stopped(name)) ?? "");
}
export function fixtureMade(kind: string, count: number, fill: (server: Server) => Promise<void>): Promise<string> {
  return shelve(kind, count, async (name) => {
    const server = await start(name);
    await fill(server);
    await server.stop();
    return "";
  });
}

async function shelve(kind: string, count: number, make: (name: string) => Promise<string>): Promise<string> {
  const empty = existsSync(join(scratch, "schema")) ? join(scratch, "schema") : await stopped("schema");
  const name = `${kind}-v${schemaVersion(empty)}-${count}`, folder = join(shelf, name);
  if (existsSync(folder) && Date.now() - statSync(folder).mtimeMs < keptDays * day) return folder;
  mkdirSync(shelf, { recursive: true });
  for (const old of readdirSync(shelf)) {  // also of another schema
    if (old.startsWith(`${kind}-v`) && old.endsWith(`-${count}`)) rmSync(join(shelf, old), { recursive: true });
  }
  const begun = join(scratch, `making_${name}`), note = await make(`making_${name}/data`);
  writeFileSync(join(begun, "note"), note);
  renameSync(begun, folder);
  return folder;
}

// A copy to work on, under the name that start() takes; where it is. Synced, so that nothing of it is on its way to the disk.
export function copyOf(folder: string, name: string): string {
  const data = join(scratch, name);
  execFileSync("cp", ["-a", "--reflink=auto", join(folder, "data"), data]);
  sync(file(data));
  return data;
}

function sync(path: string) {
  const handle = openSync(path, "r+");
  fsyncSync(handle);
  closeSync(handle);
}
