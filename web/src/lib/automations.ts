// Everything the automations page asks over HTTP, as typed values (docs/automations.md).
import { call, type Answer } from './http.ts';
import { isObject, listOf, numberOf, textOf, textsOf, timeOf, type JsonObject } from './json.ts';
import { cursorPart, pageFrom, type Page } from './page.ts';

export type Schedule =
  | { readonly kind: 'cron'; readonly expr: string; readonly zone: string }
  | { readonly kind: 'every'; readonly everyMs: number; readonly zone: string }
  | { readonly kind: 'at'; readonly atMs: number; readonly zone: string };

export type CatchUp = 'latest' | 'all' | 'skip';

export interface Output {
  readonly file: string;
  readonly notify: boolean;
  readonly conversation: string;
}

export interface Automation {
  readonly id: string;
  readonly name: string;
  readonly message: string;
  /** bound, isolated, legacy or system */
  readonly kind: string;
  /** The conversation it belongs to, '' if to none. */
  readonly key: string;
  readonly schedule: Schedule;
  /** The schedule in words, without its zone. */
  readonly words: string;
  readonly zone: string;
  /** active, paused, done or quarantined */
  readonly state: string;
  readonly stateBy: string;
  readonly stateReason: string;
  readonly stateSinceMs: number;
  readonly nextMs: readonly number[];
  readonly catchUp: CatchUp;
  readonly catchUpMax: number;
  readonly windowMs: number;
  readonly timeoutMs: number;
  readonly failures: number;
  readonly backoffUntilMs: number;
  readonly last: { readonly status: string; readonly reason: string; readonly dueMs: number } | null;
  /** Null: every tool. */
  readonly tools: readonly string[] | null;
  readonly gate: string;
  /** Of one that works apart. */
  readonly output: Output;
  readonly folder: string;
  readonly provenance: string;
  readonly source: string;
}

/** What became of a due instant, or of several in a row. */
export interface Occurrence {
  readonly dueMs: number;
  readonly untilMs: number;
  readonly count: number;
  readonly status: string;
  readonly reason: string;
  readonly readyMs: number;
}

/** Older ones, of which only sums are kept. */
export interface DaySum {
  readonly day: string;
  readonly status: string;
  readonly count: number;
}

export interface Run {
  readonly id: string;
  readonly automationId: string;
  readonly dueMs: number;
  readonly attempt: number;
  readonly kind: string;
  readonly status: string;
  readonly reason: string;
  readonly late: boolean;
  readonly turnId: string;
  readonly conversationId: string;
  readonly model: string;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly costMicros: number | null;
  readonly queuedMs: number;
  readonly endedMs: number;
  readonly routed: string;
  readonly error: string;
  /** Only of a single run. */
  readonly prompt: string;
}

export interface Why {
  readonly name: string;
  readonly atMs: number;
  readonly code: string;
  readonly reason: string;
  readonly status: string;
  readonly by: string;
  readonly sinceMs: number;
  readonly dueMs: number;
  readonly untilMs: number;
  readonly count: number;
  readonly folded: boolean;
  readonly nextMs: number;
  readonly previousMs: number;
}

export interface Overlap {
  readonly id: string;
  readonly name: string;
  readonly atMs: number;
  readonly times: number;
}

export interface Preview {
  readonly words: string;
  readonly zone: string;
  readonly nextMs: readonly number[];
  readonly overlaps: readonly Overlap[];
  readonly runs: number;
  readonly basis: string;
  readonly averaged: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** Null: nobody knows the price. */
  readonly costMicros: number | null;
}

export interface OccurrencePage extends Page<Occurrence> {
  readonly days: readonly DaySum[];
}

const at = (id: string) => `/api/automations/${encodeURIComponent(id)}`;

export function listAutomations(cursor: string | null): Promise<Answer<Page<Automation>>> {
  return call('GET', `/api/automations?limit=200${cursorPart(cursor)}`, undefined, (json) => pageFrom(json, automationFrom));
}

export function getAutomation(id: string): Promise<Answer<Automation>> {
  return call('GET', at(id), undefined, one(automationFrom));
}

export function createAutomation(body: object): Promise<Answer<Automation>> {
  return call('POST', '/api/automations', body, one(automationFrom));
}

export function editAutomation(id: string, body: object): Promise<Answer<Automation>> {
  return call('PATCH', at(id), body, one(automationFrom));
}

