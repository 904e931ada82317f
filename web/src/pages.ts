// The pages of the app. A new page is one file in views/ and one line here: the rail, the tabs of a phone and the
// palette read this list. Every page but the first is loaded when it is opened, so it costs nothing before.
import type { Component } from 'svelte';
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
  readonly load: () => Promise<{ readonly default: Component }>;
}

export const pages: readonly PageEntry[] = [
  { path: '/', under: '/chat/', name: 'Chat', icon: 'chat', fills: true, load: async () => ({ default: Chat }) },
  { path: '/status', name: 'Health', icon: 'pulse', load: () => import('./views/Health.svelte') },
];

export function pageAt(path: string): PageEntry | null {
  return pages.find((page) => page.path === path || (page.under !== undefined && path.startsWith(page.under))) ?? null;
}
