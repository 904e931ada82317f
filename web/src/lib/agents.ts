// The agents of a workspace. The default agent has no name and is not in the list.
import { call, type Answer } from './http.ts';
import { isObject, listOf, textOf, type JsonObject } from './json.ts';

export interface Agent {
  readonly name: string;
  readonly instructions: string;
  /** Empty: the usual one. */
  readonly model: string;
  /** A policy for its tools, kept as it came: the page does not show it, and must not lose it. */
  readonly tools: string;
}

export function listAgents(): Promise<Answer<readonly Agent[]>> {
  return call('GET', '/api/agents?limit=200', undefined, (json) => (isObject(json) ? listOf(json, 'items', agentFrom) : null));
}

export function saveAgent({ name, instructions, model, tools }: Agent): Promise<Answer<Agent>> {
  return call('PUT', `/api/agents/${encodeURIComponent(name)}`, { instructions, model, tools }, (json) =>
    isObject(json) ? agentFrom(json) : null,
  );
}

export function deleteAgent(name: string): Promise<Answer<true>> {
  return call('DELETE', `/api/agents/${encodeURIComponent(name)}`, undefined, () => true as const);
}

function agentFrom(item: JsonObject): Agent | null {
  const name = textOf(item, 'name');
  if (name === '') return null;
  return { name, instructions: textOf(item, 'instructions'), model: textOf(item, 'model'), tools: textOf(item, 'tools', '{}') };
}
