// A model that says exactly what a test wants, when it wants: an OpenAI-compatible server whose answers are written
// by hand. Nothing waits for time: an answer goes on when the test sends more of it.
import { EventEmitter, once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export class Answer {
  readonly #response: ServerResponse;
  readonly asked: string;

  constructor(response: ServerResponse, asked: string) {
    this.#response = response;
    this.asked = asked;
  }

  /** As a service does that will never take this request. */
  refuse(): void {
    this.#response.writeHead(400, { 'content-type': 'application/json' });
    this.#response.end(JSON.stringify({ error: { message: 'This model takes no such request.', type: 'invalid_request_error' } }));
  }

  say(text: string): this {
    this.#event({ content: text });
    return this;
  }

  call(tool: string, args: object, id = 'call_1'): void {
    const call = { index: 0, id, type: 'function', function: { name: tool, arguments: JSON.stringify(args) } };
    this.#event({ tool_calls: [call] });
    this.#end('tool_calls');
  }

  end(text = ''): void {
    if (text !== '') this.say(text);
    this.#end('stop');
  }

  #end(reason: string): void {
    this.#event({}, reason);
    this.#write({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } });
    this.#response.end('data: [DONE]\n\n');
  }

  #event(delta: object, finishReason: string | null = null): void {
    this.#write({ choices: [{ index: 0, delta, finish_reason: finishReason }] });
  }

  #write(chunk: object): void {
    if (!this.#response.headersSent) this.#response.writeHead(200, { 'content-type': 'text/event-stream' });
    const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'test' };
    this.#response.write(`data: ${JSON.stringify({ ...head, ...chunk })}\n\n`);
  }
}

export class Model {
  readonly #http: Server;
  readonly #waiting: Answer[] = [];
  readonly #arrived = new EventEmitter();

  private constructor() {
    this.#http = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const { messages = [] } = JSON.parse(body || '{}') as { messages?: { role: string; content: unknown }[] };
      const last = messages.findLast(({ role }) => role === 'user')?.content;
      this.#waiting.push(new Answer(response, typeof last === 'string' ? last : JSON.stringify(last ?? '')));
      this.#arrived.emit('request');
    });
  }

  static async start(): Promise<Model> {
    const model = new Model();
    model.#http.listen(0, '127.0.0.1');
    await once(model.#http, 'listening');
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/v1`;
  }

  /** The next request that nobody has answered yet, as soon as it is there. */
  async asked(): Promise<Answer> {
    while (this.#waiting.length === 0) await once(this.#arrived, 'request');
    return this.#waiting.shift()!;
  }

  /** Requests that a test left open belong to it alone. */
  forget(): void {
    this.#waiting.length = 0;
  }

  async close(): Promise<void> {
    this.#http.closeAllConnections();
    this.#http.close();
    await once(this.#http, 'close');
  }
}
