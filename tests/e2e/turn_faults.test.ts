// What a person is told when the model's service misbehaves: every fault that tests/models/fault_server.ts knows, in
// both wire formats, through the real binary. Each ends in the right answer or in plain words, within its deadline.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { FaultServer, nothing, type Behaviour } from "../models/fault_server.ts";
import { House, api_key, said_in, wires } from "./talk.ts";

const odd_text = "Grüße, 世界! 👩🏽‍🚀 «ﬁn» \\ \"quoted\"\ttab";
const sum = 'use calculate {"expression":"6*7"}';
const two_sums = `${sum}\nuse calculate {"expression":"2+3"}`;
const always = (behaviour: Behaviour): Behaviour[] => Array.from({ length: 20 }, () => behaviour);

interface Fault {
  name: string;
  behaviours: Behaviour[];  // of the requests of this case, in order; after them all is well
  message?: string;
  answers?: RegExp;         // the right answer
  fails?: [reason: string, words: RegExp];
  requests: number;
  at_least_ms?: number;
}

const faults: Fault[] = [
  // Odd, and yet whole.
  { name: "characters and frames cut everywhere", behaviours: [{ split: true }], message: odd_text, answers: new RegExp(`${RegExp.escape(odd_text)}$`), requests: 1 },
  { name: "tool calls cut everywhere", behaviours: [{ split: true }, { split: true }], message: two_sums, answers: /^The tool said: 6\*7 = 42 \| 2\+3 = 5$/, requests: 2 },
  { name: "calls with the same id", behaviours: [{ duplicate_ids: true }], message: two_sums, answers: /^The tool said: 6\*7 = 42 \| 2\+3 = 5$/, requests: 2 },

  // Tried again, and then all is well.
  { name: "429 that asks to wait", behaviours: [{ fail: "rate_limited", retry_after: 1 }], answers: /^You said: /, requests: 2, at_least_ms: 990 },
  { name: "500", behaviours: [{ fail: "server_error" }], answers: /^You said: /, requests: 2 },
  { name: "503 twice", behaviours: [{ fail: "unavailable" }, { fail: "unavailable" }], answers: /^You said: /, requests: 3 },
  { name: "529", behaviours: [{ fail: "overloaded" }], answers: /^You said: /, requests: 2 },
  { name: "a connection that ends before it begins", behaviours: [{ cut: "before_head" }], answers: /^You said: /, requests: 2 },
  { name: "a connection cut in the middle", behaviours: [{ cut: "mid_stream" }], answers: /^You said: /, requests: 2 },
  { name: "a connection cut in a tool call", behaviours: [{ cut: "mid_stream" }], message: sum, answers: /6\*7 = 42/, requests: 3 },
  { name: "a connection cut after a tool call", behaviours: [{}, { cut: "mid_stream" }], message: sum, answers: /6\*7 = 42/, requests: 3 },
  { name: "an answer without its end", behaviours: [{ cut: "clean_end" }], answers: /^You said: /, requests: 2 },
  { name: "an error in the stream", behaviours: [{ error_event: true }], answers: /^You said: /, requests: 2 },
  { name: "a sign-in page instead", behaviours: [{ garbage: "html" }], answers: /^You said: /, requests: 2 },
  { name: "half a JSON", behaviours: [{ garbage: "not_json" }], answers: /^You said: /, requests: 2 },
  { name: "noise", behaviours: [{ garbage: "not_sse" }], answers: /^You said: /, requests: 2 },
  { name: "an event that is no JSON", behaviours: [{ garbage: "bad_event" }], answers: /^You said: /, requests: 2 },

  // Not to be helped: said plainly.
  { name: "500 for good", behaviours: always({ fail: "server_error" }), fails: ["model_server_error", /had an error|[Ii]nternal server error/], requests: 4 },
  { name: "429 for longer than there is time", behaviours: always({ fail: "rate_limited", retry_after: 3600 }), fails: ["model_rate_limited", /asks to wait 1 h/], requests: 1 },
  { name: "connections cut for good", behaviours: always({ cut: "mid_stream" }), fails: ["model_broken_answer", /cut off/], requests: 4 },
  { name: "garbage for good", behaviours: always({ garbage: "not_sse" }), fails: ["model_broken_answer", /cut off before it began/], requests: 4 },
  { name: "a refused key", behaviours: [{ fail: "unauthorized" }], fails: ["model_unauthorized", /check the model's API key/], requests: 1 },
  { name: "no credit", behaviours: [{ fail: "no_credit" }], fails: ["model_no_credit", /check the billing/], requests: 1 },
  { name: "no such model", behaviours: [{ fail: "no_such_model" }], fails: ["model_refused_request", /check the model's name/], requests: 1 },
  { name: "a prompt that is too long", behaviours: always({ fail: "context_full" }), fails: ["model_context_full", /too long for the model; \/clear starts fresh/], requests: 1 },
  { name: "an empty answer", behaviours: always({ answer: nothing }), fails: ["empty_answer", /gave an empty answer/], requests: 1 },
  { name: "tool arguments that end half way", behaviours: [{ truncate_arguments: true }], message: sum, fails: ["model_broken_answer", /output limit in the middle of a call of 'calculate'/], requests: 1 },
];


// Every call has one result, after it; the words of the person come first and those of the agent last.
function check_transcript(messages: any[]): void {
  const blocks = messages.flatMap((one) => one.content);
  const calls = blocks.filter((one) => one.type === "tool_call").map((one) => one.call_id);
  const results = blocks.filter((one) => one.type === "tool_result").map((one) => one.call_id);
  assert.deepEqual(results, calls);
  assert.equal(new Set(calls).size, calls.length);
  assert.deepEqual([messages[0].role, messages.at(-1).role], ["user", "assistant"]);
}

for (const wire of wires) {
  describe(`faults of ${wire}`, { concurrency: true }, () => {
    let house: House;
    const heard: string[] = [];             // everything that was answered
    const met = new Map<string, number>();  // requests of a case
    before(async () => {
      house = await House.start({
        model: wire,
        script: ({ text }) => {
          if (text.includes("And now?")) return {};
          const marker = /case-\d+-/.exec(text)![0], count = met.get(marker) ?? 0;
          met.set(marker, count + 1);
          return faults[Number(marker.split("-")[1])]!.behaviours[count];
        },
      });
    });
    after(async () => {
      for (const path of ["/api/turns?limit=200", "/api/health", "/metrics"]) heard.push(await (await house.server.fetch(path)).text());
      await house.close();
      for (const text of [...heard, house.log]) assert.ok(!text.includes(api_key.slice(8)), "the key was told");
    });

    for (const [index, fault] of faults.entries()) {
      test(fault.name, async () => {  // DL-*, S0-27 to S0-30
        const marker = `case-${index}-`, began = performance.now();
        const { status, body } = await house.chat(marker, `${marker}\n${fault.message ?? "hello"}`, { client_message_id: marker });
        const took = performance.now() - began;
        assert.equal(status, 200);
        const turn = (await house.server.json(`/api/turns/${body.turn_id}`)).body;
        const messages = await house.messages(marker);
        heard.push(JSON.stringify([body, turn, messages]));

        const [reason, words] = fault.fails ?? ["", fault.answers!];
        assert.deepEqual([body.verdict, body.reason], [fault.fails ? "failed" : "spoke", reason], body.response);
        assert.match(body.response, words);
        assert.equal(met.get(marker), fault.requests, "requests to the model");
        if (fault.at_least_ms) assert.ok(took >= fault.at_least_ms, `${took} ms`);
        assert.deepEqual([turn.state, turn.verdict, turn.reason, turn.attempts, turn.response], ["done", body.verdict, reason, 1, body.response]);
        assert.equal(Boolean(turn.error), Boolean(fault.fails), "a failure has a story");
        check_transcript(messages);
        assert.equal(said_in(messages), body.response);

        const next = (await house.chat(marker, "And now?")).body;
        assert.deepEqual([next.verdict, next.response], ["spoke", "You said: And now?"], "the conversation goes on");
      });
    }
  });

  describe(`${wire} is slow`, () => {
    let house: House;
    before(async () => { house = await House.start({ model: wire, config: { turns: { stall_seconds: 5 } } }); });
    after(() => house.close());

    for (const stall of ["head", "first_event", "mid_stream"] as const) {
      test(`and answers in the end (${stall})`, async () => {
        house.models.queue({ stall });
        const asked = house.chat("slow", "hello");
        await house.models.stalled();
        house.models.release();
        assert.equal((await asked).body.response, "You said: hello");
      });
    }

    // Before the head a minute is allowed, which is too long for a test.
    test("and stops on the way: the turn is tried again or ends, in time and with words", async () => {
      const stalls = ["head", "first_event", "mid_stream"] as const;
      house.models.queue(...stalls.map((stall) => ({ stall })));
      const before = house.models.requests.length, began = performance.now();
      const answers = await Promise.all(stalls.map((stall) => house.chat(`stuck-${stall}`, "hello")));
      assert.ok(performance.now() - began < 20_000);
      for (const { body } of answers) {
        if (body.verdict === "spoke") assert.equal(body.response, "You said: hello");
        else assert.match(`${body.verdict} ${body.reason}: ${body.response}`, /^interrupted inactive: [^]*Nothing moved for too long, so I stopped here\./);
      }
      const endings = await Promise.all(house.models.requests.slice(before, before + 2).map((request) => request.ended));
      assert.deepEqual(endings, ["client_gone", "client_gone"], "nobody waits for them any more");
      assert.equal((await house.chat("stuck-mid_stream", "again")).body.response, "You said: again");
    });
  });

  test(`${wire}: a stream that breaks begins again, and its deltas are the answer`, async () => {
    const house = await House.start({ model: wire, script: [{ cut: "mid_stream" }, { split: true }] });
    const events = await house.stream("again", "one two three four five six seven");
    const last = events.findLastIndex((one) => one.event === "again");
    assert.ok(last > 0, "what was streamed is void");
    assert.ok(events.slice(0, last).some((one) => one.event === "delta"));
    const streamed = events.slice(last).filter((one) => one.event === "delta").map((one) => one.data.text).join("");
    assert.equal(streamed, "You said: one two three four five six seven");
    assert.equal(events.at(-1)!.data.response, streamed);
    await house.close();
  });
}

describe("a model with another behind it", () => {
  for (const fail of ["unauthorized", "no_credit", "server_error", "overloaded"] as const) {
    test(`${fail}: the next one answers`, async () => {
      const other = await FaultServer.start();
      const house = await House.start({
        model: "anthropic", script: () => ({ fail }),
        config: { models: {
          main: { fallback: ["spare"], retries: 0 },
          spare: { provider: "openai", base_url: other.openai_url, model: "llama3", api_key_env: "A_KEY_OF_MY_OWN" },
        } },
      });
      const { body } = await house.chat("a", "hello");
      assert.deepEqual([body.verdict, body.response], ["spoke", "You said: hello"]);
      assert.deepEqual([house.models.requests.length, other.requests.length], [1, 1]);
      assert.match((await house.turns())[0].model, /^openai\/llama3$/);
      await house.close();
      assert.deepEqual(other.refused, []);
      await other.close();
    });
  }
});
