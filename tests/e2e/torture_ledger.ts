// What must be true of a store after anything: read from its file, beside the server, with another program's SQLite.
// Every number that is counted here is a number of wrongs, and must be 0.
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { is_open, ledger_of, until } from "./automation_house.ts";
import type { House } from "./talk.ts";
import type { Promised } from "./torture_talkers.ts";

export class Stored {
  readonly db: DatabaseSync;
  constructor(data: string) { this.db = new DatabaseSync(join(data, "rouse.db"), { readOnly: true }); }
  rows(sql: string, ...values: (string | number)[]): any[] { return this.db.prepare(sql).all(...values); }
  count(sql: string, ...values: (string | number)[]): number { return Number(Object.values(this.db.prepare(sql).get(...values) as object)[0]); }
  close(): void { this.db.close(); }
}

// --- the file --------------------------------------------------------------------------------------

export function check_file(stored: Stored): void {
  assert.deepEqual(stored.rows("PRAGMA integrity_check").map((row) => row.integrity_check), ["ok"]);
}

// Numbers that promise to have no gaps have none.
export function check_numbers(stored: Stored): void {
  assert.deepEqual(stored.rows(`SELECT conversation_id, count(*) AS there, min(seq) AS first, max(seq) AS last FROM messages
    GROUP BY conversation_id HAVING min(seq) <> 1 OR count(*) <> max(seq)`), [], "messages: a gap");
  assert.deepEqual(stored.rows(`SELECT workspace_id, count(*) AS there, min(seq) AS first, max(seq) AS last FROM events
    GROUP BY workspace_id HAVING count(*) <> max(seq) - min(seq) + 1`), [], "events: a gap");
}

// --- turns -----------------------------------------------------------------------------------------

const text_in = (content: string): string => (JSON.parse(content) as any[]).flatMap((one) => (one.type === "text" ? [one.text] : [])).join("");

// Each turn is over, and was closed at most once where people can see it: its words stand last, and calls have their results.
export function check_turns(stored: Stored): { turns: number; doubled: number; verdicts: Record<string, number> } {
  assert.deepEqual(stored.rows("SELECT turn_id, state, kind FROM turns WHERE ended_ms IS NULL"), [], "a turn never ended");
  const spoken = new Map<string, string[]>();
  const calls = new Map<string, number>();
  for (const { turn_id, role, content } of stored.rows("SELECT turn_id, role, content FROM messages WHERE turn_id IS NOT NULL ORDER BY conversation_id, seq")) {
    const words = text_in(content);
    if (role === "assistant" && words !== "") spoken.set(turn_id, [...(spoken.get(turn_id) ?? []), words]);
    for (const block of JSON.parse(content)) {
      if (block.type !== "tool_call" && block.type !== "tool_result") continue;
      const key = `${turn_id} ${block.call_id}`;
      calls.set(key, (calls.get(key) ?? 0) + (block.type === "tool_call" ? 1 : -1));
    }
  }
  assert.deepEqual([...calls].filter(([, open]) => open !== 0), [], "calls without their one result");
  const doubled = [...spoken.values()].filter((words) => words.length > 1).length;
  const verdicts: Record<string, number> = {};
  const turns = stored.rows("SELECT turn_id, verdict, reason FROM turns");
  for (const { turn_id, verdict, reason } of turns) {
    const fate = `${verdict} ${/^joined/.test(reason ?? "") ? "joined" : reason ?? ""}`.trim();
    verdicts[fate] = (verdicts[fate] ?? 0) + 1;
    if (verdict === "spoke" && !/joined/.test(fate)) assert.ok(spoken.has(turn_id), `${turn_id} spoke, and there is nothing`);
  }
  return { turns: turns.length, doubled, verdicts };
}

// --- promises --------------------------------------------------------------------------------------

// Whatever was acknowledged is there, once, and the answer that was told is the one that is kept.
export function check_promises(stored: Stored, promises: Iterable<Promised>): { acknowledged: number; lost: string[]; doubled: string[] } {
  const words = new Map<string, string[]>();  // of people, and whose turn they began
  for (const { content, turn_id } of stored.rows("SELECT content, turn_id FROM messages WHERE role = 'user'")) {
    const text = text_in(content);
    words.set(text, [...(words.get(text) ?? []), turn_id]);
  }
  const answers = new Map<string, string>();
  for (const { turn_id, content } of stored.rows("SELECT turn_id, content FROM messages WHERE role = 'assistant' ORDER BY seq")) answers.set(turn_id, text_in(content));
  const lost: string[] = [], doubled: string[] = [];
  let acknowledged = 0;
  for (const one of promises) {
    ++acknowledged;
    const inbound = stored.rows("SELECT turn_id, session_id FROM inbound WHERE message_id = ?", one.id);
    const said = words.get(one.text) ?? [];
    if (inbound.length !== 1 || said.length === 0) lost.push(`${one.id}: ${inbound.length} accepted, ${said.length} in the transcript`);
    if (said.length > 1) doubled.push(`${one.id}: ${said.length} times in the transcript`);
    if (inbound.length !== 1 || said.length !== 1) continue;
    if (one.turn_id) assert.equal(inbound[0].turn_id, one.turn_id, `${one.id}: the turn that was told`);
    if (one.session_id) assert.equal(inbound[0].session_id, one.session_id, `${one.id}: the session that was told`);
    if (one.response !== undefined) assert.equal(answers.get(said[0]!), one.response, `${one.id}: the answer that was told`);
  }
  return { acknowledged, lost, doubled };
}

// --- automations -----------------------------------------------------------------------------------

export const at_rest = (house: House, id: string): Promise<unknown> =>
  until(`nothing of ${id} is open`, async () => !(await ledger_of(house, id)).some(is_open));

// Each due instant of a job that is due every `every_ms` has one disposition, from the first to the last.
export function check_instants(stored: Stored, job_id: string, every_ms: number): { instants: number; undecided: number; fates: Record<string, number> } {
  const job = stored.count("SELECT number FROM jobs WHERE job_id = ?", job_id);
  const rows = stored.rows("SELECT due_ms, last_ms, count, state, reason, ended_ms FROM occurrences WHERE job = ? ORDER BY due_ms", job);
  const days = stored.rows("SELECT state, count, first_ms, last_ms FROM occurrence_days WHERE job = ?", job);
  assert.ok(rows.length > 0, `${job_id} was never due`);
  const fates: Record<string, number> = {};
  let next = Number(rows[0].due_ms), undecided = 0;
  for (const row of rows) {
    if (Number(row.due_ms) !== next || Number(row.last_ms) !== next + (row.count - 1) * every_ms || row.ended_ms === null) ++undecided;
    next = Number(row.last_ms) + every_ms;
    const fate = `${row.state} ${row.reason}`.trim();
    fates[fate] = (fates[fate] ?? 0) + row.count;
  }
  // Older rows are summed up by day and fate: as many as there are instants from the first of them to the rows.
  const summed = days.reduce((sum, day) => sum + day.count, 0);
  if (summed > 0) {
    const first = Math.min(...days.map((day) => Number(day.first_ms)));
    undecided += Math.abs(summed - (Number(rows[0].due_ms) - first) / every_ms);
    fates["summed up"] = summed;
  }
  const ran = new Set<string>();
  for (const { due_ms } of stored.rows("SELECT due_ms FROM runs WHERE job = ? AND state = 'ok'", job)) {
    assert.ok(!ran.has(`${due_ms}`), `${job_id} ran well twice for ${due_ms}`);
    ran.add(`${due_ms}`);
  }
  return { instants: rows.reduce((sum, row) => sum + row.count, 0) + summed, undecided, fates };
}
