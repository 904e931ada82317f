// A real rouse for a test: started on a free port with a data folder of its own, stopped or killed by its
// own process id, gone with the test. Nothing here sleeps: every wait is for the event itself.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after } from "node:test";

export const root = resolve(import.meta.dirname, "../..");
export const rouse = resolve(process.env.ROUSE_BIN ?? join(root, "build/release/rouse"));

// A folder that the caller removes, or that goes with the process.
const folders: string[] = [];
process.on("exit", () => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));
export function temp_dir(): string {
  const folder = mkdtempSync(join(tmpdir(), "rouse-e2e-"));
  folders.push(folder);
  return folder;
}

export interface Run { code: number | null; stdout: string; stderr: string }
// A command to its end, for at most 30 s.
export function run(args: string[], options: { env?: Record<string, string>; input?: string } = {}): Run {
  const done = spawnSync(rouse, args, {
    encoding: "utf8", input: options.input ?? "", timeout: 30_000,
    env: { PATH: process.env.PATH!, HOME: "/nonexistent", ...options.env },
  });
  return { code: done.status, stdout: done.stdout, stderr: done.stderr };
}

// A test that failed half way must not leave its server behind.
const running = new Set<ChildProcess>();
after(() => running.forEach((child) => child.kill("SIGTERM")));
process.on("exit", () => running.forEach((child) => child.kill("SIGKILL")));

export interface StartOptions {
  data?: string;
  listen?: string[];
  args?: string[];
  env?: Record<string, string>;
}

export class Server {
  readonly process: ChildProcess;
  readonly data: string;
  stdout = "";
  stderr = "";
  #exit: Promise<number | null>;

  private constructor(options: StartOptions) {
    this.data = options.data ?? temp_dir();
    const listen = (options.listen ?? ["127.0.0.1:0"]).flatMap((address) => ["--listen", address]);
    this.process = spawn(rouse, ["serve", "--data", this.data, ...listen, ...(options.args ?? [])], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env.PATH!, HOME: "/nonexistent", ...options.env },
    });
    this.process.stdout!.on("data", (chunk) => (this.stdout += chunk));
    this.process.stderr!.on("data", (chunk) => (this.stderr += chunk));
    running.add(this.process);
    this.#exit = once(this.process, "close").then(([code]) => {
      running.delete(this.process);
      return code as number | null;
    });
  }

  // Resolves when it listens; rejects with what it said when it ended instead.
  static async start(options: StartOptions = {}): Promise<Server> {
    const server = new Server(options);
    await server.#until(() => /^data: /m.test(server.stdout));
    return server;
  }

  async #until(condition: () => boolean): Promise<void> {
    let ended = false;
    const exit = this.#exit.then((code) => { ended = true; return code; });
    while (!condition()) {
      if (ended) throw new Error(`rouse ended with ${await exit}:\n${this.stdout}${this.stderr}`);
      await Promise.race([once(this.process.stdout!, "data"), once(this.process.stderr!, "data"), exit]);
    }
  }

  // Waits for a line in the log.
  async logged(pattern: RegExp): Promise<string> {
    await this.#until(() => pattern.test(this.stderr));
    return pattern.exec(this.stderr)![0];
  }

  get url(): string { return /listening on (\S+)/.exec(this.stdout)![1]!; }
  get port(): number { return Number(new URL(this.url).port); }
  get link(): string { return /sign-in link: (\S+)/.exec(this.stdout)![1]!; }
  get token(): string { return readFileSync(join(this.data, "token"), "utf8").trim(); }
  get pid(): number { return this.process.pid!; }

  // A request with the owner's token.
  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (!headers.has("authorization")) headers.set("authorization", `Bearer ${this.token}`);
    return fetch(this.url + path, { redirect: "manual", ...init, headers });
  }
  async json(path: string, body?: unknown, method?: string): Promise<{ status: number; body: any }> {
    const init: RequestInit = body === undefined ? { method: method ?? "GET" }
      : { method: method ?? "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } };
    const answer = await this.fetch(path, init);
    return { status: answer.status, body: await answer.json() };
  }

  // Sends bytes as they are and gives everything that comes back until the server closes.
  raw(bytes: string | Buffer): Promise<string> {
    return new Promise((done, fail) => {
      let text = "";
      const socket = connect(this.port, "127.0.0.1", () => socket.write(bytes));
      socket.on("data", (chunk) => (text += chunk.toString("latin1")));
      socket.on("close", () => done(text));
      socket.on("error", (error: NodeJS.ErrnoException) => (error.code === "ECONNRESET" || error.code === "EPIPE" ? done(text) : fail(error)));
    });
  }

  stop(): Promise<number | null> { this.process.kill("SIGTERM"); return this.#exit; }
  kill(): Promise<number | null> { this.process.kill("SIGKILL"); return this.#exit; }
  exited(): Promise<number | null> { return this.#exit; }
}
