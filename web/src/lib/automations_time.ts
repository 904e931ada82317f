// Times of an automation in the zone of its own clock, which need not be the browser's, and what a clock change in that
// zone does to its runs.

const locale = 'en-GB';
const hourMs = 3_600_000;

interface Formats {
  readonly parts: Intl.DateTimeFormat;
  readonly day: Intl.DateTimeFormat;
  readonly longDay: Intl.DateTimeFormat;
}
const formats = new Map<string, Formats>();

function formatsOf(zone: string): Formats {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const made = makeFormats(zone);
  formats.set(zone, made);
  return made;
}

function makeFormats(timeZone: string): Formats {
  try {
    return {
      parts: new Intl.DateTimeFormat(locale, {
        timeZone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit',
      }),
      day: new Intl.DateTimeFormat(locale, { timeZone, weekday: 'short', day: 'numeric', month: 'long' }),
      longDay: new Intl.DateTimeFormat(locale, { timeZone, weekday: 'long', day: 'numeric', month: 'long' }),
    };
  } catch {
    // The server may know zones that this browser does not.
    return makeFormats('UTC');
  }
}

/** The wall clock there, as if it were UTC. */
function wallMs(ms: number, zone: string): number {
  const field: Record<string, number> = {};
  for (const { type, value } of formatsOf(zone).parts.formatToParts(ms)) field[type] = Number(value);
  return Date.UTC(field['year'] ?? 0, (field['month'] ?? 1) - 1, field['day'] ?? 1, field['hour'] ?? 0, field['minute'] ?? 0, field['second'] ?? 0);
}

const wholeSeconds = (ms: number): number => Math.floor(ms / 1000) * 1000;
const offsetMs = (ms: number, zone: string): number => wallMs(ms, zone) - wholeSeconds(ms);
const dayNumber = (wall: number): number => Math.floor(wall / 86_400_000);
const clockOfWall = (wall: number, precise = false): string => new Date(wall).toISOString().slice(11, precise ? 19 : 16);

/** "08:00". `precise` adds the seconds, for what comes several times a minute. */
export function clockIn(ms: number, zone: string, precise = false): string {
  return clockOfWall(wallMs(ms, zone), precise);
}

/** "2026-11-16" and "08:00", for the fields of a form. */
export function fieldsIn(ms: number, zone: string): { readonly date: string; readonly time: string } {
  const text = new Date(wallMs(ms, zone)).toISOString();
  return { date: text.slice(0, 10), time: text.slice(11, 16) };
}

/** "Today", "Tomorrow", "Yesterday", else "Fri 27 March"; the year when it is another. */
export function dayIn(ms: number, zone: string, nowMs: number): string {
  const [there, now] = [wallMs(ms, zone), wallMs(nowMs, zone)];
  const distance = dayNumber(there) - dayNumber(now);
  if (distance === 0) return 'Today';
  if (distance === 1) return 'Tomorrow';
  if (distance === -1) return 'Yesterday';
  return namedDay(ms, zone, nowMs);
}

function namedDay(ms: number, zone: string, nowMs: number): string {
  const [there, now] = [new Date(wallMs(ms, zone)), new Date(wallMs(nowMs, zone))];
  const day = formatsOf(zone).day.format(ms).replace(',', '');
  return there.getUTCFullYear() === now.getUTCFullYear() ? day : `${day} ${there.getUTCFullYear()}`;
}

/** "Tomorrow 08:00", "Fri 27 March, 08:00". */
export function dayAndClock(ms: number, zone: string, nowMs: number, precise = false): string {
  const day = dayIn(ms, zone, nowMs);
  return `${day}${day.includes(' ') ? ',' : ''} ${clockIn(ms, zone, precise)}`;
}

/** The same with its zone: "Tomorrow 08:00 Europe/Berlin". */
export function whenIn(ms: number, zone: string, nowMs: number): string {
  return `${dayAndClock(ms, zone, nowMs)} ${zone}`;
}

