// The activity log over HTTP (docs/activity.md), and its filters as they stand in the address of the page.
import { dateText, dayFromText, type Day } from './day.ts';
import { call, type Answer } from './http.ts';
import { isObject, numberOf, textOf, timeOf, type JsonObject } from './json.ts';
import { pageFrom, type Page } from './page.ts';

export const activityTypes = ['message', 'heartbeat', 'scheduled', 'background', 'system'] as const;
export type ActivityType = (typeof activityTypes)[number];

export interface ActivityRow {
  readonly id: number;
  readonly atMs: number;
  readonly type: ActivityType;
  readonly project: string;
  readonly conversation: string;
  readonly turn: string;
  readonly run: string;
  readonly summary: string;
  /** The automation it is about, '' if about none. */
  readonly automation: string;
  /** How a run ended, or what was done to an automation. */
  readonly what: string;
  /** Who did it: person, schedule, rouse, agent, api … */
  readonly by: string;
  readonly turns: number;
  /** Of a heartbeat. */
  readonly heartbeat: string;
  readonly outcome: string;
  readonly reason: string;
  readonly calls: number;
  readonly costMicros: number;
  readonly untrusted: boolean;
}

export interface ActivityPage extends Page<ActivityRow> {
  readonly lastId: number;
}

/** Days are whole and in the person's zone; both ends belong to the range. */
export interface ActivityFilter {
  readonly type: ActivityType | null;
  readonly project: string;
  readonly conversation: string;
  readonly words: string;
  readonly since: Day | null;
  readonly until: Day | null;
}

export const everything: ActivityFilter = { type: null, project: '', conversation: '', words: '', since: null, until: null };

export function filterFrom(query: (name: string) => string | null): ActivityFilter {
  return {
    type: activityTypes.find((type) => type === query('type')) ?? null,
    project: query('project') ?? '',
    conversation: query('conversation') ?? '',
    words: query('q') ?? '',
    since: dayFromText(query('since')),
    until: dayFromText(query('until')),
  };
}

export function addressOf(filter: ActivityFilter): string {
  const query = new URLSearchParams();
  const put = (name: string, value: string | null) => value !== null && value !== '' && query.set(name, value);
  put('type', filter.type);
  put('project', filter.project);
  put('conversation', filter.conversation);
  put('q', filter.words);
  put('since', filter.since && dateText(filter.since.startMs));
  put('until', filter.until && dateText(filter.until.startMs));
  return query.size > 0 ? `/activity?${query}` : '/activity';
}

export const isFiltered = ({ type, project, conversation, words, since }: ActivityFilter): boolean =>
  type !== null || project !== '' || conversation !== '' || words !== '' || since !== null;

/** Newest first; the cursor leads to older ones. */
export function readActivity(filter: ActivityFilter, cursor: string | null): Promise<Answer<ActivityPage>> {
  return read(filter, cursor === null ? {} : { cursor });
}

/** What was written after this id, in that order: a row may tell about earlier work. */
export function readActivityAfter(filter: ActivityFilter, id: number): Promise<Answer<ActivityPage>> {
  return read(filter, { after: String(id) });
}

export function exportPathOf(filter: ActivityFilter, format: 'csv' | 'json'): string {
  return `/api/activity/export?${queryOf(filter, { format })}`;
}

function read(filter: ActivityFilter, more: Readonly<Record<string, string>>): Promise<Answer<ActivityPage>> {
  return call('GET', `/api/activity?${queryOf(filter, { limit: '200', ...more })}`, undefined, activityPage);
}

function queryOf(filter: ActivityFilter, more: Readonly<Record<string, string>>): URLSearchParams {
  const query = new URLSearchParams(more);
  if (filter.type !== null) query.set('type', filter.type);
  if (filter.project !== '') query.set('project', filter.project);
  if (filter.conversation !== '') query.set('conversation', filter.conversation);
  if (filter.words !== '') query.set('q', filter.words);
  if (filter.since !== null) query.set('since', new Date(filter.since.startMs).toISOString());
  if (filter.until !== null) query.set('until', new Date(filter.until.endMs).toISOString());
  return query;
}

function activityPage(json: unknown): ActivityPage | null {
  const page = pageFrom(json, rowFrom);
  return page && isObject(json) ? { ...page, lastId: numberOf(json, 'last_id') } : null;
}

export function rowFrom(json: JsonObject): ActivityRow | null {
  const type = activityTypes.find((one) => one === json['type']);
  const id = numberOf(json, 'id');
  if (type === undefined || id === 0) return null;
  const details = isObject(json['details']) ? json['details'] : {};
  return {
    id,
    atMs: numberOf(json, 'ts_ms', timeOf(json, 'ts')),
    type,
    project: textOf(json, 'project_alias') || textOf(json, 'project'),
    conversation: textOf(json, 'conversation'),
    turn: textOf(json, 'turn'),
    run: textOf(json, 'run'),
    summary: textOf(json, 'summary'),
    automation: textOf(details, 'automation') || textOf(details, 'automation_id'),
    what: textOf(details, 'status') || textOf(details, 'what'),
    by: textOf(details, 'by'),
    turns: numberOf(details, 'turns'),
    heartbeat: textOf(details, 'heartbeat'),
    outcome: textOf(details, 'outcome'),
    reason: textOf(details, 'reason'),
    calls: numberOf(details, 'calls'),
    costMicros: numberOf(details, 'cost_micros'),
    untrusted: details['untrusted'] === true,
  };
}
