// The reconnecting socket on a clock that is moved by hand.
import assert from 'node:assert/strict';
import { beforeEach, mock, test } from 'node:test';
import { LiveSocket, type Link, type Wire } from '../src/lib/socket.ts';

class FakeWire {
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: (() => void) | null = null;
  readonly sent: string[] = [];
  closed = false;
  send(text: string): void {
    this.sent.push(text);
  }
  close(): void {
    this.closed = true;
  }
  say(frame: object): void {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }
  hello(): void {
    this.say({ type: 'hello', protocol: 1, boot_id: 'b1', version: '0.1.0' });
  }
}

function open({ visible = true, signedOut = false } = {}) {
  const wires: FakeWire[] = [];
  const links: Link[] = [];
  const world = { visible, signedOut, ended: 0, frames: 0 };
  const socket = new LiveSocket({
    connect: () => {
      const wire = new FakeWire();
      wires.push(wire);
      return wire as unknown as Wire;
    },
    isVisible: () => world.visible,
    isSignedOut: async () => world.signedOut,
    onFrame: () => world.frames++,
    onLink: (link) => links.push(link),
    onSignedOut: () => world.ended++,
    random: () => 1,
  });
  socket.start();
  return { socket, wires, links, world, last: () => wires.at(-1)!, state: () => links.at(-1)! };
}

/** Lets promises settle without moving the clock. */
const settle = () => new Promise((done) => process.nextTick(() => process.nextTick(done)));

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 0 });
});

test('it is open with the hello, not with the TCP connection', () => {
  const it = open();
  assert.deepEqual(it.state(), { kind: 'connecting', again: false });
  it.last().hello();
  assert.deepEqual(it.state(), { kind: 'open' });
  assert.equal(it.world.frames, 1);
});

for (const [who, visible, table] of [
  ['somebody looks: 1 s at most, so that a restarted server is found within 2 s', true, [0.25, 0.5, 1, 1, 1, 1, 1, 1, 1, 1]],
  ['nobody looks: up to 30 s', false, [0.25, 0.5, 1, 2, 4, 8, 16, 30, 30, 30]],
] as const) {
  test(`waits while the server is away and ${who}`, async () => {
    const it = open({ visible });
    const waits: number[] = [];
    for (const {} of table) {
      it.last().onclose?.();
      await settle();
      const state = it.state();
      assert.equal(state.kind, 'waiting');
      const waitMs = state.kind === 'waiting' ? state.retryAtMs - Date.now() : 0;
      waits.push(waitMs);
      mock.timers.tick(waitMs);
      assert.deepEqual(it.state(), { kind: 'connecting', again: true });
    }
    assert.deepEqual(waits, table.map((seconds) => seconds * 1000));
  });
}

test('a connection that lasted makes the next wait short again, one that did not does not', async () => {
  const it = open();
  for (let round = 0; round < 3; round++) {
    it.last().hello();
    it.last().onclose?.();
    await settle();
    mock.timers.tick(30_000);
  }
  it.last().hello();
  mock.timers.tick(10_000);
  it.last().onclose?.();
  await settle();
  assert.deepEqual(it.state(), { kind: 'waiting', retryAtMs: Date.now() + 250 });
  const waits = it.links.filter((link) => link.kind === 'waiting').length;
  assert.equal(waits, 4);
});

test('waking up tries at once instead of waiting', async () => {
  const it = open();
  it.last().onclose?.();
  await settle();
  it.socket.wake();
  assert.equal(it.wires.length, 2);
  mock.timers.tick(5_000);
  assert.equal(it.wires.length, 2, 'the cancelled timer must not connect a second time');
});

test('health is asked for every 15 s while somebody looks', () => {
  const it = open();
  it.last().hello();
  for (let round = 1; round <= 3; round++) {
    mock.timers.tick(15_000);
    assert.equal(it.last().sent.length, round);
    assert.deepEqual(JSON.parse(it.last().sent.at(-1)!), { type: 'health' });
    it.last().say({ type: 'health' });
  }
  it.world.visible = false;
  mock.timers.tick(60_000);
  assert.equal(it.last().sent.length, 3);
  it.world.visible = true;
  it.socket.wake();
  assert.equal(it.last().sent.length, 4);
});

test('a peer that stays silent counts as lost', async () => {
  const it = open();
  it.last().hello();
  mock.timers.tick(15_000);
  mock.timers.tick(10_000);
  await settle();
  assert.equal(it.wires[0]!.closed, true);
  assert.equal(it.state().kind, 'waiting');
});

test('a connection without a hello is given up after 10 s', async () => {
  const it = open();
  mock.timers.tick(10_000);
  await settle();
  assert.equal(it.state().kind, 'waiting');
});

test('a refused upgrade with an ended session ends it, without another try', async () => {
  const it = open({ signedOut: true });
  it.last().onclose?.();
  await settle();
  assert.equal(it.world.ended, 1);
  mock.timers.tick(120_000);
  assert.equal(it.wires.length, 1);
});

test('nothing happens after stop', async () => {
  const it = open();
  it.last().hello();
  it.socket.stop();
  assert.equal(it.last().closed, true);
  it.socket.wake();
  mock.timers.tick(120_000);
  await settle();
  assert.equal(it.wires.length, 1);
});

test('frames it does not know are ignored', () => {
  const it = open();
  it.last().hello();
  it.last().say({ type: 'from_the_future' });
  it.last().onmessage?.({ data: 'not json' });
  it.last().onmessage?.({ data: new Uint8Array(4) });
  assert.equal(it.world.frames, 1);
  assert.deepEqual(it.state(), { kind: 'open' });
});
