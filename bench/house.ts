// A server and its model: rouse with bench/bare_model.cc, which answers at once, as its OpenAI.
import { ask, drive, start, startBare, type Drive, type Driven, type Server } from "./lib.ts";

export interface Stats { requests: number; last_body_bytes: number; max_body_bytes: number }
export const modelPort = 18996;

// What makes rouse ask that model. `wish` is what it shall do, as bench/bare_model.cc writes it: "tokens=200&stamp=1".
export const modelEnv = (wish = "") => ({ OPENAI_API_KEY: "x", OPENAI_BASE_URL: `http://127.0.0.1:${modelPort}${wish && `/${wish}`}/v1` });

export class House {
  readonly server: Server;
  readonly #model: Server;

  private constructor(server: Server, model: Server) {
    this.server = server;
    this.#model = model;
  }

  static async open(name: string, wish = ""): Promise<House> {
    const model = await startBare("bare_model", modelPort);
    return new House(await start(name, modelEnv(wish)), model);
  }

  async close() {
    await this.server.stop();
    await this.#model.stop();
  }

  async stats(): Promise<Stats> {
    return await (await fetch(`http://127.0.0.1:${modelPort}/stats`)).json() as Stats;
  }

  // One turn that must have gone well.
  async turn(session_id: string, message: string): Promise<void> {
    const { verdict } = JSON.parse(await ask(this.server, "POST", "/api/chat", { session_id, message })) as { verdict: string };
    if (verdict !== "spoke") throw new Error(`a turn ended with '${verdict}'`);
  }

  // Turns in so many conversations over so many connections, for some seconds; each had its own call of the model.
  async load(seconds: number, conversations: number, more: Partial<Drive> = {}): Promise<Driven> {
    const before = await this.stats();
    const run = drive(`http://127.0.0.1:${this.server.port}/api/chat`, {
      token: this.server.token, seconds, conversations, connections: Math.min(64, conversations), ...more,
      body: { session_id: "bench-{n}", message: "And what will the weather be like in Lisbon tomorrow?", ...more.body },
    });
    const calls = (await this.stats()).requests - before.requests;
    if (calls < run.requests) throw new Error(`${run.requests} turns were answered with ${calls} calls of the model`);
    return run;
  }
}

// The question of a turn, straight to the model or to a relay in front of it, with a body of so many bytes, as far as an
// argument of a program goes.
export function askModel(url: string, bytes: number, more: Omit<Drive, "body">): Driven {
  const body = (content: string) => ({ model: "gpt-4o", stream: true, messages: [{ role: "user", content }] });
  return drive(url, { ...more, body: body("x".repeat(Math.max(0, Math.min(bytes, 100_000) - JSON.stringify(body("")).length))) });
}
