// The activity log with very many rows: each documented query beside its limit of 1 ms, and what a row more costs beside
// an empty log. Rows are written into the database while the server is stopped.
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { copyOf, fixtureFilled, rows as sizes } from "./fixtures.ts";
import { median, percentile, report } from "./figures.ts";
import { ask as askText, rssKb, start, stopped, type Server } from "./lib.ts";

const rows = sizes.activity, limitMs = 1, minute = 60_000, spacingMs = 3_000;
const named = `${rows.toLocaleString("en")} activity rows`;
const conversations = rows / 1_000, conversation = `conv_${935 % conversations}`;  // a thousand rows each

// Four workspaces, fifty projects, all types, a conversation for each thousand rows; one row every three seconds up to now. Made by the
// database itself, without its indexes, which are built afterwards: that is twice as fast.
function fill(data: string, newest: number) {
  const database = new DatabaseSync(join(data, "rouse.db"));
  const indexes = database.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'activity' AND sql IS NOT NULL")
    .all() as { name: string; sql: string }[];
  database.exec("PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF; PRAGMA cache_size=-400000; BEGIN EXCLUSIVE");
  for (const { name } of indexes) database.exec(`DROP INDEX ${name}`);
  database.prepare(`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
    INSERT INTO activity (id, ts, type, project, session, summary, workspace_id, conversation_id, job, due_ms, details)
    SELECT i, ?1 - (${rows} - i) * ${spacingMs},
      CASE i % 10 WHEN 0 THEN 'scheduled' WHEN 1 THEN 'heartbeat' WHEN 2 THEN 'heartbeat' WHEN 3 THEN 'background'
        WHEN 4 THEN 'system' ELSE 'message' END,
      CASE WHEN i % 3 = 0 THEN 'project-' || (i * 7919 % 50) END, NULL,
      'Row ' || i || ': fixed a bug, 7 of 8 tests pass.',
      CASE i % 8 WHEN 0 THEN 'ws_a' WHEN 1 THEN 'ws_b' WHEN 2 THEN 'ws_c' ELSE 'ws_default' END,
      CASE WHEN i % 10 > 4 THEN 'conv_' || (i * 104729 % ${conversations}) END,
      CASE WHEN i % 10 IN (1, 2) THEN 1 END, NULL, '{}' FROM n`).run(newest);
  for (const { sql } of indexes) database.exec(sql);
  database.prepare(`INSERT INTO conversations (conversation_id, workspace_id, session_key, title, last_active_ms, created_ms)
    VALUES ('${conversation}', 'ws_default', 'api:bench', 'bench', ?1, ?1)`).run(newest);
  database.exec("COMMIT; PRAGMA journal_mode=WAL");
  database.close();
}

function newestOf(data: string): number {
  const database = new DatabaseSync(join(data, "rouse.db"), { readOnly: true });
  const { newest } = database.prepare("SELECT MAX(ts) AS newest FROM activity").get() as { newest: number };
  database.close();
  return newest;
}

function timed(count: number, run: (i: number) => void): number[] {
  const times: number[] = [];
  for (let i = 0; i < count + 20; ++i) {
    const before = performance.now();
    run(i);
    if (i >= 20) times.push(performance.now() - before);
  }
  return times;
}

function tell(what: string, times: number[], note = "") {
  report(`${named}: ${what}, p50`, times, "ms", { budget: { most: limitMs }, note: `p99 ${percentile(times, 0.99).toFixed(3)} ms${note}` });
}

// The selects of the documentation, as anybody asks the file.
function selects(data: string, newest: number) {
  const database = new DatabaseSync(join(data, "rouse.db"), { readOnly: true });
  const ask = (what: string, sql: string, params: (i: number) => (string | number)[], least: number) => {
    const statement: StatementSync = database.prepare(sql);
    let found = 0;
    const times = timed(300, (i) => { found = statement.all(...params(i)).length; });
    if (found < least) throw new Error(`${what}: ${found} rows`);
    tell(what, times, `, ${found} rows`);
  };
  ask("heartbeats of a project, 20", "SELECT summary FROM activity WHERE type = 'heartbeat' AND project = ? ORDER BY ts DESC LIMIT 20",
    (i) => [`project-${i % 50}`], 20);
  ask("a project, 50", "SELECT * FROM activity WHERE project = ? ORDER BY ts DESC LIMIT 50", (i) => [`project-${i % 50}`], 50);
  // A log of ten million rows has more in a day than a millisecond can carry: as much as a busy person has in one.
  ask("everything since a moment, 100 rows", "SELECT * FROM activity WHERE ts > ? ORDER BY ts DESC", () => [newest - 100 * spacingMs], 100);
  ask("scheduled since a moment, 100 rows", "SELECT * FROM activity WHERE type = 'scheduled' AND ts > ? ORDER BY ts DESC",
    () => [newest - 1_000 * spacingMs], 100);
  database.close();
}

