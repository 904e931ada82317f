// Starts the real server binary (ROUSE_BIN) on a port of its own and stops it again, by the process it started. With
// ROUSE_WEB_DIST the app comes from that folder instead of the binary (front.ts).
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Front } from './front.ts';
import type { Model } from './model.ts';

const binary = resolve(process.env['ROUSE_BIN'] ?? join(import.meta.dirname, '../../../build/release/rouse'));
const dist = process.env['ROUSE_WEB_DIST'] ?? '';

/** How long a test waits for what should come at once: a machine that is busy with other things is no failure. */
export const patienceMs = 45_000;

export interface ServerOptions {
  /** Asked instead of the offline model; a turn is answered by the test. */
  readonly model?: Model;
  /** The app inside the binary, whatever ROUSE_WEB_DIST says. */
  readonly embedded?: boolean;
}

export class Server {
  readonly dataDir: string;
  url = '';
  signInLink = '';
  #process: ChildProcess | null = null;
  #front: Front | null = null;
  /** Where the process itself listens. */
  #address = '127.0.0.1:0';
  readonly #environment: NodeJS.ProcessEnv;

  readonly #dist: string;

  private constructor({ model, embedded = false }: ServerOptions) {
    this.#dist = embedded ? '' : dist;
    this.dataDir = mkdtempSync(join(tmpdir(), 'rouse-web-test-'));
    this.#environment = { ...process.env };
    if (model === undefined) return;
    this.#environment = { ...process.env, OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: model.url };
    // Summaries are made without the model, so every request to it is a turn's.
    writeFileSync(join(this.dataDir, 'rouse.yaml'), JSON.stringify({ models: { cheap: { provider: 'offline' } } }));
  }

  static async start(options: ServerOptions = {}): Promise<Server> {
    const server = new Server(options);
    await server.#launch();
    return server;
  }

  get token(): string {
    return readFileSync(join(this.dataDir, 'token'), 'utf8').trim();
  }

  /** A new process with the same data on the same address, as after an upgrade. */
  async startAgain(): Promise<void> {
    await this.#launch();
  }

  /** As a crash would: no goodbye on any connection. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  /** Not even the app is served any longer. */
  async vanish(): Promise<void> {
    await this.kill();
    if (this.#front !== null) this.#front.isDown = true;
  }

  async close(): Promise<void> {
    await this.kill();
    await this.#front?.close();
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  /** A request with the owner's token, past the browser. */
  async api(path: string, body?: object, method = body === undefined ? 'GET' : 'POST'): Promise<unknown> {
    const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
    return (await fetch(`http://${this.#address}${path}`, init)).json();
  }

  async #launch(): Promise<void> {
    const child = spawn(binary, ['serve', '--data', this.dataDir, '--listen', this.#address], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: this.#environment,
    });
    this.#process = child;
    let [url, link, said] = ['', '', ''];
    child.stderr.on('data', (chunk) => (said += chunk));
    let giveUp: ReturnType<typeof setTimeout> | undefined;
    const ready = new Promise<void>((done, fail) => {
      const tooLate = () => fail(new Error(`no sign-in link within ${patienceMs} ms:\n${said}`));
      giveUp = setTimeout(tooLate, patienceMs);
      child.once('error', fail);
      child.once('exit', (code) => fail(new Error(`${binary} ended with ${code}:\n${said}`)));
      createInterface({ input: child.stdout }).on('line', (line) => {
        said += `${line}\n`;
        url = /listening on (http:\/\/\S+)/.exec(line)?.[1]?.replace(/\/$/, '') ?? url;
        link = /sign-in link: (http:\/\/\S+)/.exec(line)?.[1] ?? link;
        if (url === '' || link === '') return;
        done();
      });
    });
    try {
      await ready;
      this.#address = new URL(url).host;
      if (this.#dist !== '') this.#front ??= await Front.start(resolve(this.#dist), url);
      if (this.#front !== null) this.#front.isDown = false;
      this.url = this.#front?.url ?? url;
      this.signInLink = link.replace(url, this.url);
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    } finally {
      clearTimeout(giveUp);
    }
  }
}
