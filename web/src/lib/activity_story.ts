// Rows of the activity log as a person reads them: what went wrong, what was silence, which day, which mark on the
// ribbon, and what mattered while nobody looked. Pure.
import type { ActivityRow } from './activity.ts';
import { dayOf, type Day } from './day.ts';
import { counted, listed, type RibbonMark, type RibbonState } from './ribbon.ts';
import { sentence } from './http.ts';
import { clockTime } from './time.ts';

export type Outcome = 'fine' | 'silent' | 'failed' | 'missed';

/** Names of automations and conversations, for rows that know only an id. */
export interface Names {
  readonly automation: (id: string) => string;
  readonly conversation: (id: string) => string;
}

/** One line of the timeline: a row, or several in a row that say the same. Newest first. */
export interface Line {
  readonly key: string;
  readonly rows: readonly ActivityRow[];
  /** Why they are one line. */
  readonly fold: 'beats' | 'runs' | null;
}

export interface DayOfLines {
  readonly day: Day;
  readonly rows: readonly ActivityRow[];
  readonly lines: readonly Line[];
}

const failedEnds = new Set(['error', 'timeout', 'interrupted', 'failed']);
/** Fewer runs of an automation are shown one by one. */
const fewestFolded = 3;

export const isBeat = (row: ActivityRow): boolean => row.type === 'heartbeat' && row.outcome !== '';

export function outcomeOf(row: ActivityRow): Outcome {
  if (isBeat(row)) return row.outcome === 'failed' ? 'failed' : row.outcome === 'spoke' ? 'fine' : 'silent';
  if (row.type === 'system') return row.what === 'missed' ? 'missed' : row.what === 'paused' && row.by === 'rouse' ? 'failed' : 'fine';
  if (failedEnds.has(row.what)) return 'failed';
  return row.what === 'empty' || row.what === 'skipped' ? 'silent' : 'fine';
}

const isRun = (row: ActivityRow): boolean => row.automation !== '' && (row.type === 'scheduled' || row.type === 'background');

/** What a person would not miss when they hide background activity. */
export function isBackground(row: ActivityRow): boolean {
  const outcome = outcomeOf(row);
  return (isBeat(row) && outcome === 'silent') || (row.type === 'background' && (outcome === 'fine' || outcome === 'silent'));
}

export function newestFirst(rows: Iterable<ActivityRow>): readonly ActivityRow[] {
  return [...rows].sort((a, b) => b.atMs - a.atMs || b.id - a.id);
}

export function groupByDay(rows: readonly ActivityRow[]): readonly DayOfLines[] {
  const days: { day: Day; rows: ActivityRow[] }[] = [];
  for (const row of rows) {
    const last = days.at(-1);
    if (last !== undefined && row.atMs >= last.day.startMs) last.rows.push(row);
    else days.push({ day: dayOf(row.atMs), rows: [row] });
  }
  return days.map(({ day, rows: ofDay }) => ({ day, rows: ofDay, lines: foldSilence(ofDay) }));
}

function foldSilence(rows: readonly ActivityRow[]): readonly Line[] {
  const runs: { kind: string; rows: ActivityRow[] }[] = [];
  for (const row of rows) {
    const kind = foldKind(row);
    const last = runs.at(-1);
    if (last !== undefined && kind !== '' && last.kind === kind) last.rows.push(row);
    else runs.push({ kind, rows: [row] });
  }
  return runs.flatMap(({ kind, rows: same }): Line[] => {
    if (kind.startsWith('beats')) return [{ key: `beats-${same.at(-1)!.id}`, rows: same, fold: 'beats' }];
    if (same.length >= fewestFolded) return [{ key: `runs-${same.at(-1)!.id}`, rows: same, fold: 'runs' }];
    return same.map((row) => ({ key: `row-${row.id}`, rows: [row], fold: null }));
  });
}

function foldKind(row: ActivityRow): string {
  const outcome = outcomeOf(row);
  if (isBeat(row) && outcome === 'silent') return `beats ${row.heartbeat}`;
  return isRun(row) && (outcome === 'fine' || outcome === 'silent') ? `runs ${row.automation}` : '';
}

export interface Story {
  /** What it is about, with a full stop; '' when the text says so itself. */
  readonly title: string;
  readonly text: string;
}

export function storyOf({ rows, fold }: Line, names: Names): Story {
  const newest = rows[0]!;
  if (fold === 'beats') {
    const title = `${nameOfBeats(rows)}, ${spanWords(rows)}.`;
    return { title, text: silenceWords(rows) };
  }
  const text = storyText(newest, titleOf(newest, names));
  if (fold === 'runs') return { title: `${titleOf(newest, names) || 'Automation'}, ${rows.length} runs, ${spanWords(rows)}.`, text: `Last: ${text}` };
  const title = titleOf(newest, names);
  return { title: /[.!?…]$/.test(title) || title === '' ? title : `${title}.`, text };
}

