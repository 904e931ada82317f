// The pages of the app. A new page is one file in views/ and one line here: the rail, the tabs of a phone and the
// palette read this list. Every page but the first is loaded when it is opened, so it costs nothing before.
import type { Component } from 'svelte';
import type { AppState } from './lib/app.ts';
import type { IconName } from './lib/icons.ts';
import Chat from './views/Chat.svelte';

export interface PageEntry {
  readonly path: string;
  /** Paths below this one belong to the page, too. */
  readonly under?: string;
  readonly name: string;
  readonly icon: IconName;
  /** The page fills the frame and scrolls by itself, instead of standing in the common column. */
  readonly fills?: boolean;
  /** Not among the first things one looks for: behind "More" in the rail. */
  readonly more?: boolean;
  /** The server shows it to admins alone. */
  readonly forAdmins?: boolean;
  /** How many things on it wait for a person: shown in amber wherever the page is named. */
  readonly waiting?: (app: AppState) => number;
  /** How many things on it are new: a plain number, because nothing waits for an answer. */
  readonly unread?: (app: AppState) => number;
  readonly load: () => Promise<{ readonly default: Component }>;
}

export const pages: readonly PageEntry[] = [
  { path: '/', under: '/chat/', name: 'Chat', icon: 'chat', fills: true, load: async () => ({ default: Chat }) },
  { path: '/activity', name: 'Activity', icon: 'activity', load: () => import('./views/Activity.svelte') },
  { path: '/automations', under: '/automations/', name: 'Automations', icon: 'clock', fills: true, load: () => import('./views/Automations.svelte') },
  { path: '/approvals', name: 'Approvals', icon: 'shield', waiting: (app) => app.conversations.waiting.size, load: () => import('./views/Approvals.svelte') },
  { path: '/settings', name: 'Settings', icon: 'sliders', load: () => import('./views/Settings.svelte') },
  { path: '/notifications', name: 'Notifications', icon: 'bell', more: true, unread: (app) => app.inbox.unread, load: () => import('./views/Notifications.svelte') },
  { path: '/heartbeat', name: 'Heartbeat', icon: 'pulse', more: true, load: () => import('./views/Heartbeat.svelte') },
  { path: '/memory', under: '/memory/', name: 'Memory', icon: 'book', more: true, load: () => import('./views/Memory.svelte') },
  { path: '/usage', name: 'Usage', icon: 'coins', more: true, load: () => import('./views/Usage.svelte') },
  { path: '/workflows', under: '/workflows/', name: 'Workflows', icon: 'rules', more: true, forAdmins: true, load: () => import('./views/Workflows.svelte') },
  { path: '/status', name: 'Health', icon: 'sunrise', more: true, load: () => import('./views/Health.svelte') },
];

/** Those that are shown to somebody. */
export function pagesFor(role: string): readonly PageEntry[] {
  return pages.filter(({ forAdmins = false }) => !forAdmins || role === 'admin');
}

export function pageAt(path: string): PageEntry | null {
  return pages.find((page) => page.path === path || (page.under !== undefined && path.startsWith(page.under))) ?? null;
}
