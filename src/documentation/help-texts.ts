import { readFileSync } from 'node:fs';
import { isAtLeast, type StaffRole } from '../platform/access/scopes.js';
import { escapeHtml } from '../platform/kernel/text.js';
import { render, slugOf } from './markdown.js';
import { SearchIndex } from './search.js';

export const HELP = '/staff/help';

/** The manuals below `docs` that are help, in order. The text before their first heading introduces them. */
const manuals: readonly (readonly [file: string, role: StaffRole])[] = [
  ['staff.md', 'agent'],
  ['admin.md', 'admin'],
];

/** The parts of level 2 that a lower role than the manual's may read, with all below them. */
const parts: Readonly<Record<string, StaffRole>> = {
  'The catalogue': 'commercial',
};

/** What a manual says below one heading of level 2 or 3, up to the next. */
interface Topic {
  readonly file: string;
  /** The manual's title. */
  readonly manual: string;
  readonly role: StaffRole;
  readonly href: string;
  readonly heading: string;
  /** The heading of level 2 above one of level 3. */
  readonly above?: string;
  readonly markdown: string;
}

export interface HelpText {
  readonly title: string;
  readonly html: string;
}

/** Beside the compiled files in the package. */
const docs = new URL('../../../docs/', import.meta.url);

/** The manuals as short pages, each for those whose role may read it. */
export class HelpTexts {
  private readonly topics = manuals.flatMap(([file, role]) => topicsOf(file, role));
  private readonly indexes = new Map<StaffRole, SearchIndex>();

  /** The list of topics. */
  contents(role: StaffRole): HelpText {
    const lists = manuals.map(([file]) => {
      const topics = this.readableBy(role).filter((topic) => topic.file === file);
      if (topics.length === 0) return '';
      const items = topics.map(
        (topic) => `<li${topic.above ? ' class="below"' : ''}>${link(topic)}</li>\n`,
      );
      return `<h2>${escapeHtml(topics[0]!.manual)}</h2>\n<ul class="contents">\n${items.join('')}</ul>\n`;
    });
    return { title: 'Help', html: lists.join('') };
  }

  /** The topic of this name, with links only to what the role may read; undefined where there is none. */
  topic(name: string, role: StaffRole): HelpText | undefined {
    const topic = this.readableBy(role).find(({ href }) => href === `${HELP}/${name}`);
    return topic && { title: titleOf(topic), html: this.drawn(topic, role) };
  }

  /** The topics with these words. */
  found(query: string, role: StaffRole): HelpText {
    return { title: 'Help', html: this.indexFor(role).results(query) };
  }

  private readableBy(role: StaffRole): readonly Topic[] {
    return this.topics.filter((topic) => isAtLeast(role, topic.role));
  }

  private indexFor(role: StaffRole): SearchIndex {
    const known = this.indexes.get(role);
    if (known) return known;
    const index = new SearchIndex();
    for (const topic of this.readableBy(role)) {
      const title = `<h1>${escapeHtml(titleOf(topic))}</h1>`;
      index.add(topic.href, `<article>${title}${this.drawn(topic, role)}</article>`);
    }
    this.indexes.set(role, index);
    return index;
  }

  private drawn(topic: Topic, role: StaffRole): string {
    const readable = this.readableBy(role);
    const leadsTo = (href: string) => targetOf(href, topic.file, readable);
    const linked = topic.markdown
      .replaceAll(/(?<!!)\[([^\]]+)\]\(([^)\s]+)\)/g, (whole, text: string, href: string) =>
        leadsTo(href) === undefined ? text : whole,
      )
      .replaceAll(/\b(src|srcset)="pictures\//g, `loading="lazy" $1="${HELP}/pictures/`);
    const { html } = render(linked, {
      leadsTo: (href) => leadsTo(href) ?? href,
      fileAt: () => undefined,
    });
    const below = readable.filter(
      ({ above, file }) => above === topic.heading && file === topic.file,
    );
    if (below.length === 0) return html;
    return `${html}<ul>\n${below.map((one) => `<li>${link(one)}</li>\n`).join('')}</ul>\n`;
  }
}

function titleOf({ above, heading }: Topic): string {
  return above === undefined ? heading : `${above}: ${heading}`;
}

function link({ href, heading }: Topic): string {
  return `<a href="${href}">${escapeHtml(heading)}</a>`;
}

/** Undefined where the service has no such page for the reader, as for the manuals of operators. */
function targetOf(href: string, from: string, readable: readonly Topic[]): string | undefined {
  if (/^(?:https?|mailto):/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const file =
    path === '' ? from : new URL(path, `file:///docs/${from}`).pathname.slice('/docs/'.length);
  const topics = readable.filter((topic) => topic.file === file);
  if (topics.length > 0) {
    return anchor === undefined
      ? HELP
      : topics.find(({ href }) => href === `${HELP}/${anchor}`)?.href;
  }
  const page = /^api\/([a-z-]+)\.md$/.exec(file)?.[1];
  if (page !== undefined) return `/docs/${page}${anchor === undefined ? '' : `#${anchor}`}`;
  return undefined;
}

function topicsOf(file: string, role: StaffRole): Topic[] {
  const [introduction = '', ...sections] = readFileSync(new URL(file, docs), 'utf8').split(
    /^(?=###? )/m,
  );
  const manual = /^# (.+)$/m.exec(introduction)?.[1] ?? file;
  let above: string | undefined;
  return sections.map((section) => {
    const [line, marks = '', heading = ''] = /^(###?) (.+)\n/.exec(section) ?? [];
    if (marks === '##') above = heading;
    return {
      file,
      manual,
      role: parts[above ?? heading] ?? role,
      href: `${HELP}/${slugOf(heading)}`,
      heading,
      above: marks === '##' ? undefined : above,
      markdown: section.slice(line?.length),
    };
  });
}
