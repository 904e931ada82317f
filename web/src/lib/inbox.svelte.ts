// How many notifications nobody has read yet, for wherever the inbox is named.
import { call } from './http.ts';
import { isObject, numberOf } from './json.ts';
import type { Live } from './live.svelte.ts';

export class Inbox {
  unread = $state(0);
  readonly #stop: () => void;
  #asked = 0;

  constructor(live: Live) {
    this.#stop = live.listen(({ type }) => {
      // Counted by the server, so that an event that is heard twice counts once.
      if (type === 'hello' || type === 'reset' || type === 'notification') void this.#count();
    });
  }

  close(): void {
    this.#stop();
  }

  /** What the server just said; an older question must not overrule it. */
  is(unread: number): void {
    this.#asked += 1;
    this.unread = unread;
  }

  async #count(): Promise<void> {
    const asked = ++this.#asked;
    const answer = await call('GET', '/api/notifications?limit=1', undefined, (json) =>
      isObject(json) ? { unread: numberOf(json, 'unread') } : null,
    );
    if (answer.ok && asked === this.#asked) this.unread = answer.value.unread;
  }
}
