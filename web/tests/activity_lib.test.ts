// The pure parts behind activity, heartbeat and usage: the ribbon, rows as a person reads them, heartbeat.json as a
// form, and amounts.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

// Before anything formats a time: the clock changes of this zone are part of what is tested.
process.env['TZ'] = 'Europe/Berlin';
const { addressOf, everything, filterFrom, rowFrom } = await import('../src/lib/activity.ts');
const { awayItems, groupByDay, linksOf, marksOf, storyOf } = await import('../src/lib/activity_story.ts');
const { activeSpans, dateText, dayFromText, dayOf } = await import('../src/lib/day.ts');
const { plannedBeats } = await import('../src/lib/heartbeat.ts');
const { beatsADay, formFrom, intervalWords, mistakesIn, textWith } = await import('../src/lib/heartbeat_settings.ts');
const { verdictsOf, watchOf, whenOf } = await import('../src/lib/heartbeat_words.ts');
const { placeMarks, quietAt, ribbonSentence, scrubWords, skyOf } = await import('../src/lib/ribbon.ts');
const { clockTime } = await import('../src/lib/time.ts');
const { daysUpTo, ticksUpTo } = await import('../src/lib/usage.ts');
const { dollars, short } = await import('../src/lib/usage_words.ts');
type Beat = import('../src/lib/heartbeat.ts').Beat;
type Heartbeat = import('../src/lib/heartbeat.ts').Heartbeat;
type RibbonMark = import('../src/lib/ribbon.ts').RibbonMark;

const at = (clock: string, date = '2026-11-16') => new Date(`${date}T${clock}:00`).getTime();
const day = dayOf(at('12:00'));
const spans = (hours: { start: string; end: string } | null, zone = 'Europe/Berlin', of = day) =>
  activeSpans(of, hours, zone).map(({ fromMs, toMs }) => `${clockTime(fromMs)}-${clockTime(toMs)}`);
const mark = (clock: string, state: RibbonMark['state'] = 'done', layer: RibbonMark['layer'] = 'run'): RibbonMark => ({ atMs: at(clock), layer, state, words: clock });

describe('active hours on a day', () => {
  test('lie where the clock of their zone says, and pass midnight', () => {
    assert.deepEqual(spans({ start: '07:00', end: '23:00' }), ['07:00-23:00']);
    assert.deepEqual(spans({ start: '22:00', end: '06:00' }), ['00:00-06:00', '22:00-00:00']);
    assert.deepEqual(spans({ start: '07:00', end: '23:00' }, 'America/New_York'), ['00:00-05:00', '13:00-00:00']);
    assert.deepEqual(spans(null), ['00:00-00:00']);
    assert.deepEqual(spans({ start: '00:00', end: '24:00' }), ['00:00-00:00']);
    assert.deepEqual(spans({ start: 'seven', end: '23:00' }), []);
  });

  test('keep to the clock on days of 23 and 25 hours', () => {
    for (const date of ['2026-03-29', '2026-10-25']) {
      assert.deepEqual(spans({ start: '07:00', end: '23:00' }, 'Europe/Berlin', dayOf(at('12:00', date))), ['07:00-23:00'], date);
    }
  });

  test('dates are read as they are written, and only if they exist', () => {
    assert.equal(dateText(dayFromText('2026-03-29')!.startMs), '2026-03-29');
    assert.equal(dayFromText('2026-02-31'), null);
    assert.equal(dayFromText('today'), null);
    assert.equal(dayFromText(null), null);
  });
});

