// The sentences of the automations page. What the server stores as a word (a status, a reason, a door) becomes here
// what a person reads; an unknown one is told without its name.
import type { Automation, CatchUp, DaySum, Occurrence, Output, Preview, Run, Why } from './automations.ts';
import { dayAndClock, whenIn, whenInside } from './automations_time.ts';
import { sentence } from './http.ts';
import type { MarkKind, Wording } from './words.ts';

/** A run that is on its way. */
export interface OpenRun {
  readonly turnId: string;
  readonly dueMs: number;
  readonly state: 'queued' | 'running';
}

export type Filter = 'all' | 'active' | 'failed' | 'paused';

const fates: Readonly<Record<string, Wording>> = {
  claimed: { mark: 'queued', word: 'Queued' },
  queued: { mark: 'queued', word: 'Queued' },
  running: { mark: 'running', word: 'Running' },
  ok: { mark: 'ok', word: 'ok' },
  empty: { mark: 'silent', word: 'Silent' },
  error: { mark: 'failed', word: 'Failed' },
  timeout: { mark: 'failed', word: 'Failed' },
  interrupted: { mark: 'interrupted', word: 'Interrupted' },
  skipped: { mark: 'skipped', word: 'Skipped' },
  missed: { mark: 'missed', word: 'Missed' },
};

const reasons: Readonly<Record<string, string>> = {
  paused: 'it was paused',
  removed: 'it was deleted',
  edited: 'its schedule was changed before it ran',
  overlap: 'the one before was not over yet',
  backoff: 'it had just failed and rested',
  coalesced: 'several were due at once and ran as one',
  superseded: 'a newer one was made up for in its place',
  down: 'rouse was off, and missed ones are not made up for',
  late: 'rouse came to it too late',
  expired: 'it could not run within its limit',
  gate: 'its script found nothing to do',
  gate_failed: 'its script could not be asked',
  off: 'automations are switched off',
  later: 'it could not begin',
  model_unauthorized: "the model's key was refused",
  model_no_credit: "the model's account has no credit",
  model_refused_request: 'the model refused the request',
  model_not_configured: 'no model is configured for it',
  model_rate_limited: 'the model asked to slow down',
  model_overloaded: 'the model is overloaded',
  model_server_error: 'the model had an error',
  model_unreachable: 'the model could not be reached',
  model_timeout: 'the model did not answer in time',
  model_broken_answer: "the model's answer broke off",
  model_context_full: 'the conversation is too long for the model',
  spend_cap_reached: 'the spending limit is reached',
  deadline: 'it took longer than a run may',
  inactive: 'nothing moved for too long',
  too_many_steps: 'it came to no end',
  too_many_tools: 'it used too many tools',
  refusal: 'the model declined',
  cancelled: 'it was stopped',
  cleared: 'the conversation was cleared',
  restart: 'rouse was restarted, and a tool may have run',
  parked: 'it stopped rouse twice',
};

const doors: Readonly<Record<string, string>> = {
  api: 'over the API',
  cli: 'on the command line',
  web: 'by you',
  agent: 'by the agent',
  file: 'in schedule.json',
  import: 'by an import',
  system: 'by rouse',
  rouse: 'by rouse',
  conversation: 'with its conversation',
};

export function fateWords(status: string): Wording {
  return fates[status] ?? { mark: 'missed', word: 'Not known' };
}

/** "the model's key was refused"; '' when there is nothing to add. */
export function reasonWords(reason: string): string {
  return reasons[reason] ?? '';
}

export function byWords(by: string): string {
  return doors[by] ?? '';
}

export function hasFailed({ last }: Automation): boolean {
  return last !== null && (last.status === 'error' || last.status === 'timeout');
}

export function statusOf(automation: Automation, open: OpenRun | null): Wording {
  if (open !== null) return fateWords(open.state);
  if (automation.state === 'paused') return { mark: 'paused', word: 'Paused' };
  if (automation.state === 'quarantined') return { mark: 'failed', word: 'Not readable' };
  if (automation.last === null) return automation.state === 'done' ? { mark: 'ok', word: 'Done' } : { mark: 'planned', word: 'Planned' };
  const last = fateWords(automation.last.status);
  return automation.state === 'done' && last.mark === 'ok' ? { mark: 'ok', word: 'Done' } : last;
}

