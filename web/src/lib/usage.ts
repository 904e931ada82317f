// What models cost, over HTTP, and the days as a plot needs them: without gaps, oldest first.
import { call, type Answer } from './http.ts';
import { isObject, listOf, numberOf, textOf, type JsonObject } from './json.ts';

export interface Usage {
  readonly turns: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly usd: number;
  /** Some of it has no known price: then `usd` is the least it was. */
  readonly priceUnknown: boolean;
}

export interface DayUsage extends Usage {
  /** "2026-11-16", in the workspace's zone. */
  readonly day: string;
}

export interface WorkspaceUsage {
  readonly zone: string;
  readonly today: DayUsage;
  readonly month: Usage;
  readonly capUsd: number | null;
  readonly capTokens: number | null;
  readonly capConversationUsd: number | null;
  readonly pausedReason: string;
  readonly days: readonly DayUsage[];
}

export function readUsage(days: number): Promise<Answer<WorkspaceUsage>> {
  return call('GET', `/api/usage?limit=${days}`, undefined, workspaceFrom);
}

export function readConversationUsage(id: string): Promise<Answer<Usage>> {
  return call('GET', `/api/conversations/${encodeURIComponent(id)}/usage`, undefined, (json) =>
    isObject(json) && isObject(json['total']) ? usageFrom(json['total']) : null,
  );
}

export const tokensOf = ({ tokensIn, tokensOut, cacheRead, cacheWrite }: Usage): number => tokensIn + tokensOut + cacheRead + cacheWrite;

const nothing: Usage = { turns: 0, tokensIn: 0, tokensOut: 0, cacheRead: 0, cacheWrite: 0, usd: 0, priceUnknown: false };

/** The last `count` days up to `today`, each with what was used, nothing included. */
export function daysUpTo(today: string, count: number, known: readonly DayUsage[]): readonly DayUsage[] {
  const byDay = new Map(known.map((one) => [one.day, one]));
  const [year = 0, month = 1, date = 1] = today.split('-').map(Number);
  return Array.from({ length: count }, (_, index) => {
    // Noon in UTC: a date and nothing else, whatever zone the browser is in.
    const day = new Date(Date.UTC(year, month - 1, date - (count - 1 - index), 12)).toISOString().slice(0, 10);
    return byDay.get(day) ?? { day, ...nothing };
  });
}

/** Round numbers for an axis, from 0 to at least `most`. */
export function ticksUpTo(most: number): readonly number[] {
  if (!(most > 0)) return [0];
  const rough = most / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((one) => one >= rough * 0.999) ?? 10 * power;
  const ticks: number[] = [];
  for (let index = 0; index <= Math.ceil(most / step - 1e-9); index++) ticks.push(Number((index * step).toPrecision(6)));
  return ticks;
}

function workspaceFrom(json: unknown): WorkspaceUsage | null {
  if (!isObject(json) || !isObject(json['today']) || !isObject(json['month'])) return null;
  const caps = isObject(json['caps']) ? json['caps'] : {};
  const orNull = (key: string) => (typeof caps[key] === 'number' ? caps[key] : null);
  return {
    zone: textOf(json, 'timezone', 'UTC'),
    today: dayFrom(json['today']),
    month: usageFrom(json['month']),
    capUsd: orNull('day_usd'),
    capTokens: orNull('day_tokens'),
    capConversationUsd: orNull('conversation_usd'),
    pausedReason: textOf(json, 'paused_reason'),
    days: listOf(json, 'items', dayFrom),
  };
}

const dayFrom = (json: JsonObject): DayUsage => ({ day: textOf(json, 'day'), ...usageFrom(json) });

function usageFrom(json: JsonObject): Usage {
  return {
    turns: numberOf(json, 'turns'),
    tokensIn: numberOf(json, 'tokens_in'),
    tokensOut: numberOf(json, 'tokens_out'),
    cacheRead: numberOf(json, 'cache_read'),
    cacheWrite: numberOf(json, 'cache_write'),
    usd: numberOf(json, 'usd'),
    priceUnknown: json['price_unknown'] === true,
  };
}
