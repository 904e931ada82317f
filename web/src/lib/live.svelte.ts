// The one live link to the server, as reactive state and as a stream of frames for whoever listens. It keeps the
// number of the newest durable event, resumes after it, and passes each event on once and in order. Lives as long as
// somebody is signed in.
import { whoAmI } from './api.ts';
import type { Frame, Health, Hello } from './frames.ts';
import { LiveSocket, wakeWithPage, type Link } from './socket.ts';

export interface Restart {
  readonly atMs: number;
  /** Set when the new process is another version: this page belongs to the old one. */
  readonly newVersion: string | null;
}

export type FrameListener = (frame: Frame) => void;

export class Live {
  link = $state.raw<Link>({ kind: 'connecting', again: false });
  health = $state.raw<Health | null>(null);
  /** When the last health frame came in, by the browser's clock. */
  heardAtMs = $state(0);
  restart = $state.raw<Restart | null>(null);

  readonly #socket: LiveSocket;
  readonly #unwatch: () => void;
  readonly #listeners = new Set<FrameListener>();
  #hello: Hello | null = null;
  #replaced: Hello | null = null;
  /** Null until the first hello: then events begin behind it. */
  #seq: number | null = null;
  #rewound = false;
  /** Events up to this one happened before the page was opened; a rewind tells them nevertheless. */
  openedAtSeq = 0;

  constructor(onSignedOut: () => void) {
    this.#socket = new LiveSocket({
      connect: () => new WebSocket(this.#address()),
      isVisible: () => document.visibilityState === 'visible',
      isSignedOut: async () => {
        const answer = await whoAmI();
        return !answer.ok && answer.failure.kind === 'unauthorized';
      },
      onFrame: (frame) => this.#received(frame),
      onLink: (link) => (this.link = link),
      onSignedOut,
    });
    this.#unwatch = wakeWithPage(() => this.#socket.wake());
    this.#socket.start();
  }

  get isOpen(): boolean {
    return this.link.kind === 'open';
  }

  /** Frames come in the order of the server, each durable event once. Gives the way to stop. */
  listen(listener: FrameListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** False when there is no connection: the caller keeps what it wanted to say. */
  send(frame: object): boolean {
    return this.#socket.send(JSON.stringify(frame));
  }

  /** Reads the latest events again, once in the life of a page. A page that was opened in the middle of a turn
      learns in this way what the person had said: neither the snapshot nor the API tells it. */
  rewind(events: number): void {
    if (this.#rewound || this.#seq === null) return;
    this.#rewound = true;
    this.#seq = Math.max(0, this.#seq - events);
    this.#socket.reconnect();
  }

  close(): void {
    this.#unwatch();
    this.#socket.stop();
    this.#listeners.clear();
  }

  #address(): string {
    const after = this.#seq === null ? '' : `?after=${this.#seq}`;
    return `${location.origin.replace(/^http/, 'ws')}/ws${after}`;
  }

  #received(frame: Frame): void {
    if (frame.type === 'hello') this.#greeted(frame);
    else if (frame.type === 'health') this.#heard(frame);
    else if (frame.type === 'reset') this.#seq = frame.lastSeq;
    else if ('seq' in frame) {
      if (frame.seq <= (this.#seq ?? 0)) return;
      this.#seq = frame.seq;
    }
    for (const listener of [...this.#listeners]) listener(frame);
  }

  #greeted(hello: Hello): void {
    if (this.#hello !== null && this.#hello.bootId !== hello.bootId) this.#replaced = this.#hello;
    this.#hello = hello;
    if (this.#seq === null) this.#seq = this.openedAtSeq = hello.lastSeq;
  }

  #heard(health: Health): void {
    this.health = health;
    this.heardAtMs = Date.now();
    // Only the health frame says how long the new process has been up.
    if (this.#replaced === null) return;
    const newVersion = this.#replaced.version === health.version ? null : health.version;
    this.restart = { atMs: health.atMs - health.uptimeMs, newVersion };
    this.#replaced = null;
  }
}
