// What a browser remembers between visits. Storage may be blocked or full: then a value lives as long as the page.

export function remembered(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function remember(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Blocked or full.
  }
}

/** JSON that this page wrote, or the fallback if somebody else did. */
export function rememberedJson<T>(key: string, isGood: (value: unknown) => value is T, fallback: T): T {
  const text = remembered(key);
  if (text === null) return fallback;
  try {
    const value: unknown = JSON.parse(text);
    return isGood(value) ? value : fallback;
  } catch {
    return fallback;
  }
}

/** Calls back when another tab changed the value. Gives the way to stop. */
export function onChangedElsewhere(key: string, changed: () => void): () => void {
  const listener = (event: StorageEvent) => {
    if (event.key === key) changed();
  };
  window.addEventListener('storage', listener);
  return () => window.removeEventListener('storage', listener);
}

/** A choice between yes and no that survives the visit. */
export class RememberedFlag {
  readonly #key: string;
  #on = $state(false);

  constructor(key: string, fallback: boolean) {
    this.#key = key;
    const stored = remembered(key);
    this.#on = stored === null ? fallback : stored === 'true';
  }

  get on(): boolean {
    return this.#on;
  }

  set on(value: boolean) {
    this.#on = value;
    remember(this.#key, String(value));
  }
}
