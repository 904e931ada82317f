// The form of an automation: what is in its fields, what of that the server is told, and which field an error is about.
import type { Automation, CatchUp, Schedule } from './automations.ts';
import { fieldsIn, isFixedTime } from './automations_time.ts';
import { sentence, whyFailed, type Failure } from './http.ts';

export type When = 'once' | 'every' | 'days' | 'cron';
export type Place = 'conversation' | 'new' | 'apart';
export type Unit = 'seconds' | 'minutes' | 'hours' | 'days';
export type Field = 'name' | 'message' | 'conversation' | 'when' | 'zone' | 'late' | 'timeout' | 'tools' | 'gate' | 'file' | 'folder';
export type Problems = Partial<Record<Field | 'form', string>>;

export interface Draft {
  name: string;
  message: string;
  place: Place;
  /** Any name of the conversation it goes into. */
  conversation: string;
  notify: boolean;
  tells: string;
  file: string;
  folder: string;
  when: When;
  date: string;
  time: string;
  count: number | null;
  unit: Unit;
  /** 0 is Sunday, as in cron. */
  days: number[];
  clock: string;
  expr: string;
  zone: string;
  catchUp: CatchUp;
  catchUpMax: number;
  windowMs: number;
  timeoutMs: number;
  tools: string;
  gate: string;
}

export const unitMs: Readonly<Record<Unit, number>> = { seconds: 1000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 };
/** Monday first, as people here count; the number is cron's. */
export const weekdays = [
  { day: 1, short: 'Mon', name: 'Monday' },
  { day: 2, short: 'Tue', name: 'Tuesday' },
  { day: 3, short: 'Wed', name: 'Wednesday' },
  { day: 4, short: 'Thu', name: 'Thursday' },
  { day: 5, short: 'Fri', name: 'Friday' },
  { day: 6, short: 'Sat', name: 'Saturday' },
  { day: 0, short: 'Sun', name: 'Sunday' },
] as const;

const everyDay = [0, 1, 2, 3, 4, 5, 6];

export function newDraft(zone: string, nowMs: number, conversation: string, message: string): Draft {
  const soon = fieldsIn(nowMs + 3_600_000, zone);
  return {
    name: '', message, place: conversation === '' ? 'new' : 'conversation', conversation,
    notify: true, tells: '', file: '', folder: '',
    when: 'days', date: soon.date, time: soon.time, count: 2, unit: 'hours', days: [1, 2, 3, 4, 5], clock: '08:00', expr: '0 8 * * 1-5', zone,
    catchUp: 'latest', catchUpMax: 10, windowMs: 7 * 86_400_000, timeoutMs: 600_000, tools: '', gate: '',
  };
}

export function draftFrom(automation: Automation, nowMs: number): Draft {
  const { schedule, output } = automation;
  const draft: Draft = {
    ...newDraft(automation.zone, nowMs, automation.key, automation.message),
    name: automation.name,
    place: automation.kind === 'bound' ? 'conversation' : 'apart',
    notify: output.notify,
    tells: output.conversation,
    file: output.file,
    folder: automation.folder,
    catchUp: automation.catchUp,
    catchUpMax: automation.catchUpMax,
    windowMs: automation.windowMs,
    timeoutMs: automation.timeoutMs,
    tools: automation.tools?.join(', ') ?? '',
    gate: automation.gate,
  };
  return { ...draft, ...scheduleFields(schedule) };
}

function scheduleFields(schedule: Schedule): Partial<Draft> {
  if (schedule.kind === 'at') return { when: 'once', ...fieldsIn(schedule.atMs, schedule.zone) };
  if (schedule.kind === 'every') {
    const unit = (['days', 'hours', 'minutes', 'seconds'] as const).find((one) => schedule.everyMs % unitMs[one] === 0) ?? 'seconds';
    return { when: 'every', unit, count: schedule.everyMs / unitMs[unit] };
  }
  const picked = daysOfCron(schedule.expr);
  return picked === null ? { when: 'cron', expr: schedule.expr } : { when: 'days', expr: schedule.expr, ...picked };
}

/** "0 8 * * 1-5" of a choice of days and a time. */
export function cronOfDays(days: readonly number[], clock: string): string {
  const [hour = '0', minute = '0'] = clock.split(':');
  return `${Number(minute)} ${Number(hour)} * * ${dayField(days)}`;
}

function dayField(days: readonly number[]): string {
  const chosen = everyDay.filter((day) => days.includes(day));
  if (chosen.length === 7) return '*';
  const [first = 0, last = 0] = [chosen[0], chosen.at(-1)];
  const isRow = chosen.length > 2 && last - first === chosen.length - 1;
  return isRow ? `${first}-${last}` : chosen.join(',');
}

/** The other way round; null for an expression that the picker can't show. */
export function daysOfCron(expr: string): { readonly days: number[]; readonly clock: string } | null {
  const match = /^(\d{1,2}) (\d{1,2}) \* \* (\*|[0-7](?:[-,][0-7])*)$/.exec(expr.trim());
  const [, minute = '', hour = '', field = ''] = match ?? [];
  if (match === null || Number(minute) > 59 || Number(hour) > 23) return null;
  const days = new Set<number>();
  for (const part of field === '*' ? ['0-6'] : field.split(',')) {
    const [from = 0, to = from] = part.split('-').map(Number);
    if (part.split('-').length > 2 || to < from) return null;
    for (let day = from; day <= to; day++) days.add(day % 7);
  }
  return { days: everyDay.filter((day) => days.has(day)), clock: `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}` };
}

