// The fault server of tests/models is held to the services' own clients: what it sends they must read as they read
// the real services, and what it breaks they must notice as they would notice it there.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { FaultServer, call, nothing, say, type Behaviour, type Failure } from "../models/fault_server.ts";
import { root } from "./server.ts";

const require = createRequire(join(root, "web/package.json"));
const OpenAI = require("openai").default as typeof import("openai").default;
const Anthropic = require("@anthropic-ai/sdk").default as typeof import("@anthropic-ai/sdk").default;
const anthropic_errors = require("@anthropic-ai/sdk") as typeof import("@anthropic-ai/sdk");

let models: FaultServer;
beforeEach(async () => { models = await FaultServer.start(); });
afterEach(() => models.close());

const quiet = { logLevel: "off", maxRetries: 0 } as const;
const anthropic = () => new Anthropic({ apiKey: "sk-ant-test", baseURL: models.anthropic_url, ...quiet });
const openai = (apiKey = "sk-test") => new OpenAI({ apiKey, baseURL: models.openai_url, ...quiet });

const person = (content: string) => ({ role: "user" as const, content });
const ask = (text: string) => ({ model: "claude-sonnet-5-5", max_tokens: 1000, messages: [person(text)] });
const question = (text: string) => ({ model: "gpt-5.5", messages: [person(text)] });
const streamed = (text: string) => ({ ...question(text), stream_options: { include_usage: true } });

const schema = { type: "object" as const, properties: { city: { type: "string" } } };
const anthropic_tools = [{ name: "weather", description: "The weather in a city", input_schema: schema }];
const openai_tools = [{ type: "function" as const, function: { name: "weather", description: "The weather in a city", parameters: schema } }];

const one_call = 'use weather {"city":"Zürich"}';
const half_of_it = '{"city":';
const two_calls = 'use weather {"city":"Oslo"}\nuse weather {"city":"Rome"}';
const odd_text = "Grüße, 世界! 👩🏽‍🚀 «ﬁn» \u2028 \\ \"quoted\"\ttab";

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

// The error a promise ends with.
async function failure(promise: PromiseLike<unknown>): Promise<any> {
  try { await promise; } catch (problem) { return problem; }
  assert.fail("nothing failed");
}

