// The conversations of the rail, most recently active first, kept up to date by events.
import { firstWords } from './chat/words.ts';
import {
  getConversation,
  isOnTheWeb,
  isRun,
  listConversations,
  listPinned,
  listWaitingApprovals,
  markSeen,
  pinConversation,
  type Conversation,
} from './conversations.ts';
import type { ConversationChanged, Frame, TurnEnded } from './frames.ts';
import { whyFailed } from './http.ts';
import type { Live } from './live.svelte.ts';
import { textIn } from './messages.ts';

export type Doing = 'running' | 'queued' | 'waits';

export class ConversationList {
  items = $state.raw<readonly Conversation[]>([]);
  next = $state.raw<string | null>(null);
  loading = $state<'reading' | 'ready' | 'failed'>('reading');
  problem = $state('');
  readonly #turns = new TurnsByConversation();
  /** Approvals that wait, with the conversation each is asked in. */
  waiting = $state.raw<ReadonlyMap<string, string>>(new Map());

  readonly #stop: () => void;
  /** Conversations that are being fetched, each with the turn that ended meanwhile: the answer may not know it yet. */
  readonly #asked = new Map<string, TurnEnded | null>();
  /** Up to when the list that was read tells everything; by the server's clock. */
  #readUpToMs = 0;
  #reads = 0;
  /** Fetched since the list was asked for: its answer may not know them yet. */
  readonly #fetchedMeanwhile = new Set<string>();

  constructor(live: Live) {
    this.#stop = live.listen((frame) => this.#received(frame));
  }

  close(): void {
    this.#stop();
  }

  find(id: string | null): Conversation | null {
    return this.items.find((one) => one.id === id) ?? null;
  }

  /** Where somebody who comes back was last: on the web if anywhere there. */
  get newest(): Conversation | null {
    return this.items.find(isOnTheWeb) ?? this.items.find((one) => !isRun(one)) ?? null;
  }

  async read(): Promise<void> {
    const asked = ++this.#reads;
    this.#fetchedMeanwhile.clear();
    const answer = await listConversations(null);
    if (asked !== this.#reads) return; // a later answer knows more
    this.problem = answer.ok ? '' : whyFailed(answer.failure);
    this.loading = answer.ok ? 'ready' : this.items.length > 0 ? 'ready' : 'failed';
    if (!answer.ok) return;
    this.#readUpToMs = answer.value.items[0]?.lastActiveMs ?? 0;
    // Pages that were read before stay: only the top can have changed its order.
    const fresh = new Set(answer.value.items.map(({ id }) => id));
    const hadMore = this.items.length > answer.value.items.length;
    const others = this.items.filter(({ id }) => !fresh.has(id) && (hadMore || this.#fetchedMeanwhile.has(id)));
    this.items = newestFirst([...answer.value.items.map((one) => withNews(one, this.find(one.id))), ...others]);
    if (!hadMore) this.next = answer.value.next;
    if (answer.value.next !== null) await this.#readPinned();
  }

  /** Pinned ones stand on top, also those of pages that were not read. */
  async #readPinned(): Promise<void> {
    const answer = await listPinned();
    if (!answer.ok) return;
    const known = new Set(this.items.map(({ id }) => id));
    this.items = newestFirst([...this.items, ...answer.value.items.filter(({ id, pinned }) => pinned && !known.has(id))]);
  }

  async readMore(): Promise<void> {
    if (this.next === null) return;
    const answer = await listConversations(this.next);
    if (!answer.ok) return;
    const known = new Set(this.items.map(({ id }) => id));
    this.items = newestFirst([...this.items, ...answer.value.items.filter(({ id }) => !known.has(id))]);
    this.next = answer.value.next;
  }

  renamed(id: string, title: string): void {
    this.items = this.items.map((one) => (one.id === id ? { ...one, title } : one));
  }

  /** Gives '' or why it could not be done. */
  async pin(id: string, pinned: boolean): Promise<string> {
    const answer = await pinConversation(id, pinned);
    if (answer.ok) this.#change(id, { pinned });
    return answer.ok ? '' : whyFailed(answer.failure);
  }

  /** Somebody looked at all of it: told to the other devices, if the server keeps it. */
  seen(id: string, upToSeq: number): void {
    const known = this.find(id);
    if (known === null || known.seenSeq === null || known.seenSeq >= upToSeq) return;
    this.#change(id, { seenSeq: upToSeq, lastSeq: Math.max(known.lastSeq ?? 0, upToSeq) });
    void markSeen(id, upToSeq);
  }

  #change(id: string, change: Partial<Conversation>): void {
    this.items = newestFirst(this.items.map((one) => (one.id === id ? { ...one, ...change } : one)));
  }

  forget(id: string): void {
    this.#asked.delete(id);
    this.items = this.items.filter((one) => one.id !== id);
  }

  #received(frame: Frame): void {
    if ('gone' in frame && frame.gone) return;
    switch (frame.type) {
      case 'hello':
      case 'reset':
        this.#turns.clear();
        void this.#readWaiting();
        return void this.read();
      case 'turn_queued':
        // Whether a greeting comes is known at its end.
        if (frame.kind === 'session_open') return;
        this.#active(frame.conversationId, frame.atMs);
        return this.#turns.is(frame.conversationId, frame.turnId, 'queued');
      case 'turn_started':
      case 'turn_snapshot':
        if (frame.kind === 'session_open') return;
        return this.#turns.is(frame.conversationId, frame.turnId, 'running');
      case 'turn_ended':
        this.#turns.ended(frame.turnId);
        // A greeting that stays silent is no sign of life.
        if (frame.messages.length > 0 || frame.moreAfter !== null) this.#active(frame.conversationId, frame.atMs);
        this.#said(frame);
        // A reminder that has fired is none any longer.
        if (frame.kind === 'automation' && (this.find(frame.conversationId)?.automationCount ?? 0) > 0) void this.read();
        return;
      case 'automation_changed':
        // How many there are is told with the list; the conversation itself may be gone with its automation.
        return void this.read();
      case 'conversation_changed':
        return this.#changed(frame);
      case 'conversation_deleted':
        return this.forget(frame.conversationId);
      case 'approval_requested':
        this.waiting = new Map(this.waiting).set(frame.approvalId, frame.conversationId);
        return;
      case 'approval_decided':
        this.waiting = new Map([...this.waiting].filter(([id]) => id !== frame.approvalId));
        return;
    }
  }

