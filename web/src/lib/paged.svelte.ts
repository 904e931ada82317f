// A list that is read page by page. Reading it again asks for as much as is shown, so nothing jumps.
import { whyFailed, type Answer } from './http.ts';
import type { Page } from './page.ts';

const pageSize = 50;
const largestPage = 200;

export class Paged<T> {
  items = $state.raw<readonly T[]>([]);
  next = $state.raw<string | null>(null);
  state = $state<'reading' | 'ready' | 'failed'>('reading');
  problem = $state('');
  readonly #ask: (cursor: string | null, limit: number) => Promise<Answer<Page<T>>>;
  readonly #keyOf: (item: T) => string | number;
  #asked = 0;

  constructor(ask: (cursor: string | null, limit: number) => Promise<Answer<Page<T>>>, keyOf: (item: T) => string | number) {
    this.#ask = ask;
    this.#keyOf = keyOf;
  }

  async read(): Promise<void> {
    const asked = ++this.#asked;
    const answer = await this.#ask(null, Math.min(largestPage, Math.max(pageSize, this.items.length)));
    if (asked !== this.#asked) return;
    this.problem = answer.ok ? '' : whyFailed(answer.failure);
    if (answer.ok) [this.items, this.next] = [answer.value.items, answer.value.next];
    // What was read before stays when it can't be read again.
    this.state = answer.ok || this.items.length > 0 ? 'ready' : 'failed';
  }

  async more(): Promise<void> {
    if (this.next === null) return;
    const asked = ++this.#asked;
    const answer = await this.#ask(this.next, pageSize);
    if (asked !== this.#asked) return;
    this.problem = answer.ok ? '' : whyFailed(answer.failure);
    if (!answer.ok) return;
    const known = new Set(this.items.map(this.#keyOf));
    this.items = [...this.items, ...answer.value.items.filter((item) => !known.has(this.#keyOf(item)))];
    this.next = answer.value.next;
  }

  /** Another question: what is shown belongs to the old one. */
  startOver(): Promise<void> {
    [this.items, this.next, this.state] = [[], null, 'reading'];
    return this.read();
  }

  put(item: T): void {
    this.items = this.items.map((one) => (this.#keyOf(one) === this.#keyOf(item) ? item : one));
  }

  drop(key: string | number): void {
    this.items = this.items.filter((one) => this.#keyOf(one) !== key);
  }
}
