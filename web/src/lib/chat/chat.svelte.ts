// One conversation as the page shows it: what is committed, what runs, what waits for a person. Messages are known
// by their number and turns by their id, so it does not matter how often or by which way something is learned:
// history over HTTP and events over the socket meet here without loss, doubles or disorder.
import {
  getConversation,
  listApprovals,
  messagesAfter,
  olderMessages,
  recentTurns,
  type ConversationDetail,
} from '../conversations.ts';
import type { Frame, PassingFrame, TurnEnded, TurnQueued } from '../frames.ts';
import { whyFailed, type Failure } from '../http.ts';
import type { Live } from '../live.svelte.ts';
import type { Message } from '../messages.ts';
import { Approvals } from './approvals.svelte.ts';
import type { Outbox } from './outbox.svelte.ts';
import { merged, rowsOf } from './rows.ts';
import { advance, queuedTurn, type OpenTurn } from './turn.ts';

export interface Verdict {
  readonly kind: string;
  readonly verdict: string;
  readonly reason: string;
}

export interface ChatNote {
  readonly id: number;
  readonly text: string;
  /** Where more can be done about it. */
  readonly link?: { readonly href: string; readonly label: string };
}

/** `gone`: somebody deleted it meanwhile. */
export type Loading = 'waiting' | 'reading' | 'ready' | 'failed' | 'gone';

/** How far back a page looks for the words of a turn that was running when it was opened. */
const eventsToReadAgain = 500;
/** Messages in front of a search hit, so that it has context. */
const beforeHit = 20;

export class Chat {
  readonly name: string;
  id = $state<string | null>(null);
  detail = $state.raw<ConversationDetail | null>(null);
  messages = $state.raw<readonly Message[]>([]);
  turns = $state.raw<readonly OpenTurn[]>([]);
  verdicts = $state.raw<ReadonlyMap<string, Verdict>>(new Map());
  notes = $state.raw<readonly ChatNote[]>([]);
  loading = $state<Loading>('waiting');
  problem = $state('');
  /** Leads to older messages; null when the beginning is there. */
  olderCursor = $state<string | null>(null);
  readingMore = $state(false);
  /** False after a jump to an old message: what is newer is read when it is scrolled to. */
  atEnd = $state(true);
  /** A person has begun to write. */
  drafting = $state(false);
  readonly approvals = new Approvals();
  readonly rows = $derived(rowsOf(this.messages, this.detail?.sessions ?? []));
  readonly running = $derived(this.turns.find((turn) => turn.running) ?? null);

  readonly #live: Live;
  readonly #outbox: Outbox;
  readonly #stopListening: () => void;
  readonly #ended = new Set<string>();
  #load = 0;

  constructor(live: Live, outbox: Outbox, name: string) {
    this.#live = live;
    this.#outbox = outbox;
    this.name = name;
    if (name.startsWith('conv_')) this.id = name;
    this.#stopListening = live.listen((frame) => this.#received(frame));
  }

  /** What to call it when something is sent to it. */
  get address(): string {
    return this.id ?? this.name;
  }

  close(): void {
    this.#load += 1;
    this.#stopListening();
  }

  is(name: string): boolean {
    return name === this.name || name === this.id;
  }

