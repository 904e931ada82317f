// Something that is read from the server and shown: what was read last, or why it could not be. A newer question
// overrules the answer to an older one.
import type { Frame } from './frames.ts';
import type { Answer, Failure } from './http.ts';
import type { Live } from './live.svelte.ts';

export class Reading<T> {
  value = $state.raw<T | null>(null);
  failure = $state.raw<Failure | null>(null);
  readonly #ask: () => Promise<Answer<T>>;
  #asked = 0;

  constructor(ask: () => Promise<Answer<T>>) {
    this.#ask = ask;
  }

  async read(): Promise<void> {
    const asked = ++this.#asked;
    const answer = await this.#ask();
    if (asked !== this.#asked) return;
    if (answer.ok) this.is(answer.value);
    else this.failure = answer.failure;
  }

  /** What the server answered to something else, a change for instance. */
  is(value: T): void {
    this.#asked += 1;
    this.value = value;
    this.failure = null;
  }

  /** Another question from now on: what was read belongs to the old one. */
  forget(): void {
    this.#asked += 1;
    this.value = null;
    this.failure = null;
  }
}

/** Reads now, after every reconnect, and when an event says that there is news. Gives the way to stop. */
export function follow(live: Live, read: () => Promise<void>, isNews: (frame: Frame) => boolean = () => false): () => void {
  void read();
  return live.listen((frame) => {
    if (frame.type === 'hello' || frame.type === 'reset' || isNews(frame)) void read();
  });
}

/** For what people write into rouse.yaml: no event tells of it, and the server's sign of life, every 15 s, is often enough. */
export function isSignOfLife({ type }: Frame): boolean {
  return type === 'health';
}

/** The server's name of an event, whether or not this page has a type for it. */
export function eventName(frame: Frame): string {
  return frame.type === 'other' ? frame.name : frame.type;
}
