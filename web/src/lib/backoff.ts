// How long to wait before trying again. Somebody who looks at the page shall see the truth within 2 s of the server's
// return, however long it was away: a try each second at the latest. A page that nobody looks at has time; it tries at
// once when somebody does. The upper half of each wait is random, so that many pages do not return at the same instant.

export const firstDelayMs = 250;
export const longestDelayMs = { seen: 1_000, hidden: 30_000 } as const;

export function retryDelayMs(failures: number, isSeen: boolean, random: () => number = Math.random): number {
  const longestMs = isSeen ? longestDelayMs.seen : longestDelayMs.hidden;
  const ceiling = Math.min(longestMs, firstDelayMs * 2 ** Math.min(failures, 16));
  return Math.max(firstDelayMs, Math.round(ceiling / 2 + (random() * ceiling) / 2));
}
