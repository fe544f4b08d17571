import { expect, it } from '@jest/globals';
import { escapeHtml } from './escape-html.js';

it('escapeHtml escapes the five characters with a meaning in HTML', () => {
  expect(escapeHtml(`<a href="x" title='y'>&`)).toBe(
    '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;',
  );
});
