// A past for a server that has just been started: rows of the activity log and days of spending, written into its
// database while it is down, because nobody can wait for days. The browser's clock then stands at 16:42 of today, so
// pictures and words are the same at any hour.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Page } from 'playwright-core';
import type { Server } from './server.ts';

const zone = 'Europe/Berlin';
/** Asked once: a run that passes midnight stays in its day. */
const today = new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(new Date());

/** An instant of a clock in Berlin, some days ago. Test data keeps away from the hours in which clocks change. */
export function berlin(daysAgo: number, clock: string): number {
  const noon = new Date(`${today}T12:00:00Z`);
  noon.setUTCDate(noon.getUTCDate() - daysAgo);
  const asUtc = Date.parse(`${noon.toISOString().slice(0, 10)}T${clock}:00Z`);
  const shown = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', hourCycle: 'h23', day: '2-digit' }).formatToParts(asUtc);
  const hour = Number(shown.find(({ type }) => type === 'hour')?.value);
  return asUtc - ((hour - new Date(asUtc).getUTCHours() + 24) % 24) * 3_600_000;
}

const nowMs = (): number => berlin(0, '16:42');

/** The page believes that it is this time; its timers go on. */
export async function atTime(page: Page): Promise<void> {
  await page.clock.setFixedTime(nowMs());
}

export interface PastRow {
  readonly at: number;
  readonly type: 'message' | 'heartbeat' | 'scheduled' | 'background' | 'system';
  readonly summary: string;
  readonly conversation?: string;
  readonly run?: string;
  readonly details?: object;
}

export interface PastDay {
  readonly day: string;
  readonly turns: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly cacheRead: number;
  readonly micros: number;
}

export const silentBeat = (at: number, reason = 'nothing_changed'): PastRow => beat(at, 'checked, nothing to report', { verdict: 'nothing', outcome: 'silent_empty', reason });

export function beat(at: number, summary: string, details: object): PastRow {
  const usual = { heartbeat: '', verdict: 'notify', outcome: 'spoke', reason: '', by: 'schedule', calls: 0, tokens_in: 0, tokens_out: 0, late: false };
  return { at, type: 'heartbeat', summary, details: { ...usual, ...details } };
}

/** What tells when something was said or done, by its table. */
const pastTimes: Readonly<Record<string, readonly string[]>> = {
  conversations: ['last_active_ms', 'created_ms'],
  sessions: ['last_user_ms', 'closed_ms'],
  messages: ['created_ms'],
  inbound: ['received_ms'],
  turns: ['queued_ms', 'started_ms', 'ended_ms'],
  events: ['created_ms'],
  notifications: ['created_ms', 'read_ms'],
  activity: ['ts'],
};

/** As if nobody had been there for so long: all that was said and done is that much older after a restart. */
export async function letTimePass(server: Server, ms: number): Promise<void> {
  await server.kill();
  const database = new DatabaseSync(join(server.dataDir, 'rouse.db'));
  for (const [table, columns] of Object.entries(pastTimes)) {
    database.exec(`UPDATE ${table} SET ${columns.map((name) => `${name} = ${name} - ${ms}`).join(', ')}`);
  }
  database.close();
  await server.startAgain();
}

/** Stops the server, writes, and starts it again. Rows come in the order of their time. */
export async function givePast(server: Server, rows: readonly PastRow[], days: readonly PastDay[] = []): Promise<void> {
  await server.kill();
  // What tests say in conversations is not told about while they run.
  const config = join(server.dataDir, 'rouse.yaml');
  const before = existsSync(config) ? (JSON.parse(readFileSync(config, 'utf8')) as object) : {};
  writeFileSync(config, JSON.stringify({ ...before, activity: { idle_seconds: 3600 } }));
  const database = new DatabaseSync(join(server.dataDir, 'rouse.db'));
  const job = database.prepare("SELECT number FROM jobs WHERE job_id = 'heartbeat'").get()?.['number'] ?? null;
  // What the preparation did, and what would beat meanwhile, stands at the real hour, in the middle of the made-up day.
  database.exec('DELETE FROM activity');
  database.exec("UPDATE jobs SET next_ms = next_ms + 86400000 WHERE job_id = 'heartbeat'");
  const write = database.prepare(
    'INSERT INTO activity (ts, type, summary, workspace_id, conversation_id, run_id, job, details) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  for (const { at, type, summary, conversation, run, details } of rows.toSorted((a, b) => a.at - b.at)) {
    write.run(at, type, summary, 'ws_default', conversation ?? null, run ?? null, type === 'heartbeat' ? job : null, JSON.stringify(details ?? {}));
  }
  const spend = database.prepare(
    'INSERT OR REPLACE INTO spend (owner, day, turns, tokens_in, tokens_out, cache_read, cache_write, micros, price_unknown) VALUES (?, ?, ?, ?, ?, ?, 0, ?, 0)',
  );
  for (const { day, turns, tokensIn, tokensOut, cacheRead, micros } of days) spend.run('ws_default', day, turns, tokensIn, tokensOut, cacheRead, micros);
  database.close();
  await server.startAgain();
}
