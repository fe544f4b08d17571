import { createHash } from 'node:crypto';
import { accentsOf } from '../platform/config/brand.js';
import type { Config } from '../platform/config/config.js';
import { settings } from '../platform/config/settings.js';
import { type ProblemCode, problemTypes } from '../platform/problems/problem-types.js';
import { type Audience, type LinkGroup, layOut, type PageContent } from './layout.js';
import {
  groups,
  HOME,
  pageNames,
  readLibrary,
  asJson,
  problemCodes,
  problemIndex,
  problemList,
  problemText,
} from './library.js';
import { render, type MarkdownContext, type RenderedMarkdown } from './markdown.js';
import {
  guideAsMarkdown,
  llmsText,
  referenceAsMarkdown,
  postmanCollection,
} from './for-programs.js';
import {
  clientReference,
  readReference,
  referenceIndex,
  staffReference,
  type Reference,
  type ReferenceGroup,
} from './reference.js';
import { ReferencePage } from './reference-page.js';
import { hashOf, REVALIDATE, type StaticContent } from '../platform/openapi/static-page.js';

/** A page loads only its own files. */
const READING_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
/** For files whose name contains a hash of the content. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/** The name of the page for addresses without one. */
export const MISSING = 'no page';

/** As in the Markdown in the repository. */
const WRITTEN_BASE = 'http://localhost:3000';
const WRITTEN_CONTACT = 'sales@example.net';

const settingNames = [
  'publicUrl',
  'salesContact',
  'brandName',
  'brandColour',
  'lookupsPerMinute',
  'lookupBurst',
  'ordersPerMinute',
  'inFlight',
  'openRequests',
  'priceHoldMinutes',
  'idempotencyRetentionDays',
  'checkRetentionDays',
] as const;

type DocumentedSetting = (typeof settingNames)[number];
export type DocumentedSettings = Readonly<Pick<Config, DocumentedSetting>>;

/** Those of the settings that pages show. */
export function documentedSettings(config: Config): DocumentedSettings {
  return Object.fromEntries(settingNames.map((name) => [name, config[name]])) as DocumentedSettings;
}