describe('marks on the ribbon', () => {
  test('stand at their hour, and later ones move up when there is no room', () => {
    const placed = placeMarks([mark('09:05'), mark('09:00'), mark('15:00')], day, 'full', 960);
    assert.deepEqual(placed.map(({ t, level }) => [Math.round(t * 100) / 100, level]), [[9, 0], [9.08, 1], [15, 0]]);
  });

  test('merge when every step is taken: failed wins, and the count is kept', () => {
    const crowd = ['09:00', '09:01', '09:02', '09:03', '09:04'].map((clock) => mark(clock, clock === '09:03' ? 'failed' : 'done'));
    const placed = placeMarks(crowd, day, 'full', 960);
    assert.deepEqual(placed.map(({ level, count, state }) => [level, count, state]), [[0, 1, 'done'], [1, 1, 'done'], [2, 3, 'failed']]);
    assert.equal(scrubWords(placed[2]!), '09:03 09:03, and 2 more');
    assert.deepEqual(placeMarks(crowd, day, 'mini', 200).map(({ count, state }) => [count, state]), [[5, 'failed']]);
  });

  test('of another day are not on it', () => {
    assert.deepEqual(placeMarks([{ ...mark('09:00'), atMs: at('09:00', '2026-11-17') }], day, 'full', 960), []);
  });

  test('the sky has a dawn for each span, and none where the day begins awake', () => {
    const sky = skyOf(day, activeSpans(day, { start: '06:00', end: '18:00' }, 'Europe/Berlin'));
    assert.match(sky, /var\(--first-light\) 24\.6%/);
    assert.match(sky, /var\(--night\) 75%\)$/);
    assert.equal(skyOf(day, activeSpans(day, null, '')), 'var(--sky)');
    assert.equal(skyOf(day, []), 'var(--night)');
    assert.equal(quietAt(day, activeSpans(day, { start: '22:00', end: '06:00' }, 'Europe/Berlin')), 6);
    assert.equal(quietAt(day, activeSpans(day, null, '')), null);
  });

  test('are a sentence for who does not see them', () => {
    const marks = [mark('07:00', 'done', 'beat'), mark('07:30', 'spoke', 'beat'), mark('08:00', 'failed'), mark('09:00', 'done', 'message'), mark('18:00', 'planned')];
    const said = ribbonSentence(day, marks, at('16:42'), activeSpans(day, { start: '07:00', end: '23:00' }, 'Europe/Berlin'));
    assert.equal(said, 'Monday 16 November. Active from 07:00 to 23:00. 1 silent beat, 1 beat that spoke, 1 failed run and 1 message. 1 run planned. Now 16:42.');
    assert.equal(ribbonSentence(day, [], at('16:42', '2026-11-17'), null), 'Monday 16 November. Nothing happened.');
  });
});

let lastId = 0;
const row = (clock: string, type: string, summary: string, details: object = {}, more: object = {}, date = '2026-11-16') =>
  rowFrom({ id: (lastId += 1), ts_ms: at(clock, date), type, summary, details, ...more })!;
const silent = (clock: string) => row(clock, 'heartbeat', 'checked, nothing to report', { heartbeat: '', verdict: 'nothing', outcome: 'silent_empty', reason: 'nothing_changed', calls: 0 });
const run = (clock: string, status: string, summary = 'done') => row(clock, 'scheduled', summary, { automation: 'a1', status }, { conversation: 'conv_1' });
const names = { automation: (id: string) => (id === 'a1' ? 'Price list' : ''), conversation: (id: string) => (id === 'conv_1' ? 'Work' : '') };

describe('the timeline', () => {
  test('is cut into days, and silence in a row is one line', () => {
    const days = groupByDay([silent('09:00'), silent('08:30'), silent('08:00'), row('07:59', 'message', 'asked', { turns: 2 }, { conversation: 'conv_1' }), silent('07:30'), row('23:00', 'system', 'x', {}, {}, '2026-11-15')]);
    assert.deepEqual(days.map(({ lines }) => lines.length), [3, 1]);
    assert.deepEqual(storyOf(days[0]!.lines[0]!, names), { title: '3 beats, 08:00 to 09:00.', text: 'Nothing changed, no model was asked.' });
    assert.deepEqual(storyOf(days[0]!.lines[1]!, names), { title: 'Work.', text: 'Asked.' });
    assert.equal(storyOf(days[0]!.lines[2]!, names).title, '1 beat, 07:30.');
  });

  test('many fine runs of one automation are one line, a failed one never', () => {
    const [one] = groupByDay([run('09:03', 'ok', 'newest'), run('09:02', 'ok'), run('09:01', 'ok'), run('09:00', 'error'), run('08:59', 'ok')]);
    assert.deepEqual(one!.lines.map(({ fold, rows }) => [fold, rows.length]), [['runs', 3], [null, 1], [null, 1]]);
    assert.deepEqual(storyOf(one!.lines[0]!, names), { title: 'Price list, 3 runs, 09:01 to 09:03.', text: 'Last: Newest.' });
  });

  test('a lone run is not named twice', () => {
    const lone = row('09:00', 'background', 'Price list: all good', { automation_id: 'a1', what: 'ok' });
    assert.deepEqual(storyOf({ key: '1', rows: [lone], fold: null }, names), { title: 'Price list.', text: 'All good.' });
    assert.deepEqual(linksOf(lone).map(({ href }) => href), ['/automations/a1']);
    assert.deepEqual(linksOf(run('09:00', 'ok')).map(({ href }) => href), ['/automations/a1', '/chat/conv_1']);
    assert.deepEqual(marksOf([lone], names).map(({ layer, state, words }) => [layer, state, words]), [['run', 'done', 'Price list']]);
  });

  test('rows nobody can have written are left out', () => {
    assert.equal(rowFrom({ id: 1, type: 'rumour', summary: 'x', details: {} }), null);
    assert.equal(rowFrom({ type: 'message', summary: 'x', details: {} }), null);
  });

  test('while away: what waits, then what failed, then the rest', () => {
    const rows = [run('09:41', 'error'), run('08:41', 'error'), run('08:00', 'ok'), silent('07:00')];
    const items = awayItems(rows, [{ conversationId: 'conv_1', summary: 'run tests' }], names);
    assert.deepEqual(items.map(({ mark: kind, text }) => `${kind}: ${text}`), ['waits: Waits for you: Run tests.', 'failed: Price list failed 2 times, last at 09:41.', 'ok: 1 run was fine.']);
    assert.deepEqual(awayItems([silent('07:00')], [], names), []);
  });

  test('filters go into the address and come back', () => {
    const filter = { ...everything, type: 'scheduled' as const, words: 'a & b', until: dayFromText('2026-11-15') };
    const address = addressOf(filter);
    assert.equal(address, '/activity?type=scheduled&q=a+%26+b&until=2026-11-15');
    const query = new URL(address, 'http://rouse').searchParams;
    assert.deepEqual(filterFrom((name) => query.get(name)), filter);
    assert.equal(addressOf(everything), '/activity');
    assert.deepEqual(filterFrom((name) => (name === 'type' ? 'nonsense' : null)), everything);
  });
});

