// One local day as the ribbon draws it: positions in percent of a day that lasts 23, 24 or 25 hours,
// because two days a year do.

export interface Day {
  readonly startMs: number;
  readonly endMs: number;
}

export interface HourMark {
  readonly label: string;
  readonly percent: number;
}

export function dayOf(ms: number): Day {
  const at = new Date(ms);
  const [year, month, date] = [at.getFullYear(), at.getMonth(), at.getDate()];
  return { startMs: new Date(year, month, date).getTime(), endMs: new Date(year, month, date + 1).getTime() };
}

/** Where an instant stands on the day, 0 to 100; what lies outside sticks to the edge. */
export function percentOf(day: Day, ms: number): number {
  const percent = ((ms - day.startMs) / (day.endMs - day.startMs)) * 100;
  return Math.min(100, Math.max(0, percent));
}

export function hourMarks(day: Day): readonly HourMark[] {
  const at = new Date(day.startMs);
  return [0, 3, 6, 9, 12, 15, 18, 21, 24].map((hour) => ({
    label: String(hour).padStart(2, '0'),
    percent: percentOf(day, new Date(at.getFullYear(), at.getMonth(), at.getDate(), hour).getTime()),
  }));
}

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export const nextDay = (day: Day): Day => dayOf(day.endMs);
export const dayBefore = (day: Day): Day => dayOf(day.startMs - 1);

/** "2026-11-16": the day as an address or a date field writes it. */
export function dateText(ms: number): string {
  const at = new Date(ms);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** The day of such a text; null for one that does not exist, like 2026-02-31. */
export function dayFromText(text: string | null): Day | null {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text ?? '') ?? [];
  if (year === undefined) return null;
  const day = dayOf(new Date(Number(year), Number(month) - 1, Number(date)).getTime());
  return dateText(day.startMs) === text ? day : null;
}

/** The parts of a day between two times of a clock in some zone, like 07:00 and 23:00 in Berlin. From 22:00 to 06:00
    it passes midnight. Null hours are the whole day. */
export function activeSpans(day: Day, hours: { readonly start: string; readonly end: string } | null, zone: string): readonly Span[] {
  if (hours === null) return [{ fromMs: day.startMs, toMs: day.endMs }];
  const [start, end] = [minutesOf(hours.start), minutesOf(hours.end)];
  if (start === null || end === null) return [];
  const spans: Span[] = [];
  // The same clock on the neighbouring days can reach into this one, by the night or by the zone.
  for (const shift of [-1, 0, 1]) {
    const fromMs = Math.max(day.startMs, instantOf(day.startMs, shift, start, zone));
    const toMs = Math.min(day.endMs, instantOf(day.startMs, end > start ? shift : shift + 1, end, zone));
    const last = spans.at(-1);
    if (fromMs >= toMs) continue;
    if (last !== undefined && fromMs <= last.toMs) spans[spans.length - 1] = { fromMs: last.fromMs, toMs: Math.max(last.toMs, toMs) };
    else spans.push({ fromMs, toMs });
  }
  return spans;
}

/** Minutes since midnight of "07:30"; 24:00 is the end of the day. Null for anything else. */
export function minutesOf(clock: string): number | null {
  const [, hours, minutes] = /^(\d{1,2}):(\d\d)$/.exec(clock.trim()) ?? [];
  if (hours === undefined || Number(minutes) > 59) return null;
  const total = Number(hours) * 60 + Number(minutes);
  return total <= 24 * 60 ? total : null;
}

/** The instant at which a clock in `zone` shows these minutes, on its day of `ms` and `shift` days on. */
function instantOf(ms: number, shift: number, minutes: number, zone: string): number {
  const [year, month, date] = dateIn(ms, zone);
  const wanted = Date.UTC(year, month, date + shift, 0, minutes);
  // Two looks at the offset: the first may lie on the other side of a clock change.
  const guess = wanted - offsetOf(wanted, zone);
  return wanted - offsetOf(guess, zone);
}

function dateIn(ms: number, zone: string): readonly [number, number, number] {
  const at = new Date(ms + offsetOf(ms, zone));
  return [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
}

const formats = new Map<string, Intl.DateTimeFormat>();

function offsetOf(ms: number, zone: string): number {
  const shown: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(ms)) shown[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1000) * 1000;
}

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    const fields = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' } as const;
    try {
      format = new Intl.DateTimeFormat('en-GB', { ...fields, hourCycle: 'h23', timeZone: zone });
    } catch {
      // A zone this browser does not know: the person's own is the next best.
      format = new Intl.DateTimeFormat('en-GB', { ...fields, hourCycle: 'h23' });
    }
    formats.set(zone, format);
  }
  return format;
}