  /** Reads the newest messages and what is going on. Again after `reset`; events that come meanwhile are kept. */
  async read(): Promise<void> {
    const load = ++this.#load;
    if (this.loading !== 'ready') this.loading = 'reading';
    const [detail, page, turns, approvals] = await Promise.all([
      getConversation(this.address),
      olderMessages(this.address, null),
      recentTurns(this.address),
      listApprovals(this.address),
    ]);
    if (load !== this.#load) return;
    if (!detail.ok) return this.#notRead(detail.failure);
    if (!page.ok) return this.#notRead(page.failure);
    this.id = detail.value.id;
    this.detail = detail.value;
    this.messages = merged([...page.value.items].reverse(), this.atEnd ? this.messages : []);
    this.olderCursor = page.value.next;
    this.atEnd = true;
    if (turns.ok) this.#learnTurns(turns.value.items);
    if (approvals.ok) this.approvals.learn(approvals.value.items);
    this.loading = 'ready';
  }

  async readOlder(): Promise<void> {
    if (this.olderCursor === null || this.readingMore) return;
    await this.#readMore(olderMessages(this.address, this.olderCursor), (next) => (this.olderCursor = next));
  }

  async readNewer(): Promise<void> {
    if (this.atEnd || this.readingMore) return;
    const last = this.messages.at(-1)?.seq ?? 0;
    await this.#readMore(messagesAfter(this.address, last), (next) => (this.atEnd = next === null));
  }

  /** Makes sure that a message is among those that are shown. */
  async reach(seq: number): Promise<void> {
    const [first, last] = [this.messages[0]?.seq ?? 0, this.messages.at(-1)?.seq ?? 0];
    if (seq >= first && seq <= last) return;
    const from = Math.max(0, seq - beforeHit);
    const page = await messagesAfter(this.address, from);
    if (!page.ok || page.value.items.length === 0) return;
    this.messages = page.value.items;
    this.olderCursor = from === 0 ? null : String(this.messages[0]!.seq);
    this.atEnd = page.value.next === null;
  }

  async toEnd(): Promise<void> {
    if (this.atEnd) return;
    this.messages = [];
    this.atEnd = true;
    await this.read();
  }

  /** The agent spoke first. Its words may also have come as an event: a message is known by its number. */
  wasOpened(conversationId: string): void {
    this.id ??= conversationId;
    if (this.atEnd) void this.read();
  }

  stop(): void {
    if (this.running !== null) this.cancel(this.running.turnId);
  }

  cancel(turnId: string): void {
    this.#live.send({ type: 'cancel', turn_id: turnId });
  }

  /** Closes its session with a summary. Without a connection the wish is kept like a message, and told in its turn. */
  clear(): void {
    if (!this.#live.send({ type: 'clear_chat', conversation_id: this.address })) this.#outbox.send(this.address, '/clear');
  }

  note(text: string, link?: ChatNote['link']): void {
    this.notes = [...this.notes, { id: this.notes.length, text, ...(link && { link }) }];
  }

  #notRead(failure: Failure): void {
    // A name that nobody has used: the first message begins the conversation.
    const isNew = failure.kind === 'refused' && failure.code === 'conversation_not_found' && this.id === null;
    this.loading = isNew ? 'ready' : 'failed';
    this.problem = isNew ? '' : whyFailed(failure);
  }

  async #readMore(asked: ReturnType<typeof olderMessages>, learned: (next: string | null) => void): Promise<void> {
    const load = this.#load;
    this.readingMore = true;
    const page = await asked;
    this.readingMore = false;
    if (load !== this.#load || !page.ok) return;
    this.messages = merged(this.messages, page.value.items);
    learned(page.value.next);
  }

  #learnTurns(records: readonly { id: string; kind: string; state: string; verdict: string; reason: string; queuedAtMs: number }[]): void {
    const verdicts = new Map(this.verdicts);
    let someoneElseSaid = false;
    for (const { id, kind, state, verdict, reason, queuedAtMs } of [...records].reverse()) {
      if (verdict !== '') verdicts.set(id, { kind, verdict, reason });
      if ((state !== 'queued' && state !== 'running') || this.#ended.has(id) || kind === 'session_open') continue;
      someoneElseSaid ||= !this.turns.some((turn) => turn.turnId === id && turn.message !== null);
      this.#turn(id, (turn) => turn ?? { ...queuedTurn(id, kind, queuedAtMs), running: state === 'running' });
    }
    this.verdicts = verdicts;
    if (someoneElseSaid) this.#live.rewind(eventsToReadAgain);
  }

  #received(frame: Frame): void {
    if (frame.type === 'hello') return this.#forgetWhoRuns();
    if (frame.type === 'reset') return this.#startOver();
    if ((frame.type === 'turn_queued' || frame.type === 'accepted') && this.id === null && this.#isAnswerToUs(frame)) {
      this.id = frame.conversationId;
    }
    if (frame.type === 'done_for_you') {
      if (this.is(frame.conversation) && frame.message !== '') this.note(frame.message);
      return;
    }
    if (!('conversationId' in frame) || frame.conversationId !== this.id || this.id === null) return;
    switch (frame.type) {
      case 'turn_queued':
        return this.#queued(frame);
      case 'turn_ended':
        return this.#turnEnded(frame);
      case 'chat_cleared':
        return void this.#readDetail();
      case 'conversation_changed':
        if (this.detail !== null) this.detail = { ...this.detail, title: frame.title, agent: frame.agent };
        return;
      case 'conversation_deleted':
        this.loading = 'gone';
        return;
      case 'approval_requested':
      case 'approval_decided':
        return this.approvals.received(frame);
    }
    // Other durable events are somebody else's; what has no number is about a turn that runs.
    if (!('seq' in frame) && frame.type !== 'accepted') this.#passing(frame);
  }

