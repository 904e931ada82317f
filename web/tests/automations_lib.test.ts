// The pure parts of the automations and approvals pages: times in another zone, clock changes, the picker that writes
// cron, what of a form is sent, and the words.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

process.env['TZ'] = 'Europe/Berlin';
const { automationFrom } = await import('../src/lib/automations.ts');
const form = await import('../src/lib/automations_form.ts');
const time = await import('../src/lib/automations_time.ts');
const words = await import('../src/lib/automations_words.ts');
const { argumentRows, settledWords } = await import('../src/lib/approvals_words.ts');

const berlin = 'Europe/Berlin';
const at = (iso: string) => Date.parse(iso);
const now = at('2026-11-16T03:00:00Z');

function automation(fields: object = {}) {
  const made = automationFrom({
    id: 'a1', name: 'Report', message: 'Report what is new', kind: 'bound', session_key: 'websocket:work', state: 'active', zone: berlin,
    schedule: { kind: 'cron', expr: '0 8 * * 1-5', tz: berlin }, words: 'every weekday at 08:00', next: ['2026-11-16T07:00:00Z'],
    catch_up: 'latest', catch_up_max: 10, window_ms: 604_800_000, timeout_ms: 600_000, ...fields,
  });
  assert.ok(made);
  return made;
}

describe('times in the zone of an automation', () => {
  test('a day is named by its distance there, not here', () => {
    assert.equal(time.whenIn(at('2026-11-16T07:00:00Z'), berlin, now), 'Today 08:00 Europe/Berlin');
    assert.equal(time.whenIn(at('2026-11-17T07:00:00Z'), berlin, now), 'Tomorrow 08:00 Europe/Berlin');
    // In New York it is still the evening before.
    assert.equal(time.whenInside(at('2026-11-16T13:00:00Z'), 'America/New_York', now), 'tomorrow 08:00 America/New_York');
    assert.equal(time.whenIn(at('2026-11-27T07:00:00Z'), berlin, now), 'Fri 27 November, 08:00 Europe/Berlin');
    assert.equal(time.fireIn(at('2027-03-26T07:00:00Z'), berlin, now), 'Fri 26 March 2027, 08:00');
  });

  test('a zone that the browser does not know is read as UTC', () => {
    assert.equal(time.clockIn(at('2026-11-16T07:00:00Z'), 'Mars/Olympus'), '07:00');
  });

  test('form fields are those of its clock', () => {
    assert.deepEqual(time.fieldsIn(at('2026-11-16T23:30:00Z'), berlin), { date: '2026-11-17', time: '00:30' });
  });
});

describe('a clock change', () => {
  const march = at('2027-03-25T12:00:00Z');
  const daily = (clock: string, ...days: readonly string[]) => days.map((day) => at(`${day}T${clock}Z`));

  test('that leaves the local time alone says so', () => {
    const fires = [...daily('07:00', '2027-03-26', '2027-03-27'), ...daily('06:00', '2027-03-28', '2027-03-29')];
    const change = time.clockChange(fires, berlin, march, 'fixed');
    assert.equal(change?.title, 'Clocks go forward on Sunday 28 March.');
    assert.equal(change?.text, 'It stays 08:00 in Europe/Berlin. Only the UTC time moves.');
    assert.equal(change?.movedMs, null);
  });

  test('that skips the time moves the run', () => {
    const fires = [...daily('01:30', '2027-03-26', '2027-03-27'), at('2027-03-28T01:00:00Z'), at('2027-03-29T00:30:00Z')];
    const change = time.clockChange(fires, berlin, march, 'fixed');
    assert.equal(change?.title, '02:30 does not exist on Sunday 28 March.');
    assert.match(change?.text ?? '', /jumps from 02:00 to 03:00\. The run moves to 03:00 and happens once/);
    assert.equal(change?.movedMs, at('2027-03-28T01:00:00Z'));
    assert.deepEqual([change?.gap?.from, change?.gap?.said, change?.gap?.to], [2, 2.5, 3]);
  });

  test('that repeats the time runs once', () => {
    const fires = [at('2026-10-24T00:30:00Z'), at('2026-10-25T00:30:00Z'), at('2026-10-26T01:30:00Z')];
    const change = time.clockChange(fires, berlin, at('2026-10-23T12:00:00Z'), 'fixed');
    assert.equal(change?.title, '02:30 comes twice on Sunday 25 October.');
    assert.equal(change?.movedMs, at('2026-10-25T00:30:00Z'));
  });

  test('moves what keeps a distance, and repeats what follows the clock', () => {
    const fires = daily('07:00', '2027-03-27', '2027-03-28');
    assert.match(time.clockChange(fires, berlin, march, 'distance')?.text ?? '', /an hour later/);
    const autumn = [at('2026-10-25T00:30:00Z'), at('2026-10-25T01:30:00Z')];
    assert.match(time.clockChange(autumn, berlin, at('2026-10-25T00:00:00Z'), 'clock')?.text ?? '', /from 02:00 to 03:00 comes twice/);
  });

  test('is told of a single time only when it moves it', () => {
    const moved = time.clockChange([at('2027-03-28T01:00:00Z')], berlin, march, 'once', '02:30');
    assert.equal(moved?.title, '02:30 does not exist on Sunday 28 March.');
    assert.equal(time.clockChange([at('2027-03-29T00:30:00Z')], berlin, march, 'once', '02:30'), null);
  });

  test('beyond the last run is nobody’s business', () => {
    assert.equal(time.clockChange(daily('07:00', '2026-11-17', '2026-11-18'), berlin, now, 'fixed'), null);
  });

  test('a fixed time is one without a star in hour and minute', () => {
    assert.deepEqual(['30 2 * * *', '0 0 10,14 * * *', '@daily'].map(time.isFixedTime), [true, true, true]);
    assert.deepEqual(['*/15 * * * *', '30 * * * *', '0 */5 8 * * *', '@hourly'].map(time.isFixedTime), [false, false, false, false]);
  });
});

