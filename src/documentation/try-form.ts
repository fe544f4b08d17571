import type { ParameterObject } from '@nestjs/swagger';
import { escapeHtml } from '../platform/kernel/text.js';
import type { SampleRequest } from './request-samples.js';

/** An operation that a reader can call from its page. */
interface Tried {
  readonly operationId: string;
  readonly summary: string;
  /** With `{name}` for each parameter. */
  readonly path: string;
  readonly parameters: readonly ParameterObject[];
  readonly sample: SampleRequest;
}

/**
 * The form that sends the request of an operation, which `browser/try.ts` does. Empty for uploads and for
 * streams that do not end: a terminal is the place to try these.
 */
export function tryForm(tried: Tried): string {
  const { operationId, summary, path, parameters, sample } = tried;
  const { method, needsToken, body, form, answer } = sample;
  if (form || answer === 'stream') return '';
  const fields = parameters
    .filter(({ in: place }) => place === 'path' || place === 'query' || place === 'header')
    .map(({ in: place, name, required = false, example }) => {
      const shown = required || place === 'path' ? String(example ?? '') : '';
      return field(`${operationId}-${place}-${name}`, `${place}:${name}`, name, shown, required);
    });
  const text = body === undefined ? '' : JSON.stringify(body, null, 2);
  const bodyField =
    body === undefined
      ? ''
      : `<p><label for="${operationId}-body">Body</label>
<textarea id="${operationId}-body" name="body" rows="${Math.min(16, text.split('\n').length)}" spellcheck="false">${escapeHtml(text)}</textarea></p>\n`;
  const token = needsToken
    ? field(`${operationId}-token`, 'token', 'Token', '', true, ' placeholder="pas_test_…"')
    : '';
  return `<details class="try" hidden><summary>Try it<span class="unseen">: ${escapeHtml(summary)}</span></summary>
<form data-method="${method}" data-path="${escapeHtml(path)}">
${token}${fields.join('')}${bodyField}<p><button>Send</button></p>
<div class="outcome"></div>
</form>
</details>
`;
}

function field(
  id: string,
  name: string,
  label: string,
  value: string,
  required: boolean,
  more = '',
) {
  const word = required ? '' : ' <span class="limits">optional</span>';
  return `<p><label for="${id}">${escapeHtml(label)}${word}</label>
<input id="${id}" name="${escapeHtml(name)}" value="${escapeHtml(value)}" autocomplete="off" spellcheck="false"${required ? ' required' : ''}${more}></p>\n`;
}
