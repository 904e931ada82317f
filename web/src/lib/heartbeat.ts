// Heartbeats over HTTP (docs/heartbeat.md): what they are, what they did, and the two files that say so.
import { activeSpans, type Day } from './day.ts';
import { call, type Answer } from './http.ts';
import { isObject, listOf, numberOf, textOf, timeOf, type JsonObject } from './json.ts';
import { pageFrom, type Page } from './page.ts';
import type { RibbonMark } from './ribbon.ts';

export interface Beat {
  readonly atMs: number;
  /** Of several skips in a row the last. */
  readonly untilMs: number;
  readonly count: number;
  readonly status: string;
  readonly skipped: boolean;
  readonly verdict: string;
  readonly outcome: string;
  readonly reason: string;
  readonly text: string;
  readonly calls: number;
  readonly tokens: number;
  /** Null: nobody knows the price. */
  readonly costMicros: number | null;
  readonly turnId: string;
}

export interface ActiveHours {
  readonly start: string;
  readonly end: string;
}

export interface Heartbeat {
  readonly name: string;
  readonly enabled: boolean;
  readonly words: string;
  readonly zone: string;
  readonly intervalMinutes: number;
  /** Null: the whole day. */
  readonly hours: ActiveHours | null;
  readonly project: string;
  readonly conversation: string;
  readonly model: string;
  readonly nextMs: number;
  readonly waitsFor: string;
  readonly last: Beat | null;
  readonly today: Today;
  readonly ordersFile: string;
  readonly orders: readonly Order[];
  readonly problem: string;
}

export interface Today {
  readonly beats: number;
  readonly calls: number;
  readonly tokens: number;
  readonly costMicros: number;
  readonly capMicros: number | null;
  readonly capCalls: number | null;
}

/** check, on_change or always */
export interface Order {
  readonly kind: string;
  readonly text: string;
}

export interface HeartbeatFile {
  readonly name: string;
  readonly kind: string;
  readonly exists: boolean;
  readonly text: string;
  readonly etag: string;
}

export interface Heartbeats {
  readonly items: readonly Heartbeat[];
  readonly problem: string;
  /** Null: this person may read, not edit. */
  readonly files: readonly HeartbeatFile[] | null;
}

export function readHeartbeats(): Promise<Answer<Heartbeats>> {
  return call('GET', '/api/heartbeat', undefined, heartbeatsFrom);
}

/** Refused with the code "conflict" if the file is another one by now. */
export function saveFile({ kind, name, etag }: HeartbeatFile, text: string): Promise<Answer<Heartbeats>> {
  if (kind === 'settings') return call('PUT', '/api/heartbeat', { text, if_match: etag }, heartbeatsFrom);
  return call('PUT', '/api/heartbeat/orders', { text, if_match: etag, file: name }, heartbeatsFrom);
}

export function readBeats(name: string, cursor: string | null): Promise<Answer<Page<Beat>>> {
  const query = new URLSearchParams({ limit: '100', name, ...(cursor === null ? {} : { cursor }) });
  return call('GET', `/api/heartbeat/history?${query}`, undefined, (json) => pageFrom(json, beatFrom));
}

/** The beats of a day that are still to come. */
export function plannedBeats({ enabled, nextMs, intervalMinutes, hours, zone }: Heartbeat, day: Day): readonly RibbonMark[] {
  if (!enabled || nextMs === 0 || intervalMinutes <= 0) return [];
  const stepMs = intervalMinutes * 60_000;
  const spans = activeSpans(day, hours, zone);
  const marks: RibbonMark[] = [];
  const first = nextMs >= day.startMs ? nextMs : nextMs + Math.ceil((day.startMs - nextMs) / stepMs) * stepMs;
  for (let atMs = first; atMs < day.endMs; atMs += stepMs) {
    if (spans.some(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs)) marks.push({ atMs, layer: 'beat', state: 'planned', words: 'Beat, planned' });
  }
  return marks;
}

function heartbeatsFrom(json: unknown): Heartbeats | null {
  if (!isObject(json) || !Array.isArray(json['heartbeats'])) return null;
  return {
    items: listOf(json, 'heartbeats', heartbeatFrom),
    problem: textOf(json, 'problem'),
    files: Array.isArray(json['files']) ? listOf(json, 'files', fileFrom) : null,
  };
}

function heartbeatFrom(json: JsonObject): Heartbeat {
  const [start = '', end = ''] = textOf(json, 'active_hours').split('-');
  return {
    name: textOf(json, 'name'),
    enabled: json['enabled'] === true,
    words: textOf(json, 'words'),
    zone: textOf(json, 'zone', 'UTC'),
    intervalMinutes: numberOf(json, 'interval_minutes'),
    hours: start === '' ? null : { start, end },
    project: textOf(json, 'project'),
    conversation: textOf(json, 'conversation'),
    model: textOf(json, 'model'),
    nextMs: timeOf(json, 'next_run_at'),
    waitsFor: textOf(json, 'waits_for'),
    last: isObject(json['last']) ? beatFrom(json['last']) : null,
    today: todayFrom(isObject(json['today']) ? json['today'] : {}),
    ordersFile: textOf(json, 'orders_file'),
    orders: listOf(json, 'orders', (item) => ({ kind: textOf(item, 'kind'), text: textOf(item, 'text') })),
    problem: textOf(json, 'problem'),
  };
}

function todayFrom(json: JsonObject): Today {
  const orNull = (key: string) => (typeof json[key] === 'number' ? json[key] : null);
  return {
    beats: numberOf(json, 'beats'),
    calls: numberOf(json, 'calls'),
    tokens: numberOf(json, 'tokens_in') + numberOf(json, 'tokens_out'),
    costMicros: numberOf(json, 'cost_micros'),
    capMicros: orNull('cap_micros'),
    capCalls: orNull('cap_calls'),
  };
}

function fileFrom(json: JsonObject): HeartbeatFile {
  return {
    name: textOf(json, 'name'),
    kind: textOf(json, 'kind'),
    exists: json['exists'] === true,
    text: textOf(json, 'text'),
    etag: textOf(json, 'etag'),
  };
}

function beatFrom(json: JsonObject): Beat {
  const atMs = timeOf(json, 'at');
  return {
    atMs,
    untilMs: timeOf(json, 'until', atMs),
    count: numberOf(json, 'count', 1),
    status: textOf(json, 'status'),
    skipped: json['skipped'] === true,
    verdict: textOf(json, 'verdict'),
    outcome: textOf(json, 'outcome'),
    reason: textOf(json, 'reason'),
    text: textOf(json, 'text'),
    calls: numberOf(json, 'calls'),
    tokens: numberOf(json, 'tokens_in') + numberOf(json, 'tokens_out'),
    costMicros: typeof json['cost_micros'] === 'number' ? json['cost_micros'] : null,
    turnId: textOf(json, 'turn_id'),
  };
}
