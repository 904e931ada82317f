// Anthropic's Messages API as it stands on the wire: what it refuses, how it answers in JSON and in events, how
// it counts tokens and what its cache takes and gives, and the bodies of its errors.
import { json_pieces, pieces, stop_of, tokens, type Answer, type Block, type Prompt, type Stop, type Turn, type Usage } from "./brain.ts";
import { Refusal, base58, is_object, json_reply, type Failure, type Headers, type Json, type Reply, type Wire } from "./wire.ts";

const STOP: Record<Stop, string> = {
  end: "end_turn", tools: "tool_use", length: "max_tokens", refusal: "refusal", context_full: "model_context_window_exceeded",
};
const MIN_CACHED_TOKENS = 1024;
const ORGANIZATION = "0f1c6bd0-9a51-4b7c-8f0e-5d2f3c1a7e64";

// --- errors ----------------------------------------------------------------------------------------

function error(status: number, type: string, message: string, headers: Headers = {}): Reply {
  const request_id = `req_011C${base58(20)}`;
  return json_reply(status, {
    "request-id": request_id, "anthropic-organization-id": ORGANIZATION,
    "x-should-retry": `${status === 429 || status >= 500}`, ...headers,
  }, { type: "error", error: { type, message }, request_id });
}

function refuse(message: string): never {
  throw new Refusal(error(400, "invalid_request_error", message));
}

function fail(failure: Failure, about: { model: string; retry_after: number }): Reply {
  switch (failure) {
    case "unauthorized": return error(401, "authentication_error", "invalid x-api-key");
    case "forbidden": return error(403, "permission_error", "Your API key does not have permission to use the specified resource.");
    case "no_credit": return error(402, "billing_error",
      "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.");
    case "no_such_model": return error(404, "not_found_error", `model: ${about.model}`);
    case "context_full": return error(400, "invalid_request_error", "prompt is too long: 208656 tokens > 200000 maximum");
    case "too_large": return error(413, "request_too_large", "Request exceeds the maximum size");
    case "rate_limited": return error(429, "rate_limit_error",
      "This request would exceed your organization's rate limit of 50 requests per minute. For details, refer to: https://docs.claude.com/en/api/rate-limits.", {
        "retry-after": `${about.retry_after}`,
        "anthropic-ratelimit-requests-limit": "50", "anthropic-ratelimit-requests-remaining": "0",
        "anthropic-ratelimit-requests-reset": new Date(Date.now() + about.retry_after * 1000).toISOString(),
      });
    case "server_error": return error(500, "api_error", "Internal server error");
    case "overloaded": return error(529, "overloaded_error", "Overloaded");
    // Not of the service but of the proxy before it, so it has no JSON.
    case "unavailable": return {
      status: 503, headers: { "content-type": "text/plain" },
      body: "upstream connect error or disconnect/reset before headers. reset reason: overflow",
    };
  }
}

// --- requests --------------------------------------------------------------------------------------

const FIELDS = [
  "model", "messages", "max_tokens", "system", "tools", "tool_choice", "stream", "stop_sequences", "metadata", "thinking", "service_tier",
  "container", "output_config", "cache_control", "inference_geo", "diagnostics", "speed", "user_profile_id", "workspace_id",
];
// What each version of the API takes on top of that.
const VERSIONS: Record<string, string[]> = { "2023-06-01": ["temperature", "top_p", "top_k"], "2026-10-21": [] };
const BLOCKS: Record<string, Set<string>> = {
  system: new Set(["text"]),
  user: new Set(["text", "image", "document", "tool_result"]),
  assistant: new Set(["text", "tool_use", "thinking", "redacted_thinking"]),
};

const blocks_of = (content: unknown): Json[] => (typeof content === "string" ? [{ type: "text", text: content }] : content as Json[]);
const plain_text = (content: unknown): string => (content === undefined ? "" : blocks_of(content).map((block) => block.text ?? "").join(""));

function read(headers: Headers, body: Json): Prompt {
  if (!headers["x-api-key"] && !headers["authorization"]) throw new Refusal(error(401, "authentication_error", "x-api-key header is required"));
  const version = headers["anthropic-version"];
  if (!version) refuse("anthropic-version: header is required");
  if (!VERSIONS[version]) refuse(`anthropic-version: "${version}" is not a valid version.`);
  if (typeof body.model !== "string") refuse("model: Field required");
  if (!Number.isInteger(body.max_tokens)) refuse("max_tokens: Field required");
  if (body.max_tokens < 0) refuse("max_tokens: Input should be greater than or equal to 0");
  if (!Array.isArray(body.messages)) refuse("messages: Field required");
  if (!body.messages.length) refuse("messages: at least one message is required");
  for (const field of Object.keys(body)) if (![...FIELDS, ...VERSIONS[version]].includes(field)) refuse(`${field}: Extra inputs are not permitted`);
  check_tools(body.tools ?? []);
  check_cache_marks(body);
  body.messages.forEach((message: Json, i: number) => check_message(message, i));
  check_pairs(body.messages);
  if (body.messages.at(-1).role === "assistant") refuse("This model does not support assistant message prefill. The conversation must end with a user message.");
  return {
    model: body.model, stream: body.stream === true, max_tokens: body.max_tokens, system: plain_text(body.system),
    tools: (body.tools ?? []).map((tool: Json) => tool.name), turns: body.messages.flatMap(turns_of),
  };
}

