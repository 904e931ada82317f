// Workflows as the server tells of them: one that came with rouse, one whose file is broken while its last good version
// still counts, one that was never read, one that is off. And what rules did in a conversation.
import type { Page } from 'playwright-core';

const text = [
  'name: headless-lifecycle',
  'description: Keeps agents honest about tasks and commits',
  'type: lifecycle',
  'sources: [claude_sdk]',
  'triggers:',
  '  on_before_agent:',
  '    - action: set_variable',
  '      name: plan_mode',
  '      value: false',
  '  on_before_tool:',
  '    - action: block_tools',
  "      when: \"not variables.get('task_claimed')\"",
  '      tools: [write_file]',
  `      reason: ${'Claim a task before you change a file, so that the change has a home and a name. '.repeat(3)}`,
  '',
].join('\n');

const shipped = {
  name: 'headless-lifecycle', file: 'workflows/headless-lifecycle.yaml', description: 'Keeps agents honest about tasks and commits', type: 'lifecycle',
  sources: ['claude_sdk'], priority: 10, state: 'active', shipped: true, loaded_at: '2026-03-26T08:14:00.000Z', problems: [],
  triggers: [
    { event: 'on_before_agent', actions: [{ action: 'set_variable', when: null, line: 7, summary: 'plan_mode = false' }] },
    { event: 'on_before_tool', actions: [{ action: 'block_tools', when: "not variables.get('task_claimed')", line: 11, summary: 'write_file' }] },
  ],
};
const broken = {
  ...shipped, name: 'night-shift', file: 'workflows/night-shift.yaml', description: '', sources: [], state: 'broken', shipped: false,
  problems: [
    { file: 'workflows/night-shift.yaml', line: 11, column: 15, message: "there is no action 'block_tolls'; did you mean 'block_tools'?" },
    { file: 'workflows/night-shift.yaml', line: 12, column: 7, message: 'This condition does not end.' },
  ],
};
const neverRead = { ...broken, name: 'typo', file: 'workflows/typo.yaml', loaded_at: null, triggers: [], problems: [{ file: 'workflows/typo.yaml', line: 0, column: 0, message: 'the file is empty' }] };
const off = { ...shipped, name: 'review', file: 'workflows/review.yaml', description: 'Two eyes before a commit', sources: ['claude', 'codex'], state: 'off', shipped: false };

export const workflows = [shipped, broken, neverRead, off];

export async function serveWorkflows(page: Page): Promise<void> {
  await page.route('**/api/workflows', (route) => route.fulfill({ json: { workflows } }));
  await page.route('**/api/workflows/*', (route) => {
    const name = decodeURIComponent(new URL(route.request().url()).pathname.split('/').at(-1) ?? '');
    const found = workflows.find((one) => one.name === name);
    if (found === undefined) return route.fulfill({ status: 404, json: { ok: false, error: 'workflow_not_found', message: `there is no workflow '${name}'` } });
    return route.fulfill({ json: { ...found, text, variables: { plan_mode: false, unlocked_tools: [], max_stop_attempts: 3 } } });
  });
}

const firing = (minute: number, decision: string, more: object = {}) => ({
  at: `2026-03-26T08:${String(minute).padStart(2, '0')}:00.000Z`, turn_id: 'turn_1', event: 'on_before_tool', workflow: 'headless-lifecycle', decision, reason: null, tool: 'read_file',
  micros: 12, actions: [{ action: 'block_tools', line: 11, outcome: decision === 'block' ? 'blocked' : 'skipped', detail: '' }], ...more,
});

/** Newest first, over two pages. Counts how often it was asked. */
export async function serveGates(page: Page): Promise<{ asked: number }> {
  const counter = { asked: 0 };
  const head = { session_id: 'sess_1', source: 'claude_sdk', variables: { plan_mode: false, stop_attempts: 1 } };
  const first = [firing(30, 'allow'), firing(20, 'block', { tool: 'write_file', reason: 'claim a task before you change a file' })];
  const second = [firing(10, 'inject', { event: 'on_before_agent', tool: null, micros: 3400 }), firing(5, 'error', { reason: "the condition of line 12 failed: there is no 'x'" })];
  await page.route('**/api/conversations/*/gates?*', (route) => {
    counter.asked += 1;
    const older = new URL(route.request().url()).searchParams.has('cursor');
    return route.fulfill({ json: { ...head, firings: older ? second : first, next_cursor: older ? null : 'older' } });
  });
  return counter;
}