/** In the middle of a sentence: "today 08:00 Europe/Berlin". */
export function whenInside(ms: number, zone: string, nowMs: number): string {
  const text = whenIn(ms, zone, nowMs);
  return /^(Today|Tomorrow|Yesterday)/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

/** A line of a list of runs, always with its date: "Fri 27 March, 02:30". */
export function fireIn(ms: number, zone: string, nowMs: number, precise = false): string {
  return `${namedDay(ms, zone, nowMs)}, ${clockIn(ms, zone, precise)}`;
}

export interface ClockChange {
  readonly title: string;
  readonly text: string;
  /** The run that is not at its usual time, if one is. */
  readonly movedMs: number | null;
  /** The hours of the clock that are left out, if the run would have been in them. */
  readonly gap?: Gap;
}

/** Times of the clock, in hours since midnight. */
export interface Gap {
  readonly from: number;
  readonly to: number;
  readonly said: number;
  readonly sentence: string;
}

/** A cron expression that names hour and minute runs once a day at that time, whatever the clocks do. */
export function isFixedTime(expr: string): boolean {
  if (expr.startsWith('@')) return expr.toLowerCase() !== '@hourly';
  const fields = expr.trim().split(/\s+/);
  const [minute = '*', hour = '*'] = fields.length === 6 ? fields.slice(1) : fields;
  return !minute.includes('*') && !hour.includes('*');
}

/** What the next clock change does to the runs; null when none lies between now and the last of them.
    `pace`: a fixed time of day, the clock as it runs, a distance, or a single time that was said as `said`. */
export function clockChange(
  fires: readonly number[],
  zone: string,
  nowMs: number,
  pace: 'fixed' | 'clock' | 'distance' | 'once',
  said = '',
): ClockChange | null {
  if (pace === 'once') return movedOnce(fires[0], zone, said);
  const points = [nowMs, ...fires];
  const index = points.findIndex((ms, at) => at > 0 && offsetMs(ms, zone) !== offsetMs(points[at - 1] ?? ms, zone));
  const [before, after] = [points[index - 1], points[index]];
  if (before === undefined || after === undefined) return null;
  const change = transitionBetween(before, after, zone);
  const lead = `Clocks go ${change.forward ? 'forward' : 'back'} on ${change.day}.`;
  if (pace === 'distance') {
    return { title: lead, text: `The distance stays the same, so the local time is ${change.size} ${change.forward ? 'later' : 'earlier'} from then on.`, movedMs: null };
  }
  if (pace === 'clock') {
    const hour = change.forward ? `The time from ${change.from} to ${change.to} is left out, with its runs.` : `The time from ${change.to} to ${change.from} comes twice, with its runs.`;
    return { title: lead, text: hour, movedMs: null };
  }
  if (change.forward && after === change.atMs) {
    const usual = fires.filter((ms) => ms !== after).map((ms) => clockIn(ms, zone)).find((text) => text >= change.from && text < change.to);
    if (usual !== undefined) return gapNote(usual, change, after);
  }
  if (!change.forward && index > 1 && change.atMs - before <= change.lengthMs) {
    return { title: `${clockIn(before, zone)} comes twice on ${change.day}.`, text: `The clock goes back from ${change.from} to ${change.to}. It runs once, the first time.`, movedMs: before };
  }
  const clocks = new Set(fires.map((ms) => clockIn(ms, zone)));
  const time = clocks.size === 1 ? clockIn(after, zone) : 'as it is';
  return { title: lead, text: `It stays ${time} in ${zone}. Only the UTC time moves.`, movedMs: null };
}

interface Transition {
  readonly atMs: number;
  readonly forward: boolean;
  readonly lengthMs: number;
  readonly size: string;
  readonly day: string;
  readonly from: string;
  readonly to: string;
}

function transitionBetween(before: number, after: number, zone: string): Transition {
  const old = offsetMs(before, zone);
  let [low, high] = [wholeSeconds(before), Math.ceil(after / 1000) * 1000];
  while (high - low > 1000) {
    const middle = wholeSeconds((low + high) / 2);
    if (offsetMs(middle, zone) === old) low = middle;
    else high = middle;
  }
  const changed = offsetMs(high, zone);
  const lengthMs = Math.abs(changed - old);
  return {
    atMs: high,
    forward: changed > old,
    lengthMs,
    size: lengthMs === hourMs ? 'an hour' : `${lengthMs / 60_000} minutes`,
    day: formatsOf(zone).longDay.format(high).replace(',', ''),
    from: clockOfWall(high + old),
    to: clockOfWall(high + changed),
  };
}

function gapNote(said: string, change: Transition, movedMs: number): ClockChange {
  return {
    title: `${said} does not exist on ${change.day}.`,
    text: `The clock jumps from ${change.from} to ${change.to}. The run moves to ${change.to} and happens once.`,
    movedMs,
    gap: {
      from: hoursOf(change.from),
      to: hoursOf(change.to),
      said: hoursOf(said),
      sentence: `${change.day}: the time from ${change.from} to ${change.to} does not exist; the run moves to ${change.to}.`,
    },
  };
}

function hoursOf(clock: string): number {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  return hours + minutes / 60;
}

function movedOnce(fire: number | undefined, zone: string, said: string): ClockChange | null {
  if (fire === undefined || said === '' || clockIn(fire, zone) === said) return null;
  if (offsetMs(fire, zone) === offsetMs(fire - 1000, zone)) return null;
  return gapNote(said, transitionBetween(fire - 1000, fire, zone), fire);
}
