// A greeting with everything in it, as a model would write it: the server's own depends on what happened. Only the
// answers about this one conversation are made up; the page and the rest of the server are real.
import type { Page, Route } from 'playwright-core';

export const greetingId = 'conv_greeting';
const at = '2026-03-26T08:14:00.000Z';
const words = [
  'Good morning, Mara. You were last here 14 hours ago. Three things are in flight.',
  '',
  '- **Your reply to Nordlicht is written, not sent.** Refund of 1,240 €. Waits for you since Wed 16:10.',
  '- **Load test on staging.** Started 08:31, 51 of 90 minutes done, no errors so far.',
  '- **Certificate of pay.harbour.example, 6 days left.** Next check Fri 08:00. I will ask before I renew it.',
].join('\n');

const session = {
  session_id: 'sess_greeting', epoch: 1, status: 'active', opened_reason: 'timeout', close_reason: null, created_at: at,
  closed_at: null, last_message_at: at, turn_count: 14,
  context_summary: 'GOAL: Bring checkout p95 back under 450 ms before Friday\nENTITIES: checkout, staging\nDECISIONS: none\nPENDING: Approve pool size on staging\nTURNS: 14',
};
const conversation = {
  conversation_id: greetingId, session_key: 'websocket:greeting', title: 'Checkout latency', project: null, agent: 'Ida', created_at: at,
  last_active_at: at, message_count: 1, last_seq: 1, seen_seq: 0, automation_count: 1, pinned: false, model: null,
  last_message: 'Good morning, Mara.', last_message_at: at, session, aliases: [], sessions: [session],
};
const message = {
  seq: 1, session_id: session.session_id, turn_id: 'turn_greeting', role: 'assistant', source: 'websocket', created_at: at,
  turn_kind: 'session_open', content: [{ type: 'text', from: 'agent', text: words }],
};
const turn = { turn_id: 'turn_greeting', kind: 'session_open', state: 'done', verdict: 'spoke', reason: '', queued_at: at };

/** The conversation is the newest in the list, and empty until the agent has spoken: once `after` is over. Gives what
    session_open was asked with, each time. */
export async function greetWith(page: Page, said: Partial<{ silent: boolean; status: number; after: Promise<unknown> }> = {}): Promise<readonly unknown[]> {
  const asked: unknown[] = [];
  let messages: readonly object[] = [];
  const reply = (path: string, json: object) => page.route(path, (route: Route) => route.fulfill({ json }));
  await page.route('**/api/chat/session_open', async (route) => {
    asked.push(route.request().postDataJSON());
    await said.after;
    if (said.status !== undefined) return route.fulfill({ status: said.status, json: { ok: false, error: 'internal', message: 'no' } });
    const silent = said.silent === true;
    messages = silent ? [] : [message];
    const ids = { conversation_id: silent ? null : greetingId, turn_id: silent ? null : turn.turn_id };
    return route.fulfill({ json: { session_id: 'x', response: silent ? '' : words, is_new_user: false, silent, ...ids } });
  });
  await reply('**/api/conversations?limit=50', { items: [conversation], next_cursor: null });
  await reply(`**/api/conversations/${greetingId}`, conversation);
  await page.route(`**/api/conversations/${greetingId}/messages?*`, (route) => route.fulfill({ json: { items: messages, next_cursor: null } }));
  await reply(`**/api/turns?*conversation_id=${greetingId}`, { items: [turn], next_cursor: null });
  await reply(`**/api/approvals?*conversation_id=${greetingId}`, { items: [], next_cursor: null });
  await reply('**/api/sessions/websocket%3Agreeting/automations', { session_key: conversation.session_key, automations: [] });
  await reply(`**/api/conversations/${greetingId}/usage`, {
    conversation_id: greetingId, total: { turns: 9, tokens_in: 38_400, tokens_out: 4100, usd: 0.21, price_unknown: false }, cap_usd: 2,
  });
  return asked;
}