export function fits(filter: Filter, automation: Automation, open: OpenRun | null): boolean {
  if (filter === 'active') return open !== null;
  if (filter === 'failed') return hasFailed(automation) || automation.state === 'quarantined';
  return filter === 'paused' ? automation.state === 'paused' : true;
}

/** What goes on comes first, then what failed, then what is due next. */
export function inOrder(items: readonly Automation[], openOf: (id: string) => OpenRun | null): readonly Automation[] {
  const rank = (one: Automation): number => {
    const open = openOf(one.id);
    if (open !== null) return open.state === 'running' ? 0 : 1;
    if (one.state === 'paused') return 4;
    if (one.state === 'done') return 5;
    return hasFailed(one) ? 2 : 3;
  };
  const due = (one: Automation): number => one.nextMs[0] ?? -one.stateSinceMs;
  return [...items].sort((a, b) => rank(a) - rank(b) || due(a) - due(b) || a.name.localeCompare(b.name));
}

/** Beside the name: when it comes next, or why it does not. */
export function nextWords(automation: Automation, open: OpenRun | null, nowMs: number): string {
  const { zone, state, nextMs } = automation;
  if (open !== null) return `Due ${whenInside(open.dueMs, zone, nowMs)}`;
  if (state === 'paused') return `Paused ${byWords(automation.stateBy)} ${whenInside(automation.stateSinceMs, zone, nowMs)}`.replace('  ', ' ');
  if (state === 'done') return 'Over';
  const next = nextMs[0];
  return next === undefined ? 'Not due again' : whenIn(next, zone, nowMs);
}

/** Below the name: how it went last, and what that means. */
export function lastWords(automation: Automation, nowMs: number): string {
  const { last, zone, state } = automation;
  if (state === 'quarantined') return 'Its record cannot be read. Delete it and make it anew.';
  const isSaid = last !== null && reasonWords(last.reason) === automation.stateReason;
  const paused = state === 'paused' && automation.stateReason !== '' && !isSaid ? sentence(automation.stateReason) : '';
  if (last === null) return [paused, 'It has not run yet.'].filter(Boolean).join(' ');
  const word = fateWords(last.status).word;
  const why = last.status === 'ok' || last.status === 'empty' ? '' : reasonWords(last.reason);
  const rest = automation.backoffUntilMs > nowMs && state === 'active' ? `Not tried again before ${whenInside(automation.backoffUntilMs, zone, nowMs)}.` : '';
  const often = automation.failures > 1 ? `It failed ${automation.failures} times in a row.` : '';
  const how = `Last: ${word === 'ok' ? word : word.toLowerCase()} ${whenInside(last.dueMs, zone, nowMs)}${why === '' ? '' : `, ${why}`}.`;
  return [paused, how, often, rest].filter(Boolean).join(' ');
}

export function scheduleWords(words: string): string {
  return words === '' ? '' : words.charAt(0).toUpperCase() + words.slice(1);
}

/** "15 min", "1 h", "7 days": in the largest unit that says it exactly. */
export function spanWords(ms: number): string {
  const units = [[86_400_000, 'day'], [3_600_000, 'h'], [60_000, 'min'], [1000, 's']] as const;
  for (const [length, name] of units) {
    if (ms < length || ms % length !== 0) continue;
    const count = ms / length;
    return `${count} ${name}${name === 'day' && count !== 1 ? 's' : ''}`;
  }
  return `${ms / 1000} s`;
}

/** What happens to what was missed while rouse was off. */
export function lateWords(catchUp: CatchUp, most: number, windowMs: number): string {
  if (catchUp === 'skip') return 'Leave it out';
  const limit = windowMs === 0 ? '' : `, up to ${spanWords(windowMs)} late`;
  return catchUp === 'latest' ? `Run the latest once${limit}` : `Run the newest ${most} one by one${limit}`;
}

export function outputWords(output: Output): string {
  const places = [
    output.notify ? 'a notification' : '',
    output.conversation ? 'a conversation' : '',
    output.file ? `the file ${output.file}` : '',
  ].filter(Boolean);
  return places.length === 0 ? 'Nowhere: only the record below keeps it' : `Into ${places.join(' and ')}`;
}

