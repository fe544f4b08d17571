/** The hidden field `seen` of a form: the values with which it was opened, as JSON. Only changed ones are saved. */
import { Form } from './form.js';
import type { FormField } from './form-spec.js';

/** The first values of a form. */
export function valuesOf(fields: readonly FormField[]): Record<string, string> {
  return Object.fromEntries(fields.map(({ name, first = '' }) => [name, first]));
}

/** What the member saw in a field; undefined where the form does not say it. */
export function seenIn(form: Form, name: string): unknown {
  try {
    return (JSON.parse(form.text('seen')) as Record<string, unknown> | null)?.[name];
  } catch {
    return undefined;
  }
}

/** What was sent, at the stored version: what the member has not changed is as it is stored. */
export function withStored(form: Form, fields: readonly FormField[], version: number): Form {
  const stored = valuesOf(fields);
  const merged = new URLSearchParams(form.entries());
  for (const [name, value] of Object.entries(stored)) {
    if (form.text(name) === seenIn(form, name)) merged.set(name, value);
  }
  merged.set('version', String(version));
  merged.set('seen', JSON.stringify(stored));
  return Form.of(merged);
}