describe('heartbeat.json as a form', () => {
  const text = '{"ack_max": 3, "interval": "2h", "active_hours": {"start": "08:00", "end": "20:00", "zone": "Asia/Tokyo"}}';

  test('shows what is written, and what holds where nothing is', () => {
    const form = formFrom(text, '')!;
    assert.deepEqual(form, { enabled: true, intervalMinutes: 120, hours: { start: '08:00', end: '20:00' }, zone: 'Asia/Tokyo', project: '', conversation: '', capUsd: '', capCalls: '' });
    assert.deepEqual(formFrom('{}', '')!.hours, { start: '07:00', end: '23:00' });
    assert.equal(formFrom('{"active_hours": null}', '')!.hours, null);
    assert.equal(formFrom('{"enabled": false}', '')!.enabled, false);
    assert.equal(formFrom('{"interval": 1800000}', '')!.intervalMinutes, 30);
    for (const broken of ['', '[]', '{"interval": "soon"}', '{"heartbeats": [{"name": "other"}]}']) assert.equal(formFrom(broken, ''), null, broken);
  });

  test('writes only what was changed, and leaves the rest alone', () => {
    const form = formFrom(text, '')!;
    assert.deepEqual(JSON.parse(textWith(text, '', form, { ...form, intervalMinutes: 15 })!), { ack_max: 3, interval_minutes: 15, active_hours: { start: '08:00', end: '20:00', zone: 'Asia/Tokyo' } });
    assert.deepEqual(JSON.parse(textWith(text, '', form, { ...form, hours: null })!), { ack_max: 3, interval: '2h', active_hours: null });
    assert.deepEqual(JSON.parse(textWith(text, '', form, { ...form, capUsd: '0.25', conversation: 'websocket:work' })!), { ...JSON.parse(text), daily_cap_usd: 0.25, conversation: 'websocket:work' });
  });

  test('of several changes the one that is shown, and takes back what stands beside the list', () => {
    const several = '{"project": "atlas", "heartbeats": [{"name": "work"}, {"name": "home", "conversation": "x"}]}';
    const form = formFrom(several, 'home')!;
    assert.equal(form.project, 'atlas');
    assert.deepEqual(JSON.parse(textWith(several, 'home', form, { ...form, project: '', conversation: '' })!), { project: 'atlas', heartbeats: [{ name: 'work' }, { name: 'home', project: null }] });
  });

  test('says what has to be corrected, and how many beats a day that makes', () => {
    const form = formFrom('{}', '')!;
    assert.deepEqual(mistakesIn(form), {});
    assert.deepEqual(Object.keys(mistakesIn({ ...form, intervalMinutes: 0, hours: { start: '7', end: '23:00' }, capUsd: 'much', capCalls: '1.5' })), ['intervalMinutes', 'hours', 'capUsd', 'capCalls']);
    assert.match(mistakesIn({ ...form, hours: { start: '07:00', end: '07:00' } }).hours ?? '', /empty/);
    assert.equal(beatsADay(form), 32);
    assert.equal(beatsADay({ ...form, hours: { start: '22:00', end: '06:00' } }), 16);
    assert.equal(beatsADay({ ...form, hours: null, intervalMinutes: 60 }), 24);
    assert.deepEqual([1, 15, 60, 120, 90].map(intervalWords), ['minute', '15 minutes', 'hour', '2 hours', '90 minutes']);
  });
});