describe("Anthropic's client", () => {
  test("reads a whole answer", async () => {
    const { data: message, request_id } = await anthropic().messages.create(ask("hello")).withResponse();
    assert.match(request_id!, /^req_011/);
    assert.match(message.id, /^msg_01/);
    assert.deepEqual([message.type, message.role, message.model, message.stop_reason, message.stop_sequence], ["message", "assistant", "claude-sonnet-5-5", "end_turn", null]);
    assert.deepEqual(message.content, [{ type: "text", text: "You said: hello" }]);
    assert.equal(message.usage.output_tokens, 4);
    assert.ok(message.usage.input_tokens > 0);
    assert.deepEqual(models.requests.map((r) => [r.method, r.path, r.headers["authorization"]]), [["POST", "/v1/messages", "Bearer sk-ant-test"]]);
    assert.equal(await models.requests[0]!.ended, "answered");
  });

  test("reads a streamed answer, event by event", async () => {
    const stream = anthropic().messages.stream(ask("hello there"));
    const heard: string[] = [];
    stream.on("text", (delta) => heard.push(delta));
    const events = await all(stream);
    const message = await stream.finalMessage();
    assert.deepEqual(heard, ["You", " said:", " hello", " there"]);
    assert.deepEqual(events.map((event) => event.type), [
      "message_start", "content_block_start", ...heard.map(() => "content_block_delta"), "content_block_stop", "message_delta", "message_stop"]);
    assert.deepEqual(message.content, [{ type: "text", text: "You said: hello there" }]);
    assert.equal(message.stop_reason, "end_turn");
    assert.equal(message.usage.output_tokens, 6);
    assert.equal(stream.response!.headers.get("content-type"), "text/event-stream; charset=utf-8");
  });

  for (const mode of ["create", "stream"] as const) {
    const get = (body: any) => (mode === "create" ? anthropic().messages.create(body) : anthropic().messages.stream(body).finalMessage()) as Promise<any>;

    test(`calls tools and gets their results (${mode})`, async () => {
      const first = { ...ask(one_call), tools: anthropic_tools };
      const message = await get(first);
      assert.equal(message.stop_reason, "tool_use");
      assert.deepEqual(message.content.map((block: any) => [block.type, block.name, block.input]), [["tool_use", "weather", { city: "Zürich" }]]);
      const [{ id }] = message.content;
      assert.match(id, /^toolu_01/);
      const reply = await get({ ...first, messages: [...first.messages, { role: "assistant", content: message.content },
        { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "7 degrees" }] }] });
      assert.deepEqual([reply.content[0].text, reply.stop_reason], ["The tool said: 7 degrees", "end_turn"]);
      assert.deepEqual(models.refused, []);
    });

    test(`calls several tools at once, after some words (${mode})`, async () => {
      models.queue({ answer: { blocks: [...say("Both.").blocks, ...call(["weather", { city: "Oslo" }], ["weather", { city: "Rome", deep: { list: [1, "ü"] } }]).blocks] } }, {});
      const message = await get(ask("x"));
      assert.equal(message.content[0].text, "Both.");
      assert.deepEqual(message.content.slice(1).map((block: any) => block.input), [{ city: "Oslo" }, { city: "Rome", deep: { list: [1, "ü"] } }]);
      assert.notEqual(message.content[1].id, message.content[2].id);
      assert.deepEqual((await get(ask(two_calls))).content.map((block: any) => block.input.city), ["Oslo", "Rome"]);
    });

    test(`knows every stop reason (${mode})`, async () => {
      const stops = { end: "end_turn", tools: "tool_use", length: "max_tokens", refusal: "refusal", context_full: "model_context_window_exceeded" } as const;
      for (const [stop, reason] of Object.entries(stops)) {
        models.queue({ answer: { ...say("x"), stop: stop as keyof typeof stops } });
        assert.equal((await get(ask("x"))).stop_reason, reason);
      }
      const short = await get({ ...ask("a long story"), max_tokens: 2 });
      assert.deepEqual([short.content[0].text, short.stop_reason, short.usage.output_tokens], ["You said", "max_tokens", 2]);
    });

    test(`reads usage with what the cache took and gave (${mode})`, async () => {
      const system = [{ type: "text", text: "rule ".repeat(1000), cache_control: { type: "ephemeral" } }];
      const first = (await get({ ...ask("one"), system })).usage;
      const second = (await get({ ...ask("two"), system })).usage;
      assert.ok(first.cache_creation_input_tokens > 1024 && first.cache_read_input_tokens === 0, JSON.stringify(first));
      assert.ok(second.cache_read_input_tokens === first.cache_creation_input_tokens && second.cache_creation_input_tokens === 0, JSON.stringify(second));
      assert.ok(first.input_tokens < 50);
      models.queue({ answer: { ...say("x"), usage: { input: 11, output: 22, cache_read: 33, cache_write: 44 } } });
      const { usage } = await get(ask("x"));
      assert.deepEqual([usage.input_tokens, usage.output_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens], [11, 22, 33, 44]);
    });

    test(`reads an answer that comes byte by byte (${mode})`, async () => {
      models.queue({ split: true, answer: say(odd_text) });
      assert.equal((await get(ask("x"))).content[0].text, odd_text);
    });

    test(`reads an answer without content (${mode})`, async () => {
      models.queue({ answer: nothing });
      const message = await get(ask("x"));
      assert.deepEqual([message.content, message.stop_reason], [[], "end_turn"]);
    });

    test(`knows every error (${mode})`, async () => {
      const errors: [Failure, new (...args: any) => Error, number, string | null][] = [
        ["unauthorized", Anthropic.AuthenticationError, 401, "authentication_error"],
        ["forbidden", Anthropic.PermissionDeniedError, 403, "permission_error"],
        ["no_credit", Anthropic.APIError, 402, "billing_error"],
        ["no_such_model", Anthropic.NotFoundError, 404, "not_found_error"],
        ["context_full", Anthropic.BadRequestError, 400, "invalid_request_error"],
        ["too_large", anthropic_errors.ContentTooLargeError, 413, "request_too_large"],
        ["rate_limited", Anthropic.RateLimitError, 429, "rate_limit_error"],
        ["server_error", Anthropic.InternalServerError, 500, "api_error"],
        ["unavailable", anthropic_errors.ServiceUnavailableError, 503, null],
        ["overloaded", anthropic_errors.OverloadedError, 529, "overloaded_error"],
      ];
      for (const [fail, kind, status, type] of errors) {
        models.queue({ fail, retry_after: 7 });
        const problem = await failure(get(ask("x")));
        assert.equal(problem.constructor, kind, fail);
        assert.deepEqual([problem.status, problem.type], [status, type]);
        if (type) assert.equal(problem.requestID, problem.error.request_id);
        if (fail === "rate_limited") assert.equal(problem.headers.get("retry-after"), "7");
        if (fail === "context_full") assert.match(problem.message, /prompt is too long: \d+ tokens > \d+ maximum/);
      }
    });
  }

  test("reads arguments that end half way, and ids that come twice", async () => {
    models.queue({ truncate_arguments: true }, { duplicate_ids: true });
    let json = "";
    const cut = await anthropic().messages.stream(ask(one_call)).on("inputJson", (delta) => { json += delta; }).finalMessage();
    assert.equal(cut.stop_reason, "max_tokens");
    assert.equal(json, half_of_it);
    const twice = await anthropic().messages.stream(ask(two_calls)).finalMessage();
    assert.deepEqual(twice.content.map((block: any) => [block.id, block.input.city]), [["call_twice", "Oslo"], ["call_twice", "Rome"]]);
  });

  test("notices an error in the middle of a stream", async () => {
    models.queue({ error_event: true }, { error_event: true });
    const stream = anthropic().messages.stream(ask("hello"));
    let text = "";
    stream.on("text", (delta) => { text += delta; });
    const problem = await failure(stream.finalMessage());
    assert.ok(problem instanceof Anthropic.APIError);
    assert.equal(problem.type, "overloaded_error");
    assert.ok(text && "You said: hello".startsWith(text), text);
    assert.ok(await failure(anthropic().messages.create(ask("x"))) instanceof Anthropic.InternalServerError);
  });

  test("refuses what the service refuses", async () => {
    const tool_use = { type: "tool_use", id: "toolu_1", name: "weather", input: {} };
    const result = { type: "tool_result", tool_use_id: "toolu_2", content: "x" };
    const bad: [object, RegExp][] = [
      [{ messages: [] }, /at least one message is required/],
      [{ max_tokens: undefined }, /max_tokens: Field required/],
      [{ messages: [person("")] }, /non-empty/],
      [{ messages: [{ role: "tool", content: "x" }] }, /messages.0.role: Input should be/],
      [{ messages: [person("x"), { role: "assistant", content: [tool_use] }, person("y")] }, /ids were found without `tool_result` blocks immediately after: toolu_1/],
      [{ messages: [person("x"), { role: "assistant", content: [tool_use] }] }, /without `tool_result`/],
      [{ messages: [{ role: "user", content: [result] }] }, /unexpected `tool_use_id` found in `tool_result` blocks: toolu_2/],
      [{ tools: [{ name: "a b", input_schema: schema }] }, /String should match pattern/],
      [{ system: Array(5).fill({ type: "text", text: "x", cache_control: { type: "ephemeral" } }) }, /maximum of 4 blocks with cache_control/],
      [{ messages: [person("x"), { role: "assistant", content: "y" }] }, /must end with a user message/],
      [{ temperature: 0 }, /temperature: Extra inputs are not permitted/],
    ];
    for (const [change, words] of bad) {
      const problem = await failure(anthropic().messages.create({ ...ask("x"), ...change } as any));
      assert.equal(problem.constructor, Anthropic.BadRequestError, `${words}`);
      assert.match(problem.error.error?.message ?? problem.error.message, words);
    }
    assert.equal(models.refused.length, bad.length);
  });
});

