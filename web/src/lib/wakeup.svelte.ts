// When the agent may speak first: once after the page has read its history, and whenever a person returns to it, at
// most every two minutes. Nobody is interrupted: who has begun to type, or waits for an answer, is not greeted.
import type { Chat } from './chat/chat.svelte.ts';
import type { Outbox } from './chat/outbox.svelte.ts';
import type { ConversationList } from './conversation_list.svelte.ts';
import { isOnTheWeb } from './conversations.ts';
import type { Live } from './live.svelte.ts';
import { openSession, type Opening } from './session_open.ts';

const debounceMs = 120_000;

interface Target {
  /** Any name of the conversation that is opened. */
  readonly name: string;
  readonly agent: string;
}

export class Wakeup {
  /** The conversation in view, if the page shows one. */
  chat = $state.raw<Chat | null>(null);
  /** Was said while something else was on the page, and waits to be looked at. */
  waiting = $state.raw<Opening | null>(null);
  readonly #live: Live;
  readonly #conversations: ConversationList;
  readonly #outbox: Outbox;
  #lastWakeupAt: number | null = null;
  #asking = false;

  constructor(live: Live, conversations: ConversationList, outbox: Outbox) {
    this.#live = live;
    this.#conversations = conversations;
    this.#outbox = outbox;
  }

  /** Is everything there that decides whom to ask? */
  get isReady(): boolean {
    return this.#live.isOpen && this.#conversations.loading === 'ready' && (this.chat === null || this.chat.loading === 'ready');
  }

  /** Was it asked, or was there a reason not to, since the page was opened? */
  get hasBegun(): boolean {
    return this.#lastWakeupAt !== null;
  }

  /** Somebody returned to the page. */
  returned(): void {
    if (this.#lastWakeupAt !== null && Date.now() - this.#lastWakeupAt >= debounceMs) void this.wake();
  }

  async wake(): Promise<void> {
    const target = this.#target();
    if (target === null || this.#asking || !this.#live.isOpen) return;
    this.#lastWakeupAt = Date.now();
    if (this.#isBusy) return;
    this.#asking = true;
    const opening = await openSession(target.name, target.agent);
    this.#asking = false;
    if (opening !== null && opening.conversationId !== '') this.#show(opening, target);
  }

  /** It was looked at. */
  seen(conversationId: string | null): void {
    if (this.waiting !== null && this.waiting.conversationId === conversationId) this.waiting = null;
  }

  #show(opening: Opening, { name }: Target): void {
    const { chat } = this;
    if (chat !== null && (chat.is(name) || chat.is(opening.conversationId))) chat.wasOpened(opening.conversationId);
    else this.waiting = opening;
  }

  /** The person speaks first: their words, or the answer to them, are on the way. */
  get #isBusy(): boolean {
    const { chat } = this;
    if (chat === null) return false;
    return chat.running !== null || chat.drafting || this.#outbox.items.some((item) => chat.is(item.conversation));
  }

  /** The conversation in view; with none, or an empty one, the one that was active last. */
  #target(): Target | null {
    const { chat } = this;
    const newest = this.#conversations.items.find(isOnTheWeb) ?? null;
    if (chat !== null && (chat.id !== null || newest === null)) {
      const known = chat.detail ?? this.#conversations.find(chat.id);
      return known === null || isOnTheWeb(known) ? { name: chat.address, agent: chat.detail?.agent ?? '' } : null;
    }
    return newest === null ? null : { name: newest.id, agent: newest.agent };
  }
}
