// What every page of the frame shares, handed down by context: one object, made when somebody signs in.
import { createContext } from 'svelte';
import type { Me } from './api.ts';
import { Outbox } from './chat/outbox.svelte.ts';
import { ConversationList } from './conversation_list.svelte.ts';
import { Inbox } from './inbox.svelte.ts';
import { Live } from './live.svelte.ts';
import { Notices } from './notices.svelte.ts';
import { SeenMarks } from './seen.svelte.ts';
import { RememberedFlag } from './storage.svelte.ts';
import { Wakeup } from './wakeup.svelte.ts';
import { reportZone } from './workspace.ts';

export class AppState {
  readonly me: Me;
  readonly live: Live;
  readonly outbox: Outbox;
  readonly conversations: ConversationList;
  readonly seen: SeenMarks;
  readonly notices: Notices;
  readonly inbox: Inbox;
  readonly wakeup: Wakeup;
  readonly showBackground = new RememberedFlag('rouse-background', true);

  constructor(me: Me, onSignedOut: () => void) {
    this.me = me;
    this.live = new Live(onSignedOut);
    this.outbox = new Outbox(this.live, me.workspace);
    this.conversations = new ConversationList(this.live);
    this.seen = new SeenMarks(me.workspace);
    this.notices = new Notices(this.live);
    this.inbox = new Inbox(this.live);
    this.wakeup = new Wakeup(this.live, this.conversations, this.outbox);
    void reportZone();
  }

  close(): void {
    this.inbox.close();
    this.notices.close();
    this.seen.close();
    this.conversations.close();
    this.outbox.close();
    this.live.close();
  }
}

export const [useApp, provideApp] = createContext<AppState>();
