// Texts that tell agents how to do something (docs/skills.md). They are files; the app only shows them.
import { call, type Answer } from './http.ts';
import { isObject, listOf, textOf, textsOf } from './json.ts';

export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly file: string;
  readonly alwaysApply: boolean;
}

export interface SkillList {
  readonly items: readonly Skill[];
  /** What is wrong with the others: file and line. */
  readonly problems: readonly string[];
}

export function listSkills(): Promise<Answer<SkillList>> {
  return call('GET', '/api/skills', undefined, (json) => {
    if (!isObject(json)) return null;
    const items = listOf(json, 'items', (item) => ({
      name: textOf(item, 'name'),
      description: textOf(item, 'description'),
      file: textOf(item, 'file'),
      alwaysApply: item['always_apply'] === true,
    }));
    return { items, problems: textsOf(json, 'problems') };
  });
}

export function skillText(name: string): Promise<Answer<string>> {
  return call('GET', `/api/skills/${encodeURIComponent(name)}`, undefined, (json) => (isObject(json) ? textOf(json, 'text') : null));
}
