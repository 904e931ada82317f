// Times as a person reads them: 24 hours, in the browser's zone, words instead of "in 14h".

const locale = 'en-GB';
const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const clockWithSeconds = new Intl.DateTimeFormat(locale, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const dayAndMonth = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long' });
const weekday = new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long' });
const shortWeekday = new Intl.DateTimeFormat(locale, { weekday: 'short' });
const shortDate = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });

export const zone: string = new Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

export function clockTime(ms: number): string {
  return clock.format(ms);
}

export function preciseTime(ms: number): string {
  return clockWithSeconds.format(ms);
}

export function dayName(ms: number): string {
  return weekday.format(ms);
}

/** "at 11:02" today, "on 14 November at 23:50" otherwise. */
export function moment(ms: number, nowMs: number): string {
  const time = `at ${clockTime(ms)}`;
  return isSameDay(ms, nowMs) ? time : `on ${dayAndMonth.format(ms)} ${time}`;
}

/** "08:02" today, "14 November 23:50" otherwise. */
export function stamp(ms: number, nowMs: number): string {
  return isSameDay(ms, nowMs) ? clockTime(ms) : `${dayAndMonth.format(ms)} ${clockTime(ms)}`;
}

/** The shortest that is still clear: "08:02" today, "Wed" this week, "20 Mar" before. */
export function briefStamp(ms: number, nowMs: number): string {
  if (isSameDay(ms, nowMs)) return clockTime(ms);
  return nowMs - ms < 6 * 86_400_000 ? shortWeekday.format(ms) : shortDate.format(ms);
}

/** "Wed 19:12" within a week of now, "12 Nov 19:12" otherwise. */
export function dayAndTime(ms: number, nowMs = Date.now()): string {
  const near = Math.abs(nowMs - ms) < 6 * 86_400_000;
  return `${near ? shortWeekday.format(ms) : shortDate.format(ms)} ${clockTime(ms)}`;
}

/** "7 s", "4 min 07 s", "3 h 12 min 08 s", "2 d 5 h 12 min": the largest three units that say something. */
export function duration(ms: number): string {
  const total = Math.max(0, Math.floor(ms / 1000));
  const days = Math.floor(total / 86_400);
  const hours = Math.floor(total / 3600) % 24;
  const minutes = Math.floor(total / 60) % 60;
  const seconds = total % 60;
  if (days > 0) return `${days} d ${hours} h ${two(minutes)} min`;
  if (hours > 0) return `${hours} h ${two(minutes)} min ${two(seconds)} s`;
  if (minutes > 0) return `${minutes} min ${two(seconds)} s`;
  return `${seconds} s`;
}

/** Rounded up, so that a countdown never shows 0 s while it still waits. */
export function secondsUntil(ms: number, nowMs: number): number {
  return Math.max(1, Math.ceil((ms - nowMs) / 1000));
}

export function isSameDay(a: number, b: number): boolean {
  return new Date(a).toDateString() === new Date(b).toDateString();
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
