// OpenAI's chat completions as they stand on the wire: what is refused, how an answer looks in JSON and in chunks,
// how tokens are counted and what the cache gives, and the bodies of the errors.
import { calls_of, json_pieces, pieces, stop_of, text_of, tokens, type Answer, type Prompt, type Stop, type ToolCall, type Turn, type Usage } from "./brain.ts";
import { Refusal, base58, hex, json_reply, type Failure, type Headers, type Json, type Reply, type Wire } from "./wire.ts";

const FINISH: Record<Stop, string> = { end: "stop", tools: "tool_calls", length: "length", refusal: "content_filter", context_full: "length" };

// --- errors ----------------------------------------------------------------------------------------

interface Detail { type?: string; param?: string | null; code?: string | null }

function error(status: number, message: string, detail: Detail = {}, headers: Headers = {}): Reply {
  return json_reply(status, { "x-request-id": `req_${hex(32)}`, ...headers },
    { error: { message, type: detail.type ?? "invalid_request_error", param: detail.param ?? null, code: detail.code ?? null } });
}

function refuse(message: string, param: string | null = null, code: string | null = null): never {
  throw new Refusal(error(400, message, { param, code }));
}

// The service says part of the key back, and the whole of a short one.
function shown_key(headers: Headers): string {
  const key = (headers["authorization"] ?? "").replace(/^Bearer /, "");
  return key.length < 13 ? key : key.slice(0, 8) + "*".repeat(key.length - 12) + key.slice(-4);
}

function fail(failure: Failure, about: { headers: Headers; model: string; retry_after: number }): Reply {
  switch (failure) {
    case "unauthorized": return error(401,
      `Incorrect API key provided: ${shown_key(about.headers)}. You can find your API key at https://platform.openai.com/account/api-keys.`,
      { code: "invalid_api_key" }, { "www-authenticate": 'Bearer realm="OpenAI API"' });
    case "forbidden": return error(403, "Country, region, or territory not supported",
      { type: "request_forbidden", code: "unsupported_country_region_territory" });
    case "no_credit": return error(429,
      "You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.",
      { type: "insufficient_quota", code: "insufficient_quota" });
    case "no_such_model": return error(404, `The model \`${about.model}\` does not exist or you do not have access to it.`, { code: "model_not_found" });
    case "context_full": return error(400,
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 204308 tokens. Please reduce the length of the messages.",
      { param: "messages", code: "context_length_exceeded" });
    case "too_large": return error(413, "Maximum content size limit (26214400) exceeded", { type: "server_error" });
    case "rate_limited": return error(429,
      `Rate limit reached for ${about.model} in organization org-rouse on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in ${about.retry_after}s. Visit https://platform.openai.com/account/rate-limits to learn more.`,
      { type: "requests", code: "rate_limit_exceeded" }, {
        "retry-after": `${about.retry_after}`, "retry-after-ms": `${about.retry_after * 1000}`,
        "x-ratelimit-limit-requests": "3", "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": `${about.retry_after}s`,
      });
    case "server_error": return error(500,
      "The server had an error while processing your request. Sorry about that! You can retry your request, or contact us through our help center at help.openai.com if you keep seeing this error.",
      { type: "server_error" });
    case "unavailable": return error(503,
      "The server is currently overloaded with other requests. Sorry about that! You can retry your request, or contact us through our help center if the error persists.",
      { type: "server_error" });
    // Nothing that OpenAI says itself: routers before other services do, with a number for a code.
    case "overloaded": return json_reply(529, {}, { error: { message: "Provider returned error", code: 529, metadata: { raw: "Overloaded", provider_name: "Anthropic" } } });
  }
}

// --- requests --------------------------------------------------------------------------------------

const ROLES = ["system", "developer", "user", "assistant", "tool"];

const plain_text = (content: unknown): string => (typeof content === "string" ? content
  : Array.isArray(content) ? content.flatMap((part: Json) => (part.type === "text" ? [part.text] : [])).join("\n") : "");

