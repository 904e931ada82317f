// The rows a page of activity shows, kept true: read page by page over HTTP, and read on whenever the server says that
// something was written. A row is known by its id, so reading one twice changes nothing.
import { readActivity, readActivityAfter, type ActivityFilter, type ActivityPage, type ActivityRow } from './activity.ts';
import { newestFirst } from './activity_story.ts';
import { whyFailed, type Answer } from './http.ts';
import type { Live } from './live.svelte.ts';

/** More rows at once are of no use to a person; the days before are a step away. */
export const mostRows = 1000;
/** Words are searched piece by piece; after so many pieces without a row the person decides. */
const mostSteps = 10;

export class ActivityLog {
  rows = $state.raw<readonly ActivityRow[]>([]);
  state = $state<'reading' | 'ready' | 'failed'>('reading');
  problem = $state('');
  readingOlder = $state(false);
  hasOlder = $state(false);

  readonly #stop: () => void;
  readonly #byId = new Map<number, ActivityRow>();
  #filter: ActivityFilter;
  #cursor: string | null = null;
  #lastId = 0;
  /** Counts what was asked for; an answer to an older question is of no interest. */
  #generation = 0;
  #catchingUp = false;
  #again = false;

  constructor(live: Live, filter: ActivityFilter) {
    this.#filter = filter;
    this.#stop = live.listen((frame) => {
      if (frame.type === 'hello' || frame.type === 'activity') void this.#catchUp();
      else if (frame.type === 'reset') void this.retry();
    });
    void this.read(filter);
  }

  close(): void {
    this.#generation += 1;
    this.#stop();
  }

  get isFull(): boolean {
    return this.rows.length >= mostRows;
  }

  /** The rows of this filter, from the newest. What is shown stays until the answer is there. */
  async read(filter: ActivityFilter): Promise<void> {
    const generation = (this.#generation += 1);
    const isOther = filter !== this.#filter;
    this.#filter = filter;
    this.readingOlder = false;
    if (isOther || this.rows.length === 0) this.state = 'reading';
    const answer = await readActivity(filter, null);
    if (generation !== this.#generation) return;
    this.problem = answer.ok ? '' : whyFailed(answer.failure);
    this.state = answer.ok ? 'ready' : 'failed';
    // Rows of another filter would be no answer to this one.
    if (!answer.ok && isOther) this.rows = [];
    if (!answer.ok) return;
    this.#byId.clear();
    this.#lastId = 0;
    this.#take(answer.value);
    this.#cursor = answer.value.next;
    this.hasOlder = this.#cursor !== null;
    if (this.rows.length === 0 && this.hasOlder) await this.readOlder();
    // What was written between the two is in neither.
    if (generation === this.#generation) await this.#catchUp();
  }

  retry(): Promise<void> {
    return this.read(this.#filter);
  }

  async readOlder(): Promise<void> {
    if (this.readingOlder || this.#cursor === null || this.isFull) return;
    const generation = this.#generation;
    const before = this.#byId.size;
    this.readingOlder = true;
    for (let step = 0; step < mostSteps && this.#cursor !== null && this.#byId.size === before; step++) {
      const answer: Answer<ActivityPage> = await readActivity(this.#filter, this.#cursor);
      if (generation !== this.#generation) break;
      this.problem = answer.ok ? '' : whyFailed(answer.failure);
      if (!answer.ok) break;
      this.#take(answer.value);
      this.#cursor = answer.value.next;
    }
    if (generation !== this.#generation) return;
    this.readingOlder = false;
    this.hasOlder = this.#cursor !== null;
  }

  async #catchUp(): Promise<void> {
    if (this.#catchingUp || this.state === 'reading') {
      this.#again = true;
      return;
    }
    if (this.state === 'failed') return this.retry();
    this.#catchingUp = true;
    do {
      this.#again = false;
      const generation = this.#generation;
      const answer = await readActivityAfter(this.#filter, this.#lastId);
      if (generation !== this.#generation || !answer.ok) break;
      this.#take(answer.value);
      if (answer.value.items.length > 0) this.#again = true;
    } while (this.#again);
    this.#catchingUp = false;
    // Something was written while the last answer was lost or belonged to another filter.
    if (this.#again) void this.#catchUp();
  }

  #take(page: ActivityPage): void {
    for (const row of page.items) this.#byId.set(row.id, row);
    this.#lastId = Math.max(this.#lastId, page.lastId);
    this.rows = newestFirst(this.#byId.values());
    // A page that stays open for weeks lets the oldest go; it is full then and reads no older ones.
    if (this.rows.length < mostRows * 1.2) return;
    for (const { id } of this.rows.slice(mostRows)) this.#byId.delete(id);
    this.rows = this.rows.slice(0, mostRows);
  }
}
