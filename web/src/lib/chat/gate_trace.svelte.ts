// What rules did in one conversation, read when somebody wants to know and again when a turn is over.
import { listGates, type Firing } from '../gates.ts';
import type { Failure } from '../http.ts';
import type { Live } from '../live.svelte.ts';
import { Paged } from '../paged.svelte.ts';
import { follow } from '../reading.svelte.ts';
import type { Variable } from '../workflows.ts';

export class GateTrace {
  readonly list: Paged<Firing>;
  variables = $state.raw<readonly Variable[]>([]);
  failure = $state.raw<Failure | null>(null);
  readonly #live: Live;
  readonly #conversation: string;
  #stop: (() => void) | null = null;

  constructor(live: Live, conversation: string) {
    this.#live = live;
    this.#conversation = conversation;
    this.list = new Paged(
      async (cursor, limit) => {
        const answer = await listGates(conversation, cursor, limit);
        this.failure = answer.ok ? null : answer.failure;
        if (answer.ok && cursor === null) this.variables = answer.value.variables;
        return answer;
      },
      ({ key }) => key,
    );
  }

  /** From now on it is kept up to date. */
  open(): void {
    const isNews = (frame: { type: string }) => frame.type === 'turn_ended' && 'conversationId' in frame && frame.conversationId === this.#conversation;
    this.#stop ??= follow(this.#live, () => this.list.read(), isNews);
  }

  close(): void {
    this.#stop?.();
    this.#stop = null;
  }
}