function titleOf(row: ActivityRow, names: Names): string {
  if (isBeat(row)) return row.heartbeat === '' ? 'Heartbeat' : `Heartbeat ${row.heartbeat}`;
  if (isRun(row)) return names.automation(row.automation);
  return row.type === 'message' || row.type === 'heartbeat' ? names.conversation(row.conversation) : '';
}

/** A lone run begins with the automation's name; the title says it already. */
function storyText({ summary }: ActivityRow, title: string): string {
  const text = title !== '' && summary.startsWith(`${title}: `) ? summary.slice(title.length + 2) : summary;
  // The name of a tool stays as it is written.
  return /^\w*_/.test(text) ? text : sentence(text);
}

function nameOfBeats(rows: readonly ActivityRow[]): string {
  const name = rows[0]!.heartbeat;
  return counted(rows.length, name === '' ? 'beat' : `beat of ${name}`, name === '' ? 'beats' : `beats of ${name}`);
}

/** "08:00 to 09:00", or the one time there is. */
export function spanWords(rows: readonly { readonly atMs: number }[]): string {
  const [first, last] = [clockTime(rows.at(-1)!.atMs), clockTime(rows[0]!.atMs)];
  return first === last ? first : `${first} to ${last}`;
}

export function silenceWords(rows: readonly { readonly calls: number; readonly reason: string; readonly outcome: string }[]): string {
  const calls = rows.reduce((sum, row) => sum + row.calls, 0);
  if (calls > 0) return `Asked ${calls === 1 ? 'once' : `${calls} times`}, nothing needs you.`;
  const every = (test: (row: (typeof rows)[number]) => boolean) => rows.every(test);
  if (every(({ outcome }) => outcome === 'silent_dedup')) return 'Told you before, and it is no worse.';
  if (every(({ reason }) => reason === 'nothing_changed')) return 'Nothing changed, no model was asked.';
  if (every(({ reason }) => reason === 'no_model')) return 'The checks found nothing. No model is connected.';
  if (every(({ reason }) => reason === 'model_refused')) return 'The checks found nothing. The model refuses to answer; its key or account needs you.';
  return 'Nothing to report, no model was asked.';
}

/** What stands at the end of a line: who, how often, how it went. */
export function metaOf({ rows, fold }: Line): string {
  const row = rows[0]!;
  const outcome = outcomeOf(row);
  if (fold !== null) return '';
  if (outcome === 'failed') return row.what === 'timeout' ? 'out of time' : row.what === 'interrupted' ? 'interrupted' : row.what === 'paused' ? 'paused' : 'failed';
  if (outcome === 'missed') return 'missed';
  if (row.type === 'message') return counted(row.turns, 'turn');
  return row.type === 'system' ? 'system' : outcome === 'silent' ? 'silent' : '';
}

export interface RowLink {
  readonly href: string;
  readonly label: string;
}

/** Where a row leads: first to what it is about, then to where it happened. */
export function linksOf(row: ActivityRow): readonly RowLink[] {
  const links: RowLink[] = [];
  if (isBeat(row)) links.push({ href: row.heartbeat === '' ? '/heartbeat' : `/heartbeat?name=${encodeURIComponent(row.heartbeat)}`, label: 'Heartbeat' });
  if (row.automation !== '' && row.what !== 'removed') links.push({ href: `/automations/${encodeURIComponent(row.automation)}`, label: 'Automation' });
  if (row.conversation !== '') links.push({ href: `/chat/${encodeURIComponent(row.conversation)}`, label: 'Conversation' });
  return links;
}

// --- the ribbon ----------------------------------------------------------------------------------

export function marksOf(rows: readonly ActivityRow[], names: Names): readonly RibbonMark[] {
  return rows.flatMap((row): RibbonMark[] => {
    const outcome = outcomeOf(row);
    const failed = outcome === 'failed';
    if (isBeat(row)) {
      const state: RibbonState = failed ? 'failed' : outcome === 'silent' ? 'done' : 'spoke';
      return [{ atMs: row.atMs, layer: 'beat', state, words: outcome === 'silent' ? 'Beat, silent' : `Beat: ${row.summary}` }];
    }
    if (isRun(row)) {
      const name = names.automation(row.automation) || 'Run';
      return [{ atMs: row.atMs, layer: 'run', state: failed ? 'failed' : 'done', words: failed ? `${name}, failed` : name }];
    }
    if (outcome === 'missed') return [{ atMs: row.atMs, layer: 'run', state: 'missed', words: `${names.automation(row.automation) || 'Run'}, missed` }];
    if (row.type === 'message') return [{ atMs: row.atMs, layer: 'message', state: 'done', words: names.conversation(row.conversation) || row.summary }];
    return [];
  });
}