function check_tools(tools: Json[]): void {
  tools.forEach((tool, i) => {
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(tool.name ?? "")) refuse(`tools.${i}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
    if (!is_object(tool.input_schema)) refuse(`tools.${i}.custom.input_schema: Field required`);
    if (tool.input_schema.type !== "object") refuse(`tools.${i}.custom.input_schema.type: Input should be 'object'`);
  });
  if (new Set(tools.map((tool) => tool.name)).size !== tools.length) refuse("tools: Tool names must be unique.");
}

function check_cache_marks(body: Json): void {
  const marks = [...(body.tools ?? []), ...blocks_of(body.system ?? []), ...body.messages.flatMap((message: Json) => blocks_of(message.content ?? []))]
    .filter((block: Json) => block.cache_control);
  if (marks.length > 4) refuse(`A maximum of 4 blocks with cache_control may be provided. Found ${marks.length}.`);
  blocks_of(body.system ?? []).forEach((block, i) => {
    if (block.text === "") refuse(body.system === "" ? "system: text content blocks must be non-empty" : `system.${i}: text content blocks must be non-empty`);
  });
}

function check_message(message: Json, i: number): void {
  if (!(message.role in BLOCKS)) refuse(`messages.${i}.role: Input should be 'user', 'assistant' or 'system'`);
  if (typeof message.content !== "string" && !Array.isArray(message.content)) refuse(`messages.${i}.content: Field required`);
  if (!message.content.length) refuse(`messages.${i}: all messages must have non-empty content except for the optional final assistant message`);
  blocks_of(message.content).forEach((block, j) => {
    if (!BLOCKS[message.role]!.has(block.type)) refuse(`messages.${i}.content.${j}: Input tag '${block.type}' found using 'type' does not match any of the expected tags`);
    if (block.type === "text" && !block.text) refuse("messages: text content blocks must be non-empty");
    if (block.type === "tool_use" && !is_object(block.input)) refuse(`messages.${i}.content.${j}.tool_use.input: Input should be a valid dictionary`);
    const id = block.type === "tool_use" ? block.id : block.type === "tool_result" ? block.tool_use_id : "ok";
    if (!/^[a-zA-Z0-9_-]+$/.test(id ?? "")) refuse(`messages.${i}.content.${j}.${block.type}.${block.type === "tool_use" ? "id" : "tool_use_id"}: String should match pattern '^[a-zA-Z0-9_-]+$'`);
  });
}

// Neighbours of one role count as one message. Each call has its result in the next one, and each result its call.
function check_pairs(messages: Json[]): void {
  const joined: { at: number; role: string; blocks: Json[] }[] = [];
  messages.forEach((message, at) => {
    if (joined.at(-1)?.role === message.role) joined.at(-1)!.blocks.push(...blocks_of(message.content));
    else joined.push({ at, role: message.role, blocks: [...blocks_of(message.content)] });
  });
  const seen = new Set<string>();
  joined.forEach(({ at, blocks }, i) => {
    const asked = (joined[i - 1]?.blocks ?? []).flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
    const answered = blocks.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []));
    const missing = asked.filter((id) => !answered.includes(id));
    if (missing.length) refuse(`messages.${joined[i - 1]!.at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`);
    const foreign = answered.findIndex((id) => !asked.includes(id));
    if (foreign >= 0) refuse(`messages.${at}.content.${foreign}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${answered[foreign]}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`);
    if (new Set(answered).size !== answered.length) refuse(`messages.${at}.content: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${answered.find((id, j) => answered.indexOf(id) !== j)}`);
    for (const block of blocks) {
      if (block.type !== "tool_use") continue;
      if (seen.has(block.id)) refuse(`messages.${at}.content: \`tool_use\` ids must be unique`);
      seen.add(block.id);
    }
  });
  const open = joined.at(-1)!.blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
  if (open.length) refuse(`messages.${joined.at(-1)!.at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`);
}

function turns_of(message: Json): Turn[] {
  const blocks = blocks_of(message.content);
  const text = blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  const tools = blocks.flatMap((block): Turn[] => (block.type === "tool_result" ? [{ role: "tool", text: plain_text(block.content) }] : []));
  return text || !tools.length ? [...tools, { role: message.role, text }] : tools;
}

// --- tokens and the cache --------------------------------------------------------------------------

