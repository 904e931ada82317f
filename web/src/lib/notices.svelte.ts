// What agents want a person to know, until it is dismissed. Nothing is shown twice: events come once.
import type { Notification } from './frames.ts';
import type { Live } from './live.svelte.ts';

/** More at once would cover the page; the oldest give way. */
const mostShown = 4;
/** A page that was away for longer shows history, not alarms. */
const freshMs = 12 * 3_600_000;

export class Notices {
  items = $state.raw<readonly Notification[]>([]);
  readonly #stop: () => void;

  constructor(live: Live) {
    this.#stop = live.listen((frame) => {
      if (frame.type !== 'notification' || Date.now() - frame.atMs > freshMs) return;
      if (frame.seq <= live.openedAtSeq) return;
      this.items = [...this.items, frame].slice(-mostShown);
    });
  }

  close(): void {
    this.#stop();
  }

  dismiss(seq: number): void {
    this.items = this.items.filter((item) => item.seq !== seq);
  }
}
