// Messages on their way to the server. Each is kept in the browser from the moment it is sent until the server has
// it, with an id that makes it the same message however often it is told. So text survives a lost connection, a
// reload and a restart of the server, and arrives once. All tabs of a workspace share it.
import { messageOf, type KeptFile } from '../files.ts';
import type { Frame } from '../frames.ts';
import { isObject } from '../json.ts';
import type { Live } from '../live.svelte.ts';
import { onChangedElsewhere, remember, rememberedJson } from '../storage.svelte.ts';

export interface Outgoing {
  readonly id: string;
  /** Any name of the conversation. */
  readonly conversation: string;
  readonly text: string;
  /** Already with the server; absent for none. */
  readonly files?: readonly KeptFile[];
  readonly atMs: number;
  /** Why the server did not take it; it is not sent again by itself. */
  readonly error: string;
}

/** The server knows an id for 24 h. What is older may have arrived, so a person decides. */
const tooOldMs = 23 * 3_600_000;

/** A larger frame would make the server close the connection, again and again. */
const longestBytes = 900_000;

export class Outbox {
  items = $state.raw<readonly Outgoing[]>([]);
  readonly #live: Live;
  readonly #key: string;
  readonly #stop: (() => void)[];
  /** Where each message of this page went, also after it has arrived. */
  readonly #sentTo = new Map<string, string>();

  constructor(live: Live, workspace: string) {
    this.#live = live;
    this.#key = `rouse-outbox:${workspace}`;
    this.#read();
    this.#stop = [live.listen((frame) => this.#received(frame)), onChangedElsewhere(this.#key, () => this.#read())];
  }

  close(): void {
    for (const stop of this.#stop) stop();
  }

  send(conversation: string, text: string, files: readonly KeptFile[] = []): void {
    const item: Outgoing = { id: crypto.randomUUID(), conversation, text, files, atMs: Date.now(), error: '' };
    this.#write((items) => [...items, item]);
    this.#tell(item);
  }

  tryAgain(id: string): void {
    const item = this.items.find((one) => one.id === id);
    if (item === undefined) return;
    this.drop(id);
    // A new id: the server may have kept the refusal under the old one.
    this.send(item.conversation, item.text, item.files);
  }

  drop(id: string): void {
    this.#write((items) => items.filter((item) => item.id !== id));
  }

  /** The conversation that a message of ours was sent to; null if it is not ours. */
  conversationOf(id: string): string | null {
    return this.#sentTo.get(id) ?? null;
  }

  #tell({ id, conversation, text, files = [] }: Outgoing): void {
    if (new TextEncoder().encode(text).length > longestBytes) return this.#failed(id, 'It is too long: 900 KB are possible.');
    this.#sentTo.set(id, conversation);
    this.#live.send({ type: 'chat', conversation_id: conversation, message: messageOf(text, files), client_message_id: id });
  }

  #received(frame: Frame): void {
    switch (frame.type) {
      case 'hello':
        this.#tellAll();
        break;
      case 'accepted':
      case 'turn_queued':
      case 'done_for_you':
        if (this.items.some(({ id }) => id === frame.clientMessageId)) this.drop(frame.clientMessageId);
        break;
      case 'error':
        this.#failed(frame.clientMessageId, frame.message || 'The server did not take it.');
        break;
    }
  }

  #tellAll(): void {
    for (const item of this.items) {
      if (item.error !== '') continue;
      if (Date.now() - item.atMs > tooOldMs) this.#failed(item.id, 'It waited for a day. It may have arrived before.');
      else this.#tell(item);
    }
  }

  #failed(id: string, error: string): void {
    if (id === '') return;
    this.#write((items) => items.map((item) => (item.id === id ? { ...item, error } : item)));
  }

  /** Another tab may have written since we read. */
  #write(change: (items: readonly Outgoing[]) => readonly Outgoing[]): void {
    this.#read();
    this.items = change(this.items);
    remember(this.#key, this.items.length === 0 ? null : JSON.stringify(this.items));
  }

  #read(): void {
    const stored = rememberedJson(this.#key, isOutgoingList, null);
    // Nothing stored is an empty list, unless storage does not work: then what is in memory counts.
    if (stored !== null) this.items = stored;
    else if (storageWorks()) this.items = [];
  }
}

function isOutgoingList(value: unknown): value is readonly Outgoing[] | null {
  return Array.isArray(value) && value.every((item) => isObject(item) && typeof item['id'] === 'string');
}

function storageWorks(): boolean {
  try {
    localStorage.setItem('rouse-probe', '');
    localStorage.removeItem('rouse-probe');
    return true;
  } catch {
    return false;
  }
}
