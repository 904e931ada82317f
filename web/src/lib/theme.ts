// Light or dark. The system decides until a person chooses; the choice is remembered in this browser.
// public/theme.js applies it before the first paint, this file changes it afterwards.

export type ThemeChoice = 'system' | 'light' | 'dark';

const storageKey = 'rouse-theme';
/** The page ground of each theme, for the browser's own chrome on a phone. Same values as --bg. */
const ground = { light: '#fcfbf8', dark: '#10121f' };

export function currentTheme(): ThemeChoice {
  const value = document.documentElement.dataset['theme'];
  return value === 'light' || value === 'dark' ? value : 'system';
}

export function chooseTheme(choice: ThemeChoice): void {
  const root = document.documentElement;
  if (choice === 'system') delete root.dataset['theme'];
  else root.dataset['theme'] = choice;
  paintBrowserChrome();
  try {
    if (choice === 'system') localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, choice);
  } catch {
    // Storage is blocked: the choice holds until the page is closed.
  }
}

/** A chosen theme overrides both media variants of theme-color. */
export function paintBrowserChrome(): void {
  const choice = currentTheme();
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) {
    const system = meta.media.includes('dark') ? ground.dark : ground.light;
    meta.content = choice === 'system' ? system : ground[choice];
  }
}
