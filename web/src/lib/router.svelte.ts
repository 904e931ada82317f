// The address bar as reactive state. Links are ordinary <a href>; one listener turns a plain click on a link of ours
// into a change of state instead of a page load, so middle click, "copy link" and reload all just work.

class Router {
  #url = $state.raw(new URL(location.href));

  constructor() {
    window.addEventListener('popstate', () => this.#read());
    window.addEventListener('hashchange', () => this.#read());
    document.addEventListener('click', (event) => this.#clicked(event));
  }

  get path(): string {
    return this.#url.pathname;
  }

  /** The part of the page that is asked for, without its '#'. */
  get part(): string {
    return decodeURIComponent(this.#url.hash.slice(1));
  }

  query(name: string): string | null {
    return this.#url.searchParams.get(name);
  }

  go(path: string): void {
    if (path !== location.pathname + location.search + location.hash) history.pushState(null, '', path);
    this.#read();
  }

  /** The same page under its proper name: no entry in the history. */
  rename(path: string): void {
    history.replaceState(null, '', path);
    this.#read();
  }

  #read(): void {
    this.#url = new URL(location.href);
  }

  #clicked(event: MouseEvent): void {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element | null)?.closest('a[href]');
    if (!(link instanceof HTMLAnchorElement)) return;
    if (link.origin !== location.origin || link.target !== '' || link.hasAttribute('download')) return;
    // A jump within the page is the browser's; the API's paths are files, not pages; and "reload" asks for one.
    if (link.getAttribute('href')?.startsWith('#') || link.pathname.startsWith('/api/') || link.rel === 'external') return;
    event.preventDefault();
    this.go(link.pathname + link.search + link.hash);
  }
}

/** A conversation that has not begun. */
export const newChat = '/chat/new';

export const router = new Router();
