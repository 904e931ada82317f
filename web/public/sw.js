// The service worker: the app opens without a connection and says so, and messages of Web Push become notifications.
//
// It keeps the whole app of one build, so that every page opens without a connection, also for the first time. It never
// answers for the server: pages come from the network first, so a new version is shown the moment the server has it; the
// copy is used only when nothing answers. Files under /assets carry their hash in the name and never change. Everything
// else, the API above all, is not touched: no answer about a person's data is ever kept.

// Filled in by the build (scripts/offline.ts): a new build is a new worker with a cache of its own.
const build = { version: '', files: [] };
const kept = `rouse-app-${build.version}`;
const ofServer = /^\/(api|ws|health|kernel|metrics|signin|webhook|openapi\.json)(\/|$)/;

// All or nothing: a worker without the whole app is not installed, and the one before it stays with what it has.
self.addEventListener('install', (event) => event.waitUntil(keepApp()));

async function keepApp() {
  const cache = await caches.open(kept);
  await cache.addAll(build.files);
  await self.skipWaiting();
}

self.addEventListener('activate', (event) => event.waitUntil(takeOver()));

async function takeOver() {
  for (const name of await caches.keys()) {
    if (name.startsWith('rouse-app') && name !== kept) await caches.delete(name);
  }
  await self.clients.claim();
}

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin || ofServer.test(pathname)) return;
  if (request.mode === 'navigate') event.respondWith(networkFirst(request, '/'));
  else if (!build.files.includes(pathname)) return;
  else if (pathname.startsWith('/assets/')) event.respondWith(keptFirst(request));
  else event.respondWith(networkFirst(request, pathname));
});

async function keptFirst(request) {
  return (await caches.match(request.url, { cacheName: kept })) ?? fetch(request);
}

async function networkFirst(request, path) {
  const copy = () => caches.match(path, { cacheName: kept });
  try {
    const answer = await fetch(request);
    // A proxy that answers while rouse is down.
    return answer.status >= 500 ? ((await copy()) ?? answer) : answer;
  } catch (problem) {
    const old = await copy();
    if (old === undefined) throw problem;
    return old;
  }
}

self.addEventListener('push', (event) => event.waitUntil(tell(read(event.data))));

function read(data) {
  try {
    return data?.json() ?? {};
  } catch {
    return {};
  }
}

async function tell({ subject, text, url, kind }) {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  await self.registration.showNotification(subject || 'rouse', {
    body: text ?? '',
    icon: '/icon-192.png',
    badge: '/icon-192.png',
    data: { url: url || '/' },
    // A question stays until somebody looks at it.
    requireInteraction: kind === 'approval',
    // Whoever looks at the app sees it there.
    silent: windows.some((one) => one.visibilityState === 'visible'),
  });
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data?.url ?? '/'));
});

async function open(path) {
  const url = new URL(path, self.location.origin);
  if (url.origin !== self.location.origin) return;
  const windows = await self.clients.matchAll({ type: 'window' });
  const there = windows.find((one) => new URL(one.url).pathname === url.pathname) ?? windows[0];
  if (there === undefined) return void (await self.clients.openWindow(url.href));
  // A browser may refuse to bring it to the front; the page is the right one all the same.
  await there.focus().catch(() => {});
  // The page goes there by itself: what is typed in it stays.
  there.postMessage({ type: 'open', path: url.pathname + url.search });
}
