// Which model answers, in words for a person: for /model and for whoever has not connected one yet. Loaded when asked.
import { call, whyFailed } from './http.ts';
import { listModels, modelName, type Model } from './models.ts';

/** Null when the server does not tell. */
export async function mainModel(): Promise<Model | null> {
  const answer = await listModels();
  if (!answer.ok) return null;
  return answer.value.find(({ role }) => role === 'main') ?? answer.value[0] ?? null;
}

/** Who answers, as a sentence. */
export function modelWords(model: Model | null): string {
  if (model === null) return 'rouse does not tell which model answers.';
  if (model.offline) return 'No model is connected. The offline assistant answers.';
  return `${modelName(model)} answers.`;
}

/** What `/model` says: who answers, or, with a name, who will from now on. */
export async function modelNote(conversationId: string | null, name: string): Promise<string> {
  if (name === '') return modelWords(await mainModel());
  if (conversationId === null) return 'Say something first: a model is chosen for a conversation.';
  const path = `/api/conversations/${encodeURIComponent(conversationId)}`;
  const answer = await call('PATCH', path, { model: name }, () => true as const);
  return answer.ok ? `From the next message on, ${name} answers here.` : whyFailed(answer.failure);
}
