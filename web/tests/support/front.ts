// The built app in front of a server whose binary holds an older one: serves ROUSE_WEB_DIST under the server's own
// Content-Security-Policy and hands everything else on. So a change of the app is tested without building C++.
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { extname, join, normalize } from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
};
const forServer = /^\/(api|ws|health|signin|kernel|metrics|openapi\.json)(\/|\?|$)/;

export class Front {
  readonly #http: Server;
  readonly #dist: string;
  readonly #behind: URL;
  readonly #policy: string;
  readonly #sockets = new Set<Socket>();
  /** Nothing answers here, as when the server itself served the app and is gone. */
  isDown = false;

  private constructor(dist: string, behind: string, policy: string) {
    this.#dist = dist;
    this.#behind = new URL(behind);
    this.#policy = policy;
    this.#http = createServer((asked, answer) => (this.isDown ? asked.destroy() : this.#serve(asked, answer)));
    this.#http.on('upgrade', (asked: IncomingMessage, socket: Socket, head: Buffer) => this.#upgrade(asked, socket, head));
  }

  static async start(dist: string, behind: string): Promise<Front> {
    const page = await fetch(behind);
    const front = new Front(dist, behind, page.headers.get('content-security-policy') ?? '');
    front.#http.listen(0, '127.0.0.1');
    await once(front.#http, 'listening');
    return front;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#http.closeAllConnections();
    this.#http.close();
    await once(this.#http, 'close');
  }

  #serve(asked: IncomingMessage, answer: ServerResponse): void {
    const path = asked.url ?? '/';
    if (forServer.test(path)) return this.#forward(asked, answer);
    const name = normalize(new URL(path, this.#behind).pathname);
    const file = join(this.#dist, isFile(join(this.#dist, name)) ? name : 'index.html');
    const headers = { 'content-type': types[extname(file)] ?? 'text/plain', 'content-security-policy': this.#policy };
    answer.writeHead(200, headers).end(readFileSync(file));
  }

  #forward(asked: IncomingMessage, answer: ServerResponse): void {
    const { hostname, port } = this.#behind;
    const onward = request({ hostname, port, method: asked.method, path: asked.url, headers: this.#headers(asked) }, (reply) => {
      answer.writeHead(reply.statusCode ?? 500, reply.headers);
      reply.pipe(answer);
      reply.on('error', () => answer.destroy());
    });
    // As the server itself would look when it is gone.
    onward.on('error', () => answer.destroy());
    asked.pipe(onward);
  }

  #upgrade(asked: IncomingMessage, socket: Socket, head: Buffer): void {
    if (this.isDown) return void socket.destroy();
    const behind = connect(Number(this.#behind.port), this.#behind.hostname, () => {
      const lines = Object.entries(this.#headers(asked)).map(([name, value]) => `${name}: ${value}`);
      behind.write([`GET ${asked.url} HTTP/1.1`, ...lines, '', ''].join('\r\n'));
      behind.write(head);
      socket.pipe(behind).pipe(socket);
    });
    for (const [one, other] of [[socket, behind], [behind, socket]] as const) {
      this.#sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
  }

  /** The server checks Host and Origin: what comes from us is its own. */
  #headers(asked: IncomingMessage): IncomingMessage['headers'] {
    const { host, origin } = this.#behind;
    return { ...asked.headers, host, ...(asked.headers.origin === undefined ? {} : { origin }) };
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
