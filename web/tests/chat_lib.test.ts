// The pure parts of the chat: frames into turns, messages into rows, which rows are drawn, and the words.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

process.env['TZ'] = 'Europe/Berlin';
const { commandIn, matchingCommands } = await import('../src/lib/commands.ts');
const { parseFrame } = await import('../src/lib/frames.ts');
const { merged, rowsOf } = await import('../src/lib/chat/rows.ts');
const { openRows } = await import('../src/lib/chat/shown.ts');
const { advance, approvalOf, plainText, queuedTurn } = await import('../src/lib/chat/turn.ts');
const { boundaryWords, callSummary, verdictWords } = await import('../src/lib/chat/words.ts');
const { offsetOf, visibleWindow } = await import('../src/lib/virtual.ts');
type Turn = ReturnType<typeof queuedTurn>;
type Message = Parameters<typeof rowsOf>[0][number];

/** The turn after these frames, as the server writes them. */
function after(...frames: readonly object[]): Turn {
  return frames.reduce<Turn>((turn, json) => {
    const frame = parseFrame(JSON.stringify({ turn_id: 't', conversation_id: 'c', attempt: 1, ...json }));
    assert.ok(frame !== null && 'attempt' in frame);
    return advance(turn, frame);
  }, queuedTurn('t', 'user', 0));
}

const started = { type: 'turn_started' };
const delta = (offset: number, text: string, more: object = {}) => ({ type: 'delta', block: 0, offset, text, ...more });

describe('a running turn', () => {
  test('grows by its deltas, counted in bytes of UTF-8', () => {
    assert.equal(plainText(after(started, delta(0, 'Grüße'), delta(7, ' an alle')).parts), 'Grüße an alle');
  });

  test('does not double what a snapshot already had', () => {
    const snapshot = { type: 'turn_snapshot', blocks: ['Grüße'], calls: [] };
    assert.equal(plainText(after(snapshot, delta(3, 'üße'), delta(7, '!')).parts), 'Grüße!');
  });

  test('forgets what an earlier attempt said', () => {
    assert.equal(plainText(after(started, delta(0, 'no'), { type: 'turn_again', attempt: 2 }, delta(0, 'yes', { attempt: 2 })).parts), 'yes');
    assert.equal(plainText(after(started, delta(0, 'no'), delta(0, 'yes', { attempt: 2 })).parts), 'yes');
    assert.equal(plainText(after(started, delta(0, 'new', { attempt: 2 }), delta(0, 'old')).parts), 'new');
  });

  test('keeps calls and words in their order', () => {
    const call = { type: 'tool_call', call_id: '1', tool: 'calculate', arguments: '{"expression":"1+1"}' };
    const result = { type: 'tool_result', call_id: '1', tool: 'calculate', text: '2', failed: false };
    const { parts } = after(started, delta(0, 'See: '), call, result, delta(0, 'Two.', { block: 1 }));
    assert.deepEqual(parts.map((part) => (part.kind === 'call' ? part.result : part.kind)), ['text', '2', 'text']);
  });

  test('knows the call that became an approval', () => {
    const result = { type: 'tool_result', call_id: '1', tool: 'shell', text: 'needs approval apr_12ab: the person', failed: true };
    const [part] = after(started, result).parts;
    assert.equal(part?.kind === 'call' && approvalOf(part), 'apr_12ab');
  });
});

test('an event that this page does not know still counts by its number', () => {
  assert.deepEqual(parseFrame('{"type":"from_the_future","seq":7}'), {
    type: 'other', name: 'from_the_future', seq: 7, atMs: 0, conversationId: '', turnId: '', gone: false,
  });
});

