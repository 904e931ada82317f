// The projects of a workspace: folders on the server's machine that work can be about.
import { call, type Answer } from './http.ts';
import { isObject, listOf, textOf, type JsonObject } from './json.ts';

export interface Project {
  readonly key: string;
  readonly alias: string;
  readonly path: string;
  /** Named in rouse.yaml: then it is changed there. */
  readonly fromFile: boolean;
  readonly note: string;
}

export function listProjects(): Promise<Answer<readonly Project[]>> {
  return call('GET', '/api/projects?limit=200', undefined, (json) => (isObject(json) ? listOf(json, 'items', projectFrom) : null));
}

export type ProjectDraft = Pick<Project, 'key' | 'alias' | 'path'>;

export function saveProject({ key, alias, path }: ProjectDraft): Promise<Answer<Project>> {
  return call('PUT', `/api/projects/${encodeURIComponent(key)}`, { alias, path }, (json) => (isObject(json) ? projectFrom(json) : null));
}

export function deleteProject(key: string): Promise<Answer<true>> {
  return call('DELETE', `/api/projects/${encodeURIComponent(key)}`, undefined, () => true as const);
}

function projectFrom(item: JsonObject): Project | null {
  const key = textOf(item, 'key');
  if (key === '') return null;
  return {
    key,
    alias: textOf(item, 'alias'),
    path: textOf(item, 'path'),
    fromFile: textOf(item, 'source') === 'config',
    note: textOf(item, 'note'),
  };
}
