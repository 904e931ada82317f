// Who lives in the house during a soak: people, bridges, pages and programs, each with its own pace. Together they use
// every part of the server, and leave as much behind as they find, but for what was said.
import assert from "node:assert/strict";
import { Agent, request } from "node:http";
import { House, Socket, bridge_secret } from "../e2e/talk.ts";

// Requests over connections that the soak can close when it wants to count descriptors.
export class Line {
  readonly house: House;
  readonly latencies_ms: number[] = [];
  requests = 0;
  #agent = new Agent({ keepAlive: true });

  constructor(house: House) { this.house = house; }

  ask(path: string, body?: unknown, method?: string, headers: Record<string, string> = {}): Promise<{ status: number; text: string }> {
    const { server } = this.house, bytes = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
    const began = performance.now();
    return new Promise((done, fail) => {
      const sent = request(server.url + path, {
        agent: this.#agent, method: method ?? (bytes === undefined ? "GET" : "POST"),
        headers: { authorization: `Bearer ${server.token}`, ...(bytes === undefined ? {} : { "content-type": "application/json" }), ...headers },
      }, async (answer) => {
        let text = "";
        try { for await (const chunk of answer) text += chunk; } catch (problem) { return fail(problem as Error); }
        ++this.requests;
        this.latencies_ms.push(performance.now() - began);
        done({ status: answer.statusCode!, text });
      });
      sent.on("error", fail);
      sent.end(bytes);
    });
  }
  async json(path: string, body?: unknown, method?: string, status = 200): Promise<any> {
    const answer = await this.ask(path, body, method);
    assert.equal(answer.status, status, `${path}: ${answer.text}`);
    return answer.text ? JSON.parse(answer.text) : undefined;
  }
  hang_up(): void {
    this.#agent.destroy();
    this.#agent = new Agent({ keepAlive: true });
  }
}

export interface Actor { name: string; every_ms: number; act: (n: number) => Promise<void> }

const CONVERSATIONS = 12;

export function actors(line: Line): Actor[] {
  const chat = (who: string, message: string, more: object = {}) => line.json("/api/chat", { session_id: who, message, ...more });
  const person = (index: number): Actor => ({
    name: `person ${index}`, every_ms: 1_000,
    act: async (n) => { await chat(`person-${(index + n) % CONVERSATIONS}`, `plain ${n} from person ${index}`, { client_message_id: `p${index}-${n}` }); },
  });
  return [
    person(0), person(1), person(2), person(3),
    {
      name: "tools", every_ms: 700,
      act: async (n) => { await chat("tools", `sum ${n} of the tools`); },
    },
    {
      name: "stream", every_ms: 900,
      act: async (n) => {
        const { text } = await line.ask("/api/chat", { session_id: "stream", message: `plain ${n} as a stream`, stream: true });
        assert.match(text, /^event: done$/m);
      },
    },
    {
      name: "page", every_ms: 2_000,  // opens, catches up, says something, leaves
      act: async (n) => {
        const socket = await Socket.open(line.house.server);
        assert.equal((await socket.say("page", `plain ${n} from the page`, `page-${n}`)).verdict, "spoke");
        socket.close();
        while (await socket.frame()) { /* what was still on its way */ }
      },
    },
    {
      name: "bridge", every_ms: 600,
      act: async (n) => {
        const from = `+1555${n % 20}`;
        const told = await line.ask("/webhook/whatsapp", { from, body: `plain ${n} over a bridge`, chatType: "direct", senderE164: from, accountId: "default", messageId: `wa-${n}` }, "POST", { "x-bridge-secret": bridge_secret });
        assert.equal(told.status, 200, told.text);
      },
    },
    {
      name: "kernel", every_ms: 300,
      act: async (n) => {
        const about = { workspace_id: "ws_default", user_message: `plain ${n} for the kernel`, message_id: `kernel-${n}` };
        const { session_id } = await line.json("/kernel/sessions/resolve", { ...about, channel: "telegram", remote_jid: `k${n % 30}` });
        await line.json(`/kernel/sessions/${session_id}`, { ...about, assistant_response: `Answer ${n}.`, action_type: "answer" }, "PATCH");
      },
    },
    {
      name: "reader", every_ms: 500,
      act: async (n) => {
        const paths = ["/api/conversations?limit=50", `/api/conversations/person-${n % CONVERSATIONS}/messages?limit=50`, "/api/search?q=plain", "/api/turns?limit=50",
          "/api/activity?limit=50", "/api/automations", "/metrics", "/api/health", "/api/usage?limit=31", "/api/tasks?limit=50", "/", "/openapi.json"];
        const answer = await line.ask(paths[n % paths.length]!);
        assert.ok(answer.status === 200 || answer.status === 404 && n < 2 * CONVERSATIONS, `${paths[n % paths.length]}: ${answer.text}`);
      },
    },
    {
      name: "tasks", every_ms: 3_000,
      act: async (n) => {
        const { number } = await line.json("/api/tasks", { title: `task ${n}` }, "POST", 201);
        await line.json(`/api/tasks/${number}`, { action: "close", reason: "it was for the soak" }, "PATCH");
      },
    },
    {
      name: "memory", every_ms: 3_000,
      act: async (n) => {
        const { id } = await line.json("/api/memory", { text: `The ${n}th thing to keep in mind` }, "POST", 201);
        await line.json(`/api/memory/${id}`, undefined, "DELETE");
      },
    },
    {
      name: "approvals", every_ms: 5_000,
      act: async (n) => {
        const { pending_approvals } = await chat(`careful-${n}`, `write ${n} into a file`);
        await line.json(`/api/approvals/${pending_approvals[0].approval_id}`, { decision: n % 2 ? "approve" : "deny" });
      },
    },
    {
      name: "passer-by", every_ms: 2_500,  // a conversation that begins, is cleared, and is deleted
      act: async (n) => {
        await chat(`passing-${n}`, `plain ${n} in passing`);
        await line.json(`/api/conversations/passing-${n}/clear`, {});
        await line.json(`/api/conversations/passing-${n}`, undefined, "DELETE");
      },
    },
    {
      name: "reminders", every_ms: 4_000,  // an automation that is made, changed and removed
      act: async (n) => {
        const { id } = await line.json("/api/automations", { message: `plain ${n} each hour`, session_key: "websocket:reminders", schedule: { kind: "every", every_ms: 3_600_000 } }, "POST", 201);
        await line.json(`/api/automations/${id}`, { schedule: { kind: "cron", expr: "0 8 * * *" } }, "PATCH");
        await line.json(`/api/automations/${id}`, undefined, "DELETE");
      },
    },
    {
      name: "rude", every_ms: 1_500,  // what a server on a network meets
      act: async (n) => {
        const nonsense = ["GET / HTTP/1.1\r\n\r\n", "\x16\x03\x01\x02\x00\r\n\r\n", `GET /${"x".repeat(20_000)} HTTP/1.1\r\n\r\n`];
        await line.house.server.raw(nonsense[n % nonsense.length]!);
        const { status } = await line.ask("/api/me", undefined, "GET", { authorization: "Bearer wrong" });
        assert.ok(status === 401 || status === 429, `a wrong token got ${status}`);
      },
    },
  ];
}