describe("OpenAI's client", () => {
  test("reads a whole answer", async () => {
    const { data: completion, request_id } = await openai().chat.completions.create(question("hello")).withResponse();
    assert.match(request_id!, /^req_/);
    assert.match(completion.id, /^chatcmpl-/);
    assert.deepEqual([completion.object, completion.model, completion.service_tier], ["chat.completion", "gpt-5.5", "default"]);
    const [choice] = completion.choices;
    assert.deepEqual(choice!.message, { role: "assistant", content: "You said: hello", refusal: null, annotations: [] });
    assert.equal(choice!.finish_reason, "stop");
    assert.equal(completion.usage!.completion_tokens, 4);
    assert.equal(completion.usage!.total_tokens, completion.usage!.prompt_tokens + 4);
    assert.deepEqual(models.requests.map((r) => [r.method, r.path, r.headers["authorization"]]), [["POST", "/v1/chat/completions", "Bearer sk-test"]]);
  });

  test("reads a streamed answer, chunk by chunk", async () => {
    const chunks = await all(await openai().chat.completions.create({ ...streamed("hello there"), stream: true }));
    assert.deepEqual(chunks.map((chunk) => chunk.choices[0]?.delta), [
      { role: "assistant", content: "", refusal: null }, { content: "You" }, { content: " said:" }, { content: " hello" }, { content: " there" }, {}, undefined]);
    assert.deepEqual(chunks.map((chunk) => chunk.choices[0]?.finish_reason ?? null), [null, null, null, null, null, "stop", null]);
    assert.deepEqual(chunks.map((chunk) => chunk.usage?.completion_tokens), [...Array(6).fill(undefined), 6]);
    assert.equal(new Set(chunks.map((chunk) => chunk.id)).size, 1);
    const without = await all(await openai().chat.completions.create({ ...question("x"), stream: true }));
    assert.ok(without.every((chunk) => !("usage" in chunk) && chunk.choices.length === 1));
  });

  for (const mode of ["create", "stream"] as const) {
    const get = (body: any) => (mode === "create" ? openai().chat.completions.create({ ...body, stream_options: undefined })
      : openai().chat.completions.stream(body).finalChatCompletion()) as Promise<any>;

    test(`calls tools and gets their results (${mode})`, async () => {
      const first = { ...streamed(one_call), tools: openai_tools };
      const [choice] = (await get(first)).choices;
      assert.equal(choice.finish_reason, "tool_calls");
      assert.equal(choice.message.content, null);
      const [tool_call] = choice.message.tool_calls;
      assert.match(tool_call.id, /^call_/);
      assert.deepEqual([tool_call.type, tool_call.function.name, JSON.parse(tool_call.function.arguments)], ["function", "weather", { city: "Zürich" }]);
      const reply = await get({ ...first, messages: [...first.messages, { role: "assistant", content: null, tool_calls: choice.message.tool_calls },
        { role: "tool", tool_call_id: tool_call.id, content: "7 degrees" }] });
      assert.deepEqual([reply.choices[0].message.content, reply.choices[0].finish_reason], ["The tool said: 7 degrees", "stop"]);
      assert.deepEqual(models.refused, []);
    });

    test(`calls several tools at once, after some words (${mode})`, async () => {
      models.queue({ answer: { blocks: [...say("Both.").blocks, ...call(["weather", { city: "Oslo" }], ["weather", { city: "Rome", deep: { list: [1, "ü"] } }]).blocks] } });
      const { message } = (await get(streamed("x"))).choices[0];
      assert.equal(message.content, "Both.");
      assert.deepEqual(message.tool_calls.map((c: any) => JSON.parse(c.function.arguments)), [{ city: "Oslo" }, { city: "Rome", deep: { list: [1, "ü"] } }]);
      assert.notEqual(message.tool_calls[0].id, message.tool_calls[1].id);
    });

    test(`knows every finish reason (${mode})`, async () => {
      const stops = { end: "stop", tools: "tool_calls", length: "length", refusal: "content_filter" } as const;
      for (const [stop, reason] of Object.entries(stops)) {
        models.queue({ answer: { ...say("x"), stop: stop as keyof typeof stops } });
        assert.equal((await get(streamed("x"))).choices[0].finish_reason, reason);
      }
      const short = await get({ ...streamed("a long story"), max_completion_tokens: 2 });
      assert.deepEqual([short.choices[0].message.content, short.choices[0].finish_reason], ["You said", "length"]);
    });

    test(`reads usage with what the cache gave (${mode})`, async () => {
      const system = { role: "system", content: "rule ".repeat(1000) };
      const body = (text: string) => ({ ...streamed(text), messages: [system, person(text)] });
      const first = (await get(body("one"))).usage, second = (await get(body("two"))).usage;
      assert.equal(first.prompt_tokens_details.cached_tokens, 0);
      assert.equal(second.prompt_tokens, first.prompt_tokens);
      assert.ok(second.prompt_tokens_details.cached_tokens >= 1152 && second.prompt_tokens_details.cached_tokens % 128 === 0);
      models.queue({ answer: { ...say("x"), usage: { input: 11, output: 22, cache_read: 33 } } });
      const { usage } = await get(streamed("x"));
      assert.deepEqual([usage.prompt_tokens, usage.completion_tokens, usage.prompt_tokens_details.cached_tokens, usage.total_tokens], [44, 22, 33, 66]);
    });

    test(`reads an answer that comes byte by byte (${mode})`, async () => {
      models.queue({ split: true, answer: say(odd_text) });
      assert.equal((await get(streamed("x"))).choices[0].message.content, odd_text);
    });

    test(`reads an answer without content (${mode})`, async () => {
      models.queue({ answer: nothing });
      const { message, finish_reason } = (await get(streamed("x"))).choices[0];
      assert.deepEqual([message.content, message.tool_calls, finish_reason], ["", undefined, "stop"]);
    });

    test(`knows every error (${mode})`, async () => {
      const errors: [Failure, new (...args: any) => Error, number, unknown][] = [
        ["unauthorized", OpenAI.AuthenticationError, 401, "invalid_api_key"],
        ["forbidden", OpenAI.PermissionDeniedError, 403, "unsupported_country_region_territory"],
        ["no_credit", OpenAI.RateLimitError, 429, "insufficient_quota"],
        ["no_such_model", OpenAI.NotFoundError, 404, "model_not_found"],
        ["context_full", OpenAI.BadRequestError, 400, "context_length_exceeded"],
        ["too_large", OpenAI.APIError, 413, null],
        ["rate_limited", OpenAI.RateLimitError, 429, "rate_limit_exceeded"],
        ["server_error", OpenAI.InternalServerError, 500, null],
        ["unavailable", OpenAI.InternalServerError, 503, null],
        ["overloaded", OpenAI.InternalServerError, 529, 529],
      ];
      for (const [fail, kind, status, code] of errors) {
        models.queue({ fail, retry_after: 7 });
        const problem = await failure(get(streamed("x")));
        assert.equal(problem.constructor, kind, fail);
        assert.deepEqual([problem.status, problem.code], [status, code]);
        if (fail === "rate_limited") assert.equal(problem.headers.get("retry-after"), "7");
        if (fail === "context_full") assert.equal(problem.param, "messages");
      }
    });
  }

  test("shows the key as the service does: a short one whole, a long one in part", async () => {
    models.queue({ fail: "unauthorized" }, { fail: "unauthorized" });
    assert.match((await failure(openai("abc").chat.completions.create(question("x")))).message, /provided: abc\./);
    assert.match((await failure(openai("sk-proj-0123456789wxyz").chat.completions.create(question("x")))).message, /provided: sk-proj-\*{10}wxyz\./);
  });

  test("reads arguments that end half way, and ids that come twice", async () => {
    models.queue({ truncate_arguments: true }, { duplicate_ids: true });
    const cut = (await openai().chat.completions.stream(question(one_call)).finalChatCompletion()).choices[0]!;
    assert.equal(cut.finish_reason, "length");
    assert.equal((cut.message.tool_calls![0] as any).function.arguments, half_of_it);
    const twice = (await openai().chat.completions.stream(question(two_calls)).finalChatCompletion()).choices[0]!;
    assert.deepEqual(twice.message.tool_calls!.map((c: any) => [c.id, JSON.parse(c.function.arguments).city]), [["call_twice", "Oslo"], ["call_twice", "Rome"]]);
  });

  test("notices an error in the middle of a stream", async () => {
    models.queue({ error_event: true });
    let text = "";
    const problem = await failure((async () => {
      for await (const chunk of await openai().chat.completions.create({ ...question("hello"), stream: true })) text += chunk.choices[0]?.delta.content ?? "";
    })());
    assert.ok(problem instanceof OpenAI.APIError);
    assert.equal(problem.type, "server_error");
    assert.ok(text && "You said: hello".startsWith(text), text);
  });

  test("refuses what the service refuses", async () => {
    const tool_call = { id: "call_1", type: "function", function: { name: "weather", arguments: "{}" } };
    const bad: [object, RegExp][] = [
      [{ model: undefined }, /must provide a model parameter/],
      [{ messages: [] }, /empty array/],
      [{ tools: [] }, /empty array/],
      [{ max_tokens: 5 }, /Use 'max_completion_tokens' instead/],
      [{ stream_options: { include_usage: true } }, /only allowed when 'stream' is enabled/],
      [{ messages: [{ role: "tool", tool_call_id: "call_1", content: "x" }] }, /must be a response to a preceeding message with 'tool_calls'/],
      [{ messages: [person("x"), { role: "assistant", tool_calls: [tool_call] }, person("y")] }, /did not have response messages: call_1/],
      [{ messages: [person("x"), { role: "assistant", tool_calls: [{ ...tool_call, function: { name: "w", arguments: {} } }] }] }, /expected a string, but got an object/],
      [{ tools: [{ type: "function", function: { name: "a.b" } }] }, /does not match pattern/],
    ];
    for (const [change, words] of bad) {
      const problem = await failure(openai().chat.completions.create({ ...question("x"), ...change } as any));
      assert.equal(problem.constructor, OpenAI.BadRequestError, `${words}`);
      assert.match(problem.error.error?.message ?? problem.error.message, words);
    }
    assert.equal(models.refused.length, bad.length);
  });
});

