// Notifications on their way out: a `::notify` line becomes one and is seen nowhere else; ntfy and a signed webhook take
// it from local servers that misbehave first; a browser's push message is decrypted by a library of others and its
// signature checked by node; a conversation hears it. UX-8
import assert from "node:assert/strict";
import { createECDH, createHmac, createPublicKey, randomBytes, verify } from "node:crypto";
import { once } from "node:events";
import { statSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server as HttpServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { until } from "./automation_house.ts";
import { root, temp_dir } from "./server.ts";
import { House, said_in } from "./talk.ts";

const ece = createRequire(join(root, "web/package.json"))("http_ece") as {
  decrypt(body: Buffer, params: object): Buffer;
};

// --- a place that takes what is sent, as it is told to ---------------------------------------------

interface Taken { path: string; headers: IncomingHttpHeaders; body: Buffer; at: number }
interface Reply { status: number; headers?: Record<string, string> }

class Place {
  readonly taken: Taken[] = [];
  replies: Reply[] = [];  // the next ones; after them all is well
  #server: HttpServer;
  private constructor() {
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      this.taken.push({ path: request.url!, headers: request.headers, body: Buffer.concat(chunks), at: Date.now() });
      const reply = this.replies.shift() ?? { status: 200 };
      response.writeHead(reply.status, reply.headers).end();
    });
  }
  static async open(): Promise<Place> {
    const place = new Place();
    place.#server.listen(0, "127.0.0.1");
    await once(place.#server, "listening");
    places.add(place);
    return place;
  }
  get url(): string { return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`; }
  // The n-th that came.
  get(n = 1): Promise<Taken> { return until(`${n} requests came`, async () => this.taken[n - 1]); }
  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
const places = new Set<Place>();
after(() => places.forEach((place) => place.close()));

const hook_key = "a-key-that-only-both-know";
function key_file(): string {
  const path = join(temp_dir(), "hook.key");
  writeFileSync(path, hook_key, { mode: 0o600 });
  return path;
}

// A browser with its keys, at a push service of ours.
class Browser {
  readonly #ecdh = createECDH("prime256v1");
  readonly #auth = randomBytes(16);
  readonly endpoint: string;
  constructor(endpoint: string) {
    this.endpoint = endpoint;
    this.#ecdh.generateKeys();
  }
  get subscription(): object {
    return { endpoint: this.endpoint, keys: { p256dh: this.#ecdh.getPublicKey("base64url"), auth: this.#auth.toString("base64url") } };
  }
  read(body: Buffer): any {
    const text = ece.decrypt(body, { version: "aes128gcm", privateKey: this.#ecdh, authSecret: this.#auth.toString("base64url") });
    return JSON.parse(text.toString("utf8"));
  }
}

// The claims of a token that was signed with the key beside it.
function checked_claims(authorization: string, key: string): any {
  const [, token, public_key] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization)!;
  assert.equal(public_key, key);
  const point = Buffer.from(key, "base64url");
  assert.equal(point.length, 65);
  const jwk = { kty: "EC", crv: "P-256", x: point.subarray(1, 33).toString("base64url"), y: point.subarray(33).toString("base64url") };
  const [head, claims, signature] = token!.split(".");
  assert.ok(verify("sha256", Buffer.from(`${head}.${claims}`), { key: createPublicKey({ key: jwk, format: "jwk" }), dsaEncoding: "ieee-p1363" },
    Buffer.from(signature!, "base64url")), "the signature");
  assert.deepEqual(JSON.parse(Buffer.from(head!, "base64url").toString()), { typ: "JWT", alg: "ES256" });
  return JSON.parse(Buffer.from(claims!, "base64url").toString());
}

const notifications = async (house: House): Promise<any> => (await house.server.json("/api/notifications")).body;
const settled = (house: House, count = 1): Promise<any[]> => until(`${count} deliveries are over`, async () => {
  const all = await house.deliveries();
  return all.length >= count && all.every((one) => one.state !== "pending" && one.state !== "sending") && all;
});

// --- the tests -------------------------------------------------------------------------------------

describe("a ::notify line", { concurrency: true }, () => {
  test("becomes a notification and is seen nowhere else", async () => {
    const house = await House.start({ model: "openai", script: [{ split: true }] });
    const events = await house.stream("websocket:1", "hello\n::notify Lunch is ready\nbye");
    const shown = events.filter((one) => one.event === "delta").map((one) => one.data.text).join("");
    assert.ok(!JSON.stringify(events).includes("::notify"), JSON.stringify(events));
    assert.equal(shown, "You said: hello\nbye");
    assert.equal(said_in((await house.messages("websocket:1"))), "You said: hello\nbye");
    const { items, unread } = await notifications(house);
    assert.equal(unread, 1);
    assert.deepEqual([items[0].kind, items[0].subject, items[0].text], ["agent", "Lunch is ready", "You said: hello\nbye"]);
    assert.ok(items[0].conversation_id.startsWith("conv_"));

    assert.deepEqual((await house.server.json("/api/notifications/read", { through: items[0].number })).body, { read: 1, unread: 0 });
    assert.ok((await notifications(house)).items[0].read_at);
    await house.close();
  });

  test("inside of a code fence is text, and the last one wins", async () => {
    const house = await House.start({ model: "openai" });
    const fenced = "look\n```\n::notify not me\n```";
    assert.equal((await house.chat("websocket:1", fenced)).body.response, `You said: ${fenced}`);
    assert.equal((await notifications(house)).items.length, 0);
    assert.equal((await house.chat("websocket:1", "a\n::notify one\n::notify two")).body.response, "You said: a");
    assert.deepEqual((await notifications(house)).items.map((one: any) => one.subject), ["two"]);
    await house.close();
  });
});

describe("the ways out", { concurrency: true }, () => {
  test("ntfy takes it after a 500, a webhook after a 429, each once", async () => {
    const ntfy = await Place.open(), hook = await Place.open();
    ntfy.replies = [{ status: 500 }];
    hook.replies = [{ status: 429, headers: { "retry-after": "1" } }];
    const house = await House.start({ model: "openai", config: { notifications: { targets: {
      phone: { type: "ntfy", url: ntfy.url, topic: "my-topic", privacy: "subject" },
      hook: { type: "webhook", url: `${hook.url}/in`, secret_file: key_file() },
      later: { type: "ntfy", url: ntfy.url, topic: "never", kinds: ["heartbeat"] },
    } } } });
    await house.chat("websocket:1", "a\n::notify Grüße");
    const over = await settled(house, 2);
    assert.deepEqual(over.map((one) => [one.to, one.state, one.attempts]).sort(), [["notify-ntfy:phone", "delivered", 2], ["notify-webhook:hook", "delivered", 2]]);

    const told = await ntfy.get(2);
    assert.equal(told.path, "/my-topic");
    assert.equal(told.headers.title, `=?UTF-8?B?${Buffer.from("Grüße").toString("base64")}?=`);
    assert.equal(told.body.toString(), "Grüße");  // it may not see more

    const [first, second] = [await hook.get(1), await hook.get(2)];
    for (const one of [first, second]) {
      const stamp = one.headers["x-rouse-timestamp"] as string;
      const wanted = createHmac("sha256", hook_key).update(`${stamp}.`).update(one.body).digest("hex");
      assert.equal(one.headers["x-rouse-signature"], `v1=${wanted}`);
      assert.ok(Math.abs(Date.now() / 1000 - Number(stamp)) < 60);
    }
    assert.equal(first.headers["idempotency-key"], second.headers["idempotency-key"]);
    assert.deepEqual(first.body, second.body);
    const body = JSON.parse(first.body.toString());
    assert.deepEqual([body.kind, body.subject, body.text], ["agent", "Grüße", "You said: a"]);
    assert.equal(ntfy.taken.length, 2);
    assert.ok(!house.server.stderr.includes(hook_key));
    await house.close();
  });

  test("a browser reads its push message, and is forgotten when it is gone", async () => {
    const service = await Place.open();
    service.replies = [{ status: 201 }, { status: 410 }];
    const house = await House.start({ model: "openai" });
    const { key } = (await house.server.json("/api/push/key")).body;
    assert.equal(statSync(join(house.data, "secrets/web-push")).mode & 0o777, 0o600);
    const browser = new Browser(`${service.url}/send/abc`);
    const made = await house.server.json("/api/push/subscriptions", { ...browser.subscription, name: "Firefox" });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    assert.ok(!JSON.stringify(made.body).includes("/send/abc"), "the endpoint is a secret");

    await house.chat("websocket:1", "a\n::notify Lunch");
    const sent = await service.get();
    assert.equal(sent.path, "/send/abc");
    assert.equal(sent.headers["content-encoding"], "aes128gcm");
    assert.ok(Number(sent.headers.ttl) > 86_000 && Number(sent.headers.ttl) <= 86_400);
    assert.match(sent.headers.topic as string, /^[\w-]{32}$/);
    assert.ok(sent.body.length < 4_096);
    const claims = checked_claims(sent.headers.authorization!, key);
    assert.equal(claims.aud, service.url);
    assert.ok(claims.exp > Date.now() / 1000 && claims.exp < Date.now() / 1000 + 86_400);
    assert.match(claims.sub, /^mailto:/);
    const message = browser.read(sent.body);
    assert.deepEqual([message.subject, message.text], ["Lunch", "You said: a"]);
    assert.match(message.url, /conv_/);
    await settled(house);

    // The key outlives a restart, else every browser would be lost.
    await house.restart();
    assert.equal((await house.server.json("/api/push/key")).body.key, key);
    const [one] = (await house.server.json("/api/push/subscriptions")).body.items;
    assert.deepEqual([one.name, one.host], ["Firefox", "127.0.0.1"]);
    assert.ok(one.worked_at);

    await house.chat("websocket:1", "b\n::notify Again");
    const over = await settled(house, 2);
    assert.deepEqual(over.map((delivery) => delivery.state), ["failed", "delivered"]);
    assert.deepEqual((await house.server.json("/api/push/subscriptions")).body.items, []);
    await house.close();
  });

  test("a subscription that can't be one is refused", async () => {
    const house = await House.start();
    const good: any = new Browser("https://push.example/1").subscription;
    for (const [what, wrong] of [
      ["http elsewhere", { ...good, endpoint: "http://push.example/1" }],
      ["a file", { ...good, endpoint: "file:///etc/passwd" }],
      ["a point off the curve", { ...good, keys: { ...good.keys, p256dh: Buffer.alloc(65, 4).toString("base64url") } }],
      ["half a secret", { ...good, keys: { ...good.keys, auth: "YQ" } }],
    ] as const) {
      assert.equal((await house.server.json("/api/push/subscriptions", wrong)).status, 400, what);
    }
    const made = await house.server.json("/api/push/subscriptions", good);
    assert.equal(made.status, 201);
    assert.equal((await house.server.json(`/api/push/subscriptions/${made.body.id}`, undefined, "DELETE")).status, 200);
    assert.equal((await house.server.json(`/api/push/subscriptions/${made.body.id}`, undefined, "DELETE")).status, 404);
    await house.close();
  });

  test("a conversation hears it without a model being asked", async () => {
    const house = await House.start({ model: "openai", config: { notifications: { targets: {
      chat: { type: "conversation", conversation: "websocket:told" },
    } } } });
    await house.chat("websocket:1", "a\n::notify Lunch");
    const words = await until("it is said", async () => {
      const answer = await house.server.json(`/api/conversations/${encodeURIComponent("websocket:told")}/messages`);
      return answer.status === 200 && answer.body.items.some((one: any) => one.role === "assistant") && said_in(answer.body.items.reverse());
    });
    assert.equal(words, "Lunch\n\nYou said: a");
    assert.equal(house.models.requests.length, 1);
    await house.close();
  });

  test("a test goes to one target and says what became of it", async () => {
    const ntfy = await Place.open();
    const house = await House.start({ config: { notifications: { targets: {
      phone: { type: "ntfy", url: ntfy.url, topic: "t", kinds: [] },
      desk: { type: "desktop" },
    } } } });
    const tried = await house.server.json("/api/notifications/test", { target: "phone" });
    assert.equal(tried.status, 202);
    assert.equal((await ntfy.get()).headers.title, "A test from rouse");
    await house.server.json("/api/notifications/test", { target: "desk" });
    const over = await settled(house, 2);
    assert.deepEqual(over.map((one) => one.state), ["failed", "delivered"]);
    assert.equal(over[1].id, tried.body.deliveries[0]);
    assert.match(over[0].error, /notify-send is not installed|without a desktop/);
    assert.equal((await house.server.json("/api/notifications/test", { target: "nobody" })).status, 404);
    assert.deepEqual((await house.server.json("/api/notifications/targets")).body.items.map((one: any) => one.name), ["desk", "phone"]);
    assert.equal((await notifications(house)).items.length, 0);
    await house.close();
  });
});

// UX-6
test("a day's cap that is reached is one notice, whoever is refused", async () => {
  const house = await House.start({ model: "anthropic", config: { spend: { day_usd: 0.000001 } } });
  const notices = async () => (await house.server.json("/api/notifications")).body.items as { kind: string; subject: string; text: string }[];
  for (const session of ["one", "two"]) {
    const { body } = await house.chat(session, "Good morning");
    assert.match(body.response, /^The cap for today is reached: /);
  }
  await until("the notice is there", async () => (await notices()).length > 0 || undefined);
  await house.restart();
  await house.chat("three", "Good evening");
  const all = await notices();
  assert.equal(all.length, 1);
  assert.equal(all[0]!.kind, "system");
  assert.equal(all[0]!.subject, "Paid answers pause until tomorrow");
  assert.match(all[0]!.text, /To go on sooner, raise spend\.day_usd in rouse\.yaml or in the settings\.$/);
  assert.equal(house.models.requests.length, 0);
  await house.close();
});