/** Reads all files at once, and makes pages. */
export class DocumentationPages {
  private readonly library = readLibrary();
  private readonly font = assetOf('inter', 'woff2', this.library.font);
  private readonly style: ReturnType<typeof assetOf>;
  private readonly script = assetOf('page', 'js', this.library.script);
  private readonly tryScript = assetOf('try', 'js', this.library.tryScript);
  private readonly icon = assetOf('icon', 'svg', this.library.icon);
  private readonly titles = new Map(
    [...this.library.pages].map(([name, text]) => [name, /^# (.+)$/m.exec(text)?.[1] ?? name]),
  );
  private readonly references: readonly Reference[];
  /** By address. */
  private readonly makers: ReadonlyMap<string, () => StaticContent>;

  constructor(private readonly config: DocumentedSettings) {
    const { examples, packages, clientDocument, staffDocument, style } = this.library;
    const { brandColour } = config;
    this.style = assetOf(
      'style',
      'css',
      style.replace('url(inter.woff2)', `url(${this.font.href})`) +
        (brandColour ? accentsOf(brandColour) : ''),
    );
    const fill = (text: string) => this.filledIn(text);
    this.references = [
      readReference(clientReference, clientDocument, fill),
      readReference(staffReference, staffDocument, fill),
    ];
    const html = (href: string, make: () => Omit<PageContent, 'href'>) =>
      [href, () => this.layOut({ ...make(), href })] as const;
    this.makers = new Map<string, () => StaticContent>([
      html('/docs', () => this.textOf(HOME)),
      ...pageNames.map((name) => html(`/docs/${name}`, () => this.textOf(name))),
      ...this.references.flatMap((reference) => [
        html(reference.href, () => referenceIndex(reference)),
        ...reference.groups.map((group) =>
          html(group.href, () => this.operations(reference, group)),
        ),
      ]),
      ...[this.font, this.style, this.script, this.tryScript, this.icon].map(
        ({ href, type, text }) => [href, () => ({ type, text, cache: FOR_EVER })] as const,
      ),
      ...[...examples].map(([path, text]) =>
        file(`/docs/examples/${path}`, 'text/plain', () => this.filledIn(text)),
      ),
      ...[...packages].map(
        ([name, text]) =>
          [
            `/docs/packages/${name}`,
            () => ({ type: 'application/octet-stream', text, cache: REVALIDATE }),
          ] as const,
      ),
      ...this.markdowns(),
      file('/llms.txt', 'text/plain', () => this.llms()),
      file('/docs/postman.json', 'application/json', () =>
        JSON.stringify(postmanCollection(this.references[0]!)),
      ),
      [MISSING, () => this.missing()],
      html('/problems', () => render(problemIndex(), this.onOwnPages)),
      ...problemCodes.map((code) => html(`/problems/${code}`, () => this.problem(code))),
      ...problemCodes.map((code) => [`JSON of /problems/${code}`, () => asJson(code)] as const),
    ]);
  }

  /** The Markdown of every page. */
  private markdowns() {
    const guide = (name: string) => this.guide(name);
    return [
      ...this.library.pages.keys().map((name) => markdownFile(`/docs/${name}`, () => guide(name))),
      ...this.references.flatMap((reference) => [
        markdownFile(reference.href, () =>
          reference.groups.map((group) => this.operationsText(reference, group)).join('\n'),
        ),
        ...reference.groups.map((group) =>
          markdownFile(group.href, () => this.operationsText(reference, group)),
        ),
      ]),
    ];
  }

  private operationsText(reference: Reference, group: ReferenceGroup): string {
    return referenceAsMarkdown(reference, group, this.config.publicUrl);
  }

  private guide(name: string): string {
    return guideAsMarkdown(this.sourceOf(name), this.config.publicUrl, this.onOwnPages);
  }

  private llms(): string {
    const [{ href: index, groups }] = this.references as [Reference];
    const described = new Map(groups.map(({ href, description }) => [href, description]));
    described.set(index, 'Every operation, with its fields.');
    const textOf = (href: string) =>
      described.get(href) ?? this.sourceOf(href.replace(/^\/docs(?:\/|$)/, '') || HOME);
    return llmsText(siteOf(this.config), this.config.publicUrl, this.links('clients'), textOf);
  }

  /** The page at the address; undefined where there is none. */
  make(address: string): StaticContent | undefined {
    return this.makers.get(address)?.();
  }

  /** The page of these search results. */
  found(query: string, audience: Audience, results: string): StaticContent {
    const html = `<h1>Search</h1>\n${results}`;
    const page = { title: 'Search', html, headings: [], query, href: '/docs/search' };
    return this.layOut(page, audience);
  }

  /** For addresses without a page. It has no validator. */
  private missing(): StaticContent {
    const html =
      '<h1>Page not found</h1>\n<p>There is no page at this address. Search the documentation, or <a href="/docs">see all pages</a>.</p>\n';
    return this.layOut({ title: 'Page not found', html, headings: [], href: MISSING });
  }

  private operations(reference: Reference, group: ReferenceGroup): Omit<PageContent, 'href'> {
    const content = new ReferencePage(reference, group).content();
    const script = `<script src="${this.tryScript.href}" type="module"></script>\n`;
    return { ...content, html: content.html + script };
  }

  private problem(code: ProblemCode): Omit<PageContent, 'href'> {
    const { title } = problemTypes[code];
    const all = '[All problems](/problems). [Error format](errors.md).';
    const text = `# ${title}\n\n${problemText(code, this.library.problems.get(code))}\n${all}\n`;
    return { ...render(this.filledIn(text), this.onOwnPages), title };
  }

  private layOut(content: PageContent, audience = audienceOf(content.href)): StaticContent {
    const frame = {
      style: this.style.href,
      script: this.script.href,
      icon: this.icon.href,
      site: siteOf(this.config),
      groups: this.links(audience),
      audience,
    };
    const text = layOut(content, frame);
    return { type: 'text/html; charset=utf-8', text, policy: READING_POLICY };
  }

  /** Every page for these readers, in order. */
  links(audience: Audience): LinkGroup[] {
    const guides = groups.map(({ title, pages }) => ({
      title,
      links: pages.map((name) => ({ href: `/docs/${name}`, title: this.titles.get(name) ?? name })),
    }));
    const references = this.references.filter(({ href }) => audienceOf(href) === audience);
    return [
      { title: 'Documentation', links: [{ href: '/docs', title: 'Overview' }] },
      ...(audience === 'clients' ? guides : []),
      ...references.map(({ title, href, groups }) => ({
        title,
        links: [{ href, title: 'All operations' }, ...groups],
      })),
    ];
  }

  private textOf(name: string): RenderedMarkdown {
    return render(this.sourceOf(name), this.onOwnPages);
  }

  /** The Markdown of a guide, with what this service fills in; empty where there is none. */
  private sourceOf(name: string): string {
    const more = (code: ProblemCode) => this.library.problems.get(code);
    const markdown = (this.library.pages.get(name) ?? '')
      .replaceAll(/<!-- problems of (clients|staff) -->/g, (_, audience: 'clients' | 'staff') =>
        problemList(audience, more),
      )
      .replaceAll('<!-- packages -->', () => packageTable(this.library.packages));
    return this.filledIn(markdown);
  }

  /** The text with this service's address, contact and settings. */
  private filledIn(text: string): string {
    const { publicUrl, salesContact } = this.config;
    return text
      .replaceAll(/<!-- (\w+) -->[^<]*<!-- \/\1 -->/g, (_, name: DocumentedSetting) =>
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
}

/** A file for programs. */
function file(href: string, type: string, make: () => string) {
  return [
    href,
    () => ({ type: `${type}; charset=utf-8`, text: make(), cache: REVALIDATE }),
  ] as const;
}

function markdownFile(href: string, make: () => string) {
  return file(`${href}.md`, 'text/markdown', make);
}

function packageTable(packages: ReadonlyMap<string, Uint8Array>): string {
  const rows = [...packages].map(([name, bytes]) => {
    const hash = createHash('sha256').update(bytes).digest('hex');
    return `| [${name}](/docs/packages/${name}) | ${Math.ceil(bytes.length / 1_000)} kB | \`${hash}\` |\n`;
  });
  if (rows.length === 0) return 'This service was built without them: `npm run packages`.\n';
  return `| File | Size | SHA-256 |\n| --- | --- | --- |\n${rows.join('')}`;
}

function audienceOf(href: string): Audience {
  return href.startsWith(staffReference.href) ? 'staff' : 'clients';
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

/** The name of the service, or that of the operator's API. */
function siteOf({ brandName }: DocumentedSettings): string {
  return brandName === settings.brandName.default
    ? 'Product Availability Service'
    : `${brandName} API`;
}

const assetTypes = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

/** A file whose name changes with its content. */
function assetOf(name: string, extension: keyof typeof assetTypes, text: string | Buffer) {
  const href = `/docs/assets/${name}.${hashOf(text).slice(0, 12)}.${extension}`;
  return { href, type: assetTypes[extension], text };
}
