// What the server says right now, as reactive state: the link, the last health frame and, after a reconnect to
// a new process, the restart. Lives as long as somebody is signed in.
import { whoAmI } from './api.ts';
import type { Frame, Health, Hello } from './frames.ts';
import { LiveSocket, wakeWithPage, type Link } from './socket.ts';

export interface Restart {
  readonly atMs: number;
  /** Set when the new process is another version: this page belongs to the old one. */
  readonly newVersion: string | null;
}

export class Live {
  link = $state.raw<Link>({ kind: 'connecting', again: false });
  health = $state.raw<Health | null>(null);
  /** When the last health frame came in, by the browser's clock. */
  heardAtMs = $state(0);
  restart = $state.raw<Restart | null>(null);

  readonly #socket: LiveSocket;
  readonly #unwatch: () => void;
  #hello: Hello | null = null;
  #replaced: Hello | null = null;

  constructor(onSignedOut: () => void) {
    this.#socket = new LiveSocket({
      connect: () => new WebSocket(`${location.origin.replace(/^http/, 'ws')}/ws`),
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

  close(): void {
    this.#unwatch();
    this.#socket.stop();
  }

  #received(frame: Frame): void {
    if (frame.type === 'hello') {
      if (this.#hello !== null && this.#hello.bootId !== frame.bootId) this.#replaced = this.#hello;
      this.#hello = frame;
      return;
    }
    this.health = frame;
    this.heardAtMs = Date.now();
    // Only the health frame says how long the new process has been up.
    if (this.#replaced === null) return;
    const newVersion = this.#replaced.version === frame.version ? null : frame.version;
    this.restart = { atMs: frame.atMs - frame.uptimeMs, newVersion };
    this.#replaced = null;
  }
}
