// The pure parts behind settings, memory, tasks and notifications: words, values and what is sent.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { importWords, lengthOf, provenanceWords } from '../src/lib/memory_words.ts';
import { bodyOf, isConnectedHere, isMissing, keepsKey, lackOf, whereWords, yamlFor, type Model } from '../src/lib/models.ts';
import { deliveryWords, targetWords } from '../src/lib/notification_words.ts';
import { editText, groupsOf, originWords, pinnedWords, typedValue, valueWords, type Setting } from '../src/lib/settings.ts';
import { taskState } from '../src/lib/tasks.ts';

const draft = { provider: 'openai', baseUrl: ' http://127.0.0.1:11434/v1 ', model: ' llama3 ', apiKey: '' };
const model: Model = { role: 'main', provider: 'anthropic', model: 'm', baseUrl: '', hasKey: true, offline: false, inUse: true, keyFrom: 'secrets/model-main' };
const setup = { models: [model], origin: 'default', pinned: false };
const setting: Setting = { key: 'turns.deadline_seconds', value: 600, origin: 'default', pinned: false, needsRestart: false, doc: 'The longest a turn may take.' };

describe('a model', () => {
  test('is sent trimmed and without what is empty', () => {
    assert.deepEqual(bodyOf(draft), { provider: 'openai', base_url: 'http://127.0.0.1:11434/v1', model: 'llama3' });
  });

  test('lacks a key, a name or an address that is one', () => {
    assert.equal(lackOf(draft, true), 'Paste the key first.');
    assert.equal(lackOf({ ...draft, model: ' ' }, false), 'Name the model first.');
    assert.equal(lackOf({ ...draft, baseUrl: 'localhost:11434' }, false), 'The address begins with http:// or https://.');
    assert.equal(lackOf(draft, false), '');
  });

  test('as a section of the file never holds the key', () => {
    const text = yamlFor('cheap', { provider: 'anthropic', baseUrl: '', model: 'claude-haiku-4-5', apiKey: 'sk-secret' }, 'ANTHROPIC_API_KEY', true);
    assert.equal(text, 'models:\n  cheap:\n    provider: anthropic\n    model: claude-haiku-4-5\n    api_key_env: ANTHROPIC_API_KEY');
  });

  test('can be taken back where it was connected', () => {
    assert.ok(isConnectedHere(model, setup));
    assert.ok(!isConnectedHere({ ...model, keyFrom: 'environment OPENAI_API_KEY' }, setup));
    assert.ok(isConnectedHere({ ...model, keyFrom: '' }, { ...setup, origin: 'settings.json' }));
    assert.ok(!isConnectedHere(model, { ...setup, pinned: true }));
    assert.ok(!isConnectedHere({ ...model, offline: true }, setup));
  });

  test('keeps its key at its own address only', () => {
    const same = { provider: 'anthropic', baseUrl: ' ', model: 'other', apiKey: '' };
    assert.ok(keepsKey([model], 'main', same));
    assert.ok(!keepsKey([model], 'cheap', same));
    assert.ok(!keepsKey([model], 'main', { ...same, baseUrl: 'https://elsewhere.example' }));
    assert.ok(!keepsKey([{ ...model, hasKey: false }], 'main', same));
  });

  test('is named with where it is and whose key it uses', () => {
    assert.equal(whereWords(model), 'Anthropic, key entered here');
    assert.equal(whereWords({ ...model, provider: 'openai', hasKey: false, keyFrom: '' }), 'OpenAI, no key');
    assert.equal(whereWords({ ...model, offline: true }), '');
  });

  test('a server without these routes is told apart from one that fails', () => {
    assert.ok(isMissing({ kind: 'refused', code: 'not_found', message: '' }));
    assert.ok(!isMissing({ kind: 'refused', code: 'internal', message: '' }));
    assert.ok(!isMissing({ kind: 'unreachable' }));
    assert.ok(!isMissing(null));
  });
});