/** One line of the history. */
export function occurrenceWords({ status, reason, count, readyMs, dueMs }: Occurrence, run: Run | null, zone: string, nowMs: number): string {
  const parts: string[] = [];
  if (count > 1) parts.push(`${count} in a row.`);
  if (status === 'claimed' && readyMs > nowMs) parts.push(`Put off until ${whenInside(readyMs, zone, nowMs)}.`);
  if (status !== 'ok') parts.push(sentence(reasonWords(reason)));
  if (run !== null && run.endedMs > 0) parts.push(`Took ${tookWords(run.endedMs - run.queuedMs)}.`);
  if (run !== null && run.late) parts.push(`Began ${tookWords(run.queuedMs - dueMs)} late.`);
  if (run !== null && run.attempt > 1) parts.push(`${run.attempt} tries.`);
  return parts.filter(Boolean).join(' ');
}

/** "under 1 s", "41 s", "3 min 12 s", "2 h 5 min". */
export function tookWords(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 1) return 'under 1 s';
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** "12 ok, 3 skipped": a line for each day of which only sums are kept. */
export function sumsByDay(sums: readonly DaySum[]): readonly { readonly day: string; readonly words: string }[] {
  return [...new Set(sums.map(({ day }) => day))].map((day) => {
    const ofDay = sums.filter((sum) => sum.day === day);
    return { day, words: ofDay.map(({ count, status }) => `${count} ${fateWords(status).word.toLowerCase()}`).join(', ') };
  });
}

function tokensWords(tokensIn: number, tokensOut: number): string {
  return `${tokensIn.toLocaleString('en-GB')} ${tokensIn === 1 ? 'token' : 'tokens'} read, ${tokensOut.toLocaleString('en-GB')} written`;
}

/** Who answered in a run and what it took. */
export function usedWords({ model, tokensIn, tokensOut, costMicros }: Run): string {
  return `${model === '' ? '' : `${model}: `}${tokensWords(tokensIn, tokensOut)}, ${moneyWords(costMicros)}.`;
}

/** Where the answer of a run apart was brought; '' of one that answered in its conversation. */
export function routedWords(routed: string): string {
  const [brought = '', problem = ''] = routed.split('failed: ');
  const places = brought.split(', ').map((place) => {
    if (place.startsWith('file:')) return `written into ${place.slice('file:'.length)}`;
    if (place.startsWith('conversation:')) return 'told in a conversation';
    if (place.startsWith('sent:')) return 'sent on';
    if (place.startsWith('kept')) return 'kept here only';
    return place === 'notified' ? 'sent as a notification' : '';
  });
  const known = places.filter(Boolean);
  const told = known.length === 0 ? '' : `Its answer was ${known.join(' and ')}.`;
  return [told, sentence(problem)].filter(Boolean).join(' ');
}

function moneyWords(micros: number | null): string {
  if (micros === null) return 'price not known';
  if (micros === 0) return 'free';
  return micros < 10_000 ? 'less than $0.01' : `about $${(micros / 1e6).toFixed(2)}`;
}

/** What a month of it takes. */
export function monthWords(preview: Preview): string {
  if (preview.runs === 0) return 'No run in the next 30 days.';
  const runs = preview.runs === 1 ? '1 run' : `${preview.runs.toLocaleString('en-GB')} runs`;
  const basis = basisWords(preview);
  if (preview.costMicros === 0) return `${runs} in 30 days, free with this model.`;
  return `${runs} in 30 days: ${moneyWords(preview.costMicros)}, ${tokensWords(preview.tokensIn, preview.tokensOut)}. ${basis}`;
}

function basisWords({ basis, averaged }: Preview): string {
  if (basis === 'past_runs') return averaged === 1 ? 'Counted on from its last run.' : `Counted on from its last ${averaged} runs.`;
  if (basis === 'conversation') return averaged === 1 ? 'Counted on from the last turn of the conversation.' : `Counted on from the last ${averaged} turns of the conversation.`;
  return 'Guessed from the size of a small request.';
}

export interface WhyWords {
  readonly title: string;
  readonly text: string;
  readonly mark: MarkKind;
}