describe('the picker of days', () => {
  test('writes cron and reads it back', () => {
    for (const [days, clock, expr] of [
      [[1, 2, 3, 4, 5], '08:00', '0 8 * * 1-5'],
      [[0, 1, 2, 3, 4, 5, 6], '02:30', '30 2 * * *'],
      [[0, 6], '10:05', '5 10 * * 0,6'],
      [[3], '23:59', '59 23 * * 3'],
    ] as const) {
      assert.equal(form.cronOfDays(days, clock), expr);
      assert.deepEqual(form.daysOfCron(expr), { days: [...days], clock });
    }
    assert.deepEqual(form.daysOfCron('0 8 * * 5-7')?.days, [0, 5, 6]);
  });

  test('leaves to cron what it cannot show', () => {
    for (const expr of ['*/5 * * * *', '0 8 1 * *', '0 8,9 * * *', '0 8 * * 1#2', '0 25 * * *', '0 8 * * 5-1', '@daily', '']) {
      assert.equal(form.daysOfCron(expr), null, expr);
    }
  });
});

describe('a form', () => {
  test('sends nothing that was not changed', () => {
    for (const fields of [
      {},
      { schedule: { kind: 'every', every_ms: 5_400_000, tz: berlin } },
      { schedule: { kind: 'at', at: '2026-12-01T07:30:00Z', tz: berlin } },
      { kind: 'isolated', session_key: null, output: { notify: true, file: 'a.md' }, project_path: '/home/me', gate: { command: 'true' }, tools: ['shell'] },
      { kind: 'legacy', session_key: null },
    ]) {
      const one = automation(fields);
      assert.deepEqual(form.editBody(form.draftFrom(one, now), one.key, true, one), {});
    }
  });

  test('sends what was', () => {
    const one = automation();
    const draft = { ...form.draftFrom(one, now), clock: '09:15', tools: 'shell, http_fetch' };
    assert.deepEqual(form.editBody(draft, one.key, true, one), {
      schedule: { kind: 'cron', expr: '15 9 * * 1-5', tz: berlin },
      tools: ['shell', 'http_fetch'],
    });
    const cleared = { ...form.draftFrom(automation({ gate: { command: 'true' } }), now), gate: '' };
    assert.deepEqual(form.editBody(cleared, one.key, true, automation({ gate: { command: 'true' } })), { gate: null });
  });

  test('of a user names nothing that reaches the machine', () => {
    const draft = { ...form.newDraft(berlin, now, 'conv_1', 'Hello'), gate: 'true', folder: '/etc' };
    const body = form.createBody(draft, 'conv_1', false, 'key-1');
    assert.ok(!('gate' in body) && !('project_path' in body) && !('isolated' in body));
    assert.deepEqual({ ...body, key: '' }, {
      message: 'Hello', session_key: 'conv_1', schedule: { kind: 'cron', expr: '0 8 * * 1-5', tz: berlin },
      catch_up: 'latest', catch_up_max: 10, window_ms: 604_800_000, timeout_ms: 600_000, key: '',
    });
  });

  test('that works apart says where its answer goes', () => {
    const draft = { ...form.newDraft(berlin, now, '', 'Sum up'), place: 'apart' as const, file: 'week.md' };
    const body = form.createBody(draft, '', true, 'k') as Record<string, unknown>;
    assert.equal(body['isolated'], true);
    assert.deepEqual(body['output'], { notify: true, file: 'week.md' });
    assert.ok(!('session_key' in body));
  });

  test('knows what is missing before it asks', () => {
    const draft = { ...form.newDraft(berlin, now, '', ' '), days: [] as number[], zone: '' };
    assert.deepEqual(Object.keys(form.problemsOf(draft)).sort(), ['message', 'when', 'zone']);
    assert.equal(form.problemsOf({ ...draft, place: 'conversation' }).conversation, 'Choose a conversation.');
    assert.notEqual(form.scheduleProblem({ ...draft, when: 'every', count: null }), '');
    assert.equal(form.scheduleProblem({ ...draft, when: 'every', count: 5 }), '');
  });

  test('shows a refusal at its field', () => {
    const refusal = (message: string, code = 'invalid_request') => form.refusalOf({ kind: 'refused', code, message });
    assert.deepEqual(refusal("cron expression, column 3: '25' is no hour; allowed is 0-23"), { when: "Column 3: '25' is no hour; allowed is 0-23." });
    assert.deepEqual(refusal('2020-01-01T10:00:00.000Z is in the past; it is 2026-11-16T02:55:21.886Z now'), { when: 'That time has passed. Choose a later one.' });
    assert.deepEqual(Object.keys(refusal("there is no time zone 'X/Y'; use a name like Europe/Berlin or UTC")), ['zone']);
    assert.deepEqual(Object.keys(refusal('there is no conversation x', 'conversation_not_found')), ['conversation']);
    assert.deepEqual(Object.keys(refusal("'name' must be one line")), ['name']);
    assert.deepEqual(Object.keys(refusal('something else')), ['form']);
    assert.deepEqual(form.refusalOf({ kind: 'unreachable' }), { form: 'rouse did not answer.' });
  });
});

