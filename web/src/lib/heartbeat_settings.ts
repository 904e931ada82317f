// heartbeat.json as a form, and back. Only what the form shows is changed: everything else in the file, in any order,
// stays the person's. Pure.
import { minutesOf } from './day.ts';
import { isObject, type JsonObject } from './json.ts';

export interface SettingsForm {
  readonly enabled: boolean;
  readonly intervalMinutes: number;
  /** Null: the whole day. */
  readonly hours: { readonly start: string; readonly end: string } | null;
  /** '': the workspace's zone. */
  readonly zone: string;
  readonly project: string;
  readonly conversation: string;
  readonly capUsd: string;
  readonly capCalls: string;
}

/** What holds for a field that nobody wrote. */
const usual = { enabled: true, interval_minutes: 30, active_hours: { start: '07:00', end: '23:00' } };

/** Null when the file can't be read as a form: then it is shown as it is. */
export function formFrom(text: string, name: string): SettingsForm | null {
  const root = parsed(text);
  const entry = root && entryOf(root, name);
  if (root === null || entry === null) return null;
  const said: JsonObject = { ...usual, ...root, ...entry };
  const minutes = said['interval'] === undefined ? said['interval_minutes'] : minutesFrom(said['interval']);
  if (typeof minutes !== 'number') return null;
  const hours = said['active_hours'];
  const text_ = (value: unknown) => (typeof value === 'string' ? value : '');
  const number = (value: unknown) => (typeof value === 'number' ? String(value) : '');
  return {
    enabled: said['enabled'] !== false && minutes > 0,
    intervalMinutes: minutes > 0 ? minutes : usual.interval_minutes,
    hours: isObject(hours) ? { start: text_(hours['start']), end: text_(hours['end']) } : null,
    zone: isObject(hours) ? text_(hours['zone']) : '',
    project: text_(said['project']),
    conversation: text_(said['conversation']),
    capUsd: number(said['daily_cap_usd']),
    capCalls: number(said['daily_cap_calls']),
  };
}

/** The file with what differs between the two forms written into it; null if it can't be. */
export function textWith(text: string, name: string, before: SettingsForm, after: SettingsForm): string | null {
  const root = parsed(text);
  const entry = root && entryOf(root, name);
  if (root === null || entry === null) return null;
  const differs = (field: keyof SettingsForm) => JSON.stringify(before[field]) !== JSON.stringify(after[field]);
  if (differs('enabled')) entry['enabled'] = after.enabled;
  if (differs('intervalMinutes') || (after.enabled && entry['interval_minutes'] === 0)) {
    delete entry['interval'];
    entry['interval_minutes'] = after.intervalMinutes;
  }
  if (differs('hours') || differs('zone')) {
    entry['active_hours'] = after.hours && { ...after.hours, ...(after.zone === '' ? {} : { zone: after.zone }) };
  }
  const set = (key: string, value: string | number | null) => {
    // Null says "none" over what stands beside the list; elsewhere a missing field says the same.
    if (value !== null) entry[key] = value;
    else if (entry !== root && root[key] !== undefined) entry[key] = null;
    else delete entry[key];
  };
  if (differs('project')) set('project', after.project || null);
  if (differs('conversation')) set('conversation', after.conversation || null);
  if (differs('capUsd')) set('daily_cap_usd', after.capUsd === '' ? null : Number(after.capUsd));
  if (differs('capCalls')) set('daily_cap_calls', after.capCalls === '' ? null : Number(after.capCalls));
  return `${JSON.stringify(root, null, 2)}\n`;
}

/** What a person has to correct first, by field; empty: it can be saved. */
export function mistakesIn(form: SettingsForm): Partial<Record<keyof SettingsForm, string>> {
  const out: Partial<Record<keyof SettingsForm, string>> = {};
  const { intervalMinutes: minutes, hours, capUsd, capCalls } = form;
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > 1440) out.intervalMinutes = 'Between 1 and 1440 minutes.';
  if (hours !== null) {
    const [start, end] = [minutesOf(hours.start), minutesOf(hours.end)];
    if (start === null || end === null || start === 1440) out.hours = 'Write times like 07:00.';
    else if (start === end) out.hours = 'The hours are empty. Choose the whole day, or another end.';
  }
  if (capUsd !== '' && !(Number(capUsd) >= 0)) out.capUsd = 'An amount in dollars, like 0.25.';
  if (capCalls !== '' && !(Number.isInteger(Number(capCalls)) && Number(capCalls) >= 0)) out.capCalls = 'A whole number.';
  return out;
}

/** How many beats a day has at most. */
export function beatsADay({ intervalMinutes, hours }: SettingsForm): number {
  if (!(intervalMinutes > 0)) return 0;
  const [start, end] = hours === null ? [0, 1440] : [minutesOf(hours.start) ?? 0, minutesOf(hours.end) ?? 0];
  const minutes = end > start ? end - start : end + 1440 - start;
  return Math.ceil(minutes / intervalMinutes);
}

export function intervalWords(minutes: number): string {
  if (minutes % 60 !== 0) return minutes === 1 ? 'minute' : `${minutes} minutes`;
  return minutes === 60 ? 'hour' : `${minutes / 60} hours`;
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

/** The object that holds this heartbeat's settings; changing it changes `root`. */
function entryOf(root: Record<string, unknown>, name: string): Record<string, unknown> | null {
  const list = root['heartbeats'];
  if (list === undefined) return root;
  if (!Array.isArray(list)) return null;
  const found: unknown = list.find((one: unknown) => isObject(one) && (one['name'] ?? '') === name);
  return isObject(found) ? (found as Record<string, unknown>) : null;
}

/** "30m", "2h", or milliseconds. */
function minutesFrom(interval: unknown): number | null {
  if (typeof interval === 'number') return interval / 60_000;
  const [, count, unit] = /^(\d+)\s*(m|h|s)\w*$/.exec(typeof interval === 'string' ? interval.trim() : '') ?? [];
  if (count === undefined) return interval === '0' ? 0 : null;
  return (Number(count) * (unit === 'h' ? 60 : unit === 'm' ? 1 : 1 / 60));
}
