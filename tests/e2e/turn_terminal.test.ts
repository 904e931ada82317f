// A person at a terminal: rouse chat with an answer that comes word by word, its history, its slash commands and
// Ctrl-C. script(1) makes the terminal; where it is missing there is nothing to test with.
import assert from "node:assert/strict";
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";
import { say } from "../models/fault_server.ts";
import { House, said_in } from "./talk.ts";
import { rouse } from "./server.ts";

const skip = spawnSync("script", ["-qec", "true", "/dev/null"]).status === 0 ? false : "script(1) is not installed";

class Terminal {
  shown = "";
  #child: ChildProcess;
  #closed: Promise<any[]>;

  constructor(house: House, session: string) {
    const command = `exec '${rouse}' chat --session ${session} --data '${house.data}'`;
    this.#child = spawn("script", ["-qec", command, "/dev/null"], { env: { PATH: process.env.PATH!, HOME: "/nonexistent", SHELL: "/bin/sh" }, timeout: 30_000 });
    this.#child.stdout!.on("data", (chunk) => (this.shown += chunk));
    this.#closed = once(this.#child, "close");
  }

  // What was shown since the last time, up to and with this.
  async until(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.shown)) await Promise.race([once(this.#child.stdout!, "data"), this.#closed.then(([code]) => assert.fail(`it ended with ${code}: ${this.shown}`))]);
    const shown = this.shown;
    this.shown = "";
    return shown.replaceAll("\r\n", "\n").replace(/\u001b\[\d*m/g, "");
  }
  prompt(): Promise<string> { return this.until(/> $/); }
  keys(text: string): void { this.#child.stdin!.write(text); }
  async line(text: string): Promise<string> {
    this.keys(`${text}\n`);
    return this.prompt();
  }
  async code(): Promise<number> { return (await this.#closed)[0]; }
}

describe("rouse chat at a terminal", { skip }, () => {
  let house: House;
  before(async () => {
    house = await House.start({ model: "openai", script: ({ text }) => (text.includes("count") ? { answer: say("one two three four five six seven eight"), stall: "mid_stream" } : {}) });
  });
  after(() => house.close());

  test("a conversation, its history, and a fresh start", async () => {  // S4-26
    const terminal = new Terminal(house, "tty");
    assert.match(await terminal.prompt(), /^Talking to http:\S+, conversation tty\. \/help lists the commands, Ctrl-D leaves\.\n> $/);
    assert.equal(await terminal.line("my cat is Ginger"), "my cat is Ginger\nYou said: my cat is Ginger\n> ");
    assert.match(await terminal.line('use calculate {"expression":"6*7"}'), /\n· calculate\nThe tool said: 6\*7 = 42\n> $/);
    assert.match(await terminal.line("/history"), /user: my cat is Ginger\n.* assistant: You said: my cat is Ginger\n.* user: use calculate .*\n.* assistant: \[calculate\]\n.* tool: 6\*7 = 42\n.* assistant: The tool said: 6\*7 = 42\n> $/);
    assert.match(await terminal.line("what did I say first?"), /You said first: "my cat is Ginger"\n> $/);
    assert.match(await terminal.line("/clear"), /Starting fresh\. How can I help you\?\n> $/);
    assert.match(await terminal.line("what did I say first?"), /You said first: "what did I say first\?"\n> $/);
    assert.match(await terminal.line("/nonsense"), /There is no such command\.\n/);
    terminal.keys("\u0004");
    assert.equal(await terminal.code(), 0);
  });

  test("Ctrl-C stops the answer, keeps what was said, and the conversation goes on", async () => {
    const terminal = new Terminal(house, "stopped");
    await terminal.prompt();
    terminal.keys("count\n");
    await terminal.until(/two/);
    terminal.keys("\u0003");
    assert.match(await terminal.prompt(), /\(stopped: cancelled\)\n> $/);
    const [turn] = await house.turns("&conversation_id=stopped");
    assert.deepEqual([turn.state, turn.verdict, turn.reason], ["done", "interrupted", "cancelled"]);
    assert.match(said_in(await house.messages("stopped")), /^one two/);
    terminal.keys("/quit\n");
    assert.equal(await terminal.code(), 0);
  });
});
