// No query walks a table that grows: a store that was used for years answers as a new one does. The queries are read out of
// the program itself, and SQLite says how it would go about each of them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { Server, rouse } from "./server.ts";

// Tables that stay small whatever happens, and those of which a workspace has only so much: there is a limit, or the oldest go.
const small = new Set(["tokens", "push_subscriptions", "server_starts", "rouse_steps", "sqlite_master", "sqlite_schema"]);
const smallOfAWorkspace = new Set(["agents", "events", "heartbeats", "instructions", "memory_books", "notifications", "permissions", "projects", "tasks", "workspaces"]);

// What may go along the rows of a large one, and why that ends soon.
const allowed: [part: string, why: string][] = [
  ["SELECT COALESCE(MAX(place), 0) FROM memory_notes WHERE place < $1", "the first row it meets is the one"],
  ["SELECT MIN(m.position) FROM messages m WHERE m.position > index_cursors.position", "the first row it meets is the one"],
  ["FROM activity WHERE id > $1 ORDER BY id LIMIT $2", "a page"],
  ["FROM messages WHERE position > $1 ORDER BY position LIMIT $2", "a page"],
  ["FROM messages m WHERE m.position > $1 ORDER BY m.position LIMIT $2", "a page"],
  ["WHERE m.position > $1 AND m.position <= $2 ORDER BY m.position", "a page, by its ends"],
  ["SELECT number FROM jobs WHERE number > $1 AND number <= $2", "a page, by its ends"],
  ["FROM turns ORDER BY number DESC LIMIT 200", "the newest"],
  ["FROM outbox ORDER BY outbox_id DESC LIMIT $1", "the newest"],
  ["UPDATE index_cursors SET forgotten = forgotten + CASE", "the first row before the deleted ones"],
];

interface Plan { detail: string }

// An alias is as good as a name; whatever isn't a table is made by the query itself.
function tableOf(name: string, sql: string, tables: Set<string>): string | undefined {
  if (tables.has(name)) return name;
  const real = new RegExp(`\\b(?:FROM|JOIN|UPDATE|INTO)\\s+(\\w+)\\s+(?:AS\\s+)?${name}\\b`).exec(sql)?.[1];
  return real && tables.has(real) ? real : undefined;
}

test("no query walks a table that grows", async () => {
  const server = await Server.start();
  await server.stop();
  const database = new DatabaseSync(join(server.data, "rouse.db"), { readOnly: true });
  const named = (sql: string) => new Set(database.prepare(sql).all().map((row) => row["name"] as string));
  const tables = named("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'");
  // An index over some rows only is there for those that are few: what waits, what runs.
  const partial = named("SELECT name FROM sqlite_master WHERE type = 'index' AND sql LIKE '% WHERE %'");

  const queries = readFileSync(rouse, "latin1").match(/(?<=\0)(?:SELECT|UPDATE|DELETE|INSERT|WITH) [\n\x20-\x7e]{8,}(?=\0)/g) ?? [];
  const walks: string[] = [], used = new Set<string>();
  let understood = 0;
  for (const sql of new Set(queries)) {
    let plan: Plan[];
    try {
      plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as unknown as Plan[];
    } catch {
      continue;  // SQLite's own, or one that is put together at run time
    }
    ++understood;
    for (const { detail } of plan) {
      const [, how, name, index] = /^(SCAN|SEARCH) (\w+)(?: USING (?:COVERING )?INDEX (\w+))?/.exec(detail) ?? [];
      const table = name && tableOf(name, sql, tables);
      const byWorkspace = detail.endsWith("(workspace_id=?)") && !/ LIMIT |M(?:AX|IN)\(|EXISTS/.test(sql) && !smallOfAWorkspace.has(table ?? "");
      const along = how === "SCAN" || byWorkspace || (detail.includes("INTEGER PRIMARY KEY") && !detail.includes("rowid=?"));
      if (!along || !table || small.has(table) || (index && partial.has(index))) continue;
      const excuse = allowed.find(([part]) => sql.includes(part));
      if (excuse) used.add(excuse[0]);
      else walks.push(`${detail}: ${sql}`);
    }
  }
  database.close();
  assert.ok(understood > 350, `only ${understood} queries were found in the program`);
  assert.deepEqual(walks, [], "give it an index, or say above why it may go along the rows");
  assert.deepEqual(allowed.map(([part]) => part).filter((part) => !used.has(part)), [], "an exception nobody needs any more");
});
