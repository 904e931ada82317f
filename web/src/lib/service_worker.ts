// Starts the service worker (public/sw.js): the app opens without a connection, and Web Push has somebody to wake.
import { router } from './router.svelte.ts';

/** Null where there is none: plain http beyond this machine, a private window, the development server. */
export async function startServiceWorker(): Promise<ServiceWorkerRegistration | null> {
  if (!('serviceWorker' in navigator) || !import.meta.env.PROD) return null;
  try {
    // `none`: the browser asks the server for the worker itself each time, whatever its cache holds.
    return await navigator.serviceWorker.register('/sw.js', { updateViaCache: 'none' });
  } catch {
    return null;
  }
}

/** Browsers look for a new worker when they like; what is kept shall be as new as what is shown. */
export async function keepApp(): Promise<void> {
  const registration = await startServiceWorker();
  if (registration?.active) await registration.update().catch(() => {});
}

/** A click on a notification leads to its page without loading the app anew. */
export function followNotifications(): void {
  if (!('serviceWorker' in navigator)) return;
  navigator.serviceWorker.addEventListener('message', (event: MessageEvent<unknown>) => {
    const said = event.data as { readonly type?: unknown; readonly path?: unknown } | null;
    if (said?.type === 'open' && typeof said.path === 'string' && said.path.startsWith('/')) router.go(said.path);
  });
}

export function whenIdle(then: () => void): void {
  // Safari has no word for it.
  if ('requestIdleCallback' in window) requestIdleCallback(then, { timeout: 10_000 });
  else setTimeout(then, 1_000);
}
