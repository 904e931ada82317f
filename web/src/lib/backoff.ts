// How long to wait before trying again: 1 s at first, doubled after each failure, 30 s at most. The upper half
// of each wait is random so that many pages do not return at the same instant after a restart.

export const firstDelayMs = 1_000;
export const longestDelayMs = 30_000;

export function retryDelayMs(failures: number, random: () => number = Math.random): number {
  const ceiling = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(failures, 16));
  return Math.max(firstDelayMs, Math.round(ceiling / 2 + (random() * ceiling) / 2));
}
