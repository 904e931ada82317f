// The packer: what the table says is what the file holds, and the same input gives the same bytes.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { offlineList } from '../scripts/offline.ts';

const script = join(import.meta.dirname, '../scripts/pack.ts');
const folder = mkdtempSync(join(tmpdir(), 'rouse-pack-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const files: Readonly<Record<string, string>> = {
  '/assets/index-abc12345.js': 'console.log("hello");'.repeat(50),
  '/favicon.svg': '<svg/>',
  '/index.html': '<!doctype html>'.repeat(20),
};

function writeDist(name: string, contents: Readonly<Record<string, string>>): string {
  const dist = join(folder, name);
  for (const [path, text] of Object.entries(contents)) {
    mkdirSync(join(dist, path, '..'), { recursive: true });
    writeFileSync(join(dist, path), text);
  }
  return dist;
}

function pack(dist: string, out: string): { inc: string; bin: Buffer } {
  mkdirSync(out, { recursive: true });
  execFileSync(process.execPath, [script, dist, out]);
  return { inc: readFileSync(join(out, 'web_assets.inc'), 'utf8'), bin: readFileSync(join(out, 'web_assets.bin')) };
}

test('each row leads to the body it names, packed where that is smaller', () => {
  const { inc, bin } = pack(writeDist('dist', files), join(folder, 'out'));
  const rows = inc.trimEnd().split('\n').map((line) => JSON.parse(line.replace(/^\{(.*)\},$/, '[$1]')));
  assert.deepEqual(rows.map(([path]) => path), Object.keys(files).sort());
  for (const [path, , etag, immutable, isGzip, at, packed, size] of rows) {
    const stored = bin.subarray(at, at + packed);
    const body = isGzip ? gunzipSync(stored) : stored;
    assert.equal(body.toString(), files[path]);
    assert.equal(size, body.length);
    assert.match(etag, /^[0-9a-f]{16}$/);
    assert.equal(immutable, path.startsWith('/assets/'));
    assert.equal(isGzip, path !== '/favicon.svg', 'six bytes do not get smaller');
  }
});

test('the same input gives the same bytes', () => {
  const first = pack(writeDist('one', files), join(folder, 'out-one'));
  const reversed = Object.fromEntries(Object.entries(files).reverse());
  const second = pack(writeDist('two', reversed), join(folder, 'out-two'));
  assert.equal(first.inc, second.inc);
  assert.deepEqual(first.bin, second.bin);
});

test('a kind of file nobody knows, and an asset without a hash, stop the build with the reason', () => {
  for (const [name, path, reason] of [
    ['odd', '/photo.tiff', /no content type/],
    ['unhashed', '/assets/app.js', /without a hash/],
  ] as const) {
    const dist = writeDist(name, { ...files, [path]: 'x' });
    const { status, stderr } = spawnSync(process.execPath, [script, dist, folder], { encoding: 'utf8' });
    assert.notEqual(status, 0);
    assert.match(stderr, reason);
  }
});

test('the list for the service worker is sorted, and its version is that of the contents', () => {
  const app = { ...files, '/manifest.webmanifest': '{}', '/theme.js': '//', '/icon-512.png': 'x' };
  const list = offlineList(writeDist('offline-one', app));
  assert.deepEqual(list.files, ['/', '/assets/index-abc12345.js', '/favicon.svg', '/manifest.webmanifest', '/theme.js']);
  assert.deepEqual(offlineList(writeDist('offline-two', Object.fromEntries(Object.entries(app).reverse()))), list);
  const changed = offlineList(writeDist('offline-three', { ...app, '/index.html': '<!doctype html>' }));
  assert.deepEqual(changed.files, list.files);
  assert.notEqual(changed.version, list.version);
});