// A prefix that ends at a mark is written once and read from then on, as in the service.
class Cache {
  #known = new Set<string>();

  count(body: Json, output: string): Usage {
    const prefixes: string[] = [];
    let all = "";
    const add = (part: Json | string) => {
      const { cache_control, ...rest } = typeof part === "string" ? { cache_control: undefined, text: part } : part;
      all += JSON.stringify(rest);
      if (cache_control) prefixes.push(all);
    };
    for (const tool of body.tools ?? []) add(tool);
    for (const block of blocks_of(body.system ?? [])) add(block);
    for (const message of body.messages) {
      all += message.role;
      blocks_of(message.content).forEach(add);
    }
    const worth = prefixes.filter((prefix) => tokens(prefix) >= MIN_CACHED_TOKENS);
    const read = tokens(worth.findLast((prefix) => this.#known.has(prefix)) ?? "");
    const cached = tokens(worth.at(-1) ?? "");
    for (const prefix of worth) this.#known.add(prefix);
    return { input: tokens(all) - cached, output: tokens(output), cache_read: read, cache_write: cached - read };
  }
}

const wire_usage = (usage: Usage): Json => ({
  input_tokens: usage.input, cache_creation_input_tokens: usage.cache_write, cache_read_input_tokens: usage.cache_read,
});
const full_usage = (usage: Usage, output: number): Json => ({
  ...wire_usage(usage), cache_creation: { ephemeral_5m_input_tokens: usage.cache_write, ephemeral_1h_input_tokens: 0 },
  output_tokens: output, service_tier: "standard", inference_geo: "not_available",
});

// --- answers ---------------------------------------------------------------------------------------

const message_of = (prompt: Prompt, content: Json[], stop: string | null, usage: Json): Json => ({
  model: prompt.model, id: `msg_01${base58(22)}`, type: "message", role: "assistant", content,
  stop_reason: stop, stop_sequence: null, stop_details: null, container: null, diagnostics: null, usage,
});

// In JSON the service only has arguments that are whole; of half ones nothing remains.
function parsed(json: string): unknown {
  try { return JSON.parse(json); } catch { return {}; }
}

const empty_block = (block: Block): Json => ("text" in block ? { type: "text", text: "" }
  : { type: "tool_use", id: block.call.id ?? `toolu_01${base58(22)}`, name: block.call.name, input: {}, caller: { type: "direct" } });

const whole_block = (block: Block): Json => ("text" in block ? { type: "text", text: block.text }
  : { ...empty_block(block), input: parsed(block.call.arguments) });

// The service pads some of its events with spaces before the last brace.
const frame = (data: Json, padding = 0): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data).replace(/\}$/, `${" ".repeat(padding)}}`)}\n\n`;

function block_frames(block: Block, index: number): string[] {
  const deltas: Json[] = "text" in block ? pieces(block.text).map((text) => ({ type: "text_delta", text }))
    : ["", ...json_pieces(block.call.arguments)].map((partial_json) => ({ type: "input_json_delta", partial_json }));
  return [
    frame({ type: "content_block_start", index, content_block: empty_block(block) }, 7),
    ...(index === 0 ? [frame({ type: "ping" })] : []),
    ...deltas.map((delta) => frame({ type: "content_block_delta", index, delta }, index % 3)),
    frame({ type: "content_block_stop", index }, 11),
  ];
}

function frames(prompt: Prompt, _body: Json, answer: Answer, usage: Usage): string[] {
  return [
    frame({ type: "message_start", message: message_of(prompt, [], null, full_usage(usage, 1)) }, 4),
    ...answer.blocks.flatMap(block_frames),
    frame({
      type: "message_delta", delta: { stop_reason: STOP[stop_of(answer)], stop_sequence: null, stop_details: null },
      usage: { ...wire_usage(usage), output_tokens: usage.output },
    }),
    frame({ type: "message_stop" }, 6),
  ];
}

export function anthropic_wire(): Wire {
  const cache = new Cache();
  return {
    name: "anthropic", read, frames, fail,
    count: (body, output) => cache.count(body, output),
    json: (prompt, answer, usage) =>
      message_of(prompt, answer.blocks.map(whole_block), STOP[stop_of(answer)], full_usage(usage, usage.output)),
    headers: () => ({
      "request-id": `req_011C${base58(20)}`, "anthropic-organization-id": ORGANIZATION,
      "anthropic-ratelimit-requests-limit": "50", "anthropic-ratelimit-requests-remaining": "49",
      "anthropic-ratelimit-requests-reset": new Date().toISOString(),
    }),
    no_such_path: () => error(404, "not_found_error", "Not Found"),
    not_json: () => error(400, "invalid_request_error", "The request body is not valid JSON: expected value: line 1 column 1 (char 0)"),
    error_frame: () => frame({ type: "error", error: { type: "overloaded_error", message: "Overloaded" }, request_id: `req_011C${base58(20)}` }),
  };
}