describe('rows', () => {
  const message = (seq: number, turnId: string, role: string, more: Partial<Message> = {}): Message => ({
    seq, turnId, role, sessionId: 's1', atMs: Date.UTC(2026, 10, 15, 10), automation: null,
    dueMs: 0, turnKind: '', verdict: '', reason: '',
    content: [{ type: 'text', from: role === 'user' ? 'owner' : 'agent', text: `${role} ${seq}` }],
    ...more,
  });

  test('group messages by turn', () => {
    const rows = rowsOf([message(1, 'a', 'user'), message(2, 'a', 'assistant'), message(3, 'b', 'user')], []);
    assert.deepEqual(rows.map((row) => row.kind === 'turn' && [row.said, plainText(row.parts)]), [['user 1', 'assistant 2'], ['user 3', '']]);
  });

  test('tell where a day and a session begin', () => {
    const unsaid = { closedAtMs: 0, createdAtMs: 0, summary: '', closeSummary: '' };
    const next = { sessionId: 's2', atMs: Date.UTC(2026, 10, 16, 10) };
    const sessions = [
      { id: 's1', openedReason: 'first_message', closeReason: 'timeout', ...unsaid },
      { id: 's2', openedReason: 'timeout', closeReason: '', ...unsaid },
    ];
    const rows = rowsOf([message(1, 'a', 'user'), message(2, 'b', 'user', next)], sessions);
    assert.deepEqual(rows.map(({ kind }) => kind), ['turn', 'day', 'boundary', 'turn']);
    assert.equal(boundaryWords(sessions, 's1', 's2').why, 'New session after a quiet time');
  });

  test('of a turn whose end history knew before its event came are shown once', () => {
    const chat = { atEnd: true, turns: [queuedTurn('a', 'user', 0), queuedTurn('b', 'user', 0)], messages: [message(1, 'a', 'user')], notes: [], detail: null };
    const rows = openRows(chat as unknown as Parameters<typeof openRows>[0], [], true);
    assert.deepEqual(rows.map(({ key }) => key), ['b']);
  });

  test('learned twice or in any order are the same', () => {
    const [one, two, three] = [message(1, 'a', 'user'), message(2, 'a', 'assistant'), message(3, 'b', 'user')];
    for (const [old, more] of [[[one, two], [two, three]], [[three], [one, two]], [[one, two, three], [two]], [[], [two, one, three]]] as const) {
      assert.deepEqual(merged(old, more).map(({ seq }) => seq), [1, 2, 3]);
    }
  });
});

describe('the drawn window', () => {
  const heights = Array.from({ length: 1000 }, () => 100);

  test('covers the view and a margin, and its sizes add up', () => {
    const { from, to, abovePx, belowPx } = visibleWindow(heights, 50_000, 800);
    assert.ok(abovePx <= 50_000 && abovePx + (to - from) * 100 >= 50_800);
    assert.equal(abovePx + (to - from) * 100 + belowPx, 100_000);
    assert.ok(to - from < 30);
  });

  test('is whole at both ends, and of an empty list', () => {
    assert.equal(visibleWindow(heights, 0, 800).from, 0);
    assert.equal(visibleWindow(heights, 99_200, 800).to, 1000);
    assert.deepEqual(visibleWindow([], 0, 800), { from: 0, to: 0, abovePx: 0, belowPx: 0 });
    assert.equal(offsetOf(heights, 3), 300);
  });
});

test('commands are found by their beginning, and only as a word of their own', () => {
  assert.deepEqual(matchingCommands('/c').map(({ name }) => name), ['/clear', '/compact']);
  assert.deepEqual(matchingCommands('/clear now'), []);
  assert.equal(commandIn(' /Stop ')?.command.does, 'stop');
  assert.equal(commandIn('/remind  in an hour\nto eat ')?.rest, 'in an hour\nto eat');
  assert.equal(commandIn('/clear the table'), null);
  assert.equal(commandIn('/etc/hosts'), null);
});

test('words for people, whatever the machine says', () => {
  assert.equal(callSummary('{"folder":"x","command":"make"}'), 'make');
  assert.equal(callSummary('not json'), 'not json');
  assert.equal(verdictWords('interrupted', 'cancelled'), 'Stopped.');
  assert.equal(verdictWords('interrupted', 'something new'), 'This turn was cut off.');
  assert.equal(verdictWords('spoke', ''), '');
});
