// What happened while nobody looked at the activity page, by the number of the newest row that was seen. The mark is
// kept in this browser and moves on while the page is open; what is shown stays until it is marked as read.
import { everything, readActivity, readActivityAfter, type ActivityRow } from './activity.ts';
import { newestFirst } from './activity_story.ts';
import { listWaitingApprovals, type Approval } from './conversations.ts';
import { isObject } from './json.ts';
import type { Live } from './live.svelte.ts';
import { onChangedElsewhere, remember, rememberedJson } from './storage.svelte.ts';

interface Seen {
  readonly id: number;
  readonly atMs: number;
}

/** A shorter absence is no absence. */
const shortestMs = 10 * 60_000;
const mostPages = 5;

export class Away {
  rows = $state.raw<readonly ActivityRow[]>([]);
  waiting = $state.raw<readonly Approval[]>([]);
  fromMs = $state(0);
  toMs = $state(0);
  /** There was more than could be read at once. */
  partial = $state(false);

  readonly #key: string;
  readonly #stops: readonly (() => void)[];
  #id = 0;
  #isKnown = false;
  #closed = false;

  constructor(live: Live, workspace: string) {
    this.#key = `rouse-activity-seen:${workspace}`;
    const turned = () => {
      if (!isVisible()) this.#seen();
      else if (!this.isShown) void this.#read();
    };
    document.addEventListener('visibilitychange', turned);
    this.#stops = [
      live.listen((frame) => {
        if (frame.type !== 'activity' || !isVisible()) return;
        this.#id = Math.max(this.#id, frame.activityId);
        this.#seen();
      }),
      // Marked as read in another tab.
      onChangedElsewhere(this.#key, () => this.#readElsewhere()),
      () => document.removeEventListener('visibilitychange', turned),
    ];
    void this.#read();
  }

  get isShown(): boolean {
    return this.fromMs !== 0;
  }

  close(): void {
    if (isVisible()) this.#seen();
    this.#closed = true;
    for (const stop of this.#stops) stop();
  }

  markRead(): void {
    this.fromMs = 0;
    this.#seen();
  }

  async #read(): Promise<void> {
    const seen = rememberedJson<Seen | null>(this.#key, isSeen, null);
    this.#id = seen?.id ?? 0;
    if (seen === null || Date.now() - seen.atMs < shortestMs) {
      // The first visit, or the person was here a moment ago: everything counts as seen.
      const answer = await readActivity(everything, null);
      if (!answer.ok || this.#closed) return;
      this.#id = Math.max(this.#id, answer.value.lastId);
      this.#isKnown = true;
      this.#seen();
      return;
    }
    const rows = await this.#rowsAfter(seen.id);
    const waiting = await listWaitingApprovals();
    if (rows === null || this.#closed) return;
    this.#isKnown = true;
    this.rows = newestFirst(rows);
    this.waiting = waiting.ok ? waiting.value.items : [];
    [this.fromMs, this.toMs] = [seen.atMs, Date.now()];
  }

  async #rowsAfter(id: number): Promise<readonly ActivityRow[] | null> {
    const rows: ActivityRow[] = [];
    let from = id;
    for (let page = 0; page < mostPages; page++) {
      const answer = await readActivityAfter(everything, from);
      if (!answer.ok) return null;
      rows.push(...answer.value.items);
      from = Math.max(from, answer.value.lastId);
      this.#id = Math.max(this.#id, from);
      if (answer.value.items.length === 0) return rows;
    }
    this.partial = true;
    return rows;
  }

  /** Somebody looks at the page, and nothing on it is unread. */
  #seen(): void {
    if (this.isShown || this.#closed || !this.#isKnown) return;
    remember(this.#key, JSON.stringify({ id: this.#id, atMs: Date.now() } satisfies Seen));
  }

  #readElsewhere(): void {
    const seen = rememberedJson<Seen | null>(this.#key, isSeen, null);
    if (seen !== null && seen.atMs > this.fromMs) this.fromMs = 0;
  }
}

const isVisible = () => document.visibilityState === 'visible';

function isSeen(value: unknown): value is Seen {
  return isObject(value) && typeof value['id'] === 'number' && typeof value['atMs'] === 'number';
}
