// What the day still holds: automations with their next times, runs under way, and the heartbeats. It also knows the
// names that rows of the log only point at.
import type { ActivityRow } from './activity.ts';
import type { Names } from './activity_story.ts';
import { listAutomations, listNewestRuns, type Automation, type Run } from './automations.ts';
import type { ConversationList } from './conversation_list.svelte.ts';
import { activeSpans, type Day, type Span } from './day.ts';
import { plannedBeats, readHeartbeats, type Heartbeat } from './heartbeat.ts';
import type { Live } from './live.svelte.ts';
import { OneAtATime } from './one_at_a_time.ts';
import type { RibbonMark, RibbonState } from './ribbon.ts';
import { stamp } from './time.ts';

const stateWords: Partial<Record<RibbonState, string>> = { live: ', running', queued: ', waits', failed: ', failed' };

export class DayPlan {
  automations = $state.raw<readonly Automation[]>([]);
  /** The newest, ended ones included: the log tells about a run only when its conversation is at rest. */
  runs = $state.raw<readonly Run[]>([]);
  heartbeats = $state.raw<readonly Heartbeat[]>([]);
  readonly names: Names;
  readonly #conversations: ConversationList;
  readonly #stop: () => void;
  readonly #runs = new OneAtATime(() => this.#readRuns());
  readonly #beats = new OneAtATime(() => this.#readBeats());

  constructor(live: Live, conversations: ConversationList) {
    this.names = {
      automation: (id) => this.automations.find((one) => one.id === id)?.name ?? '',
      conversation: (id) => conversations.find(id)?.title ?? '',
    };
    this.#conversations = conversations;
    this.#stop = live.listen((frame) => {
      const { type } = frame;
      if (type === 'hello' || type === 'reset') this.read();
      else if (type === 'activity') this.#beats.ask();
      else if (type === 'automation_changed' || type === 'automation_ran' || type === 'automation_missed') this.#runs.ask();
      else if (type === 'turn_queued' && frame.kind === 'automation') this.#runs.ask();
    });
    this.read();
  }

  close(): void {
    this.#stop();
  }

  read(): void {
    this.#beats.ask();
    this.#runs.ask();
  }

  // What could not be read keeps its last known state; the list itself says that rouse did not answer.
  async #readRuns(): Promise<void> {
    const [automations, runs] = await Promise.all([listAutomations(null), listNewestRuns()]);
    if (automations.ok) this.automations = automations.value.items.filter(({ kind }) => kind !== 'system');
    if (runs.ok) this.runs = runs.value.items;
  }

  async #readBeats(): Promise<void> {
    const heartbeats = await readHeartbeats();
    if (heartbeats.ok) this.heartbeats = heartbeats.value.items;
  }

  /** Active hours of the day: of the first heartbeat that is on. Without one nothing sleeps. */
  awakeOn(day: Day): readonly Span[] {
    const one = this.heartbeats.find(({ enabled }) => enabled);
    return one === undefined ? activeSpans(day, null, '') : activeSpans(day, one.hours, one.zone);
  }

  /** What the rows of the log don't tell: what is planned, what is under way, and what ended a moment ago. */
  marksOn(day: Day, nowMs: number, rows: readonly ActivityRow[]): readonly RibbonMark[] {
    const told = new Set(rows.map(({ run }) => run));
    const planned = this.automations.flatMap(({ name, nextMs, state }) =>
      state === 'active' ? nextMs.filter((ms) => ms > nowMs).map((atMs): RibbonMark => ({ atMs, layer: 'run', state: 'planned', words: `${name}, planned` })) : [],
    );
    const untold = this.runs.filter(({ id, automationId }) => !told.has(id) && this.automations.some((one) => one.id === automationId));
    const runs = untold.flatMap((run): RibbonMark[] => {
      const state = this.#stateOf(run);
      return state === null ? [] : [{ atMs: run.endedMs || run.dueMs, layer: 'run', state, words: `${this.names.automation(run.automationId)}${stateWords[state] ?? ''}` }];
    });
    const beats = this.heartbeats.flatMap((one) => plannedBeats(one, day)).filter(({ atMs }) => atMs > nowMs);
    return [...planned, ...runs, ...beats].filter(({ atMs }) => atMs >= day.startMs && atMs < day.endMs);
  }

  /** Null: it never ran. */
  #stateOf({ automationId, turnId, endedMs, status }: Run): RibbonState | null {
    if (endedMs !== 0) return status === 'ok' || status === 'empty' ? 'done' : status === 'skipped' || status === 'missed' ? null : 'failed';
    // A run that belongs to a conversation may wait there; one that is alone does not.
    const key = this.automations.find(({ id }) => id === automationId)?.key ?? '';
    if (key === '') return turnId === '' ? 'queued' : 'live';
    const conversation = this.#conversations.items.find((one) => one.key === key);
    return conversation !== undefined && this.#conversations.doing(conversation.id) === 'running' ? 'live' : 'queued';
  }

  /** "Release watch, 13:20", of whatever comes first; '' if nothing is planned. */
  nextWords(nowMs: number): string {
    const runs = this.automations.filter(({ state }) => state === 'active').map(({ name, nextMs }) => ({ name, atMs: nextMs[0] ?? 0 }));
    const beats = this.heartbeats.filter(({ enabled }) => enabled).map(({ nextMs }) => ({ name: 'beat', atMs: nextMs }));
    const first = [...runs, ...beats].filter(({ atMs }) => atMs > nowMs).sort((a, b) => a.atMs - b.atMs)[0];
    return first === undefined ? '' : `${first.name}, ${stamp(first.atMs, nowMs)}`;
  }
}