/** What can be said without asking the server. */
export function scheduleProblem(draft: Draft): string {
  if (draft.when === 'once' && (draft.date === '' || draft.time === '')) return 'Choose a day and a time.';
  if (draft.when === 'every' && !(draft.count !== null && draft.count > 0)) return 'Say how often, with a number above 0.';
  if (draft.when === 'days' && draft.days.length === 0) return 'Choose at least one day.';
  if (draft.when === 'days' && draft.clock === '') return 'Choose a time.';
  return draft.when === 'cron' && draft.expr.trim() === '' ? 'Write a cron expression, like 0 8 * * 1-5.' : '';
}

export function problemsOf(draft: Draft): Problems {
  const problems: Problems = {};
  if (draft.message.trim() === '') problems.message = 'Write what the agent shall do.';
  if (draft.place === 'conversation' && draft.conversation === '') problems.conversation = 'Choose a conversation.';
  if (draft.zone.trim() === '') problems.zone = 'Choose a time zone.';
  const when = scheduleProblem(draft);
  if (when !== '') problems.when = when;
  return problems;
}

export function scheduleBody(draft: Draft): object {
  const tz = draft.zone.trim();
  if (draft.when === 'once') return { kind: 'at', at: `${draft.date}T${draft.time}`, tz };
  if (draft.when === 'every') return { kind: 'every', every_ms: Math.round((draft.count ?? 0) * unitMs[draft.unit]), tz };
  return { kind: 'cron', expr: draft.when === 'days' ? cronOfDays(draft.days, draft.clock) : draft.expr.trim(), tz };
}

/** How the times of the draft go with the clock. */
export function paceOf(draft: Draft): 'fixed' | 'clock' | 'distance' | 'once' {
  if (draft.when === 'once') return 'once';
  if (draft.when === 'every') return 'distance';
  return draft.when === 'days' || isFixedTime(draft.expr) ? 'fixed' : 'clock';
}

export function previewBody(draft: Draft, automationId: string, key: string): object {
  return {
    schedule: scheduleBody(draft),
    ...(automationId === '' ? {} : { automation_id: automationId }),
    ...(key === '' ? {} : { session_key: key }),
    ...(draft.message.trim() === '' ? {} : { message: draft.message }),
  };
}

/** Everything the form says. `admin`: whether it may name what reaches the machine. */
function wholeBody(draft: Draft, key: string, admin: boolean): Readonly<Record<string, unknown>> {
  const apart = draft.place === 'apart';
  const tools = draft.tools.split(/[\s,]+/).filter(Boolean);
  const output = { notify: draft.notify, ...(draft.tells === '' ? {} : { session_key: draft.tells }), ...(draft.file.trim() === '' ? {} : { file: draft.file.trim() }) };
  return {
    message: draft.message.trim(),
    schedule: scheduleBody(draft),
    catch_up: draft.catchUp,
    catch_up_max: draft.catchUpMax,
    window_ms: draft.windowMs,
    timeout_ms: draft.timeoutMs,
    tools: tools.length === 0 ? null : tools,
    ...(draft.name.trim() === '' ? {} : { name: draft.name.trim() }),
    ...(apart ? { output } : { session_key: key }),
    ...(admin ? { gate: draft.gate.trim() === '' ? null : { command: draft.gate.trim() } } : {}),
    ...(admin && apart ? { project_path: draft.folder.trim() === '' ? null : draft.folder.trim() } : {}),
  };
}

export function createBody(draft: Draft, key: string, admin: boolean, onceKey: string): object {
  const said = Object.entries(wholeBody(draft, key, admin)).filter(([, value]) => value !== null);
  return { ...Object.fromEntries(said), key: onceKey, ...(draft.place === 'apart' ? { isolated: true } : {}) };
}

/** Only what differs: a schedule that is sent again begins anew, even if it is the same. */
export function editBody(draft: Draft, key: string, admin: boolean, original: Automation): object {
  const before = wholeBody(draftFrom(original, 0), original.key, admin);
  const changed = Object.entries(wholeBody(draft, key, admin)).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]));
  return Object.fromEntries(changed);
}

/** The field that a refusal is about, with words for it. */
export function refusalOf(failure: Failure): Problems {
  if (failure.kind !== 'refused') return { form: whyFailed(failure) };
  const { code, message } = failure;
  if (code === 'conversation_not_found' || code === 'automation_without_session') return { conversation: 'This conversation is gone. Choose another one.' };
  if (message.startsWith('cron expression, ')) return { when: sentence(message.slice('cron expression, '.length)) };
  if (/is in the past/.test(message)) return { when: 'That time has passed. Choose a later one.' };
  if (/^a period|schedule/.test(message)) return { when: sentence(message) };
  if (/time zone/.test(message)) return { zone: sentence(message) };
  const fields: Readonly<Record<string, Field>> = {
    name: 'name', message: 'message', session_key: 'conversation', window_ms: 'late', catch_up_max: 'late', timeout_ms: 'timeout',
    tools: 'tools', gate: 'gate', 'gate.command': 'gate', 'output.file': 'file', 'output.session_key': 'file', project_path: 'folder',
  };
  const field = fields[/^'([\w.]+)'/.exec(message)?.[1] ?? ''];
  return field === undefined ? { form: sentence(message) } : { [field]: sentence(message) };
}