describe('words', () => {
  const open = { turnId: 't', dueMs: now, state: 'running' as const };

  test('each state is a mark and a word', () => {
    const last = (status: string, reason = '') => ({ last: { status, reason, scheduled_for: '2026-11-15T07:00:00Z' } });
    assert.equal(words.statusOf(automation(), open).word, 'Running');
    assert.equal(words.statusOf(automation(), { ...open, state: 'queued' }).mark, 'queued');
    assert.equal(words.statusOf(automation(), null).mark, 'planned');
    assert.equal(words.statusOf(automation(last('ok')), null).word, 'ok');
    assert.equal(words.statusOf(automation(last('timeout')), null).word, 'Failed');
    assert.equal(words.statusOf(automation({ state: 'paused', ...last('ok') }), null).word, 'Paused');
    assert.equal(words.statusOf(automation({ state: 'done', ...last('ok') }), null).word, 'Done');
    assert.equal(words.statusOf(automation({ state: 'done', ...last('missed', 'late') }), null).word, 'Missed');
    assert.equal(
      words.lastWords(automation({ failures: 3, ...last('error', 'model_unauthorized') }), now),
      "Last: failed yesterday 08:00 Europe/Berlin, the model's key was refused. It failed 3 times in a row.",
    );
    assert.equal(words.nextWords(automation({ state: 'paused', state_by: 'web', state_since: '2026-11-16T02:00:00Z' }), null, now), 'Paused by you today 03:00 Europe/Berlin');
  });

  test('what goes on comes first, then what failed, then what is due next', () => {
    const items = [
      automation({ id: 'done', state: 'done', next: [] }),
      automation({ id: 'paused', state: 'paused', next: [] }),
      automation({ id: 'later', next: ['2026-11-18T07:00:00Z'] }),
      automation({ id: 'sooner' }),
      automation({ id: 'failed', last: { status: 'error', reason: '', scheduled_for: '' } }),
      automation({ id: 'runs' }),
    ];
    const order = words.inOrder(items, (id) => (id === 'runs' ? open : null)).map(({ id }) => id);
    assert.deepEqual(order, ['runs', 'failed', 'sooner', 'later', 'paused', 'done']);
  });

  test('why is answered in a sentence, without a word of the machine', () => {
    const why = { name: 'Report', atMs: now, code: 'not_due', reason: '', status: '', by: '', sinceMs: 0, dueMs: 0, untilMs: 0, count: 0, folded: false, nextMs: at('2026-11-16T07:00:00Z'), previousMs: 0 };
    const tell = (fields: object, asked = false) => words.whyWords({ ...why, ...fields }, berlin, now, asked);
    assert.deepEqual(tell({}), { title: 'Why does it not run now?', mark: 'planned', text: 'It is not due now. Next: today 08:00 Europe/Berlin.' });
    assert.match(tell({ code: 'paused', by: 'web', reason: 'holidays', sinceMs: now }).text, /^Paused by you today 04:00 Europe\/Berlin\. Holidays\.$/);
    assert.match(tell({ code: 'deferred', reason: 'busy', dueMs: now }).text, /runs after the answer that is being written/);
    const missed = tell({ code: 'missed', reason: 'down', dueMs: at('2026-11-14T07:00:00Z'), atMs: at('2026-11-14T07:00:00Z'), count: 1 }, true);
    assert.equal(missed.title, 'Why did it not run Sat 14 November, 08:00 Europe/Berlin?');
    assert.match(missed.text, /was missed, because rouse was off/);
    assert.match(tell({ code: 'ran', status: 'error', reason: 'model_timeout', dueMs: now }, true).text, /ended as failed, because the model did not answer in time/);
  });

  test('rules and costs are said in units people use', () => {
    assert.deepEqual([900_000, 3_600_000, 604_800_000, 5_400_000, 30_000].map(words.spanWords), ['15 min', '1 h', '7 days', '90 min', '30 s']);
    assert.equal(words.lateWords('latest', 10, 900_000), 'Run the latest once, up to 15 min late');
    assert.equal(words.lateWords('skip', 10, 0), 'Leave it out');
    const preview = { words: '', zone: berlin, nextMs: [], overlaps: [], runs: 22, basis: 'past_runs', averaged: 5, tokensIn: 44_000, tokensOut: 6600, costMicros: 231_000 };
    assert.equal(words.monthWords(preview), '22 runs in 30 days: about $0.23, 44,000 tokens read, 6,600 written. Counted on from its last 5 runs.');
    assert.equal(words.monthWords({ ...preview, costMicros: 0 }), '22 runs in 30 days, free with this model.');
    assert.match(words.monthWords({ ...preview, costMicros: null, basis: 'guess' }), /price not known.*Guessed/);
    assert.equal(words.routedWords('file:week.md, notified'), 'Its answer was written into week.md and sent as a notification.');
    assert.equal(words.routedWords('notified, failed: the disk is full'), 'Its answer was sent as a notification. The disk is full.');
    assert.equal(words.routedWords(''), '');
    assert.deepEqual([400, 41_000, 192_000, 7_500_000].map(words.tookWords), ['under 1 s', '41 s', '3 min 12 s', '2 h 5 min']);
  });
});

