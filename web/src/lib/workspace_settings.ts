// The name, zone and language of the workspace that is signed in.
import { call, type Answer } from './http.ts';
import { isObject, textOf } from './json.ts';

export interface Workspace {
  readonly id: string;
  readonly name: string;
  /** '' while nobody chose one. */
  readonly zone: string;
  readonly language: string;
}

export function readWorkspace(): Promise<Answer<Workspace>> {
  return call('GET', '/api/workspace', undefined, workspaceFrom);
}

/** What is empty stays as it is: the server takes no empty value. */
export function saveWorkspace({ name, zone, language }: Omit<Workspace, 'id'>): Promise<Answer<Workspace>> {
  const parts = { name: name.trim(), timezone: zone.trim(), locale: language.trim() };
  const body = Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== ''));
  return call('PATCH', '/api/workspace', body, workspaceFrom);
}

function workspaceFrom(json: unknown): Workspace | null {
  if (!isObject(json) || textOf(json, 'workspace_id') === '') return null;
  return { id: textOf(json, 'workspace_id'), name: textOf(json, 'name'), zone: textOf(json, 'timezone'), language: textOf(json, 'locale') };
}