// What breaks below the wire format breaks alike for both.
interface Client { name: string; whole(text: string): Promise<string>; stream(text: string, heard: (delta: string) => void, signal?: AbortSignal): Promise<string> }
const clients: Client[] = [
  {
    name: "Anthropic's client",
    whole: async (text) => (await anthropic().messages.create(ask(text)) as any).content[0].text,
    stream: (text, heard, signal) => anthropic().messages.stream(ask(text), { signal: signal ?? null }).on("text", heard).finalText(),
  },
  {
    name: "OpenAI's client",
    whole: async (text) => (await openai().chat.completions.create(question(text)) as any).choices[0].message.content,
    stream: async (text, heard, signal) => {
      const stream = openai().chat.completions.stream(streamed(text), { signal: signal ?? null }).on("content", heard);
      return (await stream.finalContent())!;
    },
  },
];

for (const { name, whole, stream } of clients) {
  describe(name, () => {
    test("finds the conversation in what it sends: the model remembers nothing itself", async () => {
      const history = [person("I am Ada"), { role: "assistant" as const, content: "Hello" }, person("What did I say first?")];
      const text = name.startsWith("A") ? (await anthropic().messages.create({ ...ask(""), messages: history }) as any).content[0].text
        : (await openai().chat.completions.create({ ...question(""), messages: history })).choices[0]!.message.content;
      assert.equal(text, 'You said first: "I am Ada"');
    });

    for (const stall of ["head", "first_event", "mid_stream"] as const) {
      test(`a stall (${stall}) ends when it is released`, async () => {
        models.queue({ stall });
        const answer = stream("hello", () => {});
        await models.stalled();
        models.release();
        assert.equal(await answer, "You said: hello");
      });

      test(`a stall (${stall}) ends when the client goes away`, async () => {
        models.queue({ stall });
        const gone = new AbortController();
        const problem = failure(stream("hello", () => {}, gone.signal));
        await models.stalled();
        gone.abort();
        assert.match((await problem).message, /aborted/);
        assert.equal(await models.requests[0]!.ended, "client_gone");
      });
    }

    for (const cut of ["before_head", "mid_stream", "clean_end"] as const) {
      test(`notices a connection that ends: ${cut}`, async () => {
        models.queue({ cut });
        let text = "";
        await failure(stream("hello", (delta) => { text += delta; }));
        assert.ok("You said: hello".startsWith(text), text);
        assert.equal(text === "", cut === "before_head");
        assert.equal(await models.requests[0]!.ended, cut === "clean_end" ? "answered" : "cut");
      });
    }

    test("notices a whole answer of which half came", async () => {
      models.queue({ cut: "mid_stream" });
      await failure(whole("hello"));
    });

    for (const garbage of ["html", "not_json", "not_sse", "bad_event"] as const) {
      test(`makes nothing of garbage: ${garbage}`, async () => {
        models.queue({ garbage });
        await failure(stream("hello", () => {}));
        if (garbage === "bad_event" || garbage === "not_sse") return;
        models.queue({ garbage });
        await failure(whole("hello"));
      });
    }

    test("a script by function sees the request it decides on", async () => {
      const own = await FaultServer.start((request, i): Behaviour => ({ answer: say(`${i}: ${request.prompt === undefined}, ${request.body.messages[0].content}`) }));
      const before = models;
      models = own;
      try {
        assert.equal(await whole("a"), "0: true, a");
        assert.equal(await whole("b"), "1: true, b");
      } finally {
        models = before;
        await own.close();
      }
    });
  });
}

