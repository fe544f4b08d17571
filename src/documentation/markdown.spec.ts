import { expect, it, test } from '@jest/globals';
import { render, slugOf } from './markdown.js';

const around = { leadsTo: (href: string) => `to:${href}`, fileAt: () => undefined };
const html = (markdown: string, more = {}) => render(markdown, { ...around, ...more }).html;

test.each([
  ['Many at once', 'many-at-once'],
  ['Clients of version 0.2.0', 'clients-of-version-020'],
  ['1. Set address & token', '1-set-address--token'],
  ['unknown-product', 'unknown-product'],
])('the heading %j has the id %j', (text, id) => {
  expect(slugOf(text)).toBe(id);
});

it('gives each heading a unique id, and lists the headings', () => {
  const { title, headings } = render('# A `b`\n\n## C\n\n### D\n\n## C\n', around);
  expect([title, headings]).toEqual([
    'A b',
    [
      { depth: 2, id: 'c', text: 'C' },
      { depth: 3, id: 'd', text: 'D' },
      { depth: 2, id: 'c-1', text: 'C' },
    ],
  ]);
});

it('escapes and colours code, and captions it with its language', () => {
  expect(html('```sh run\necho "<&>"\n```\n')).toBe(
    '<figure><figcaption>Shell</figcaption><pre tabindex="0"><code><span class="hljs-built_in">echo</span> <span class="hljs-string">&quot;&lt;&amp;&gt;&quot;</span></code></pre></figure>\n',
  );
  expect(html('```json answer\n{}\n```\n')).toContain('<figcaption>Response</figcaption>');
  expect(html('```\nx\n```\n')).not.toContain('figcaption');
});

it('shows a file in place of a paragraph that is only a link to it', () => {
  const fileAt = (href: string) => (href === 'a.py' ? 'x < 1\n' : undefined);
  expect(html('[a.py](a.py)\n', { fileAt })).toBe(
    '<figure><figcaption><a href="to:a.py">a.py</a></figcaption><pre tabindex="0"><code>x &lt; <span class="hljs-number">1</span></code></pre></figure>\n',
  );
  expect(html('See [a.py](a.py)\n', { fileAt })).toContain('<p>See <a href="to:a.py">');
});