const get = async (server: Server, path: string) =>
  JSON.parse(await askText(server, "GET", path)) as { items: unknown[]; next_cursor: string | null };

// Over HTTP, beside a request that reads nothing: what is over that is the query and the JSON of 20 rows.
async function requests(server: Server, newest: number) {
  const iso = (ms: number) => new Date(ms).toISOString();
  const middle = iso(newest - rows / 2 * spacingMs), later = iso(newest - rows / 2 * spacingMs + 60 * minute);
  const asked: [string, (i: number) => string][] = [
    ["API, newest", () => ""],
    ["API, by type", () => "&type=scheduled"],
    ["API, by project", (i) => `&project=project-${i % 50}`],
    ["API, by conversation", () => `&conversation=${conversation}`],
    ["API, since and until in the middle", () => `&since=${middle}&until=${later}`],
    ["API, by type and time", () => `&type=system&since=${middle}&until=${later}`],
  ];
  const time = async (path: (i: number) => string, check: boolean) => {
    const times: number[] = [];
    for (let i = 0; i < 320; ++i) {
      const before = performance.now();
      const { items } = await get(server, path(i));
      if (i >= 20) times.push(performance.now() - before);
      if (check && items.length !== 20) throw new Error(`${path(i)}: ${items.length} rows`);
    }
    return times;
  };
  const bare = await time(() => "/api/activity?limit=1&since=2100-01-01T00:00:00Z", false);
  const base = median(bare);
  for (const [what, query] of asked) {
    const times = await time((i) => `/api/activity?limit=20${query(i)}`, true);
    tell(what, times.map((ms) => Math.max(0, ms - base)), `, over an empty answer of ${base.toFixed(2)} ms`);
  }
  const first = await get(server, "/api/activity?limit=20&type=message");
  const deep = await time(() => `/api/activity?limit=20&type=message&cursor=${first.next_cursor}`, true);
  tell("API, the next page", deep.map((ms) => Math.max(0, ms - base)));
}

// How long a row takes, `atOnce` a commit: one, durable, is how the server writes them; a hundred show what the indexes cost.
// Every conversation had its row before the clock starts: what is measured is the work, not how soon the system forgets a file.
function insertUs(data: string, atOnce: number): number {
  const database = new DatabaseSync(join(data, "rouse.db"));
  database.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL");
  const insert = database.prepare(`
    INSERT INTO activity (id, ts, type, project, session, summary, workspace_id, conversation_id, details)
    SELECT COALESCE(MAX(id), 0) + 1, ?, 'message', ?, NULL, 'Fixed a bug. 7 of 8 tests pass.', 'ws_default', ?, '{}' FROM activity`);
  const times: number[] = [], now = Date.now(), writers = 10_000;
  for (let row = 0; row < 2 * writers; row += atOnce) {
    const before = performance.now();
    database.exec("BEGIN");
    for (let i = row; i < row + atOnce; ++i) insert.run(now + i, `project-${i % 50}`, `conv_${i * 7 % writers}`);
    database.exec("COMMIT");
    if (row >= writers) times.push((performance.now() - before) * 1_000 / atOnce);
  }
  database.close();
  return median(times);
}

export async function activity_rows() {
  const many = copyOf(await fixtureFilled("activity", rows, (data) => fill(data, Math.floor(Date.now() / 1000) * 1000)), "activity_many");
  const empty = await stopped("activity_empty");
  const newest = newestOf(many);
  report(`${named}: bytes each, indexes included`, statSync(join(many, "rouse.db")).size / rows, "bytes", { budget: { most: 400 } });
  selects(many, newest);
  const server = await start("activity_many");
  report(`${named}: RSS at start`, rssKb(server.process.pid!) / 1000, "MB", { budget: { most: 16 } });
  await requests(server, newest);
  await server.stop();
  const fewAtOnce = insertUs(empty, 100), moreAtOnce = insertUs(many, 100);
  report(`${named}: one of a hundred in a commit`, moreAtOnce, "µs", { limit: { what: "into an empty log", value: fewAtOnce }, budget: { ratio_most: 3 } });
  const few = insertUs(empty, 1), more = insertUs(many, 1);
  report(`${named}: one durable row more`, more, "µs", { limit: { what: "into an empty log", value: few }, budget: { ratio_most: 1.5 } });
  for (const data of [empty, many]) rmSync(data, { recursive: true, force: true });
}
