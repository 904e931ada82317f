// What stands on a day's ribbon and where: marks, their heights, the sky behind them, and the sentence that says the
// same in words. Pure, so that 23-hour days and crowded mornings are tested without a browser.
import { percentOf, type Day, type Span } from './day.ts';
import { clockTime, dayName, isSameDay } from './time.ts';

export type RibbonSize = 'full' | 'set' | 'low' | 'mini';
export type MarkLayer = 'beat' | 'run' | 'message';
export type RibbonState = 'done' | 'spoke' | 'failed' | 'missed' | 'live' | 'queued' | 'planned';

export interface RibbonMark {
  readonly atMs: number;
  readonly layer: MarkLayer;
  readonly state: RibbonState;
  /** What the scrub line says, without the time. */
  readonly words: string;
}

export interface PlacedMark extends RibbonMark {
  /** Hours since midnight. */
  readonly t: number;
  /** Steps above its usual height. */
  readonly level: number;
  /** How many it stands for. */
  readonly count: number;
}

const hourMs = 3_600_000;
const levels = 3;
/** How close marks may come before they move or merge, in px. */
const reachPx: Readonly<Record<RibbonSize, Readonly<Record<MarkLayer, number>>>> = {
  full: { beat: 0, run: 12, message: 10 },
  set: { beat: 0, run: 12, message: 10 },
  low: { beat: 0, run: 12, message: 8 },
  mini: { beat: 1, run: 6, message: 5 },
};
const rank: readonly RibbonState[] = ['planned', 'queued', 'done', 'spoke', 'missed', 'live', 'failed'];

export const dayHours = (day: Day): number => (day.endMs - day.startMs) / hourMs;

/** The marks of a day from left to right. What has no room of its own moves up, and merges when there is none left. */
export function placeMarks(marks: readonly RibbonMark[], day: Day, size: RibbonSize, widthPx: number): readonly PlacedMark[] {
  const placed: PlacedMark[] = [];
  const within = marks.filter(({ atMs, state }) => atMs >= day.startMs && atMs < day.endMs && !(size === 'mini' && state === 'live'));
  for (const layer of ['beat', 'run', 'message'] as const) {
    const reachHours = (reachPx[size][layer] / Math.max(1, widthPx)) * dayHours(day);
    const steps = layer === 'run' && size !== 'mini' ? levels : 1;
    /** The last mark of each step, by its place in `placed`. */
    const lastAt: (number | undefined)[] = [];
    for (const mark of within.filter((one) => one.layer === layer).sort((a, b) => a.atMs - b.atMs)) {
      const t = (mark.atMs - day.startMs) / hourMs;
      const isFree = (step: number) => lastAt[step] === undefined || t - placed[lastAt[step]]!.t >= reachHours;
      const level = Array.from({ length: steps }, (_, step) => step).find(isFree);
      if (level === undefined) {
        const newest = Math.max(...lastAt.map((index) => index ?? -1));
        placed[newest] = merged(placed[newest]!, mark);
      } else {
        lastAt[level] = placed.push({ ...mark, t, level, count: 1 }) - 1;
      }
    }
  }
  return placed;
}

function merged(one: PlacedMark, other: RibbonMark): PlacedMark {
  const stronger = rank.indexOf(other.state) > rank.indexOf(one.state) ? other : one;
  return { ...one, atMs: stronger.atMs, state: stronger.state, words: stronger.words, count: one.count + 1 };
}

export function scrubWords({ atMs, words, count }: PlacedMark): string {
  const more = count > 1 ? `, and ${count - 1} more` : '';
  return `${clockTime(atMs)} ${words}${more}`;
}

