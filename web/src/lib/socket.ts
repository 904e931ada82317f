// One WebSocket that stays alive: it reconnects, each second at the latest while somebody looks, notices a peer that went silent, and tells
// "the server is away" from "you are signed out". It knows timers and frames, nothing about the page.
//
//   connecting --hello--> open --lost--> waiting --timer or wake()--> connecting --hello--> open
//        \--lost before hello: is the session still good?-- no --> onSignedOut, the end
import { retryDelayMs } from './backoff.ts';
import { askForHealth, parseFrame, type Frame } from './frames.ts';

export type Link =
  | { readonly kind: 'connecting'; readonly again: boolean }
  | { readonly kind: 'open' }
  | { readonly kind: 'waiting'; readonly retryAtMs: number };

/** The part of WebSocket used here, so that a test can hand in its own. */
export type Wire = Pick<WebSocket, 'onmessage' | 'onclose' | 'send' | 'close'>;

export interface SocketOptions {
  readonly connect: () => Wire;
  readonly isVisible: () => boolean;
  /** Asked when a connection ends before its hello: the browser hides the 401 of a refused upgrade. */
  readonly isSignedOut: () => Promise<boolean>;
  readonly onFrame: (frame: Frame) => void;
  readonly onLink: (link: Link) => void;
  readonly onSignedOut: () => void;
  readonly random?: () => number;
}

const helloDeadlineMs = 10_000;
const askEveryMs = 15_000;
const answerDeadlineMs = 10_000;
/** A connection this old was a good one: the next failure starts again at the shortest wait. */
const provenAfterMs = 10_000;

type Timer = ReturnType<typeof setTimeout>;

export class LiveSocket {
  readonly #options: SocketOptions;
  #wire: Wire | null = null;
  #open = false;
  #again = false;
  #stopped = false;
  #failures = 0;
  #retry: Timer | undefined;
  #deadline: Timer | undefined;
  #ask: Timer | undefined;
  #proven: Timer | undefined;

  constructor(options: SocketOptions) {
    this.#options = options;
  }

  start(): void {
    this.#connect();
  }

  stop(): void {
    this.#stopped = true;
    this.#drop();
    clearTimeout(this.#retry);
  }

  /** The page became visible or the network came back: do now what a timer would do later. */
  wake(): void {
    if (this.#stopped) return;
    if (this.#open) this.#askNow();
    else if (this.#retry !== undefined) this.#connect();
  }

  /** False while there is no connection. */
  send(text: string): boolean {
    if (!this.#open || this.#wire === null) return false;
    this.#wire.send(text);
    return true;
  }

  /** Ends a good connection and makes a new one at once, to ask from another place. */
  reconnect(): void {
    if (this.#stopped || !this.#open) return;
    this.#drop();
    this.#connect();
  }

  #connect(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#options.onLink({ kind: 'connecting', again: this.#again });
    const wire = this.#options.connect();
    this.#wire = wire;
    wire.onmessage = (event) => this.#received(parseFrame(event.data));
    wire.onclose = () => void this.#lost();
    this.#expectBy(helloDeadlineMs);
  }

  #received(frame: Frame | null): void {
    // Whatever it is, it proves that the other side lives.
    clearTimeout(this.#deadline);
    if (frame === null) return;
    if (frame.type === 'hello' && !this.#open) this.#opened();
    this.#options.onFrame(frame);
  }

  #opened(): void {
    this.#open = true;
    this.#proven = setTimeout(() => (this.#failures = 0), provenAfterMs);
    this.#ask = setTimeout(() => this.#askLater(), askEveryMs);
    this.#options.onLink({ kind: 'open' });
  }

  #askLater(): void {
    // A hidden page has nothing to show; wake() asks as soon as somebody looks.
    if (this.#options.isVisible()) this.#askNow();
    else this.#ask = setTimeout(() => this.#askLater(), askEveryMs);
  }

  #askNow(): void {
    clearTimeout(this.#ask);
    this.#wire?.send(askForHealth);
    this.#expectBy(answerDeadlineMs);
    this.#ask = setTimeout(() => this.#askLater(), askEveryMs);
  }

  /** A half-open connection never says so: after a silent deadline it counts as lost. */
  #expectBy(ms: number): void {
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => void this.#lost(), ms);
  }

  async #lost(): Promise<void> {
    const hadHello = this.#open;
    this.#drop();
    this.#again = true;
    if (!hadHello && (await this.#options.isSignedOut())) {
      if (this.#stopped) return;
      this.stop();
      this.#options.onSignedOut();
      return;
    }
    if (this.#stopped) return;
    const delayMs = retryDelayMs(this.#failures, this.#options.isVisible(), this.#options.random);
    this.#failures += 1;
    this.#retry = setTimeout(() => this.#connect(), delayMs);
    this.#options.onLink({ kind: 'waiting', retryAtMs: Date.now() + delayMs });
  }

  #drop(): void {
    for (const timer of [this.#deadline, this.#ask, this.#proven]) clearTimeout(timer);
    this.#open = false;
    const wire = this.#wire;
    this.#wire = null;
    if (wire === null) return;
    wire.onmessage = null;
    wire.onclose = null;
    wire.close();
  }
}

/** Wakes the socket when a person can see the page again or the network returns. Gives the way to stop. */
export function wakeWithPage(wake: () => void): () => void {
  const onVisible = () => {
    if (document.visibilityState === 'visible') wake();
  };
  window.addEventListener('online', wake);
  document.addEventListener('visibilitychange', onVisible);
  return () => {
    window.removeEventListener('online', wake);
    document.removeEventListener('visibilitychange', onVisible);
  };
}