describe('verdicts', () => {
  const beat = (clock: string, more: Partial<Beat>): Beat => ({
    atMs: at(clock), untilMs: at(clock), count: 1, status: 'empty', skipped: false, verdict: 'nothing', outcome: 'silent_empty', reason: 'nothing_changed', text: 'checked', calls: 0, tokens: 0, costMicros: null, turnId: '', ...more,
  });

  test('silence in a row is one, everything else stands alone with its reason', () => {
    const verdicts = verdictsOf([
      beat('16:30', {}), beat('16:00', {}),
      beat('15:30', { status: 'ok', outcome: 'spoke', verdict: 'wake', text: 'two drafts are unsent', calls: 1, tokens: 1920, costMicros: 400 }),
      beat('15:00', { skipped: true, status: 'skipped', outcome: 'skipped', text: 'somebody was just writing', count: 3, untilMs: at('15:20') }),
      beat('14:00', { outcome: 'failed', status: 'error', text: 'no answer within 30 s' }),
    ]);
    assert.deepEqual(verdicts.map(({ wording, why }) => `${wording.word}: ${why}`), [
      'Silent: Nothing changed, no model was asked. 2 beats in a row.',
      'Woke: Two drafts are unsent. 1.9k tokens, $0.0004.',
      'Skipped: Somebody was just writing. 3 times in a row.',
      'Failed: No answer within 30 s.',
    ]);
    assert.deepEqual(verdicts.map((one) => whenOf(one, at('16:42'))), ['Today 16:00 to 16:30', 'Today 15:30', 'Today 15:00 to 15:20', 'Today 14:00']);
  });

  test('planned beats stay within the hours, and the watch knows what late is', () => {
    const one = { name: '', enabled: true, nextMs: at('22:00'), intervalMinutes: 30, hours: { start: '07:00', end: '23:00' }, zone: 'Europe/Berlin', waitsFor: '' } as Heartbeat;
    assert.deepEqual(plannedBeats(one, day).map(({ atMs }) => clockTime(atMs)), ['22:00', '22:30']);
    assert.equal(plannedBeats({ ...one, enabled: false }, day).length, 0);
    assert.equal(watchOf(one, at('22:07'), []).word, 'On time');
    assert.equal(watchOf(one, at('22:09'), []).word, 'Late');
    assert.equal(watchOf(one, at('22:00'), ['the heartbeat stopped']).word, 'Stopped');
    assert.equal(watchOf({ ...one, enabled: false }, at('23:59'), []).word, 'Off');
  });
});

test('usage: days without gaps, round axes, amounts a person can read', () => {
  const none = { turns: 0, tokensIn: 0, tokensOut: 0, cacheRead: 0, cacheWrite: 0, usd: 0, priceUnknown: false };
  const days = daysUpTo('2026-03-01', 3, [{ day: '2026-02-28', ...none, usd: 2 }]);
  assert.deepEqual(days.map(({ day: date, usd }) => [date, usd]), [['2026-02-27', 0], ['2026-02-28', 2], ['2026-03-01', 0]]);
  assert.deepEqual(ticksUpTo(0), [0]);
  assert.deepEqual(ticksUpTo(0.305), [0, 0.2, 0.4]);
  assert.deepEqual(ticksUpTo(130_000), [0, 50_000, 100_000, 150_000]);
  assert.deepEqual([0, 0.00001, 0.0021, 0.061, 0.5, 1234.5].map(dollars), ['$0', 'under $0.0001', '$0.0021', '$0.061', '$0.50', '$1,234.50']);
  assert.deepEqual([820, 1920, 12_400, 999_999, 3_400_000].map(short), ['820', '1.9k', '12k', '1M', '3.4M']);
});
