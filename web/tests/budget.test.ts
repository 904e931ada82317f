// What a first visit costs: all script and style that the page names, compressed, at most 150 KB. What is loaded later
// (markdown, other pages) is counted by itself, so that it does not grow unseen.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Server } from './support/server.ts';

const firstLoadBudget = 150_000;
const laterBudget = 100_000;

let server: Server;
before(async () => void (server = await Server.start()));
after(() => server?.close());

async function packed(path: string): Promise<number> {
  const answer = await fetch(server.url + path, { headers: { 'accept-encoding': 'identity' } });
  assert.equal(answer.status, 200, path);
  return gzipSync(Buffer.from(await answer.arrayBuffer()), { level: 9 }).length;
}

test('the first load is at most 150 KB of script and style', async () => {
  const html = await (await fetch(server.url)).text();
  const paths = [...html.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css))"/g)].map((match) => match[1] ?? '');
  assert.ok(paths.length >= 3, 'a theme script, a module and a style');
  const sizes = await Promise.all(paths.map(packed));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(total <= firstLoadBudget, `${total} bytes: ${paths.map((path, index) => `${path} ${sizes[index]}`).join(', ')}`);
});

test('each part that is loaded later is at most 100 KB', async () => {
  const html = await (await fetch(server.url)).text();
  const main = /src="(\/assets\/index-[^"]+\.js)"/.exec(html)?.[1] ?? '';
  const script = await (await fetch(server.url + main)).text();
  const later = [...new Set([...script.matchAll(/["'`](?:\.\/|\/?assets\/)([\w-]+\.(?:js|css))["'`]/g)].map((match) => match[1] ?? ''))];
  assert.ok(later.some((name) => name.startsWith('markdown-')), `markdown is loaded later: ${later.join(' ')}`);
  for (const name of later) assert.ok((await packed(`/assets/${name}`)) <= laterBudget, name);
});
