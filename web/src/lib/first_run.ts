// What the first-run cards need to know.
import type { Day, Span } from './day.ts';

/** The next weekday at 08:00 by the browser's clock. */
export function nextWeekdayMorning(nowMs: number): number {
  const at = new Date(nowMs);
  at.setHours(8, 0, 0, 0);
  while (at.getTime() <= nowMs || at.getDay() === 0 || at.getDay() === 6) at.setDate(at.getDate() + 1);
  return at.getTime();
}

/** Nobody has chosen hours yet: these are the server's own, 07:00 to 23:00. */
export function activeHours(day: Day): Span {
  const at = (hour: number) => new Date(day.startMs).setHours(hour, 0, 0, 0);
  return { fromMs: at(7), toMs: at(23) };
}

/** Does a person see this place for the first time? Nothing was said anywhere, and all of it is known. */
export function isFirstRun(everything: { readonly isKnown: boolean; readonly others: number; readonly saidHere: boolean }): boolean {
  return everything.isKnown && everything.others === 0 && !everything.saidHere;
}
