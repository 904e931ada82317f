// What a conversation is called, by its id or its key. Most are in the list of the rail; an older one is asked for once.
import { channelWords } from './chat/words.ts';
import type { ConversationList } from './conversation_list.svelte.ts';
import { getConversation, type Conversation } from './conversations.ts';

export interface NamedConversation {
  readonly title: string;
  /** '' while it has not begun, or when it is gone. */
  readonly href: string;
}

const everyChannel = 'unified:default';

export class NamedConversations {
  readonly #list: ConversationList;
  #asked = $state.raw<ReadonlyMap<string, Conversation | null>>(new Map());
  readonly #asking = new Set<string>();

  constructor(list: ConversationList) {
    this.#list = list;
  }

  /** Null while nobody knows yet. */
  find(name: string): NamedConversation | null {
    if (name === '') return null;
    const known = this.#list.items.find(({ id, key }) => id === name || key === name) ?? this.#asked.get(name);
    if (known) return { title: titleOf(known), href: `/chat/${known.id}` };
    if (name === everyChannel) return { title: channelWords(name), href: `/chat/${name}` };
    return known === null || this.#isWhole ? notThere(name) : null;
  }

  /** What is not in a list that is complete is not there: the server need not say so. */
  get #isWhole(): boolean {
    return this.#list.loading === 'ready' && this.#list.next === null;
  }

  /** Asks for those that are not known. To be called from an effect: finding changes nothing. */
  lookUp(names: readonly string[]): void {
    if (this.#list.loading === 'reading') return;
    for (const name of new Set(names)) {
      if (name === '' || this.find(name) !== null || this.#asking.has(name)) continue;
      this.#asking.add(name);
      void this.#ask(name);
    }
  }

  async #ask(name: string): Promise<void> {
    const answer = await getConversation(name);
    this.#asking.delete(name);
    if (answer.ok || answer.failure.kind === 'refused') this.#asked = new Map(this.#asked).set(name, answer.ok ? answer.value : null);
  }
}

export function titleOf({ title, key }: { readonly title: string; readonly key: string }): string {
  if (key === everyChannel) return channelWords(key);
  return title || 'New conversation';
}

function notThere(name: string): NamedConversation {
  return { title: name.startsWith('conv_') ? 'A deleted conversation' : 'A new conversation', href: '' };
}
