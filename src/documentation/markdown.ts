import { escapeHtml } from '../platform/kernel/text.js';
import { Marked, type Tokens } from 'marked';
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import csharp from 'highlight.js/lib/languages/csharp';
import http from 'highlight.js/lib/languages/http';
import json from 'highlight.js/lib/languages/json';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';

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

export interface Heading {
  readonly depth: number;
  readonly id: string;
  /** HTML, without links. */
  readonly text: string;
}

export interface RenderedMarkdown {
  /** The heading of level 1, as plain text. */
  readonly title: string;
  readonly html: string;
  /** The other headings. */
  readonly headings: readonly Heading[];
}

/** Links of a text that is one of several pages. */
export interface MarkdownContext {
  /** The address for a link, which is relative to the folder of Markdown files. */
  readonly leadsTo: (href: string) => string;
  /** The text of a linked file that the page shows in place of the link. */
  readonly fileAt: (href: string) => string | undefined;
}

const languages: Readonly<Record<string, string>> = {
  sh: 'Shell',
  ts: 'TypeScript',
  py: 'Python',
  json: 'JSON',
  http: 'HTTP',
};

/** Markdown as HTML: headings with ids, code with a caption, tables that can scroll. */
export function render(markdown: string, around: MarkdownContext): RenderedMarkdown {
  const { leadsTo, fileAt } = around;
  const headings: Heading[] = [];
  const taken = new Map<string, number>();
  let title = '';

  const idOf = (text: string): string => {
    const slug = slugOf(text);
    const before = taken.get(slug) ?? 0;
    taken.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  };

  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading): string {
        const html = this.parser.parseInline(tokens);
        const id = idOf(plain(text));
        if (depth === 1) {
          title = plain(text);
          return `<h1>${html}</h1>\n`;
        }
        headings.push({ depth, id, text: html });
        return `<h${depth} id="${id}"><a href="#${id}">${html}</a></h${depth}>\n`;
      },
      code({ text, lang = '' }: Tokens.Code): string {
        const [language = '', role] = lang.split(' ');
        const caption = role === 'answer' ? 'Response' : languages[language];
        return codeFigure(text, language, escapeHtml(caption ?? ''));
      },
      table(token: Tokens.Table): string {
        const row = (cells: Tokens.TableCell[], tag: 'th' | 'td') =>
          `<tr>${cells
            .map(({ tokens }) => {
              const open = tag === 'th' ? '<th scope="col">' : '<td>';
              return `${open}${this.parser.parseInline(tokens)}</${tag}>`;
            })
            .join('')}</tr>\n`;
        const body = token.rows.map((cells) => row(cells, 'td')).join('');
        return `<div class="scroll" tabindex="0"><table>\n<thead>\n${row(token.header, 'th')}</thead>\n<tbody>\n${body}</tbody>\n</table></div>\n`;
      },
      paragraph({ tokens }: Tokens.Paragraph): string {
        const [only] = tokens;
        const file =
          tokens.length === 1 && only?.type === 'link' ? fileAt(only.href as string) : undefined;
        if (file === undefined) return `<p>${this.parser.parseInline(tokens)}</p>\n`;
        const extension = /\w*$/.exec(String((only as Tokens.Link).href))?.[0] ?? '';
        return codeFigure(file, extension, this.parser.parseInline(tokens));
      },
      link({ href, tokens }: Tokens.Link): string {
        return `<a href="${escapeHtml(leadsTo(href))}">${this.parser.parseInline(tokens)}</a>`;
      },
    },
  });
  const html = marked.parse(markdown, { async: false });
  return { title, html, headings };
}

/** A paragraph as HTML, without its element. Its links lead to addresses. */
export function renderInline(markdown: string): string {
  return new Marked({ gfm: true }).parseInline(markdown, { async: false });
}

/** The id that GitHub gives the heading, so that links work there too. */
export function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function plain(markdown: string): string {
  return markdown.replaceAll(/[`*]/g, '').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
}
