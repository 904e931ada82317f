// What the panel beside a conversation tells: its automations with their next runs, and what it has used. Read when the
// panel is opened, and again whenever an event says that something is different.
import { automationFrom, type Automation } from '../automations.ts';
import type { Frame } from '../frames.ts';
import { call, whyFailed } from '../http.ts';
import { isObject, listOf, numberOf } from '../json.ts';
import type { Live } from '../live.svelte.ts';

export interface Usage {
  readonly turns: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly usd: number;
  readonly priceUnknown: boolean;
  readonly capUsd: number | null;
}

export class PanelFacts {
  automations = $state.raw<readonly Automation[] | null>(null);
  usage = $state.raw<Usage | null>(null);
  /** Why the automations could not be read. */
  problem = $state('');
  readonly #conversationId: string;
  readonly #key: string;
  readonly #stop: () => void;

  constructor(live: Live, conversationId: string, key: string) {
    this.#conversationId = conversationId;
    this.#key = key;
    this.#stop = live.listen((frame) => this.#received(frame));
    void this.read();
  }

  close(): void {
    this.#stop();
  }

  async read(): Promise<void> {
    await Promise.all([this.#readAutomations(), this.#readUsage()]);
  }

  #received(frame: Frame): void {
    switch (frame.type) {
      case 'hello':
      case 'reset':
        return void this.read();
      case 'automation_changed':
      case 'automation_ran':
      case 'automation_missed':
        return void this.#readAutomations();
      case 'turn_ended':
        if (frame.conversationId === this.#conversationId) void this.#readUsage();
        return;
    }
  }

  async #readAutomations(): Promise<void> {
    const answer = await call('GET', `/api/sessions/${encodeURIComponent(this.#key)}/automations`, undefined, (json) =>
      isObject(json) && Array.isArray(json['automations']) ? listOf(json, 'automations', automationFrom) : null,
    );
    this.problem = answer.ok ? '' : whyFailed(answer.failure);
    if (answer.ok) this.automations = answer.value.filter(({ state }) => state !== 'done');
  }

  async #readUsage(): Promise<void> {
    const answer = await call('GET', `/api/conversations/${encodeURIComponent(this.#conversationId)}/usage`, undefined, usageFrom);
    if (answer.ok) this.usage = answer.value;
  }
}

function usageFrom(json: unknown): Usage | null {
  if (!isObject(json) || !isObject(json['total'])) return null;
  const total = json['total'];
  return {
    turns: numberOf(total, 'turns'),
    tokensIn: numberOf(total, 'tokens_in'),
    tokensOut: numberOf(total, 'tokens_out'),
    usd: numberOf(total, 'usd'),
    priceUnknown: total['price_unknown'] === true,
    capUsd: typeof json['cap_usd'] === 'number' ? json['cap_usd'] : null,
  };
}
