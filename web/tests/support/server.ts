// Starts the real server binary (ROUSE_BIN) on a port of its own and stops it again, by the process it started.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const binary = resolve(process.env['ROUSE_BIN'] ?? join(import.meta.dirname, '../../../build/release/rouse'));
const startDeadlineMs = 15_000;

export class Server {
  readonly dataDir: string;
  url = '';
  signInLink = '';
  #process: ChildProcess | null = null;

  private constructor() {
    this.dataDir = mkdtempSync(join(tmpdir(), 'rouse-web-test-'));
  }

  static async start(): Promise<Server> {
    const server = new Server();
    await server.#launch('127.0.0.1:0');
    return server;
  }

  get token(): string {
    return readFileSync(join(this.dataDir, 'token'), 'utf8').trim();
  }

  /** A new process with the same data on the same address, as after an upgrade. */
  async startAgain(): Promise<void> {
    await this.#launch(new URL(this.url).host);
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

  async close(): Promise<void> {
    await this.kill();
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  async #launch(listen: string): Promise<void> {
    const child = spawn(binary, ['serve', '--data', this.dataDir, '--listen', listen], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#process = child;
    let [url, link, said] = ['', '', ''];
    child.stderr.on('data', (chunk) => (said += chunk));
    let giveUp: ReturnType<typeof setTimeout> | undefined;
    const ready = new Promise<void>((done, fail) => {
      const tooLate = () => fail(new Error(`no sign-in link within ${startDeadlineMs} ms:\n${said}`));
      giveUp = setTimeout(tooLate, startDeadlineMs);
      child.once('error', fail);
      child.once('exit', (code) => fail(new Error(`${binary} ended with ${code}:\n${said}`)));
      createInterface({ input: child.stdout }).on('line', (line) => {
        said += `${line}\n`;
        url = /listening on (http:\/\/\S+)/.exec(line)?.[1]?.replace(/\/$/, '') ?? url;
        link = /sign-in link: (http:\/\/\S+)/.exec(line)?.[1] ?? link;
        if (url === '' || link === '') return;
        this.url = url;
        this.signInLink = link;
        done();
      });
    });
    try {
      await ready;
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    } finally {
      clearTimeout(giveUp);
    }
  }
}
