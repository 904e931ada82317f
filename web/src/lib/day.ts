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
