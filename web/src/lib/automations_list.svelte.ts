// The automations of the workspace and what each of them does right now, kept up to date by events. The API tells of an
// automation what comes next and how the last run ended; that a run waits or goes on is known from runs and turns.
import { getAutomation, getTurnState, listAutomations, listNewestRuns, type Automation } from './automations.ts';
import type { OpenRun } from './automations_words.ts';
import type { AutomationEvent, Frame } from './frames.ts';
import { whyFailed } from './http.ts';
import type { Live } from './live.svelte.ts';

export class AutomationList {
  items = $state.raw<readonly Automation[]>([]);
  next = $state.raw<string | null>(null);
  loading = $state<'reading' | 'ready' | 'failed'>('reading');
  problem = $state('');
  /** Runs on their way, by the automation's id. */
  #open = $state.raw<ReadonlyMap<string, OpenRun>>(new Map());

  readonly #stop: () => void;
  /** Asked about right now; true if it changed again meanwhile. */
  readonly #asked = new Map<string, boolean>();
  /** Times that have passed and were asked about once. */
  readonly #passed = new Map<string, number>();
  /** When each was last learned or forgotten, counted: a list that was asked for before knows less. */
  readonly #news = new Map<string, number>();
  #newsCount = 0;
  #readingOpen = false;
  #openAgain = false;

  constructor(live: Live) {
    this.#stop = live.listen((frame) => this.#received(frame));
    void this.read();
  }

  close(): void {
    this.#stop();
  }

  find(id: string): Automation | null {
    return this.items.find((one) => one.id === id) ?? null;
  }

  openOf(id: string): OpenRun | null {
    return this.#open.get(id) ?? null;
  }

  async read(): Promise<void> {
    const before = this.#newsCount;
    const [answer] = await Promise.all([listAutomations(null), this.#readOpen()]);
    this.problem = answer.ok ? '' : whyFailed(answer.failure);
    this.loading = answer.ok || this.items.length > 0 ? 'ready' : 'failed';
    if (!answer.ok) return;
    // What was read beyond the first page stays: it only becomes older.
    const isNewer = (id: string) => (this.#news.get(id) ?? 0) > before;
    const read = answer.value.items.filter(({ id }) => !isNewer(id));
    const fresh = new Set(read.map(({ id }) => id));
    const hadMore = this.items.length > answer.value.items.length && answer.value.next !== null;
    this.items = [...read, ...this.items.filter(({ id }) => !fresh.has(id) && (hadMore || isNewer(id)))];
    if (!hadMore) this.next = answer.value.next;
  }

  async readMore(): Promise<void> {
    if (this.next === null) return;
    const answer = await listAutomations(this.next);
    this.problem = answer.ok ? '' : whyFailed(answer.failure);
    if (!answer.ok) return;
    this.items = [...answer.value.items.reduce((all, one) => all.set(one.id, one), new Map(this.items.map((one) => [one.id, one]))).values()];
    this.next = answer.value.next;
  }

  learn(automation: Automation): void {
    this.#news.set(automation.id, ++this.#newsCount);
    const known = this.items.some(({ id }) => id === automation.id);
    this.items = known ? this.items.map((one) => (one.id === automation.id ? automation : one)) : [...this.items, automation];
  }

  forget(id: string): void {
    this.#news.set(id, ++this.#newsCount);
    this.items = this.items.filter((one) => one.id !== id);
    this.#close(id);
  }

  /** A time that passed without an event was left out; the server knows what comes instead. */
  timePassed(nowMs: number): void {
    for (const { id, nextMs } of this.items) {
      const due = nextMs[0];
      if (due === undefined || due > nowMs - 2000 || this.#passed.get(id) === due) continue;
      this.#passed.set(id, due);
      void this.#fetch(id);
    }
  }

  #received(frame: Frame): void {
    switch (frame.type) {
      case 'hello':
      case 'reset':
        return void this.read();
      case 'automation_changed':
      case 'automation_ran':
      case 'automation_missed':
        return this.#changed(frame);
      case 'turn_queued':
      case 'turn_started':
      case 'turn_snapshot':
        // The frame does not tell whose turn it is; the runs do.
        if (frame.kind === 'automation') void this.#readOpen();
        return;
      case 'turn_ended':
        for (const [id, run] of this.#open) if (run.turnId === frame.turnId) this.#close(id);
    }
  }

  #changed(event: AutomationEvent): void {
    if (event.type === 'automation_changed' && event.state === 'removed') return this.forget(event.automationId);
    if (event.type === 'automation_ran') this.#close(event.automationId);
    void this.#fetch(event.automationId);
  }

  #close(id: string): void {
    // An answer that is on its way may still count it.
    this.#openAgain = true;
    if (this.#open.has(id)) this.#open = new Map([...this.#open].filter(([one]) => one !== id));
  }

  async #readOpen(): Promise<void> {
    this.#openAgain = true;
    if (this.#readingOpen) return;
    this.#readingOpen = true;
    while (this.#openAgain) {
      this.#openAgain = false;
      const open = await openRuns();
      if (open === null) break;
      const begun = [...open.keys()].filter((id) => !this.#open.has(id));
      this.#open = open;
      // What has begun has another next time.
      for (const id of begun) if (this.find(id) !== null) void this.#fetch(id);
    }
    this.#readingOpen = false;
  }

  async #fetch(id: string): Promise<void> {
    if (this.#asked.has(id)) return void this.#asked.set(id, true);
    this.#asked.set(id, false);
    const answer = await getAutomation(id);
    if (answer.ok) this.learn(answer.value);
    else if (answer.failure.kind === 'refused' && answer.failure.code === 'automation_not_found') this.forget(id);
    const again = this.#asked.get(id) === true;
    this.#asked.delete(id);
    if (again) await this.#fetch(id);
  }
}

/** The runs on their way, by automation; null when nobody answered. */
async function openRuns(): Promise<ReadonlyMap<string, OpenRun> | null> {
  const runs = await listNewestRuns();
  if (!runs.ok) return null;
  const waiting = runs.value.items.filter(({ status }) => status === 'queued');
  const open = waiting.map(async ({ automationId, turnId, dueMs }): Promise<readonly [string, OpenRun]> => {
    const state = turnId === '' ? null : await getTurnState(turnId);
    return [automationId, { turnId, dueMs, state: state?.ok && state.value === 'running' ? 'running' : 'queued' }];
  });
  return new Map(await Promise.all(open));
}
