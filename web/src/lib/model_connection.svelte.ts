// Connecting a model: what is filled in so far, the short question that tests it, and saving it. The form in the
// settings and the card of the first minutes are two faces of this.
import { whyFailed } from './http.ts';
import { keepsKey, lackOf, providers, saveModel, testDraft, type Model, type ModelDraft, type Provider, type Tested } from './models.ts';

const start = providers[0] as Provider;

export class ModelConnection {
  provider = $state.raw(start);
  role = $state('main');
  apiKey = $state('');
  model = $state(start.models[0] ?? '');
  baseUrl = $state(start.baseUrl);
  busy = $state<'' | 'testing' | 'saving'>('');
  tested = $state.raw<Tested | null>(null);
  problem = $state('');
  /** What came of it. */
  said = $state('');
  readonly #models: () => readonly Model[];

  /** `models`: what is set up already. */
  constructor(models: () => readonly Model[]) {
    this.#models = models;
  }

  get draft(): ModelDraft {
    return { provider: this.provider.provider, baseUrl: this.baseUrl, model: this.model, apiKey: this.apiKey };
  }

  /** A server of one's own mostly asks for none. */
  get wantsKey(): boolean {
    return this.provider.id === 'anthropic' || (this.provider.id === 'openai' && this.baseUrl.trim() === '');
  }

  get hasKey(): boolean {
    return keepsKey(this.#models(), this.role, this.draft);
  }

  get button(): string {
    return this.busy === 'testing' ? 'Asking the model' : this.busy === 'saving' ? 'Saving' : 'Test and connect';
  }

  choose(wanted: Provider['id']): void {
    this.provider = providers.find((one) => one.id === wanted) ?? start;
    [this.model, this.baseUrl] = [this.provider.models[0] ?? '', this.provider.baseUrl];
    [this.tested, this.problem, this.said] = [null, '', ''];
  }

  async test(): Promise<boolean> {
    [this.tested, this.said] = [null, ''];
    this.problem = lackOf(this.draft, this.wantsKey && !this.hasKey);
    if (this.busy !== '' || this.problem !== '') return false;
    this.busy = 'testing';
    const answer = await testDraft(this.draft, this.#models().some(({ role }) => role === this.role) ? this.role : null);
    this.busy = '';
    if (answer.ok) this.tested = answer.value;
    else this.problem = `Not tested. ${whyFailed(answer.failure)}`;
    return answer.ok && answer.value.ok;
  }

  async save(): Promise<boolean> {
    if (this.busy !== '') return false;
    this.busy = 'saving';
    const answer = await saveModel(this.role, this.draft);
    this.busy = '';
    if (!answer.ok) {
      this.problem = `Not saved. ${whyFailed(answer.failure)}`;
      return false;
    }
    const when = answer.value.restartNeeded ? 'after rouse was restarted' : 'from the next message';
    this.said = `${answer.value.restartNeeded ? 'Saved' : 'Connected'}. ${this.model.trim()} answers ${when}.`;
    this.apiKey = '';
    return true;
  }
}
