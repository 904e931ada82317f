// One automation with its story: why it stands as it does, and what became of each due time, newest first.
import {
  askWhy,
  getAutomation,
  listOccurrences,
  listRuns,
  type Automation,
  type DaySum,
  type Occurrence,
  type Run,
  type Why,
} from './automations.ts';
import type { Frame } from './frames.ts';
import { whyFailed } from './http.ts';
import type { Live } from './live.svelte.ts';

export class AutomationDetail {
  readonly id: string;
  automation = $state.raw<Automation | null>(null);
  why = $state.raw<Why | null>(null);
  occurrences = $state.raw<readonly Occurrence[]>([]);
  days = $state.raw<readonly DaySum[]>([]);
  next = $state.raw<string | null>(null);
  /** The last try for each due time. */
  runs = $state.raw<ReadonlyMap<number, Run>>(new Map());
  loading = $state<'reading' | 'ready' | 'removed' | 'failed'>('reading');
  problem = $state('');
  historyProblem = $state('');
  historyRead = $state(false);

  readonly #stop: () => void;
  #runsNext: string | null = null;
  #reading = false;
  #again = false;

  constructor(live: Live, id: string) {
    this.id = id;
    this.#stop = live.listen((frame) => {
      if (!this.#isNews(frame)) return;
      if (frame.type === 'automation_changed' && frame.state === 'removed') this.#removed();
      void this.read();
    });
    void this.read();
  }

  close(): void {
    this.#stop();
  }

  /** However often it is asked for, one reading goes on at a time, and one more after the last change. */
  async read(): Promise<void> {
    if (this.#reading) return void (this.#again = true);
    this.#reading = true;
    do {
      this.#again = false;
      // What was deleted does not come back; its story stays.
      await Promise.all([this.loading === 'removed' ? undefined : this.#readIt(), this.#readWhy(), this.#readHistory()]);
    } while (this.#again);
    this.#reading = false;
  }

  async readMore(): Promise<void> {
    if (this.next === null) return;
    const answer = await listOccurrences(this.id, this.next);
    this.historyProblem = answer.ok ? '' : whyFailed(answer.failure);
    if (!answer.ok) return;
    const known = new Set(this.occurrences.map(({ dueMs }) => dueMs));
    this.occurrences = [...this.occurrences, ...answer.value.items.filter(({ dueMs }) => !known.has(dueMs))];
    [this.next, this.days] = [answer.value.next, answer.value.days];
    await this.#readRunsDownTo(this.occurrences.at(-1)?.dueMs ?? 0);
  }

  #isNews(frame: Frame): boolean {
    switch (frame.type) {
      case 'hello':
      case 'reset':
        return true;
      case 'automation_changed':
      case 'automation_ran':
      case 'automation_missed':
        return frame.automationId === this.id;
      // The frame does not tell whose turn it is.
      case 'turn_queued':
      case 'turn_started':
        return frame.kind === 'automation';
      default:
        return false;
    }
  }

  async #readIt(): Promise<void> {
    const answer = await getAutomation(this.id);
    if (answer.ok) {
      [this.automation, this.loading, this.problem] = [answer.value, 'ready', ''];
      return;
    }
    this.problem = whyFailed(answer.failure);
    if (answer.failure.kind === 'refused' && answer.failure.code === 'automation_not_found') return this.#notThere();
    if (this.automation === null) this.loading = 'failed';
  }

  /** Nobody has ever had this id, or it was deleted: the story knows. */
  async #notThere(): Promise<void> {
    const story = await askWhy(this.id, '');
    if (story.ok) this.#removed();
    else this.loading = 'failed';
  }

  #removed(): void {
    [this.automation, this.loading] = [null, 'removed'];
  }

  async #readWhy(): Promise<void> {
    const answer = await askWhy(this.id, '');
    if (answer.ok) this.why = answer.value;
  }

  async #readHistory(): Promise<void> {
    const answer = await listOccurrences(this.id, null);
    this.historyProblem = answer.ok ? '' : whyFailed(answer.failure);
    if (!answer.ok) return;
    const fresh = answer.value.items;
    const oldest = fresh.at(-1)?.dueMs ?? 0;
    // Pages that were read before stay below the first.
    const older = answer.value.next === null ? [] : this.occurrences.filter(({ dueMs }) => dueMs < oldest);
    this.occurrences = [...fresh, ...older];
    if (older.length === 0) [this.next, this.days] = [answer.value.next, answer.value.days];
    await this.#readNewestRuns(oldest);
    this.historyRead = true;
  }

  async #readNewestRuns(oldestMs: number): Promise<void> {
    const answer = await listRuns(this.id, null);
    if (!answer.ok) return;
    this.#learn(answer.value.items);
    this.#runsNext = answer.value.next;
    await this.#readRunsDownTo(oldestMs);
  }

  async #readRunsDownTo(oldestMs: number): Promise<void> {
    while (this.#runsNext !== null && Math.min(...this.runs.keys()) > oldestMs) {
      const answer = await listRuns(this.id, this.#runsNext);
      if (!answer.ok) return;
      this.#learn(answer.value.items);
      this.#runsNext = answer.value.next;
    }
  }

  #learn(runs: readonly Run[]): void {
    const all = new Map(this.runs);
    for (const run of runs) if ((all.get(run.dueMs)?.attempt ?? 0) <= run.attempt) all.set(run.dueMs, run);
    this.runs = all;
  }
}