function read(headers: Headers, body: Json): Prompt {
  if (!/^Bearer \S/.test(headers["authorization"] ?? "")) {
    throw new Refusal(error(401, "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).", {}, { "www-authenticate": 'Bearer realm="OpenAI API"' }));
  }
  if (typeof body.model !== "string" || !body.model) refuse("you must provide a model parameter");
  if (!Array.isArray(body.messages)) refuse("Missing required parameter: 'messages'.", "messages", "missing_required_parameter");
  if (!body.messages.length) refuse("Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.", "messages", "empty_array");
  if (body.max_tokens != null && /^(gpt-[5-9]|o\d)/.test(body.model)) {
    refuse("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "max_tokens", "unsupported_parameter");
  }
  if (body.stream_options && !body.stream) refuse("The 'stream_options' parameter is only allowed when 'stream' is enabled.", "stream_options");
  if (body.tools && !body.tools.length) refuse("Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.", "tools", "empty_array");
  (body.tools ?? []).forEach(check_tool);
  body.messages.forEach(check_message);
  check_pairs(body.messages);
  return {
    model: body.model, stream: body.stream === true, max_tokens: body.max_completion_tokens ?? body.max_tokens ?? Infinity,
    system: body.messages.filter(is_system).map((message: Json) => plain_text(message.content)).join("\n"),
    tools: (body.tools ?? []).map((tool: Json) => tool.function.name),
    turns: body.messages.filter((message: Json) => !is_system(message)).map((message: Json): Turn => ({ role: message.role, text: plain_text(message.content) })),
  };
}

const is_system = (message: Json): boolean => message.role === "system" || message.role === "developer";

function check_tool(tool: Json, i: number): void {
  if (tool.type !== "function") refuse(`Invalid value: '${tool.type}'. Supported values are: 'function' and 'custom'.`, `tools[${i}].type`, "invalid_value");
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(tool.function?.name ?? "")) {
    refuse(`Invalid 'tools[${i}].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`, `tools[${i}].function.name`, "invalid_value");
  }
  if (tool.function.parameters && tool.function.parameters.type !== "object") {
    refuse(`Invalid schema for function '${tool.function.name}': schema must be a JSON Schema of 'type: "object"', got 'type: "${tool.function.parameters.type}"'.`, `tools[${i}].function.parameters`, "invalid_function_parameters");
  }
}

function check_message(message: Json, i: number): void {
  if (!ROLES.includes(message.role)) refuse(`Invalid value: '${message.role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.`, `messages[${i}].role`, "invalid_value");
  const calls = message.tool_calls;
  if (calls && !calls.length) refuse(`Invalid 'messages[${i}].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.`, `messages[${i}].tool_calls`, "empty_array");
  if (message.content == null && !calls) refuse(`Invalid value for 'content': expected a string, got null.`, `messages[${i}].content`);
  for (const [j, call] of (calls ?? []).entries()) {
    if (typeof call.id !== "string" || !call.id) refuse(`Missing required parameter: 'messages[${i}].tool_calls[${j}].id'.`, `messages[${i}].tool_calls[${j}].id`, "missing_required_parameter");
    if (call.id.length > 40) refuse(`Invalid 'messages[${i}].tool_calls[${j}].id': string too long. Expected a string with maximum length 40, but got a string with length ${call.id.length} instead.`, `messages[${i}].tool_calls[${j}].id`, "string_above_max_length");
    if (call.type !== "function") refuse(`Missing required parameter: 'messages[${i}].tool_calls[${j}].type'.`, `messages[${i}].tool_calls[${j}].type`, "missing_required_parameter");
    if (typeof call.function?.arguments !== "string") refuse(`Invalid type for 'messages[${i}].tool_calls[${j}].function.arguments': expected a string, but got an object instead.`, `messages[${i}].tool_calls[${j}].function.arguments`, "invalid_type");
  }
}

// Each call has its result before anybody else speaks, and each result its call.
function check_pairs(messages: Json[]): void {
  let open: string[] = [];
  const unanswered = (i: number) => refuse(`An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(", ")}`, `messages.[${i}].role`);
  messages.forEach((message, i) => {
    if (message.role === "tool") {
      if (!open.includes(message.tool_call_id)) refuse("Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.", `messages.[${i}].role`);
      open = open.filter((id) => id !== message.tool_call_id);
      return;
    }
    if (open.length) unanswered(i);
    open = (message.tool_calls ?? []).map((call: Json) => call.id);
    if (new Set(open).size !== open.length) refuse(`Invalid value: tool_call_ids must be unique. Found ${open.join(", ")}.`, `messages.[${i}].tool_calls`);
  });
  if (open.length) unanswered(messages.length);
}

// --- tokens and the cache --------------------------------------------------------------------------

