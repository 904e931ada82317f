// Something that is read, edited and saved: a draft that nobody touched follows what the server has, one that was
// touched stays; and a save that did not work says why, with the draft still there.
import { whyFailed, type Answer } from './http.ts';
import { Reading } from './reading.svelte.ts';

export class Saving<T> {
  readonly reading: Reading<T>;
  /** What the draft began from; null until it was read once. */
  base = $state.raw<T | null>(null);
  busy = $state(false);
  problem = $state('');
  /** What came of the last save. */
  said = $state('');
  readonly #isTouched: () => boolean;
  readonly #fill: (value: T) => void;

  /** `fill` puts a value into the fields of the draft. */
  constructor(ask: () => Promise<Answer<T>>, isTouched: () => boolean, fill: (value: T) => void) {
    this.reading = new Reading(ask);
    this.#isTouched = isTouched;
    this.#fill = fill;
  }

  async read(): Promise<void> {
    await this.reading.read();
    const { value } = this.reading;
    if (value !== null && (this.base === null || !this.#isTouched())) this.take(value);
  }

  /** The draft becomes this one. */
  take(value: T): void {
    [this.base, this.problem] = [value, ''];
    this.#fill(value);
  }

  /** `goAhead`: a last look before anything is sent, '' if nothing speaks against it; null to leave it at that. */
  async save(send: () => Promise<Answer<T>>, goAhead: () => Promise<string | null> = async () => ''): Promise<void> {
    if (this.busy || this.base === null) return;
    [this.busy, this.problem, this.said] = [true, '', ''];
    const objection = await goAhead();
    if (objection === '') await this.send(send);
    else this.problem = objection ?? '';
    this.busy = false;
  }

  async send(send: () => Promise<Answer<T>>): Promise<void> {
    const answer = await send();
    if (!answer.ok) {
      this.problem = `Not saved. ${whyFailed(answer.failure)}`;
      return;
    }
    this.reading.is(answer.value);
    this.take(answer.value);
    this.said = 'Saved. Counts from the next turn.';
  }
}
