// The notes of one agent as a page shows them: all, or those that fit a question, asked a moment after the typing stops.
import type { Live } from './live.svelte.ts';
import { listNotes, type Note } from './memory.ts';
import { Paged } from './paged.svelte.ts';
import { eventName, follow } from './reading.svelte.ts';

const quietMs = 200;

export class Notes {
  readonly list: Paged<Note>;
  #words = $state('');
  /** What the list shown is the answer to. */
  answered = $state('');
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #stop: () => void;

  constructor(live: Live, agent: string) {
    this.list = new Paged(
      async (cursor, limit) => {
        const words = this.#words.trim();
        const answer = await listNotes(agent, words, cursor, limit);
        if (answer.ok && words === this.#words.trim()) this.answered = words;
        return answer;
      },
      ({ id }) => id,
    );
    // An agent keeps and forgets notes in its turns; there is no event for each of them.
    this.#stop = follow(live, () => this.list.read(), (frame) => {
      const name = eventName(frame);
      return name === 'turn_ended' || name === 'memory_merged';
    });
  }

  get words(): string {
    return this.#words;
  }

  set words(words: string) {
    this.#words = words;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.list.read(), quietMs);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#stop();
  }
}
