// Who is signed in, and how the page gets there: asks the server once at the start, tries again while the server
// is away, and returns to the sign-in page when a session ends.
import { signOut, whoAmI, type Failure, type Me } from './api.ts';
import { retryDelayMs } from './backoff.ts';
import { wakeWithPage } from './socket.ts';

export type SignInReason = 'first' | 'link-expired' | 'ended' | 'left';

export type SessionState =
  | { readonly kind: 'asking' }
  | { readonly kind: 'away' }
  | { readonly kind: 'out'; readonly reason: SignInReason }
  | { readonly kind: 'in'; readonly me: Me };

export class Session {
  state = $state.raw<SessionState>({ kind: 'asking' });
  #retry: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #asking = false;
  /** Other tabs share the cookie, so signing out here ends them too; their sockets would otherwise stay open. */
  readonly #tabs = new BroadcastChannel('rouse-session');

  start(): void {
    this.#tabs.onmessage = () => {
      if (this.state.kind === 'in') this.end();
    };
    const reason = takeReasonFromUrl();
    const unwatch = wakeWithPage(() => {
      if (this.state.kind === 'away') void ask();
    });
    const ask = async () => {
      if (this.#asking) return;
      this.#asking = true;
      clearTimeout(this.#retry);
      const answer = await whoAmI();
      this.#asking = false;
      if (!answer.ok && answer.failure.kind !== 'unauthorized') {
        const delayMs = retryDelayMs(this.#failures++, document.visibilityState === 'visible');
        this.#retry = setTimeout(() => void ask(), delayMs);
        this.state = { kind: 'away' };
        return;
      }
      unwatch();
      this.state = answer.ok ? { kind: 'in', me: answer.value } : { kind: 'out', reason };
    };
    void ask();
  }

  enter(me: Me): void {
    this.state = { kind: 'in', me };
  }

  end(): void {
    this.state = { kind: 'out', reason: 'ended' };
  }

  /** Gives the failure when the server could not be told: then the cookie still works and so does the page. */
  async leave(): Promise<Failure | null> {
    const answer = await signOut();
    if (!answer.ok && answer.failure.kind !== 'unauthorized') return answer.failure;
    this.state = { kind: 'out', reason: 'left' };
    this.#tabs.postMessage('left');
    return null;
  }
}

/** A failed sign-in link lands on /?signin=expired. Read once, then removed so that a reload starts clean. */
function takeReasonFromUrl(): SignInReason {
  const url = new URL(location.href);
  const expired = url.searchParams.get('signin') === 'expired';
  if (url.searchParams.has('signin')) {
    url.searchParams.delete('signin');
    history.replaceState(null, '', url.pathname + url.search + url.hash);
  }
  return expired ? 'link-expired' : 'first';
}