export function removeAutomation(id: string): Promise<Answer<true>> {
  return call('DELETE', at(id), undefined, () => true);
}

export function pauseAutomation(id: string, reason: string): Promise<Answer<Automation>> {
  return call('POST', `${at(id)}/pause`, reason === '' ? {} : { reason }, one(automationFrom));
}

export function resumeAutomation(id: string): Promise<Answer<Automation>> {
  return call('POST', `${at(id)}/resume`, {}, one(automationFrom));
}

export function listOccurrences(id: string, cursor: string | null): Promise<Answer<OccurrencePage>> {
  return call('GET', `${at(id)}/occurrences?limit=20${cursorPart(cursor)}`, undefined, (json) => {
    const page = pageFrom(json, occurrenceFrom);
    return page && isObject(json) ? { ...page, days: listOf(json, 'days', daySumFrom) } : null;
  });
}

export function listRuns(id: string, cursor: string | null): Promise<Answer<Page<Run>>> {
  return call('GET', `${at(id)}/runs?limit=50${cursorPart(cursor)}`, undefined, (json) => pageFrom(json, runFrom));
}

/** The newest of all automations: those that are open are among them. */
export function listNewestRuns(): Promise<Answer<Page<Run>>> {
  return call('GET', '/api/runs?limit=100', undefined, (json) => pageFrom(json, runFrom));
}

export function getRun(id: string): Promise<Answer<Run>> {
  return call('GET', `/api/runs/${encodeURIComponent(id)}`, undefined, one(runFrom));
}

/** Whether the turn of a run runs or waits. */
export function getTurnState(id: string): Promise<Answer<string>> {
  return call('GET', `/api/turns/${encodeURIComponent(id)}`, undefined, (json) => (isObject(json) ? textOf(json, 'state') : null));
}

/** `atLocal` is local time in the automation's zone, '' for now. */
export function askWhy(id: string, atLocal: string): Promise<Answer<Why>> {
  const query = atLocal === '' ? '' : `?at=${encodeURIComponent(atLocal)}`;
  return call('GET', `/api/why/automation/${encodeURIComponent(id)}${query}`, undefined, one(whyFrom));
}

export function previewAutomation(body: object): Promise<Answer<Preview>> {
  return call('POST', '/api/automations/preview', body, one(previewFrom));
}

/** Are all channels one conversation? Whoever may not read the settings gets a failure. */
export function readUnified(): Promise<Answer<boolean>> {
  return call('GET', '/api/settings', undefined, (json) => {
    if (!isObject(json)) return null;
    return listOf(json, 'items', (item) => (item['key'] === 'unified_session' ? item : null)).some((item) => item['value'] === true);
  });
}

function one<T>(read: (json: JsonObject) => T | null): (json: unknown) => T | null {
  return (json) => (isObject(json) ? read(json) : null);
}

export function automationFrom(json: JsonObject): Automation | null {
  const id = textOf(json, 'id');
  if (id === '') return null;
  const { last, gate, output } = json;
  return {
    id,
    name: textOf(json, 'name'),
    message: textOf(json, 'message'),
    kind: textOf(json, 'kind'),
    key: textOf(json, 'session_key'),
    schedule: scheduleFrom(json['schedule']),
    words: textOf(json, 'words'),
    zone: textOf(json, 'zone', 'UTC'),
    state: textOf(json, 'state'),
    stateBy: textOf(json, 'state_by'),
    stateReason: textOf(json, 'state_reason'),
    stateSinceMs: timeOf(json, 'state_since'),
    nextMs: instantsOf(json, 'next'),
    catchUp: catchUpFrom(textOf(json, 'catch_up')),
    catchUpMax: numberOf(json, 'catch_up_max', 10),
    windowMs: numberOf(json, 'window_ms'),
    timeoutMs: numberOf(json, 'timeout_ms'),
    failures: numberOf(json, 'failures'),
    backoffUntilMs: timeOf(json, 'backoff_until'),
    last: isObject(last)
      ? { status: textOf(last, 'status'), reason: textOf(last, 'reason'), dueMs: timeOf(last, 'scheduled_for') }
      : null,
    tools: Array.isArray(json['tools']) ? textsOf(json, 'tools') : null,
    gate: isObject(gate) ? textOf(gate, 'command') : '',
    output: outputFrom(isObject(output) ? output : {}),
    folder: textOf(json, 'project_path'),
    provenance: textOf(json, 'provenance'),
    source: textOf(json, 'source'),
  };
}

