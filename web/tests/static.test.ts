// How the embedded files are served: cached for ever when their name carries a hash, asked for again otherwise,
// compressed as the client can take it, and under a strict Content-Security-Policy.
import assert from 'node:assert/strict';
import { get, type IncomingHttpHeaders } from 'node:http';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Server } from './support/server.ts';

const policy: Readonly<Record<string, string>> = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'font-src': "'self'",
  'connect-src': "'self'",
  'manifest-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
};

let server: Server;
before(async () => void (server = await Server.start({ embedded: true })));
after(() => server?.close());

interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Plain node:http, because fetch hides encodings. */
function ask(path: string, headers: Record<string, string> = {}): Promise<Reply> {
  return new Promise((done, fail) => {
    get(server.url + path, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        done({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
      });
    }).on('error', fail);
  });
}

async function assetPaths(): Promise<string[]> {
  const html = (await ask('/')).body.toString('utf8');
  return [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((match) => match[1] ?? '');
}

test('the page itself is asked for again each time, and 304 answers a known etag', async () => {
  const { status, headers, body } = await ask('/');
  assert.equal(status, 200);
  assert.equal(headers['content-type'], 'text/html; charset=utf-8');
  assert.equal(headers['cache-control'], 'no-cache');
  assert.ok(headers.etag);
  const again = await ask('/', { 'if-none-match': headers.etag });
  assert.equal(again.status, 304);
  assert.equal(again.body.length, 0);
  assert.equal(again.headers.etag, headers.etag);
  const other = await ask('/', { 'if-none-match': '"something-else"' });
  assert.equal(other.status, 200);
  assert.deepEqual(other.body, body);
});

test('the page is under the strict policy and holds no inline code', async () => {
  const { headers, body } = await ask('/');
  const directives = Object.fromEntries(
    String(headers['content-security-policy']).split(';').map((part) => part.trim().split(/ (.*)/s).slice(0, 2)),
  ) as Record<string, string>;
  for (const [name, sources] of Object.entries(policy)) assert.equal(directives[name], sources, name);
  // A directive that is not needed yet may be there, as long as it lets in nothing from elsewhere.
  for (const [name, sources] of Object.entries(directives)) {
    assert.match(sources, name === 'img-src' ? /^'self' data:$/ : /^'(self|none)'$/, name);
  }
  assert.equal(headers['x-content-type-options'], 'nosniff');
  const html = body.toString('utf8');
  assert.doesNotMatch(html, /<style|\sstyle=|\son\w+=/);
  for (const [tag] of html.matchAll(/<script[^>]*>/g)) assert.match(tag, /\ssrc="\//);
});

test('hashed assets are cached for ever', async () => {
  const paths = await assetPaths();
  assert.ok(paths.some((path) => path.endsWith('.js')) && paths.some((path) => path.endsWith('.css')));
  for (const path of paths) {
    const { status, headers } = await ask(path);
    assert.equal(status, 200);
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.ok(headers.etag);
    assert.equal((await ask(path, { 'if-none-match': headers.etag })).status, 304);
  }
});

test('files without a hash are asked for again', async () => {
  for (const [path, type] of [
    ['/theme.js', 'text/javascript; charset=utf-8'],
    ['/favicon.svg', 'image/svg+xml'],
  ] as const) {
    const { status, headers } = await ask(path);
    assert.equal(status, 200);
    assert.equal(headers['content-type'], type);
    assert.equal(headers['cache-control'], 'no-cache');
  }
});

test('gzip or plain, as the client can take it', async () => {
  for (const path of ['/', ...(await assetPaths())]) {
    const plain = await ask(path, { 'accept-encoding': 'identity' });
    const gz = await ask(path, { 'accept-encoding': 'gzip, deflate, br' });
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.equal(gz.headers['content-encoding'], 'gzip');
    assert.deepEqual(gunzipSync(gz.body), plain.body);
    for (const reply of [plain, gz]) {
      assert.match(reply.headers.vary ?? '', /accept-encoding/i);
      assert.equal(Number(reply.headers['content-length']), reply.body.length);
    }
  }
});

test('an asset that does not exist is a 404 and not the page', async () => {
  assert.equal((await ask('/assets/none-00000000.js')).status, 404);
});
