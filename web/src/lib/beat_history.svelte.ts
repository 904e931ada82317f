// What a heartbeat did, newest first: the first page again whenever something happened, older ones when they are asked for.
import { readBeats, type Beat } from './heartbeat.ts';
import { whyFailed } from './http.ts';

/** Beats that are read to reckon what a month cost. */
const mostBeats = 3000;

export class BeatHistory {
  beats = $state.raw<readonly Beat[]>([]);
  problem = $state('');
  hasOlder = $state(false);

  #name: string | null = null;
  #cursor: string | null = null;
  #older: Promise<void> | null = null;

  /** The newest beats of this heartbeat; of another one it begins anew. */
  async read(name: string): Promise<void> {
    if (name !== this.#name) [this.#name, this.beats, this.hasOlder, this.#cursor] = [name, [], false, null];
    const answer = await readBeats(name, null);
    if (name !== this.#name) return;
    this.problem = answer.ok ? '' : whyFailed(answer.failure);
    if (!answer.ok) return;
    const { items, next } = answer.value;
    const newestMs = this.beats[0]?.atMs ?? 0;
    // So much happened meanwhile that there is a gap to what is known: then it begins anew, too.
    const goesOn = newestMs > 0 && (next === null || (items.at(-1)?.atMs ?? 0) <= newestMs);
    if (!goesOn) [this.beats, this.#cursor, this.hasOlder] = [[], next, next !== null];
    this.#add(items);
  }

  /** One question at a time: who asks meanwhile waits for the same answer. */
  readOlder(): Promise<void> {
    this.#older ??= this.#readOlder().finally(() => (this.#older = null));
    return this.#older;
  }

  /** Reads back to this time, for sums; false: there is more than is worth reading, or it could not be read. */
  async readBackTo(ms: number): Promise<boolean> {
    const name = this.#name;
    while (this.hasOlder && name === this.#name && this.problem === '' && (this.beats.at(-1)?.atMs ?? 0) >= ms) {
      if (this.beats.length >= mostBeats) return false;
      await this.readOlder();
    }
    return this.problem === '';
  }

  async #readOlder(): Promise<void> {
    const [name, cursor] = [this.#name, this.#cursor];
    if (name === null || cursor === null) return;
    const answer = await readBeats(name, cursor);
    if (name !== this.#name || cursor !== this.#cursor) return;
    this.problem = answer.ok ? '' : whyFailed(answer.failure);
    if (!answer.ok) return;
    this.#cursor = answer.value.next;
    this.hasOlder = this.#cursor !== null;
    this.#add(answer.value.items);
  }

  #add(beats: readonly Beat[]): void {
    const byKey = new Map([...this.beats, ...beats].map((beat) => [`${beat.atMs} ${beat.skipped}`, beat]));
    this.beats = [...byKey.values()].sort((a, b) => b.atMs - a.atMs);
  }
}