function scheduleFrom(value: unknown): Schedule {
  const json = isObject(value) ? value : {};
  const zone = textOf(json, 'tz', 'UTC');
  const kind = textOf(json, 'kind');
  if (kind === 'every') return { kind, everyMs: numberOf(json, 'every_ms'), zone };
  if (kind === 'at') return { kind, atMs: timeOf(json, 'at'), zone };
  return { kind: 'cron', expr: textOf(json, 'expr'), zone };
}

/** What is brought nowhere else is notified, unless somebody said no. */
function outputFrom(json: JsonObject): Output {
  const [file, conversation] = [textOf(json, 'file'), textOf(json, 'session_key')];
  const isNamed = file !== '' || conversation !== '';
  return { file, conversation, notify: typeof json['notify'] === 'boolean' ? json['notify'] : !isNamed };
}

function catchUpFrom(text: string): CatchUp {
  return text === 'all' || text === 'skip' ? text : 'latest';
}

function instantsOf(json: JsonObject, key: string): readonly number[] {
  return textsOf(json, key).map((text) => Date.parse(text)).filter((ms) => !Number.isNaN(ms));
}

function occurrenceFrom(json: JsonObject): Occurrence {
  const dueMs = timeOf(json, 'scheduled_for');
  return {
    dueMs,
    untilMs: timeOf(json, 'until', dueMs),
    count: numberOf(json, 'count', 1),
    status: textOf(json, 'status'),
    reason: textOf(json, 'reason'),
    readyMs: timeOf(json, 'ready_at'),
  };
}

function daySumFrom(json: JsonObject): DaySum {
  return { day: textOf(json, 'day'), status: textOf(json, 'status'), count: numberOf(json, 'count') };
}

function runFrom(json: JsonObject): Run | null {
  const id = textOf(json, 'id');
  if (id === '') return null;
  return {
    id,
    automationId: textOf(json, 'automation_id'),
    dueMs: timeOf(json, 'scheduled_for'),
    attempt: numberOf(json, 'attempt', 1),
    kind: textOf(json, 'kind'),
    status: textOf(json, 'status'),
    reason: textOf(json, 'reason'),
    late: json['late'] === true,
    turnId: textOf(json, 'turn_id'),
    conversationId: textOf(json, 'conversation_id'),
    model: textOf(json, 'model'),
    tokensIn: numberOf(json, 'tokens_in'),
    tokensOut: numberOf(json, 'tokens_out'),
    costMicros: typeof json['cost_micros'] === 'number' ? json['cost_micros'] : null,
    queuedMs: timeOf(json, 'queued_at'),
    endedMs: timeOf(json, 'ended_at'),
    routed: textOf(json, 'routed'),
    error: textOf(json, 'error'),
    prompt: textOf(json, 'prompt'),
  };
}

function whyFrom(json: JsonObject): Why {
  return {
    name: textOf(json, 'automation_name'),
    atMs: timeOf(json, 'at'),
    code: textOf(json, 'code'),
    reason: textOf(json, 'reason'),
    status: textOf(json, 'status'),
    by: textOf(json, 'by'),
    sinceMs: timeOf(json, 'since'),
    dueMs: timeOf(json, 'scheduled_for'),
    untilMs: timeOf(json, 'until'),
    count: numberOf(json, 'count'),
    folded: json['folded'] === true,
    nextMs: timeOf(json, 'next'),
    previousMs: timeOf(json, 'previous'),
  };
}

function previewFrom(json: JsonObject): Preview {
  const estimate = isObject(json['estimate']) ? json['estimate'] : {};
  return {
    words: textOf(json, 'words'),
    zone: textOf(json, 'zone'),
    nextMs: instantsOf(json, 'next'),
    overlaps: listOf(json, 'overlaps', (item) => ({
      id: textOf(item, 'automation_id'),
      name: textOf(item, 'name'),
      atMs: timeOf(item, 'at'),
      times: numberOf(item, 'times', 1),
    })),
    runs: numberOf(estimate, 'runs'),
    basis: textOf(estimate, 'basis'),
    averaged: numberOf(estimate, 'averaged'),
    tokensIn: numberOf(estimate, 'tokens_in'),
    tokensOut: numberOf(estimate, 'tokens_out'),
    costMicros: typeof estimate['cost_micros'] === 'number' ? estimate['cost_micros'] : null,
  };
}