describe('a setting', () => {
  test('is read as the kind it was', () => {
    assert.equal(typedValue(' 500 ', 600), 500);
    assert.equal(typedValue('soon', 600), 'soon');
    assert.equal(typedValue('2.5', null), 2.5);
    assert.equal(typedValue('Europe/Berlin', null), 'Europe/Berlin');
    assert.equal(typedValue('30', '0 3 * * *'), '30');
    assert.equal(typedValue('  ', 600), null);
    assert.deepEqual(typedValue('a.example\n\n b.example ', []), ['a.example', 'b.example']);
    assert.deepEqual(typedValue('', ['a']), []);
    assert.deepEqual(typedValue('{"shell": "off"}', {}), { shell: 'off' });
    assert.equal(typedValue('shell: off', {}), undefined);
  });

  test('is shown in words, and goes into a field as it came', () => {
    assert.deepEqual([null, true, false, [], {}, 30, ['a', 'b'], '(hidden)'].map(valueWords), ['Not set', 'On', 'Off', 'None', 'None', '30', 'a, b', 'Hidden']);
    assert.equal(editText(['a', 'b']), 'a\nb');
    assert.equal(editText('(hidden)'), '');
    assert.deepEqual(typedValue(editText({ a: 1 }), {}), { a: 1 });
  });

  test('says where it comes from, and where it is changed', () => {
    assert.deepEqual(['default', 'settings.json', 'secrets/model-main', 'flag', 'environment X'].map(originWords), ['Default', 'Set here', 'Set here', 'Command line', 'Environment X']);
    assert.equal(originWords('rouse.yaml line 2'), 'rouse.yaml line 2');
    assert.equal(pinnedWords({ ...setting, origin: 'rouse.yaml line 2' }), 'rouse.yaml line 2 says so; change it there.');
    assert.equal(pinnedWords(setting), 'Only rouse.yaml can change it.');
  });

  test('is found by its name and its words, in its group', () => {
    const other = { ...setting, key: 'unheard.of', doc: 'Something newer.' };
    assert.deepEqual(groupsOf([setting, other], '').map(({ name }) => name), ['Conversations', 'More']);
    assert.deepEqual(groupsOf([setting, other], 'LONGEST').map(({ name }) => name), ['Conversations']);
    assert.deepEqual(groupsOf([setting, other], 'zeppelin'), []);
  });
});

describe('words', () => {
  test('of a place that is told', () => {
    const place = { name: 'phone', type: 'ntfy', privacy: 'full', kinds: null, quietHours: '', zone: 'UTC' };
    assert.equal(targetWords(place), 'Everything.');
    assert.equal(targetWords({ ...place, kinds: [], privacy: 'none' }), 'Nothing. Only that there is something.');
    assert.equal(targetWords({ ...place, kinds: ['heartbeat', 'automation', 'approval'], quietHours: '22:00-07:00' }), 'Heartbeats, automations and approvals. Quiet 22:00 to 07:00 UTC.');
  });

  test('of a delivery on its way', () => {
    const delivery = { id: 'out_1', state: 'pending', error: '', nextTryMs: 0 };
    assert.equal(deliveryWords(undefined, 0).word, 'On its way');
    assert.equal(deliveryWords(delivery, 0).word, 'On its way');
    assert.equal(deliveryWords({ ...delivery, error: 'refused' }, 0).why, 'Refused.');
    assert.match(deliveryWords({ ...delivery, error: 'refused', nextTryMs: 1000 }, 0).why, /^Refused\. Trying again today at \d\d:\d\d /);
    assert.equal(deliveryWords({ ...delivery, state: 'delivered' }, 0).word, 'Arrived');
    assert.equal(deliveryWords({ ...delivery, state: 'failed', error: 'gone' }, 0).mark, 'failed');
  });

  test('of notes and tasks', () => {
    assert.equal(provenanceWords('untrusted'), 'From words of others');
    assert.equal(importWords({ added: 1, renewed: 0, unchanged: 2, instructionsChanged: true }), '1 note added, 0 renewed, 2 unchanged. The instructions were replaced.');
    assert.equal(lengthOf('añ👋'), 3);
    const task = { number: 1, title: '', detail: '', project: '', state: 'claimed', claimedBy: 'Ada', reason: '', from: 'owner', createdMs: 0, endedMs: 0 };
    assert.equal(taskState(task).word, 'Taken by Ada');
    assert.equal(taskState({ ...task, claimedBy: '' }).word, 'Taken');
  });
});
