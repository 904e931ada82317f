// The time zone of a person is that of their browser, until somebody chose one: reminders "at 9" depend on it.
import { call } from './http.ts';
import { isObject, textOf } from './json.ts';
import { zone } from './time.ts';

/** Tells the server once. A zone that is known stays: a second browser may be on a journey. */
export async function reportZone(): Promise<void> {
  const known = await call('GET', '/api/workspace', undefined, (json) => (isObject(json) ? { zone: textOf(json, 'timezone') } : null));
  if (known.ok && known.value.zone === '') await call('PATCH', '/api/workspace', { timezone: zone }, () => true);
}
