// Whether this browser is told by Web Push when the app is closed, and the way to switch it on and off. The service
// worker (public/sw.js) shows what comes in. The server keeps one subscription a browser; its id is remembered here.
import { browserName } from './browser_name.ts';
import { call, whyFailed, type Answer } from './http.ts';
import { isObject, textOf } from './json.ts';
import { startServiceWorker } from './service_worker.ts';
import { remember, remembered } from './storage.svelte.ts';

/** `unsupported`: this browser, or this address: push needs https or localhost. */
export type PushState = 'unsupported' | 'denied' | 'off' | 'on';

/** `why` is a sentence for the page. */
export type PushResult = { readonly ok: true } | { readonly ok: false; readonly why: string };

const idKey = 'rouse-push-id';

export async function pushState(): Promise<PushState> {
  if (!isSupported()) return 'unsupported';
  if (Notification.permission === 'denied') return 'denied';
  return (await currentSubscription()) === null ? 'off' : 'on';
}

/** Asks the person for permission, so call it from a click. */
export async function turnOn(name: string = browserName(navigator.userAgent)): Promise<PushResult> {
  if (!isSupported()) return no('This browser can be told only over https or on this machine.');
  if ((await Notification.requestPermission()) !== 'granted') {
    return no('The browser refused. Allow notifications for this address in its settings, then try again.');
  }
  const key = await call('GET', '/api/push/key', undefined, (json) => (isObject(json) ? textOf(json, 'key') || null : null));
  if (!key.ok) return no(whyFailed(key.failure));
  if ((await startServiceWorker()) === null) return no('This browser keeps no background page for rouse, in a private window for instance.');
  let subscription: PushSubscription;
  try {
    subscription = await subscribed(await navigator.serviceWorker.ready, key.value);
  } catch {
    return no('The push service of this browser did not answer. Try again later.');
  }
  const { endpoint, keys } = subscription.toJSON();
  const kept = await call('POST', '/api/push/subscriptions', { endpoint, keys, name }, (json) =>
    isObject(json) ? textOf(json, 'id') || null : null,
  );
  if (kept.ok) {
    remember(idKey, kept.value);
    return { ok: true };
  }
  // The server does not know it: then the browser must not believe that it will be told.
  await subscription.unsubscribe().catch(() => false);
  return no(whyFailed(kept.failure));
}

export async function turnOff(): Promise<PushResult> {
  const subscription = await currentSubscription();
  const id = remembered(idKey);
  if (id !== null) {
    const gone = await call('DELETE', `/api/push/subscriptions/${encodeURIComponent(id)}`, undefined, () => true as const);
    if (!gone.ok && !isAlreadyGone(gone)) return no(whyFailed(gone.failure));
  }
  // What the push service calls gone, the server forgets by itself.
  await subscription?.unsubscribe().catch(() => false);
  remember(idKey, null);
  return { ok: true };
}

function isSupported(): boolean {
  return 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;
}

async function currentSubscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration('/');
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/** A subscription is bound to the key of the server; one that was made with another key is replaced. */
async function subscribed({ pushManager }: ServiceWorkerRegistration, key: string): Promise<PushSubscription> {
  const options = { userVisibleOnly: true, applicationServerKey: key };
  try {
    return await pushManager.subscribe(options);
  } catch (problem) {
    const old = await pushManager.getSubscription();
    if (old === null) throw problem;
    await old.unsubscribe();
    return pushManager.subscribe(options);
  }
}

function isAlreadyGone(answer: Answer<true>): boolean {
  return !answer.ok && answer.failure.kind === 'refused' && answer.failure.code === 'not_found';
}

function no(why: string): PushResult {
  return { ok: false, why };
}
