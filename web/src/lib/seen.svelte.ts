// What a person has seen of each conversation, remembered in this browser: the server does not keep it.
import { isObject } from './json.ts';
import { onChangedElsewhere, remember, rememberedJson } from './storage.svelte.ts';

interface Seen {
  /** Everything before the first visit counts as seen. */
  readonly sinceMs: number;
  readonly upToMs: Readonly<Record<string, number>>;
}

/** Conversations that are remembered one by one; older ones count as seen. */
const mostRemembered = 500;

export class SeenMarks {
  #seen = $state.raw<Seen>({ sinceMs: 0, upToMs: {} });
  readonly #key: string;
  readonly #stop: () => void;

  constructor(workspace: string) {
    this.#key = `rouse-seen:${workspace}`;
    this.#read();
    this.#stop = onChangedElsewhere(this.#key, () => this.#read());
  }

  close(): void {
    this.#stop();
  }

  /** Up to when everything in it was seen. */
  upToMs(conversationId: string): number {
    return this.#seen.upToMs[conversationId] ?? this.#seen.sinceMs;
  }

  isUnread(conversationId: string, lastActiveMs: number): boolean {
    return lastActiveMs > this.upToMs(conversationId);
  }

  mark(conversationId: string, upToMs: number): void {
    if (!this.isUnread(conversationId, upToMs)) return;
    this.#read();
    const newest = Object.entries({ ...this.#seen.upToMs, [conversationId]: upToMs })
      .sort(([, a], [, b]) => b - a)
      .slice(0, mostRemembered);
    this.#seen = { ...this.#seen, upToMs: Object.fromEntries(newest) };
    remember(this.#key, JSON.stringify(this.#seen));
  }

  #read(): void {
    const fallback = this.#seen.sinceMs === 0 ? { sinceMs: Date.now(), upToMs: {} } : this.#seen;
    this.#seen = rememberedJson(this.#key, isSeen, fallback);
    if (this.#seen === fallback) remember(this.#key, JSON.stringify(fallback));
  }
}

function isSeen(value: unknown): value is Seen {
  return isObject(value) && typeof value['sinceMs'] === 'number' && isObject(value['upToMs']);
}
