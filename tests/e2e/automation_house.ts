// What the tests of automations share: making them, looking at what became of them, and a model that does what an
// automation asks. Nothing here waits for a time: due instants are a moment ahead, and what is waited for is what they
// lead to.
import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { say, type Answer, type Prompt } from "../models/fault_server.ts";
import { think } from "../models/brain.ts";
import { House, text_of } from "./talk.ts";

// A due instant that is near, yet surely in the future when it arrives at the server.
export const soon = (ms = 1_500): { kind: "at"; at: string } => ({ kind: "at", at: new Date(Date.now() + ms).toISOString() });
export const each_second = { kind: "every", every_ms: 1_000 };
export const each_hour = { kind: "every", every_ms: 3_600_000 };

const LOOKS = 2_400, BETWEEN_MS = 25;  // a minute

// Looks until there is something to see.
export async function until<T>(what: string, look: () => Promise<T | undefined | null | false>): Promise<T> {
  for (let i = 0; i < LOOKS; ++i) {
    const seen = await look();
    if (seen) return seen;
    await pause(BETWEEN_MS);
  }
  assert.fail(`never: ${what}`);
}

export async function make(house: House, wish: object, status = 201): Promise<any> {
  const answer = await house.server.json("/api/automations", wish);
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  return answer.body;
}
export const path_of = (id: string, rest = ""): string => `/api/automations/${encodeURIComponent(id)}${rest}`;

export async function get(house: House, path: string): Promise<any> {
  const { status, body } = await house.server.json(path);
  assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`);
  return body;
}
export const look_at = (house: House, id: string): Promise<any> => get(house, path_of(id));

// All pages of a list.
export async function all(house: House, path: string): Promise<any[]> {
  const found: any[] = [];
  for (let cursor = ""; ;) {
    const page = await get(house, `${path}${path.includes("?") ? "&" : "?"}limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    found.push(...page.items);
    if (!page.next_cursor) return found;
    cursor = page.next_cursor;
  }
}
export const automations = (house: House, query = ""): Promise<any[]> => all(house, `/api/automations${query}`);
export const runs_of = (house: House, id: string): Promise<any[]> => all(house, path_of(id, "/runs"));
export const ledger_of = (house: House, id: string): Promise<any[]> => all(house, path_of(id, "/occurrences"));

export const is_open = (one: any): boolean => one.status === "claimed" || one.status === "queued";

// The newest run, once nothing of the automation is open any more.
export const over = (house: House, id: string, count = 1): Promise<any> => until(`${id} has run ${count} times`, async () => {
  const runs = await runs_of(house, id);
  return runs.length >= count && runs.every((run) => run.status !== "queued") && !(await ledger_of(house, id)).some(is_open) && runs[0];
});

export async function change(house: House, id: string, what: string, body: object = {}): Promise<any> {
  const answer = await house.server.json(path_of(id, what), body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

// The messages with which automations came into a conversation.
export const triggers = (messages: any[]): any[] => messages.filter((one) => one.role === "user" && one._automation_turn);
export const answer_to = (messages: any[], trigger: any): string =>
  text_of(messages.findLast((one) => one.role === "assistant" && one.turn_id === trigger.turn_id) ?? { content: [] });

// What the automation of this prompt asks for; undefined if it is a person's turn.
export const order_of = (prompt: Prompt): string | undefined => /\nAutomation: ([^]*)$/.exec(prompt.turns.findLast((turn) => turn.role === "user")?.text ?? "")?.[1];

// Answers people as always, and automations with what is given here.
export const with_reports = (report: (order: string, prompt: Prompt) => Answer) => (prompt: Prompt): Answer => {
  const order = order_of(prompt);
  if (order === undefined) return think(prompt);
  return prompt.turns.at(-1)?.role === "tool" ? say(`The tool said: ${prompt.turns.at(-1)!.text}`) : report(order, prompt);
};
