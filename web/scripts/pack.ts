// Packs the built web app for the server: every file once, as gzip where that is smaller, all behind each other in
// web_assets.bin, with one C++ row a file in web_assets.inc. Every browser takes gzip; for whoever doesn't, the server
// unpacks it. The same input gives the same bytes: sorted paths, no dates.
//
//   node scripts/pack.ts DIST_DIR OUT_DIR
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** Vite puts what it hashed into /assets and nothing else there. */
const hashedName = /^\/assets\/.+-[\w-]{8,}\.\w+$/;

class Pack {
  readonly #bodies: Buffer[] = [];
  readonly #rows: string[] = [];
  size = 0;

  add(path: string, body: Buffer): void {
    const type = contentTypes[extname(path)];
    if (type === undefined) throw new Error(`${path}: no content type is known for this kind of file`);
    const isHashed = hashedName.test(path);
    if (path.startsWith('/assets/') && !isHashed) throw new Error(`${path}: would be cached for ever without a hash`);
    const etag = createHash('sha256').update(body).digest('hex').slice(0, 16);
    const packed = gzipSync(body, { level: 9 });
    const isPacked = packed.length < body.length;
    const offset = this.#append(isPacked ? packed : body);
    const numbers = [offset, this.size - offset, body.length].join(', ');
    this.#rows.push(`{"${path}", "${type}", "${etag}", ${isHashed}, ${isPacked}, ${numbers}},\n`);
  }

  write(outDir: string): void {
    replaceFile(join(outDir, 'web_assets.bin'), Buffer.concat(this.#bodies));
    replaceFile(join(outDir, 'web_assets.inc'), this.#rows.join(''));
  }

  get count(): number {
    return this.#rows.length;
  }

  #append(body: Buffer): number {
    const offset = this.size;
    this.#bodies.push(body);
    this.size += body.length;
    return offset;
  }
}

/** A build that is cut off must not leave half a file with a fresh date. */
function replaceFile(path: string, content: Buffer | string): void {
  writeFileSync(`${path}.tmp`, content);
  renameSync(`${path}.tmp`, path);
}

function main(distDir: string, outDir: string): void {
  const files = readdirSync(distDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  // Compared by code unit: the locale of the machine must not decide the order.
  const served = files.map((file) => ({ file, path: `/${relative(distDir, file).split(sep).join('/')}` }));
  served.sort((a, b) => (a.path < b.path ? -1 : 1));
  if (!served.some(({ path }) => path === '/index.html')) throw new Error(`${distDir} has no index.html`);

  const pack = new Pack();
  for (const { file, path } of served) pack.add(path, readFileSync(file));
  pack.write(outDir);
  console.log(`web: ${pack.count} files, ${kilobytes(pack.size)} KB`);
}

function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}

const [distDir, outDir] = process.argv.slice(2);
if (distDir === undefined || outDir === undefined) {
  console.error('usage: pack.ts DIST_DIR OUT_DIR');
  process.exit(2);
}
try {
  main(distDir, outDir);
} catch (error) {
  console.error(`web/scripts/pack.ts: ${error instanceof Error ? error.message : error}`);
  process.exit(1);
}
