// What the small MCP servers of the tests share: one JSON message a line, a greeting, a list of tools, and calls
// that go to a function each. Whatever a function returns is the text of the answer; it may also be a promise.
import { createInterface } from "node:readline";

export interface Message { id?: number; method: string; params: any }
export type Tools = Record<string, (args: any, message: Message) => unknown>;

export const write = (message: object): void => { process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`); };
export const text = (words: string): object => ({ content: [{ type: "text", text: words }] });

// Ends with its input, as a server should.
export function serve(tools: Tools, heard: (message: Message) => void = () => {}): void {
  const input = createInterface({ input: process.stdin });
  input.on("close", () => process.exit(0));
  input.on("line", async (line) => {
    const message = JSON.parse(line) as Message;
    heard(message);
    if (message.method === "initialize") {
      write({ id: message.id, result: { protocolVersion: message.params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "small", version: "1" } } });
    } else if (message.method === "tools/list") {
      write({ id: message.id, result: { tools: Object.keys(tools).map((name) => ({ name, description: `The tool ${name}.`, inputSchema: { type: "object" } })) } });
    } else if (message.method === "tools/call") {
      const answer = await tools[message.params.name]!(message.params.arguments, message);
      write({ id: message.id, result: text(String(answer)) });
    }
  });
}