/** The answer to "why?", at an instant that was asked about or now. */
export function whyWords(why: Why, zone: string, nowMs: number, asked: boolean): WhyWords {
  const then = whenInside(why.atMs, zone, nowMs);
  const next = why.nextMs > 0 ? ` Next: ${whenInside(why.nextMs, zone, nowMs)}.` : '';
  const reason = reasonWords(why.reason);
  const because = reason === '' ? '' : `, because ${reason}`;
  const due = why.dueMs > 0 ? dayAndClock(why.dueMs, zone, nowMs) : '';
  switch (why.code) {
    case 'running':
      return { title: 'Why does it run now?', mark: 'running', text: `It was due ${whenInside(why.dueMs, zone, nowMs)} and is at work.${next}` };
    case 'queued':
      return { title: 'Why does it wait?', mark: 'queued', text: `It has been due since ${whenInside(why.dueMs, zone, nowMs)} and runs as soon as there is room.${next}` };
    case 'deferred':
      return { title: 'Why does it wait?', mark: 'queued', text: deferredWords(why, zone, nowMs) + next };
    case 'paused':
      return { title: asked ? `What was the case ${then}?` : 'Why does it not run?', mark: 'paused', text: stateWords('Paused', why, zone, nowMs) };
    case 'removed':
      return { title: 'Why does it not run?', mark: 'skipped', text: stateWords('Deleted', why, zone, nowMs) };
    case 'done':
      return { title: 'Why does it not run?', mark: 'ok', text: 'It was meant for one time, and that is over. Give it a new time to use it again.' };
    case 'quarantined':
      return { title: 'Why does it not run?', mark: 'failed', text: 'Its record cannot be read. Delete it and make it anew.' };
    case 'not_yet':
      return { title: `Why did it not run ${then}?`, mark: 'planned', text: `It was only made ${whenInside(why.sinceMs, zone, nowMs)}.` };
    case 'skipped':
    case 'missed': {
      const word = why.code === 'skipped' ? 'left out' : 'missed';
      const what = why.count > 1 ? `The ${why.count} runs from ${due} on were ${word}` : `The run of ${due} was ${word}`;
      return { title: `Why did it not run ${then}?`, mark: why.code, text: `${what}${because}.${next}` };
    }
    case 'ran': {
      if (why.folded) return { title: `What happened ${then}?`, mark: fateWords(why.status).mark, text: `Of that day only sums are kept: ${why.count} ${fateWords(why.status).word.toLowerCase()}.${next}` };
      const { mark, word } = fateWords(why.status);
      const how = word === 'ok' ? 'ended well' : word === 'Silent' ? 'had nothing to say' : `ended as ${word.toLowerCase()}${because}`;
      return { title: `What happened ${then}?`, mark, text: `The run of ${due} ${how}.${next}` };
    }
    default: {
      const title = asked ? `Why ${why.atMs > nowMs ? 'will it' : 'did it'} not run ${then}?` : 'Why does it not run now?';
      const before = why.previousMs > 0 ? ` The one before was ${whenInside(why.previousMs, zone, nowMs)}.` : '';
      return { title, mark: 'planned', text: `It ${asked ? (why.atMs > nowMs ? 'will not be' : 'was not') : 'is not'} due ${asked ? 'then' : 'now'}.${next}${before}` };
    }
  }
}

function deferredWords(why: Why, zone: string, nowMs: number): string {
  const due = `It has been due since ${whenInside(why.dueMs, zone, nowMs)}`;
  if (why.reason === 'busy') return `${due} and runs after the answer that is being written in its conversation.`;
  if (why.reason === 'held') return `${due}. rouse crashed several times and holds automations back for a few minutes.`;
  if (why.untilMs > nowMs) return `${due}. It is tried again ${whenInside(why.untilMs, zone, nowMs)}${reasonWords(why.reason) === '' ? '' : `: ${reasonWords(why.reason)}`}.`;
  return `${due} and is taken next.`;
}

function stateWords(word: string, why: Why, zone: string, nowMs: number): string {
  const reason = why.reason === '' ? '' : ` ${sentence(reasonWords(why.reason) || why.reason)}`;
  return `${word} ${byWords(why.by)} ${whenInside(why.sinceMs, zone, nowMs)}.${reason}`.replace('  ', ' ');
}