  /** Events were lost for good: nothing that is shown can be trusted to be whole. */
  #startOver(): void {
    [this.messages, this.turns, this.atEnd] = [[], [], true];
    this.#ended.clear();
    if (this.id === null) return;
    this.loading = 'reading';
    void this.read();
  }

  #isAnswerToUs({ clientMessageId }: { clientMessageId: string }): boolean {
    return this.#outbox.conversationOf(clientMessageId) === this.name;
  }

  /** The server tells who runs right after its hello. What is shown stays until it is replaced. */
  #forgetWhoRuns(): void {
    this.turns = this.turns.map((turn) => ({ ...turn, running: false }));
    if (this.detail === null && this.id !== null && this.loading === 'ready') void this.#readDetail();
  }

  #queued(frame: TurnQueued): void {
    // Whether a greeting comes is known at its end; until then there is nothing to show.
    if (this.#ended.has(frame.turnId) || frame.kind === 'session_open') return;
    // A note is about the moment; the next message makes it old.
    this.notes = [];
    const { turnId, kind, atMs, clientMessageId, message, automationName, dueMs } = frame;
    const told = { clientMessageId, message, automationName, dueMs };
    this.#turn(turnId, (turn) => ({ ...(turn ?? queuedTurn(turnId, kind, atMs)), ...told }));
    if (frame.decision === 'new' || this.detail === null) void this.#readDetail();
  }

  #turnEnded(frame: TurnEnded): void {
    this.#ended.add(frame.turnId);
    this.turns = this.turns.filter(({ turnId }) => turnId !== frame.turnId);
    this.verdicts = new Map(this.verdicts).set(frame.turnId, { kind: frame.kind, verdict: frame.verdict, reason: frame.reason });
    if (!this.atEnd) return;
    const last = this.messages.at(-1)?.seq ?? 0;
    this.messages = merged(this.messages, frame.messages);
    // Something was recorded without an event, by a bridge for instance.
    const skipped = last > 0 && (frame.messages[0]?.seq ?? 0) > last + 1;
    if (skipped) void this.#readRest(last);
    else if (frame.moreAfter !== null) void this.#readRest(frame.moreAfter);
  }

  async #readRest(after: number): Promise<void> {
    for (let from: number | null = after; from !== null; ) {
      const page = await messagesAfter(this.address, from);
      if (!page.ok) return;
      this.messages = merged(this.messages, page.value.items);
      from = page.value.next === null ? null : (page.value.items.at(-1)?.seq ?? null);
    }
  }

  #passing(frame: PassingFrame): void {
    if (this.#ended.has(frame.turnId)) return;
    const kind = 'kind' in frame ? frame.kind : 'user';
    // A greeting is not streamed: whether there is one is known at its end.
    if (kind === 'session_open') return;
    this.#turn(frame.turnId, (turn) => advance(turn ?? queuedTurn(frame.turnId, kind, Date.now()), frame));
  }

  #turn(turnId: string, change: (turn: OpenTurn | null) => OpenTurn): void {
    const at = this.turns.findIndex((turn) => turn.turnId === turnId);
    this.turns = at < 0 ? [...this.turns, change(null)] : this.turns.with(at, change(this.turns[at]!));
  }

  async #readDetail(): Promise<void> {
    const answer = await getConversation(this.address);
    if (answer.ok) this.detail = answer.value;
  }
}