/** Night, with day between first light and dusk of each span: the only gradient in the product. */
export function skyOf(day: Day, awake: readonly Span[]): string {
  const stops: string[] = [];
  const stop = (colour: string, percent: number) => stops.push(`${colour} ${Math.round(percent * 100) / 100}%`);
  const glow = (share: number, ground: string) => `color-mix(in oklab, var(--first-light) ${share}%, var(${ground}))`;
  for (const { fromMs, toMs } of awake) {
    const [from, to] = [percentOf(day, fromMs), percentOf(day, toMs)];
    if (fromMs > day.startMs) {
      stop('var(--night)', from - 6);
      stop(glow(24, '--night'), from - 3.2);
      stop('var(--first-light)', from - 0.4);
      stop(glow(30, '--sky'), from + 1.2);
    }
    stop('var(--sky)', fromMs > day.startMs ? from + 2.8 : from);
    if (toMs < day.endMs) {
      stop('var(--sky)', to - 5);
      stop('var(--night)', to);
    }
  }
  if (stops.length === 0) return 'var(--night)';
  if (stops.length === 1) return 'var(--sky)';
  return `linear-gradient(90deg in oklab, ${stops.join(', ')})`;
}

/** Where the first night that has room for a caption begins, in hours; null if none has. */
export function quietAt(day: Day, awake: readonly Span[]): number | null {
  const least = (day.endMs - day.startMs) / 8;
  let fromMs = day.startMs;
  for (const span of [...awake, { fromMs: day.endMs, toMs: day.endMs }]) {
    if (span.fromMs - fromMs >= least) return (fromMs - day.startMs) / hourMs;
    fromMs = span.toMs;
  }
  return null;
}

/** The ribbon as one sentence after another, for who does not see it. */
export function ribbonSentence(day: Day, marks: readonly RibbonMark[], nowMs: number, awake: readonly Span[] | null): string {
  const said = [`${dayName(day.startMs)}.`];
  if (awake !== null) said.push(awakeWords(day, awake));
  const count = (layer: MarkLayer, states: readonly RibbonState[]) =>
    marks.filter((mark) => mark.layer === layer && states.includes(mark.state) && mark.atMs >= day.startMs && mark.atMs < day.endMs).length;
  const parts = [
    counted(count('beat', ['done']), 'silent beat'),
    counted(count('beat', ['spoke']), 'beat that spoke', 'beats that spoke'),
    counted(count('beat', ['failed']), 'failed beat'),
    counted(count('run', ['done', 'spoke']), 'run'),
    counted(count('run', ['failed']), 'failed run'),
    counted(count('run', ['missed']), 'missed run'),
    counted(count('run', ['live', 'queued']), 'run under way', 'runs under way'),
    counted(count('message', ['done']), 'message'),
  ].filter((part) => part !== '');
  said.push(parts.length > 0 ? `${listed(parts)}.` : 'Nothing happened.');
  const planned = [counted(count('run', ['planned']), 'run'), counted(count('beat', ['planned']), 'beat')].filter((part) => part !== '');
  if (planned.length > 0) said.push(`${listed(planned)} planned.`);
  if (isSameDay(nowMs, day.startMs)) said.push(`Now ${clockTime(nowMs)}.`);
  return said.join(' ');
}

function awakeWords(day: Day, awake: readonly Span[]): string {
  if (awake.length === 0) return 'Quiet all day.';
  const whole = awake.length === 1 && awake[0]!.fromMs === day.startMs && awake[0]!.toMs === day.endMs;
  if (whole) return 'Active all day.';
  const end = (ms: number) => (ms === day.endMs ? '24:00' : clockTime(ms));
  return `Active ${listed(awake.map(({ fromMs, toMs }) => `from ${clockTime(fromMs)} to ${end(toMs)}`))}.`;
}

/** "3 runs", "1 run", or nothing for none. */
export function counted(count: number, one: string, many = `${one}s`): string {
  if (count === 0) return '';
  return `${count.toLocaleString('en-GB')} ${count === 1 ? one : many}`;
}

/** "a", "a and b", "a, b and c". */
export function listed(parts: readonly string[]): string {
  return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
