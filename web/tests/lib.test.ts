// The small pure parts: waits, frames, words, times, the day of the ribbon, and what people paste.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

// Before anything formats a time: the clock changes of this zone are part of what is tested.
process.env['TZ'] = 'Europe/Berlin';
const { longestDelayMs, retryDelayMs } = await import('../src/lib/backoff.ts');
const { dayOf, hourMarks, percentOf } = await import('../src/lib/day.ts');
const { parseFrame } = await import('../src/lib/frames.ts');
const { readPasted } = await import('../src/lib/signin.ts');
const { clockTime, duration, moment, secondsUntil, stamp, zone } = await import('../src/lib/time.ts');
const { checksOf, otherProblems, overallState, pageTitle } = await import('../src/lib/words.ts');

const healthFrame = (fields: object) => {
  const frame = parseFrame(JSON.stringify({ type: 'health', ok: true, status: 'ok', ...fields }), 0);
  assert.ok(frame?.type === 'health');
  return frame;
};

test('whoever looks waits at most 1 s for the next try, whatever the dice say and however long the server was away', () => {
  const truthAfterRestartMs = 2_000;
  for (const [isSeen, mostMs] of [[true, 1_000], [false, 30_000]] as const) {
    for (let failures = 0; failures < 5_000; failures++) {
      for (const dice of [0, 0.5, 0.999, 1]) {
        const ms = retryDelayMs(failures, isSeen, () => dice);
        assert.ok(ms >= 250 && ms <= mostMs, `${failures} failures, dice ${dice}: ${ms} ms`);
      }
    }
    assert.notEqual(retryDelayMs(5, isSeen, () => 0), retryDelayMs(5, isSeen, () => 0.9));
  }
  // The other half is for the connection, the snapshot and the drawing.
  assert.ok(longestDelayMs.seen <= truthAfterRestartMs / 2);
});

describe('frames', () => {
  test('a health frame becomes a typed value', () => {
    const frame = healthFrame({
      version: '0.1.0',
      uptime_ms: 123,
      store: 'error',
      config: 'invalid',
      problems: ['a', 7, 'b'],
      connections: 3,
      at: '2026-11-15T04:40:00.000Z',
      later: true,
    });
    assert.equal(frame.uptimeMs, 123);
    assert.equal(frame.storeOk, false);
    assert.equal(frame.configOk, false);
    assert.deepEqual(frame.problems, ['a', 'b']);
    assert.equal(frame.atMs, Date.UTC(2026, 10, 15, 4, 40));
  });

  test('what is unknown or broken is ignored', () => {
    for (const text of ['', '7', 'null', '[]', '{', '{"type":"later"}', undefined]) {
      assert.equal(parseFrame(text), null);
    }
  });
});

describe('words', () => {
  const openLink = { kind: 'open' } as const;
  const away = { kind: 'waiting', retryAtMs: 0 } as const;

  test('each state has its own mark and word', () => {
    const fine = healthFrame({});
    const bad = healthFrame({ ok: false, status: 'degraded' });
    const states = [
      overallState(openLink, fine),
      overallState(openLink, bad),
      overallState(away, fine),
      overallState({ kind: 'connecting', again: false }, null),
    ];
    assert.equal(new Set(states.map(({ mark }) => mark)).size, states.length);
    assert.equal(new Set(states.map(({ word }) => word)).size, states.length);
    assert.equal(pageTitle(away, fine), 'Not connected · rouse');
  });

  test('a problem stands beside the part it belongs to, or on its own when that is not certain', () => {
    const config = healthFrame({ ok: false, config: 'invalid', problems: ['line 12'] });
    assert.deepEqual(checksOf(config, true).map(({ problems }) => problems), [[], ['line 12'], []]);
    assert.deepEqual(otherProblems(config), []);
    const more = healthFrame({ ok: false, config: 'invalid', problems: ['line 12', 'the disk is nearly full'] });
    assert.deepEqual(otherProblems(more), more.problems);
    const both = healthFrame({ ok: false, config: 'invalid', store: 'error', problems: ['x', 'y'] });
    assert.deepEqual(checksOf(both, true).map(({ problems }) => problems), [[], [], []]);
    assert.deepEqual(otherProblems(both), ['x', 'y']);
  });
});

test('what is no longer known is told as past', () => {
  const words = checksOf(healthFrame({ config: 'invalid' }), false).map(({ word }) => word);
  assert.deepEqual(words, ['Was ok', 'Was not valid', 'Cut off']);
});

describe('times', () => {
  const noon = new Date(2026, 10, 15, 12, 0).getTime();

  test('durations name the units that say something', () => {
    assert.equal(duration(-5), '0 s');
    assert.equal(duration(7_900), '7 s');
    assert.equal(duration(247_000), '4 min 07 s');
    assert.equal(duration(11_528_000), '3 h 12 min 08 s');
    assert.equal(duration(191_520_000), '2 d 5 h 12 min');
  });

  test('a countdown never shows zero', () => {
    assert.equal(secondsUntil(4000, 0), 4);
    assert.equal(secondsUntil(3001, 0), 4);
    assert.equal(secondsUntil(0, 500), 1);
  });

  test('today is a time, another day is named', () => {
    assert.equal(zone, 'Europe/Berlin');
    assert.equal(clockTime(noon), '12:00');
    assert.equal(moment(noon - 58 * 60_000, noon), 'at 11:02');
    assert.equal(moment(noon - 86_400_000, noon), 'on 14 November at 12:00');
    assert.equal(stamp(noon - 86_400_000, noon), '14 November 12:00');
  });
});

describe('the day of the ribbon', () => {
  const hoursOf = (day: { startMs: number; endMs: number }) => (day.endMs - day.startMs) / 3_600_000;

  test('lasts 23, 24 or 25 hours', () => {
    assert.equal(hoursOf(dayOf(new Date(2026, 10, 15, 9).getTime())), 24);
    assert.equal(hoursOf(dayOf(new Date(2026, 2, 29, 9).getTime())), 23);
    assert.equal(hoursOf(dayOf(new Date(2026, 9, 25, 9).getTime())), 25);
  });

  test('puts each hour where it is on that day', () => {
    const plain = dayOf(new Date(2026, 10, 15, 9).getTime());
    assert.equal(percentOf(plain, new Date(2026, 10, 15, 12).getTime()), 50);
    assert.equal(percentOf(plain, plain.startMs - 1), 0);
    const short = dayOf(new Date(2026, 2, 29, 9).getTime());
    const noon = hourMarks(short).find(({ label }) => label === '12');
    assert.equal(noon?.percent.toFixed(3), ((11 / 23) * 100).toFixed(3));
  });
});

test('a pasted link is told from a token', () => {
  assert.deepEqual(readPasted('  \n'), { kind: 'nothing' });
  assert.deepEqual(readPasted(' abc123\n'), { kind: 'token', token: 'abc123' });
  assert.deepEqual(readPasted('http://127.0.0.1:18888/signin?code=a-b_c'), {
    kind: 'link',
    path: '/signin?code=a-b_c',
  });
  assert.deepEqual(readPasted('https://evil.example/other?code=x').kind, 'token');
});
