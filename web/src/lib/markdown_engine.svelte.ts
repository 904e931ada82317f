// The markdown code as soon as it is there. Until then answers are shown as the plain text they are.
import { LazyCode } from './lazy.svelte.ts';

export const markdown = new LazyCode(() => import('./markdown.ts'));