  /** What goes on in a conversation right now, if anything. */
  doing(id: string): Doing | null {
    return this.#turns.of(id) ?? ([...this.waiting.values()].includes(id) ? 'waits' : null);
  }

  async #readWaiting(): Promise<void> {
    const answer = await listWaitingApprovals();
    if (answer.ok) this.waiting = new Map(answer.value.items.map((one) => [one.id, one.conversationId]));
  }

  /** The line below the title is what was said last. */
  #said(ended: TurnEnded): void {
    const { conversationId, messages } = ended;
    const known = this.find(conversationId);
    if (known === null && this.#asked.has(conversationId)) this.#asked.set(conversationId, ended);
    const last = messages.findLast(({ content }) => textIn(content) !== '');
    if (known === null || last === undefined || (known.lastSeq ?? 0) >= last.seq) return;
    this.#change(conversationId, { preview: firstWords(textIn(last.content)).slice(0, 200), lastSeq: known.lastSeq === null ? null : last.seq });
  }

  #changed({ conversationId, title, agent, pinned, seenSeq }: ConversationChanged): void {
    const known = this.find(conversationId);
    if (known === null) return;
    this.#change(conversationId, { title, agent, pinned, seenSeq: Math.max(known.seenSeq ?? 0, seenSeq) });
  }

  #active(id: string, atMs: number): void {
    const known = this.find(id);
    // Unknown and older than the list: it is further down, on a page that was not read. The title is made of the first
    // message and is there after it.
    if (known === null ? atMs > this.#readUpToMs : known.title === '') void this.#fetch(id);
    if (known === null || known.lastActiveMs >= atMs) return;
    this.items = newestFirst(this.items.map((one) => (one === known ? { ...one, lastActiveMs: atMs } : one)));
  }

  async #fetch(id: string): Promise<void> {
    if (id === '' || this.#asked.has(id)) return;
    this.#asked.set(id, null);
    const answer = await getConversation(id);
    const ended = this.#asked.get(id);
    const wasForgotten = !this.#asked.delete(id);
    if (!answer.ok || wasForgotten) return;
    this.#fetchedMeanwhile.add(id);
    this.items = newestFirst([answer.value, ...this.items.filter((one) => one.id !== id)]);
    if (ended) {
      this.#active(id, ended.atMs);
      this.#said(ended);
    }
  }
}

/** What events told while the list was on its way is newer than what it says. */
function withNews(read: Conversation, known: Conversation | null): Conversation {
  if (known === null) return read;
  const lastActiveMs = Math.max(read.lastActiveMs, known.lastActiveMs);
  return (known.lastSeq ?? 0) > (read.lastSeq ?? 0) ? { ...read, lastActiveMs, lastSeq: known.lastSeq, preview: known.preview } : { ...read, lastActiveMs };
}

function newestFirst(items: readonly Conversation[]): readonly Conversation[] {
  return [...items].sort((a, b) => b.lastActiveMs - a.lastActiveMs);
}

/** The turns that run or wait, by their conversation. */
class TurnsByConversation {
  #turns = $state.raw<ReadonlyMap<string, { readonly conversation: string; readonly state: 'queued' | 'running' }>>(new Map());

  clear(): void {
    this.#turns = new Map();
  }

  is(conversation: string, turnId: string, state: 'queued' | 'running'): void {
    this.#turns = new Map(this.#turns).set(turnId, { conversation, state });
  }

  ended(turnId: string): void {
    this.#turns = new Map([...this.#turns].filter(([id]) => id !== turnId));
  }

  of(conversation: string): 'queued' | 'running' | null {
    const states = [...this.#turns.values()].filter((turn) => turn.conversation === conversation).map(({ state }) => state);
    return states.includes('running') ? 'running' : (states[0] ?? null);
  }
}
