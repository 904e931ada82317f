// Tells the service worker what the app consists of: the build writes the names of its files, and a version made from
// their contents, into sw.js. Another build is another sw.js, so browsers take it; the same build is the same file.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const blank = "const build = { version: '', files: [] };";
/** Icons are for the system, which fetches them when the app is installed. */
const besides = ['favicon.svg', 'index.html', 'manifest.webmanifest', 'theme.js'];

export function offlineList(dist: string): { readonly version: string; readonly files: readonly string[] } {
  const names = [...readdirSync(join(dist, 'assets')).map((name) => `assets/${name}`), ...besides].sort();
  const hash = createHash('sha256');
  for (const name of names) hash.update(`${name}\0`).update(createHash('sha256').update(readFileSync(join(dist, name))).digest());
  return { version: hash.digest('hex').slice(0, 16), files: names.map((name) => (name === 'index.html' ? '/' : `/${name}`)).sort() };
}

export function offlineApp(): Plugin {
  return {
    name: 'rouse-offline-app',
    apply: 'build',
    enforce: 'post',
    writeBundle({ dir = 'dist' }) {
      const path = join(dir, 'sw.js');
      const worker = readFileSync(path, 'utf8');
      if (!worker.includes(blank)) throw new Error(`sw.js has no place for the files of the build: ${blank}`);
      writeFileSync(path, worker.replace(blank, () => `const build = ${JSON.stringify(offlineList(dir))};`));
    },
  };
}
