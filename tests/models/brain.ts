// What a prompt and an answer are between the wire formats, and a small model to answer with: it is
// deterministic and knows only what the request it was sent says.
//
//   use <tool> <json>          calls the tool; several such lines make several calls in one answer
//   (a tool's result)          says what the tool returned
//   what did I say first?      quotes the first message of the person
//   anything else              comes back as an echo
export interface ToolCall {
  name: string;
  arguments: string;  // JSON as it is sent, which need not be whole
  id?: string;        // made up when absent
}

export type Block = { text: string } | { call: ToolCall };

export type Stop = "end" | "tools" | "length" | "refusal" | "context_full";

// Tokens as Anthropic counts them: what the cache gave or took is not part of `input`.
export interface Usage { input: number; output: number; cache_read: number; cache_write: number }

export interface Answer {
  blocks: Block[];
  stop?: Stop;             // "tools" if there are calls, else "end"
  usage?: Partial<Usage>;  // what is absent is counted
}

export interface Turn {
  role: "system" | "user" | "assistant" | "tool";
  text: string;  // of a tool: its result
}

export interface Prompt {
  model: string;
  stream: boolean;
  max_tokens: number;
  system: string;
  tools: string[];
  turns: Turn[];  // what the person, the model and the tools said, in order
}

export const say = (text: string): Answer => ({ blocks: [{ text }] });
export const call = (...calls: [name: string, input: unknown][]): Answer =>
  ({ blocks: calls.map(([name, input]) => ({ call: { name, arguments: JSON.stringify(input) } })) });
export const nothing: Answer = { blocks: [] };

export const calls_of = (answer: Answer): ToolCall[] => answer.blocks.flatMap((block) => ("call" in block ? [block.call] : []));
export const text_of = (answer: Answer): string => answer.blocks.map((block) => ("text" in block ? block.text : "")).join("");
export const stop_of = (answer: Answer): Stop => answer.stop ?? (calls_of(answer).length ? "tools" : "end");

export function think(prompt: Prompt): Answer {
  const last = prompt.turns.at(-1);
  if (last?.role === "tool") return say(`The tool said: ${results_at_the_end(prompt.turns).join(" | ")}`);
  const text = last?.text ?? "";
  const wishes = [...text.matchAll(/^use (\S+) (\{.*\})\s*$/gm)];
  if (wishes.length) return { blocks: wishes.map(([, name, input]) => ({ call: { name: name!, arguments: input! } })) };
  if (/what did i say first/i.test(text)) return say(`You said first: "${prompt.turns.find((turn) => turn.role === "user")!.text}"`);
  return say(`You said: ${text}`);
}

function results_at_the_end(turns: Turn[]): string[] {
  const before = turns.findLastIndex((turn) => turn.role !== "tool");
  return turns.slice(before + 1).map((turn) => turn.text);
}

// A token is four bytes here, so that a test can know the figures.
export const tokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / 4);

// An answer longer than the request allows stops where the allowance ends.
export function keep_within(answer: Answer, max_tokens: number): Answer {
  const text = text_of(answer);
  if (calls_of(answer).length || answer.stop || tokens(text) <= max_tokens) return answer;
  return { ...say(Buffer.from(text).subarray(0, max_tokens * 4).toString().replace(/\uFFFD+$/, "")), stop: "length" };
}

// A text in the pieces in which a model streams it: words, each with the space before it.
export const pieces = (text: string): string[] => text.match(/\s*\S+|\s+$/g) ?? [];

// Tool arguments don't stream by words, and a piece may end anywhere.
export const json_pieces = (text: string): string[] => text.match(/[^]{1,9}/gu) ?? [];
