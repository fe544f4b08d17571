import { escapeHtml } from '../kernel/escape-html.js';
import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { type ProblemCode, problemTypes } from '../problems/problem-types.js';
import { Config } from '../config/config.js';
import { type Frame, type LinkGroup, layOut } from './layout.js';
import { groups, HOME, pageNames, readLibrary } from './library.js';
import { render, type Surroundings, type Text } from './markdown.js';
import { codesFor, problemList, problemText } from './problem-text.js';
import { referenceSection } from './reference.js';

/** What is sent: its bytes never change while the service runs. */
export interface Sent {
  readonly type: string;
  readonly text: string;
  /** A strong validator (RFC 9110 §8.8.3). */
  readonly etag: string;
}

/** As the Markdown has them, for who reads it in the repository. */
const WRITTEN_BASE = 'http://localhost:3000';
const WRITTEN_CONTACT = 'sales@example.net';

/** The pages. Their files are read at the start; each page is made when it is first asked for. */
@Injectable()
export class DocumentationService {
  private readonly library = readLibrary();
  private readonly made = new Map<string, Sent>();
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
  home(): Sent {
    return this.once('/docs', 'text/html; charset=utf-8', () => {
      const { title, html, headings } = this.textOf(HOME, this.apart);
      const reference = { depth: 2, id: 'reference', text: 'Reference' };
      return layOut(
        { title, href: '/docs', html, headings: [...headings, reference], below: referenceSection },
        this.frame,
      );
    });
  }

  page(name: string): Sent | undefined {
    if (!pageNames.includes(name)) return undefined;
    const href = `/docs/${name}`;
    return this.once(href, 'text/html; charset=utf-8', () =>
      layOut({ ...this.textOf(name, this.apart), href }, this.frame),
    );
  }

  /** All pages on one, to be searched or printed as a whole. */
  all(): Sent {
    return this.once('/docs/all', 'text/html; charset=utf-8', () => {
      const texts = pageNames.map((name) => ({ name, ...this.textOf(name, together(name)) }));
      const contents = texts.map(({ name, title }) => ({
        depth: 2,
        id: name,
        text: escapeHtml(title),
      }));
      const html = texts.map((text) => `<section>\n${text.html}</section>\n`).join('');
      const title = 'All on one page';
      return layOut(
        { title, href: '/docs/all', html: `<h1>${title}</h1>\n${html}`, headings: contents },
        this.frame,
      );
    });
  }

  problem(code: ProblemCode): Sent {
    const href = `/problems/${code}`;
    return this.once(href, 'text/html; charset=utf-8', () => {
      const { title } = problemTypes[code];
      const all = '[All problems](/problems). [How problems are told](errors.md).';
      const text = `# ${title}\n\n${problemText(code, this.library.problems.get(code))}\n${all}\n`;
      return layOut({ ...render(this.filledIn(text), this.apart), title, href }, this.frame);
    });
  }

  problemAsJson(code: ProblemCode): Sent {
    const { status, title, cause, cure } = problemTypes[code];
    return this.once(`/problems/${code}.json`, 'application/json', () =>
      JSON.stringify({ code, status, title, cause, cure }),
    );
  }

  problems(): Sent {
    return this.once('/problems', 'text/html; charset=utf-8', () => {
      const rows = (codes: readonly ProblemCode[]) =>
        codes
          .map(
            (code) =>
              `- [${code}](/problems/${code}) (${problemTypes[code].status}): ${problemTypes[code].title}`,
          )
          .join('\n');
      const text = `# Problems

Every failure is told as \`application/problem+json\`; its \`type\` leads to one of these pages. [How problems are told](errors.md).

## What an API client can meet

${rows(codesFor('clients'))}

## What only the operator's staff can meet

${rows(codesFor('staff'))}
`;
      return layOut({ ...render(text, this.apart), href: '/problems' }, this.frame);
    });
  }

  asset(name: string): Sent | undefined {
    if (name === this.styleName) {
      return this.once(name, 'text/css; charset=utf-8', () => this.library.style);
    }
    if (name === this.iconName) return this.once(name, 'image/svg+xml', () => this.library.icon);
    return undefined;
  }

  /** A file of the examples, to be saved. */
  example(path: string): Sent | undefined {
    const text = this.library.examples.get(path);
    if (text === undefined) return undefined;
    return this.once(`example ${path}`, 'text/plain; charset=utf-8', () => this.filledIn(text));
  }

  private get frame(): Frame {
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

  private textOf(name: string, around: Omit<Surroundings, 'fileAt'>): Text {
    const more = (code: ProblemCode) => this.library.problems.get(code);
    const markdown = (this.library.pages.get(name) ?? '').replaceAll(
      /<!-- problems of (clients|staff) -->/g,
      (_, audience: 'clients' | 'staff') => problemList(audience, more),
    );
    return render(this.filledIn(markdown), { ...around, fileAt: this.fileAt });
  }

  /** The text with what holds for this service: its address, its contact, its settings. */
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

  private readonly apart: Surroundings = {
    fileAt: this.fileAt,
    leadsTo: (href) => {
      const [, name, anchor = ''] = ofPage.exec(href) ?? [];
      if (name === HOME) return `/docs${anchor}`;
      return name === undefined ? exampleOr(href) : `/docs/${name}${anchor}`;
    },
  };

  private once(key: string, type: string, make: () => string): Sent {
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

/** The surroundings of a text that is one of all on a page. */
function together(own: string): Omit<Surroundings, 'fileAt'> {
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