describe('an approval that is over', () => {
  const record = { id: 'apr_1', conversationId: 'c', tool: 'write_file', args: '{}', agent: '', folder: '', summary: 's', why: '', state: 'approved', scope: 'once', decidedBy: 'web', note: '', askedMs: 0, expiresMs: 0, decidedMs: 0 };
  const tell = (fields: object) => {
    const { state, rest } = settledWords({ ...record, ...fields });
    return state + rest;
  };

  test('says how, for how long and by whom', () => {
    assert.equal(tell({}), 'Allowed once by you.');
    assert.equal(tell({ scope: 'conversation' }), 'Allowed for this conversation by you.');
    assert.equal(tell({ scope: 'always', decidedBy: 'cli' }), 'Allowed always on the command line.');
    assert.equal(tell({ state: 'denied', decidedBy: 'whatsapp' }), 'Denied over WhatsApp.');
    assert.equal(tell({ state: 'expired', decidedBy: 'timeout' }), 'Expired, nobody answered in time. It counts as denied.');
    assert.equal(tell({ state: 'withdrawn', decidedBy: 'reset' }), 'Withdrawn, the conversation was cleared.');
  });

  test('shows its arguments one by one', () => {
    assert.deepEqual(argumentRows('{"path":"a.txt","lines":[1,2]}'), [{ name: 'path', value: 'a.txt' }, { name: 'lines', value: '[\n  1,\n  2\n]' }]);
    assert.equal(argumentRows('not json'), null);
    assert.equal(argumentRows('[1]'), null);
  });
});
