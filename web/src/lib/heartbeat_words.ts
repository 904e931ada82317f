// What a heartbeat did, in words: one verdict with its reason, silence in a row as one line. Pure.
import { silenceWords } from './activity_story.ts';
import type { Beat, Heartbeat } from './heartbeat.ts';
import { sentence } from './http.ts';
import type { RibbonMark } from './ribbon.ts';
import { clockTime, dayAndTime, isSameDay } from './time.ts';
import { dollars, tokenWords } from './usage_words.ts';
import type { Wording } from './words.ts';

/** A beat, or several silent ones in a row. Newest first. */
export interface Verdict {
  readonly key: string;
  readonly beats: readonly Beat[];
  readonly wording: Wording;
  readonly why: string;
}

const isSilent = ({ skipped, outcome }: Beat): boolean => !skipped && outcome.startsWith('silent');

export function verdictsOf(beats: readonly Beat[]): readonly Verdict[] {
  const groups: Beat[][] = [];
  for (const beat of beats) {
    const last = groups.at(-1);
    const goesOn = last !== undefined && isSilent(beat) && isSilent(last[0]!) && beat.calls === 0 && last[0]!.calls === 0;
    if (goesOn && beat.reason === last[0]!.reason && beat.outcome === last[0]!.outcome) last.push(beat);
    else groups.push([beat]);
  }
  // The oldest beat of a group stays in it when newer ones come.
  return groups.map((group) => ({ key: `${group.at(-1)!.atMs}-${group.at(-1)!.status}`, beats: group, wording: wordingOf(group[0]!), why: whyOf(group) }));
}

function wordingOf({ skipped, status, outcome, verdict }: Beat): Wording {
  if (skipped) return status === 'missed' ? { mark: 'missed', word: 'Missed' } : { mark: 'skipped', word: 'Skipped' };
  if (outcome === 'failed') return { mark: 'failed', word: 'Failed' };
  if (outcome === 'spoke') return { mark: 'ok', word: verdict === 'wake' ? 'Woke' : 'Spoke' };
  return { mark: 'silent', word: 'Silent' };
}

function whyOf(group: readonly Beat[]): string {
  const [beat] = group as [Beat, ...Beat[]];
  if (beat.skipped) {
    const times = beat.count > 1 ? ` ${beat.count} times in a row.` : '';
    return sentence(beat.text) + times;
  }
  if (beat.outcome === 'spoke' || beat.outcome === 'failed') return sentence(beat.text) + costOf(beat);
  const row = group.length > 1 ? ` ${group.length} beats in a row.` : '';
  return silenceWords(group) + costOf(beat) + row;
}

function costOf({ calls, tokens, costMicros }: Beat): string {
  if (calls === 0) return '';
  return ` ${tokenWords(tokens)}${costMicros === null || costMicros === 0 ? '' : `, ${dollars(costMicros / 1e6)}`}.`;
}

export function whenOf({ beats }: Verdict, nowMs: number): string {
  const [newest, oldest] = [beats[0]!, beats.at(-1)!];
  const [fromMs, toMs] = newest.skipped ? [newest.atMs, newest.untilMs] : [oldest.atMs, newest.atMs];
  const day = isSameDay(fromMs, nowMs) ? `Today ${clockTime(fromMs)}` : dayAndTime(fromMs, nowMs);
  if (clockTime(fromMs) === clockTime(toMs) && isSameDay(fromMs, toMs)) return day;
  return `${day} to ${isSameDay(fromMs, toMs) ? clockTime(toMs) : isSameDay(toMs, nowMs) ? `today ${clockTime(toMs)}` : dayAndTime(toMs, nowMs)}`;
}

export function beatMarks(beats: readonly Beat[]): readonly RibbonMark[] {
  return beats.map((beat): RibbonMark => {
    const state = beat.skipped ? 'missed' : beat.outcome === 'failed' ? 'failed' : isSilent(beat) ? 'done' : 'spoke';
    return { atMs: beat.atMs, layer: 'beat', state, words: `${wordingOf(beat).word}: ${whyOf([beat])}` };
  });
}

/** A beat is late after a quarter of its interval, at least two minutes: then rouse says so by itself. */
export const graceMinutes = (intervalMinutes: number): number => Math.max(2, Math.ceil(intervalMinutes / 4));

export function watchOf(one: Heartbeat, nowMs: number, problems: readonly string[]): Wording & { readonly text: string } {
  const problem = problems.find((text) => /heartbeat/i.test(text));
  if (problem !== undefined) return { mark: 'failed', word: 'Stopped', text: sentence(problem) };
  if (!one.enabled) return { mark: 'paused', word: 'Off', text: 'It is switched off, so no beat is expected.' };
  const grace = graceMinutes(one.intervalMinutes);
  const told = `If a beat is ${grace} minutes late, rouse tells you.`;
  if (one.waitsFor !== '') return { mark: 'queued', word: 'Waits', text: `${sentence(waitWords(one.waitsFor))} ${told}` };
  const isLate = one.nextMs !== 0 && nowMs - one.nextMs > grace * 60_000;
  return isLate ? { mark: 'missed', word: 'Late', text: told } : { mark: 'ok', word: 'On time', text: told };
}

function waitWords(reason: string): string {
  if (reason === 'person_wrote') return 'somebody is writing';
  return reason === 'conversation_busy' ? 'its conversation is busy' : 'it waits for a moment';
}
