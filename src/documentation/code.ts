import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import csharp from 'highlight.js/lib/languages/csharp';
import http from 'highlight.js/lib/languages/http';
import json from 'highlight.js/lib/languages/json';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import { escapeHtml } from '../platform/kernel/text.js';

/** By the word after the fence, or the extension of the file. */
const grammars = {
  sh: bash,
  ts: typescript,
  py: python,
  php,
  cs: csharp,
  json,
  http,
  csproj: xml,
};
for (const [name, grammar] of Object.entries(grammars)) hljs.registerLanguage(name, grammar);

/** Coloured code with a caption, which is HTML. */
export function codeFigure(text: string, language: string, caption = ''): string {
  const above = caption === '' ? '' : `<figcaption>${caption}</figcaption>`;
  const code = text.replace(/\n$/, '');
  const html = Object.hasOwn(grammars, language)
    ? hljs.highlight(code, { language }).value
    : escapeHtml(code);
  return `<figure>${above}<pre tabindex="0"><code>${html}</code></pre></figure>\n`;
}