test("both clients try again when they are told to, and get the answer", async () => {
  models.queue({ fail: "rate_limited", retry_after: 0 });
  const message: any = await anthropic().messages.create(ask("hello"), { maxRetries: 1 });
  assert.equal(message.content[0].text, "You said: hello");
  models.queue({ fail: "rate_limited", retry_after: 0 });
  const completion = await openai().chat.completions.create(question("hello"), { maxRetries: 1 });
  assert.equal(completion.choices[0]!.message.content, "You said: hello");
  assert.equal(models.requests.length, 4);
});

test("without a key, a version, JSON or a path there is nothing to be had", async () => {
  const post = async (path: string, headers: Record<string, string>, body: string) => {
    const answer = await fetch(models.anthropic_url + path, { method: "POST", headers, body });
    return [answer.status, (await answer.json() as any).error.message];
  };
  const key = { "x-api-key": "x" }, version = { "anthropic-version": "2023-06-01" }, bearer = { authorization: "Bearer x" };
  const messages = JSON.stringify({ ...ask("x"), temperature: 0 }), completions = JSON.stringify(question("x"));
  assert.deepEqual(await post("/v1/messages", version, messages), [401, "x-api-key header is required"]);
  assert.deepEqual(await post("/v1/messages", key, messages), [400, "anthropic-version: header is required"]);
  assert.match((await post("/v1/messages", { ...key, ...version }, "{"))[1], /not valid JSON/);
  assert.match((await post("/v1/chat/completions", {}, completions))[1], /^You didn't provide an API key/);
  assert.match((await post("/v1/chat/completions", bearer, "[1]"))[1], /^We could not parse the JSON body/);
  assert.deepEqual(await post("/v1/chat", bearer, completions), [404, "Invalid URL (POST /v1/chat)"]);
  assert.equal(models.refused.length, 6);
  const answer = await fetch(`${models.anthropic_url}/v1/messages`, { method: "POST", headers: { ...key, ...version }, body: messages });
  assert.equal(answer.status, 200);
});
