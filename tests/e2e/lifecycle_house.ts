// What the tests of the lifecycle engine share: the trace of what fired, files of the owner in the data folder, a
// project under git, and models that do what they were told not to do.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { get } from "./automation_house.ts";
import { root, temp_dir } from "./server.ts";
import { House, type HouseOptions } from "./talk.ts";

// --- the house -------------------------------------------------------------------------------------

export function write(house: House, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(house.data, name)), { recursive: true });
    writeFileSync(join(house.data, name), text);
  }
}

// A house whose data folder had these files when it started.
export async function start(options: HouseOptions = {}, files: Record<string, string> = {}): Promise<House> {
  const house = await House.start({ model: "openai", ...options });
  if (Object.keys(files).length === 0) return house;
  write(house, files);
  await house.restart();
  return house;
}

const everything = join(root, "web/node_modules/@modelcontextprotocol/server-everything/dist/index.js");
export const mcp_servers = { all: { command: [process.execPath, everything], approve: "auto", description: "Everything there is" } };

// --- projects --------------------------------------------------------------------------------------

const git = (folder: string, ...args: string[]): string =>
  execFileSync("git", ["-C", folder, "-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...args], { encoding: "utf8" }).trim();

export function repository(): string {
  const folder = temp_dir();
  git(folder, "init", "--quiet");
  writeFileSync(join(folder, "readme.md"), "what there is\n");
  commit(folder, "the beginning");
  return folder;
}
export function commit(folder: string, message: string): string {
  git(folder, "add", "--all");
  git(folder, "commit", "--quiet", "--message", message);
  return git(folder, "rev-parse", "HEAD");
}

export const project_config = (folder: string) => ({ projects: [{ key: "atlas", path: folder }], tools: { policy: { write_file: "allow" } } });

// A conversation of the project whose session is still to begin.
export async function join_project(house: House, conversation: string): Promise<void> {
  assert.equal((await house.chat(conversation, "hello")).status, 200);
  const joined = await house.server.json(`/api/conversations/${conversation}`, { project: "atlas" }, "PATCH");
  assert.equal(joined.body.project, "atlas", JSON.stringify(joined.body));
  assert.equal((await house.server.json(`/api/conversations/${conversation}/clear`, {})).status, 200);
}
export async function add_task(house: House, title: string): Promise<number> {
  const { status, body } = await house.server.json("/api/tasks", { title, project: "atlas" });
  assert.equal(status, 201, JSON.stringify(body));
  return body.number;
}

// --- a past ----------------------------------------------------------------------------------------

// Turns that a program tells of.
export async function grow(house: House, session_id: string, turns: number): Promise<void> {
  for (let n = 0; n < turns; ++n) {
    const told = await house.server.json(`/kernel/sessions/${session_id}`, {
      workspace_id: "ws_default", user_message: `question ${n} about the harvest`, assistant_response: `Answer ${n}: it was good.`,
      action_type: "answer", message_id: `${session_id}-${n}` }, "PATCH");
    assert.equal(told.status, 200, JSON.stringify(told.body));
  }
}

// --- what became of it -----------------------------------------------------------------------------

export interface Action { action: string; line: number; outcome: string; detail: string }
export interface Firing { at: string; turn_id: string; event: string; workflow: string; decision: string; reason?: string; tool?: string; actions: Action[] }
export interface Gates { session_id: string; source: string; variables: Record<string, any>; firings: Firing[] }

// Everything that fired in a conversation, oldest first.
export async function gates(house: House, conversation: string, workspace = "ws_default"): Promise<Gates> {
  const path = `/api/conversations/${encodeURIComponent(conversation)}/gates?workspace_id=${workspace}&limit=200`;
  const newest = await get(house, path);
  for (let page = newest; page.next_cursor;) {
    page = await get(house, `${path}&cursor=${page.next_cursor}`);
    newest.firings.push(...page.firings);
  }
  return { ...newest, firings: newest.firings.reverse() };
}
export const of_event = (trace: Gates, event: string, workflow = "headless-lifecycle"): Firing[] =>
  trace.firings.filter((one) => one.event === event && one.workflow === workflow);
export const actions_of = (firing: Firing): string[] => firing.actions.map((one) => one.action);
export const is_first_run = (firing: Firing): boolean => firing.actions.some((one) => one.detail === "_session_initialized = true");

export interface ToolEnd { tool: string; failed: boolean; text: string }
// What the tools of a conversation answered, oldest first.
export async function tool_ends(house: House, conversation: string): Promise<ToolEnd[]> {
  return (await house.messages(conversation)).flatMap((one) => one.content)
    .filter((block: any) => block.type === "tool_result")
    .map((block: any) => ({ tool: block.tool, failed: !!block.failed, text: block.text }));
}
