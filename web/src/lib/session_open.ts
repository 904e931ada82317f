// A person came back: may the agent speak first? The server decides and stays silent most of the time (S0-19 to S0-22).
import { call } from './http.ts';
import { isObject, textOf } from './json.ts';

export interface Opening {
  readonly conversationId: string;
  readonly response: string;
}

/** Longer than a model may think about a greeting. What comes later still comes as an event. */
const longestMs = 60_000;

/** The server asks for a name; one that nobody has means whoever answers anyway. */
const anyAgent = 'assistant';

/** Null when there is nothing to show: silence, an error, a server that can't do this. Never a reason to worry anybody. */
export async function openSession(sessionId: string, agent: string): Promise<Opening | null> {
  const body = { session_id: sessionId, agent_name: agent || anyAgent };
  const answer = await call('POST', '/api/chat/session_open', body, openingFrom, longestMs);
  return answer.ok && !answer.value.silent ? answer.value : null;
}

function openingFrom(json: unknown): (Opening & { readonly silent: boolean }) | null {
  if (!isObject(json) || typeof json['silent'] !== 'boolean') return null;
  const response = textOf(json, 'response').trim();
  return {
    conversationId: textOf(json, 'conversation_id'),
    response,
    silent: json['silent'] || response === '',
  };
}
