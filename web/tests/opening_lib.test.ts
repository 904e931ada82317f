// The pure parts behind the opening of a chat: first run, files, the panel, unread marks, names of browsers.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

process.env['TZ'] = 'Europe/Berlin';
const { browserName } = await import('../src/lib/browser_name.ts');
const { carriedIn, costWords, countWords } = await import('../src/lib/chat/panel_words.ts');
const { withUnreadMark } = await import('../src/lib/chat/shown.ts');
const { firstWords } = await import('../src/lib/chat/words.ts');
const { messageOf, whyNotSent } = await import('../src/lib/files.ts');
const { isFirstRun, nextWeekdayMorning } = await import('../src/lib/first_run.ts');
const { parseFrame } = await import('../src/lib/frames.ts');

const at = (iso: string) => Date.parse(iso);

test('the next weekday morning is today before 08:00, and never on a weekend', () => {
  assert.equal(nextWeekdayMorning(at('2026-03-26T07:00:00+01:00')), at('2026-03-26T08:00:00+01:00'));
  assert.equal(nextWeekdayMorning(at('2026-03-26T08:00:00+01:00')), at('2026-03-27T08:00:00+01:00'));
  // Over a weekend on which the clocks change.
  assert.equal(nextWeekdayMorning(at('2026-03-27T09:00:00+01:00')), at('2026-03-30T08:00:00+02:00'));
});

test('it is the first run while nothing was said, and only if that is known', () => {
  assert.ok(isFirstRun({ isKnown: true, others: 0, saidHere: false }));
  assert.ok(!isFirstRun({ isKnown: false, others: 0, saidHere: false }));
  assert.ok(!isFirstRun({ isKnown: true, others: 1, saidHere: false }));
  assert.ok(!isFirstRun({ isKnown: true, others: 0, saidHere: true }));
});

describe('files', () => {
  const picture = { hash: 'a'.repeat(64), mediaType: 'image/png', name: 'a.png' };

  test('make a message a list of blocks, and without any it stays text', () => {
    assert.equal(messageOf('hello', []), 'hello');
    assert.deepEqual(messageOf('hello', [picture]), [
      { type: 'text', text: 'hello' },
      { type: 'image', hash: picture.hash, media_type: 'image/png', name: 'a.png' },
    ]);
    const paper = { hash: 'b', mediaType: 'image/svg+xml', name: '' };
    assert.deepEqual(messageOf('', [paper]), [{ type: 'file', hash: 'b', media_type: 'image/svg+xml' }]);
  });

  test('are refused with a reason before they are sent', () => {
    assert.equal(whyNotSent({ name: 'a', size: 8 * 1024 * 1024 }, 0), '');
    assert.match(whyNotSent({ name: 'a', size: 8 * 1024 * 1024 + 1 }, 0), /8 MB/);
    assert.match(whyNotSent({ name: 'a', size: 0 }, 0), /empty/);
    assert.match(whyNotSent({ name: 'a', size: 1 }, 31), /31 files/);
  });
});

describe('the panel', () => {
  test('tells what is carried over in words, and leaves out what says nothing', () => {
    const summary = 'GOAL: Plan a trip\nENTITIES: Rome, 800 €\nDECISIONS: none\nPENDING: remember: passports; assistant owes: a list; Plan a trip\nTURNS: 3';
    assert.deepEqual(carriedIn(summary), {
      goal: 'Plan a trip',
      decided: '',
      open: [{ whose: 'To keep in mind', text: 'passports' }, { whose: 'To be done', text: 'a list' }],
      about: 'Rome, 800 €',
    });
    // Names alone tell nobody anything.
    assert.equal(carriedIn('GOAL: none\nENTITIES: Rome\nDECISIONS: none\nPENDING: none\nTURNS: 1'), null);
    assert.equal(carriedIn(''), null);
    // Nor does what stands above the conversation already.
    assert.equal(carriedIn('GOAL: what is 3+4?\nENTITIES: 3+4\nDECISIONS: none\nPENDING: none\nTURNS: 1', 'what is 3+4?'), null);
  });

  test('rounds what nobody counts, and does not guess a price', () => {
    assert.deepEqual([912, 38_400, 1_200_000].map(countWords), ['912', '38.4k', '1.2M']);
    assert.equal(costWords({ usd: 0.21, priceUnknown: false, capUsd: 2 }), '$0.21 of $2.00');
    assert.equal(costWords({ usd: 0.0012, priceUnknown: false, capUsd: null }), '$0.0012');
    assert.equal(costWords({ usd: 0, priceUnknown: true, capUsd: null }), 'Price not known');
  });
});

test('the unread line stands above the first thing that came while nobody looked', () => {
  const turn = (key: string, atMs: number, saidByPerson: boolean) =>
    ({ kind: 'turn', key, turn: { atMs, saidByPerson }, cause: '', open: null }) as unknown as Parameters<typeof withUnreadMark>[0][number];
  const rows = [turn('a', 10, true), turn('b', 20, true), turn('c', 30, false), turn('d', 40, false)];
  const keys = (away: { fromMs: number; toMs: number }) => withUnreadMark(rows, away).map(({ key }) => key);
  assert.deepEqual(keys({ fromMs: 15, toMs: 100 }), ['a', 'b', 'unread', 'c', 'd']);
  assert.deepEqual(keys({ fromMs: 30, toMs: 100 }), ['a', 'b', 'c', 'unread', 'd']);
  // Everything was seen, or came while somebody looked.
  assert.deepEqual(keys({ fromMs: 40, toMs: 100 }), ['a', 'b', 'c', 'd']);
  assert.deepEqual(keys({ fromMs: 15, toMs: 25 }), ['a', 'b', 'c', 'd']);
});

test('a preview has no marks', () => {
  assert.equal(firstWords('**Good** morning,\nsee [this](https://example.com).\n\n- one'), 'Good morning, see this.');
  assert.equal(firstWords('Hello.\n- one\n- two'), 'Hello.');
});

test('a browser is known again by its name', () => {
  assert.equal(browserName('Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'), 'Firefox on Linux');
  assert.equal(browserName('Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0'), 'Edge on Windows');
  assert.equal(browserName('Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1'), 'Safari on iOS');
  assert.equal(browserName('curl'), 'Browser');
});

test('frames about a conversation and a running turn tell what is known of them', () => {
  const changed = parseFrame(JSON.stringify({ type: 'conversation_changed', seq: 3, conversation_id: 'conv_1', title: 'T', pinned: true, seen_seq: 7 }));
  assert.deepEqual(changed?.type === 'conversation_changed' && [changed.title, changed.pinned, changed.seenSeq], ['T', true, 7]);
  assert.equal(parseFrame(JSON.stringify({ type: 'conversation_deleted', seq: 4, conversation_id: 'conv_1' }))?.type, 'conversation_deleted');
  const snapshot = parseFrame(JSON.stringify({
    type: 'turn_snapshot', turn_id: 't', conversation_id: 'c', kind: 'automation', attempt: 1, blocks: [], automation_name: 'Watch',
    calls: [{ call_id: '1', tool: 'shell', done: true, failed: false, arguments: '{"command":"ls"}', text: 'a.txt' }],
    message: { role: 'user', content: [{ type: 'text', text: 'Look' }] },
  }));
  assert.ok(snapshot?.type === 'turn_snapshot');
  assert.deepEqual([snapshot.calls[0]?.args, snapshot.calls[0]?.text, snapshot.automationName], ['{"command":"ls"}', 'a.txt', 'Watch']);
  assert.equal(snapshot.message?.role, 'user');
});
