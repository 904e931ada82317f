// What both wire formats have in common for the fault server: an answer becomes one JSON body or a list of
// frames, a failure becomes a status with headers and a body.
import { randomBytes } from "node:crypto";
import type { Answer, Prompt, Usage } from "./brain.ts";

export type Json = Record<string, any>;
export type Headers = Record<string, string>;

// The failures that a service itself reports, by what they mean.
export type Failure =
  | "unauthorized" | "forbidden" | "no_credit" | "no_such_model" | "context_full" | "too_large"
  | "rate_limited" | "server_error" | "unavailable" | "overloaded";

export interface Reply { status: number; headers: Headers; body: string }

// A request that the real service would refuse.
export class Refusal extends Error {
  readonly reply: Reply;
  constructor(reply: Reply) {
    super(reply.body);
    this.reply = reply;
  }
}

export interface Wire {
  name: "anthropic" | "openai";
  // Checks as the service does, with its words; throws a Refusal.
  read(headers: Headers, body: Json): Prompt;
  count(body: Json, output: string): Usage;
  // The answer to one request, with the ids it has in every frame.
  json(prompt: Prompt, answer: Answer, usage: Usage): Json;
  frames(prompt: Prompt, body: Json, answer: Answer, usage: Usage): string[];
  headers(): Headers;
  fail(failure: Failure, about: { headers: Headers; model: string; retry_after: number }): Reply;
  no_such_path(method: string, path: string): Reply;
  not_json(): Reply;
  // The frame that ends a stream in which something went wrong.
  error_frame(): string;
}

const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
export const base58 = (length: number): string => Array.from(randomBytes(length), (byte) => alphabet[byte % 58]).join("");
export const hex = (length: number): string => randomBytes(length).toString("hex").slice(0, length);

export const json_reply = (status: number, headers: Headers, body: Json): Reply =>
  ({ status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) });

export const is_object = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);
