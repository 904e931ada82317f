// The words for workflows, for what rules did, and for what automations began.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { channelWords, titleWords } from '../src/lib/chat/words.ts';
import type { Firing } from '../src/lib/gates.ts';
import { pageFrom } from '../src/lib/page.ts';
import { actionWords, brokenWords, decisionState, eventWords, outcomeWords, problemWords, scopeWords, stoppedFirst, tookWords, workflowState } from '../src/lib/workflows_words.ts';

describe('a workflow', () => {
  test('says what it applies to', () => {
    assert.equal(scopeWords({ sources: [], loadedMs: 1 }), 'Applies to every conversation.');
    assert.equal(scopeWords({ sources: ['claude_sdk'], loadedMs: 1 }), 'Applies to conversations that rouse itself runs.');
    assert.equal(scopeWords({ sources: ['claude', 'codex', 'my_own'], loadedMs: 1 }), 'Applies to Claude Code, Codex and my own.');
    assert.equal(scopeWords({ sources: [], loadedMs: 0 }), '');
  });

  test('that is broken says whether an older version still counts', () => {
    const nowMs = Date.parse('2026-03-26T12:00:00Z');
    const kept = { state: 'broken', loadedMs: nowMs - 3_600_000 };
    assert.match(brokenWords(kept, nowMs), /^The version that was read at .* is still in force\./);
    assert.match(brokenWords({ state: 'broken', loadedMs: 0 }, nowMs), /^None of its rules are in force/);
    assert.equal(brokenWords({ state: 'active', loadedMs: 1 }, nowMs), '');
    const words = [kept, { state: 'broken', loadedMs: 0 }, { state: 'active', loadedMs: 1 }, { state: 'off', loadedMs: 1 }].map((one) => workflowState(one).word);
    assert.deepEqual(words, ['Broken', 'Not in force', 'In force', 'Off']);
  });

  test('names the line of a problem, if it has one', () => {
    const problem = { file: 'a.yaml', line: 3, column: 1, message: 'There is no action x' };
    assert.equal(problemWords(problem), 'Line 3: there is no action x.');
    assert.equal(problemWords({ ...problem, line: 0 }), 'There is no action x.');
    assert.equal(problemWords({ ...problem, message: 'YAML ends here' }), 'Line 3: YAML ends here.');
  });

  test('tells moments and actions in words, also those nobody thought of', () => {
    assert.deepEqual(['on_stop', 'on_full_moon'].map(eventWords), ['When the agent wants to stop', 'On full moon']);
    assert.deepEqual(['inject_context', 'howl_at_moon'].map(actionWords), ['Tell the agent', 'Howl at moon']);
  });
});

describe('what rules did', () => {
  test('what was stopped comes first, each part in its order', () => {
    const fired = (key: string, decision: string) => ({ key, decision }) as Firing;
    const { stopped, others } = stoppedFirst([fired('a', 'allow'), fired('b', 'block'), fired('c', 'inject'), fired('d', 'error')]);
    assert.deepEqual([stopped.map(({ key }) => key), others.map(({ key }) => key)], [['b', 'd'], ['a', 'c']]);
  });

  test('has a word for each decision and outcome', () => {
    const words = ['allow', 'block', 'inject', 'error'].map((decision) => decisionState({ decision }).word);
    assert.deepEqual(words, ['Let through', 'Blocked', 'Told the agent', 'Failed']);
    assert.equal(outcomeWords({ action: 'a', line: 1, outcome: 'skipped', detail: '' }), 'did not apply');
    assert.equal(outcomeWords({ action: 'a', line: 1, outcome: 'failed', detail: 'no such name' }), 'failed: no such name');
    assert.deepEqual([12, 3400].map(tookWords), ['12 µs', '3.4 ms']);
  });
});

test('what an automation began is called by its name', () => {
  assert.equal(titleWords('Scheduled automation triggered: Morning report'), 'Morning report');
  assert.equal(titleWords('Why was a scheduled automation triggered: twice?'), 'Why was a scheduled automation triggered: twice?');
  assert.deepEqual(['isolated:run_1', 'cron:nightly', 'websocket:a'].map(channelWords), ['Automation', 'Automation', 'Web']);
});

test('a page is items and a cursor, under whatever name', () => {
  const read = (item: { readonly [key: string]: unknown }) => (typeof item['n'] === 'number' ? item['n'] : null);
  assert.deepEqual(pageFrom({ items: [{ n: 1 }, {}, { n: 2 }], next_cursor: 'x' }, read), { items: [1, 2], next: 'x' });
  assert.deepEqual(pageFrom({ firings: [], next_cursor: null }, read, 'firings'), { items: [], next: null });
  assert.equal(pageFrom({ firings: [] }, read), null);
});
