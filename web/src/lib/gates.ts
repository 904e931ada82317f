// What the rules of workflows did in one conversation: each time one was asked, what it decided and why.
import { call, type Answer } from './http.ts';
import { isObject, listOf, numberOf, textOf, timeOf, type JsonObject } from './json.ts';
import { cursorPart, pageFrom, type Page } from './page.ts';
import { variablesOf, type Variable } from './workflows.ts';

export interface FiredAction {
  readonly action: string;
  readonly line: number;
  readonly outcome: string;
  readonly detail: string;
}

export interface Firing {
  /** The server gives none: what was fired, and the how-manieth of its kind. */
  readonly key: string;
  readonly atMs: number;
  readonly turnId: string;
  readonly event: string;
  readonly workflow: string;
  readonly decision: string;
  readonly reason: string;
  readonly tool: string;
  readonly micros: number;
  readonly actions: readonly FiredAction[];
}

export interface GatePage extends Page<Firing> {
  readonly source: string;
  readonly variables: readonly Variable[];
}

/** Newest first; the cursor leads to older ones. */
export function listGates(conversation: string, cursor: string | null, limit: number): Promise<Answer<GatePage>> {
  return call('GET', `/api/conversations/${encodeURIComponent(conversation)}/gates?limit=${limit}${cursorPart(cursor)}`, undefined, (json) => {
    const page = pageFrom(json, firingFrom, 'firings');
    if (page === null || !isObject(json)) return null;
    return { ...page, items: withKeys(page.items), source: textOf(json, 'source'), variables: variablesOf(json, 'variables') };
  });
}

/** The same rule may fire more than once in a millisecond. */
function withKeys(firings: readonly Firing[]): readonly Firing[] {
  const seen = new Map<string, number>();
  return firings.map((one) => {
    const name = [one.atMs, one.turnId, one.event, one.workflow, one.tool].join(' ');
    const times = seen.get(name) ?? 0;
    seen.set(name, times + 1);
    return { ...one, key: `${name} ${times}` };
  });
}

function firingFrom(json: JsonObject): Firing {
  return {
    key: '',
    atMs: timeOf(json, 'at'),
    turnId: textOf(json, 'turn_id'),
    event: textOf(json, 'event'),
    workflow: textOf(json, 'workflow'),
    decision: textOf(json, 'decision'),
    reason: textOf(json, 'reason'),
    tool: textOf(json, 'tool'),
    micros: numberOf(json, 'micros'),
    actions: listOf(json, 'actions', (one) => ({
      action: textOf(one, 'action'),
      line: numberOf(one, 'line'),
      outcome: textOf(one, 'outcome'),
      detail: textOf(one, 'detail'),
    })),
  };
}
