import { escapeHtml } from '../kernel/escape-html.js';
import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { type ProblemCode, problemTypes } from '../problems/problem-types.js';
import { Config } from '../config/config.js';
import { type PageFrame, type LinkGroup, layOut, type PageContent } from './layout.js';
import { groups, HOME, pageNames, readLibrary } from './library.js';
import { render, type MarkdownContext, type RenderedMarkdown } from './markdown.js';
import { type Audience, codesFor, problemList, problemText } from './problem-text.js';
import { referenceSection } from './reference.js';

/** An answer that never changes while the service runs. */
export interface StaticPage {
  readonly type: string;
  readonly text: string;
  /** A strong validator (RFC 9110 §8.8.3). */
  readonly etag: string;
}

/** As in the Markdown in the repository. */
const WRITTEN_BASE = 'http://localhost:3000';
const WRITTEN_CONTACT = 'sales@example.net';

/** Makes each page when it is first requested, from files read at the start. */
@Injectable()
export class DocumentationService {
  private readonly library = readLibrary();
  private readonly made = new Map<string, StaticPage>();
  readonly styleName: string;
  readonly iconName: string;
  private readonly titles: ReadonlyMap<string, string>;

  constructor(private readonly config: Config) {
    this.styleName = `style.${hashOf(this.library.style).slice(0, 12)}.css`;
    this.iconName = `icon.${hashOf(this.library.icon).slice(0, 12)}.svg`;
    this.titles = new Map(
      [...this.library.pages].map(([name, text]) => [name, /^# (.+)$/m.exec(text)?.[1] ?? name]),
    );
  }

  /** The page at `/docs`. */
  home(): StaticPage {
    return this.html('/docs', () => {
      const text = this.textOf(HOME, this.onOwnPages);
      const reference = { depth: 2, id: 'reference', text: 'Reference' };
      return { ...text, headings: [...text.headings, reference], below: referenceSection };
    });
  }

  page(name: string): StaticPage | undefined {
    if (!pageNames.includes(name)) return undefined;
    return this.html(`/docs/${name}`, () => this.textOf(name, this.onOwnPages));
  }

  /** All pages on one, for searching and printing. */
  all(): StaticPage {
    return this.html('/docs/all', () => {
      const texts = pageNames.map((name) => ({ name, ...this.textOf(name, onOnePage(name)) }));
      const headings = texts.map(({ name, title }) => ({
        depth: 2,
        id: name,
        text: escapeHtml(title),
      }));
      const html = texts.map((text) => `<section>\n${text.html}</section>\n`).join('');
      const title = 'All on one page';
      return { title, html: `<h1>${title}</h1>\n${html}`, headings };
    });
  }

  problem(code: ProblemCode): StaticPage {
    return this.html(`/problems/${code}`, () => {
      const { title } = problemTypes[code];
      const all = '[All problems](/problems). [How problems are reported](errors.md).';
      const text = `# ${title}\n\n${problemText(code, this.library.problems.get(code))}\n${all}\n`;
      return { ...render(this.filledIn(text), this.onOwnPages), title };
    });
  }

  problemAsJson(code: ProblemCode): StaticPage {
    const { status, title, cause, cure } = problemTypes[code];
    return this.once(`/problems/${code}.json`, 'application/json', () =>
      JSON.stringify({ code, status, title, cause, cure }),
    );
  }

  problems(): StaticPage {
    const rows = (audience: Audience) =>
      codesFor(audience)
        .map((code) => [code, problemTypes[code]] as const)
        .map(([code, { status, title }]) => `- [${code}](/problems/${code}) (${status}): ${title}`)
        .join('\n');
    const text = `# Problems

Every failure is reported as \`application/problem+json\`; its \`type\` leads to one of these pages. [How problems are reported](errors.md).

## What an API client can meet

${rows('clients')}

## What only the operator's staff can meet

${rows('staff')}
`;
    return this.html('/problems', () => render(text, this.onOwnPages));
  }

  asset(name: string): StaticPage | undefined {
    if (name === this.styleName) {
      return this.once(name, 'text/css; charset=utf-8', () => this.library.style);
    }
    if (name === this.iconName) return this.once(name, 'image/svg+xml', () => this.library.icon);
    return undefined;
  }

  /** A file of the examples. */
  example(path: string): StaticPage | undefined {
    const text = this.library.examples.get(path);
    if (text === undefined) return undefined;
    return this.once(`example ${path}`, 'text/plain; charset=utf-8', () => this.filledIn(text));
  }

  private get frame(): PageFrame {
    const links: LinkGroup[] = groups.map(({ title, pages }) => ({
      title,
      links: pages.map((name) => ({ href: `/docs/${name}`, title: this.titles.get(name) ?? name })),
    }));
    return {
      style: `/docs/assets/${this.styleName}`,
      icon: `/docs/assets/${this.iconName}`,
      groups: [{ title: 'Documentation', links: [{ href: '/docs', title: 'Overview' }] }, ...links],
    };
  }

  private textOf(name: string, around: Omit<MarkdownContext, 'fileAt'>): RenderedMarkdown {
    const more = (code: ProblemCode) => this.library.problems.get(code);
    const markdown = (this.library.pages.get(name) ?? '').replaceAll(
      /<!-- problems of (clients|staff) -->/g,
      (_, audience: 'clients' | 'staff') => problemList(audience, more),
    );
    return render(this.filledIn(markdown), { ...around, fileAt: this.fileAt });
  }

  /** The text with this service's address, contact and settings. */
  private filledIn(text: string): string {
    const { publicUrl, salesContact } = this.config;
    return text
      .replaceAll(/<!-- (\w+) -->[^<]*<!-- \/\1 -->/g, (_, name: keyof Config) =>
        JSON.stringify(this.config[name]),
      )
      .replaceAll(WRITTEN_BASE, publicUrl)
      .replaceAll(WRITTEN_CONTACT, salesContact);
  }

  private readonly fileAt = (href: string): string | undefined => {
    const path = exampleIn(href);
    const text = path === undefined ? undefined : this.library.examples.get(path);
    return text === undefined ? undefined : this.filledIn(text);
  };

  private readonly onOwnPages: MarkdownContext = {
    fileAt: this.fileAt,
    leadsTo: (href) => {
      const [, name, anchor = ''] = ofPage.exec(href) ?? [];
      if (name === HOME) return `/docs${anchor}`;
      return name === undefined ? exampleOr(href) : `/docs/${name}${anchor}`;
    },
  };

  private html(href: string, make: () => Omit<PageContent, 'href'>): StaticPage {
    const type = 'text/html; charset=utf-8';
    return this.once(href, type, () => layOut({ ...make(), href }, this.frame));
  }

  private once(key: string, type: string, make: () => string): StaticPage {
    const made = this.made.get(key);
    if (made) return made;
    const text = make();
    const sent = { type, text, etag: `"${hashOf(text).slice(0, 22)}"` };
    this.made.set(key, sent);
    return sent;
  }
}

/** A link to another Markdown file, with or without an anchor. */
const ofPage = /^(?:\.\.\/)?([A-Za-z-]+)\.md(#.*)?$/;

function exampleIn(href: string): string | undefined {
  return /^\.\.\/\.\.\/examples\/(.+)$/.exec(href)?.[1];
}

function exampleOr(href: string): string {
  const path = exampleIn(href);
  return path === undefined ? href : `/docs/examples/${path}`;
}

/** The context of a text that shares a page with all others. */
function onOnePage(own: string): Omit<MarkdownContext, 'fileAt'> {
  return {
    prefix: `${own}-`,
    deeper: 1,
    leadsTo: (href) => {
      const [, name, anchor] = ofPage.exec(href) ?? [];
      if (name === HOME) return '/docs';
      if (name !== undefined) return anchor ? `#${name}-${anchor.slice(1)}` : `#${name}`;
      return href.startsWith('#') ? `#${own}-${href.slice(1)}` : exampleOr(href);
    },
  };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