/** "5 beats, 6 runs, 4 messages." With runs that are over and have no row yet. */
export function daySum(rows: readonly ActivityRow[], untoldRuns = 0): string {
  const parts = [
    counted(rows.filter(isBeat).length, 'beat'),
    counted(rows.filter(isRun).length + untoldRuns, 'run'),
    counted(rows.filter(({ type }) => type === 'message').reduce((sum, { turns }) => sum + Math.max(1, turns), 0), 'message'),
  ].filter((part) => part !== '');
  return parts.length > 0 ? `${parts.join(', ')}.` : '';
}

// --- while you were away -------------------------------------------------------------------------

export interface AwayItem {
  readonly mark: 'waits' | 'failed' | 'missed' | 'ok';
  readonly text: string;
  readonly href: string | null;
}

export interface WaitingApproval {
  readonly conversationId: string;
  readonly summary: string;
}

const mostNamed = 3;

/** What matters of the rows since somebody looked: what waits, then what failed, then what was said, then the rest in
    one line. Nothing at all if there was only silence. */
export function awayItems(rows: readonly ActivityRow[], waiting: readonly WaitingApproval[], names: Names): readonly AwayItem[] {
  const items: AwayItem[] = waiting.slice(0, mostNamed).map(({ conversationId, summary }) => ({
    mark: 'waits',
    text: `Waits for you: ${sentence(summary)}`,
    href: `/chat/${encodeURIComponent(conversationId)}`,
  }));
  if (waiting.length > mostNamed) items.push({ mark: 'waits', text: `${waiting.length - mostNamed} more wait for you.`, href: '/approvals' });
  items.push(...troubles(rows, names));
  for (const row of rows.filter((one) => isBeat(one) && one.outcome === 'spoke').slice(0, mostNamed)) {
    items.push({ mark: 'ok', text: `The heartbeat noticed: ${sentence(row.summary)}`, href: linksOf(row)[0]?.href ?? null });
  }
  const fine = fineWords(rows, names);
  if (fine !== '') items.push({ mark: 'ok', text: fine, href: null });
  return items;
}

function troubles(rows: readonly ActivityRow[], names: Names): readonly AwayItem[] {
  const bySubject = new Map<string, ActivityRow[]>();
  for (const row of rows) {
    const outcome = outcomeOf(row);
    if (outcome !== 'failed' && outcome !== 'missed') continue;
    const key = `${outcome} ${row.automation || row.heartbeat || row.conversation}`;
    bySubject.set(key, [...(bySubject.get(key) ?? []), row]);
  }
  const all = [...bySubject.values()].map((same): AwayItem => {
    const [newest] = same as [ActivityRow, ...ActivityRow[]];
    const outcome = outcomeOf(newest);
    const name = titleOf(newest, names);
    // Rows about missed and paused automations name them and give the reason.
    const told = newest.type === 'system' || name === '' ? sentence(newest.summary) : '';
    const often = same.length === 1 ? 'failed' : `failed ${same.length} times`;
    const text = told || `${name} ${often}, ${same.length === 1 ? 'at' : 'last at'} ${clockTime(newest.atMs)}.`;
    return { mark: outcome === 'failed' ? 'failed' : 'missed', text, href: linksOf(newest)[0]?.href ?? null };
  });
  const sorted = all.sort((a, b) => Number(b.mark === 'failed') - Number(a.mark === 'failed'));
  if (sorted.length <= mostNamed) return sorted;
  const rest = sorted.length - mostNamed;
  return [...sorted.slice(0, mostNamed), { mark: 'failed', text: `${counted(rest, 'more failure')} below.`, href: null }];
}

function fineWords(rows: readonly ActivityRow[], names: Names): string {
  const fine = rows.filter((row) => outcomeOf(row) === 'fine');
  const runs = fine.filter(isRun);
  const talks = new Set(fine.filter(({ type }) => type === 'message').map(({ conversation }) => conversation));
  const parts: string[] = [];
  if (runs.length > 0) parts.push(`${counted(runs.length, 'run')} ${runs.length === 1 ? 'was' : 'were'} fine`);
  if (talks.size === 1) parts.push(`${names.conversation([...talks][0]!) || 'a conversation'} went on`);
  if (talks.size > 1) parts.push(`${talks.size} conversations went on`);
  if (parts.length === 0) return '';
  return sentence(listed(parts));
}
