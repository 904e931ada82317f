// The list of tasks that people and agents of a workspace share (docs/tasks.md).
import { call, type Answer } from './http.ts';
import { isObject, numberOf, textOf, timeOf, type JsonObject } from './json.ts';
import { pageFrom, type Page } from './page.ts';
import type { Wording } from './words.ts';

export interface Task {
  readonly number: number;
  readonly title: string;
  readonly detail: string;
  readonly project: string;
  /** open, claimed, done, closed. */
  readonly state: string;
  readonly claimedBy: string;
  readonly reason: string;
  readonly from: string;
  readonly createdMs: number;
  readonly endedMs: number;
}

export type TaskFilter = 'active' | 'done' | 'closed';

export function listTasks(filter: TaskFilter, cursor: string | null, limit: number): Promise<Answer<Page<Task>>> {
  const query = new URLSearchParams({ state: filter, limit: String(limit), ...(cursor === null ? {} : { cursor }) });
  return call('GET', `/api/tasks?${query}`, undefined, (json) => pageFrom(json, taskFrom));
}

export function addTask(title: string, detail: string): Promise<Answer<Task>> {
  return call('POST', '/api/tasks', detail === '' ? { title } : { title, detail }, (json) => (isObject(json) ? taskFrom(json) : null));
}

export function completeTask(number: number): Promise<Answer<Task>> {
  return step(number, { action: 'complete' });
}

export function closeTask(number: number, reason: string): Promise<Answer<Task>> {
  return step(number, { action: 'close', reason });
}

function step(number: number, body: object): Promise<Answer<Task>> {
  return call('PATCH', `/api/tasks/${number}`, body, (json) => (isObject(json) ? taskFrom(json) : null));
}

export function isActive({ state }: Task): boolean {
  return state === 'open' || state === 'claimed';
}

export function taskState({ state, claimedBy }: Task): Wording {
  switch (state) {
    case 'claimed':
      return { mark: 'interrupted', word: claimedBy === '' ? 'Taken' : `Taken by ${claimedBy}` };
    case 'done':
      return { mark: 'ok', word: 'Done' };
    case 'closed':
      return { mark: 'missed', word: 'Closed' };
    default:
      return { mark: 'missed', word: 'Open' };
  }
}

export function taskOrigin(from: string): string {
  if (from === 'agent') return 'By the agent';
  return from === 'untrusted' ? 'From words of others' : '';
}

function taskFrom(item: JsonObject): Task | null {
  const number = numberOf(item, 'number');
  if (number === 0) return null;
  return {
    number,
    title: textOf(item, 'title'),
    detail: textOf(item, 'detail'),
    project: textOf(item, 'project'),
    state: textOf(item, 'state'),
    claimedBy: textOf(item, 'claimed_by'),
    reason: textOf(item, 'reason'),
    from: textOf(item, 'from'),
    createdMs: timeOf(item, 'created_at'),
    endedMs: timeOf(item, 'ended_at'),
  };
}