// Prompts of 1,024 tokens and more are kept without being asked, and found again in steps of 128.
class Cache {
  #known: string[] = [];

  count(body: Json, output: string): Usage {
    const all = JSON.stringify(body.tools ?? []) + JSON.stringify(body.messages);
    const shared = tokens(all.slice(0, Math.max(0, ...this.#known.map((known) => common_length(known, all)))));
    const total = tokens(all);
    const cached = total < 1024 || shared < 1024 ? 0 : Math.floor(Math.min(shared, total - 1) / 128) * 128;
    if (total >= 1024) this.#known = [all, ...this.#known.slice(0, 31)];
    return { input: total - cached, output: tokens(output), cache_read: cached, cache_write: 0 };
  }
}

function common_length(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) ++at;
  return at;
}

function wire_usage(usage: Usage): Json {
  const prompt = usage.input + usage.cache_read + usage.cache_write;
  return {
    prompt_tokens: prompt, completion_tokens: usage.output, total_tokens: prompt + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cache_read, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0, accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
  };
}

// --- answers ---------------------------------------------------------------------------------------

const wire_call = (call: ToolCall, args: string): Json =>
  ({ id: call.id ?? `call_${base58(24)}`, type: "function", function: { name: call.name, arguments: args } });

function json(prompt: Prompt, answer: Answer, usage: Usage): Json {
  const calls = calls_of(answer);
  const message: Json = { role: "assistant", content: text_of(answer) || (calls.length ? null : "") };
  if (calls.length) message.tool_calls = calls.map((call) => wire_call(call, call.arguments));
  return {
    id: `chatcmpl-${base58(29)}`, object: "chat.completion", created: Math.floor(Date.now() / 1000), model: prompt.model,
    choices: [{ index: 0, message: { ...message, refusal: null, annotations: [] }, logprobs: null, finish_reason: FINISH[stop_of(answer)] }],
    usage: wire_usage(usage), service_tier: "default", system_fingerprint: "fp_a288987b44",
  };
}

const frame = (data: Json): string => `data: ${JSON.stringify(data)}\n\n`;

function frames(prompt: Prompt, body: Json, answer: Answer, usage: Usage): string[] {
  const with_usage = body.stream_options?.include_usage === true;
  const head = {
    id: `chatcmpl-${base58(29)}`, object: "chat.completion.chunk", created: Math.floor(Date.now() / 1000), model: prompt.model,
    service_tier: "default", system_fingerprint: "fp_a288987b44",
  };
  // Padding of random length, so that the size of a packet doesn't tell what is in it.
  const chunk = (choices: Json[], counted: Json | null) =>
    frame({ ...head, choices, ...(with_usage ? { usage: counted } : {}), ...(body.stream_options?.include_obfuscation === false ? {} : { obfuscation: base58(1 + choices.length * 6) }) });
  const delta = (delta: Json, finish_reason: string | null = null) => chunk([{ index: 0, delta, logprobs: null, finish_reason }], null);
  const calls = calls_of(answer);
  const text = text_of(answer);
  return [
    delta({ role: "assistant", content: text || !calls.length ? "" : null, refusal: null }),
    ...pieces(text).map((content) => delta({ content })),
    ...calls.flatMap((call, index) => [
      delta({ tool_calls: [{ index, ...wire_call(call, "") }] }),
      ...json_pieces(call.arguments).map((piece) => delta({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
    delta({}, FINISH[stop_of(answer)]),
    ...(with_usage ? [chunk([], wire_usage(usage))] : []),
    "data: [DONE]\n\n",
  ];
}

export function openai_wire(): Wire {
  const cache = new Cache();
  return {
    name: "openai", read, json, frames, fail,
    count: (body, output) => cache.count(body, output),
    headers: () => ({
      "x-request-id": `req_${hex(32)}`, "openai-organization": "org-rouse", "openai-processing-ms": "12", "openai-version": "2020-10-01",
      "x-ratelimit-limit-requests": "10000", "x-ratelimit-remaining-requests": "9999", "x-ratelimit-reset-requests": "6ms",
    }),
    no_such_path: (method, path) => error(404, `Invalid URL (${method} ${path})`),
    not_json: () => error(400, "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)"),
    error_frame: () => frame({
      error: { message: "The server had an error while processing your request. Sorry about that!", type: "server_error", param: null, code: null },
    }),
  };
}
