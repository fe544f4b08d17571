import { globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isAtLeast, type StaffRole } from '../../platform/access/scopes.js';
import { render } from '../markdown.js';

interface HelpSource {
  /** Relative to `docs`. */
  readonly file: string;
  readonly role: StaffRole;
  readonly title: string;
  readonly markdown: string;
}

export interface HelpText {
  readonly title: string;
  readonly html: string;
}

/** A link to another help text. */
export interface HelpLink {
  readonly href: string;
  readonly title: string;
}

const HOME = '/staff/help';

/** Beside the compiled files in the package. */
const docs = new URL('../../../../docs/', import.meta.url);

/** The manuals as help: `staff.md` for all staff, `admin.md` and `operate/` for administrators. */
export class HelpTexts {
  private readonly byAddress: ReadonlyMap<string, HelpSource>;
  private readonly pictures = new Set(globSync('*.webp', { cwd: new URL('pictures/', docs) }));

  constructor() {
    const files = ['staff.md', 'admin.md', ...globSync('operate/*.md', { cwd: docs }).sort()];
    this.byAddress = new Map(files.map((file) => [addressOfFile(file), sourceOf(file)]));
  }

  /** The bytes of a picture; undefined where there is none. */
  async picture(name: string): Promise<Buffer | undefined> {
    return this.pictures.has(name) ? readFile(new URL(`pictures/${name}`, docs)) : undefined;
  }

  /** The texts that the role may read, in order. */
  linksFor(role: StaffRole): HelpLink[] {
    return [...this.byAddress]
      .filter(([, source]) => isAtLeast(role, source.role))
      .map(([href, { title }]) => ({ href, title }));
  }

  /** The text at the address, as HTML, with links only to what the role may read. */
  textAt(address: string, role: StaffRole): HelpText | undefined {
    const source = this.byAddress.get(address);
    if (!source || !isAtLeast(role, source.role)) return undefined;
    const { title, file, markdown } = source;
    const leadsTo = (href: string) => this.targetOf(href, file, role);
    const linked = markdown
      .replaceAll(/(?<!!)\[([^\]]+)\]\(([^)\s]+)\)/g, (whole, text: string, href: string) =>
        leadsTo(href) === undefined ? text : whole,
      )
      .replaceAll(/\b(src|srcset)="pictures\//g, `$1="${HOME}/pictures/`);
    const { html } = render(linked, {
      leadsTo: (href) => leadsTo(href) ?? href,
      fileAt: () => undefined,
    });
    return { title, html };
  }

  /** Undefined where the service has no such page for the role, as for the files of the source. */
  private targetOf(href: string, from: string, role: StaffRole): string | undefined {
    if (/^(?:https?:|mailto:|#)/.test(href)) return href;
    const [path = '', anchor] = href.split('#');
    const file = new URL(path, `file:///docs/${from}`).pathname.replace(/^\/docs\//, '');
    const fragment = anchor === undefined ? '' : `#${anchor}`;
    const known = this.byAddress.get(addressOfFile(file));
    if (known) return isAtLeast(role, known.role) ? addressOfFile(file) + fragment : undefined;
    const page = /^api\/([a-z-]+)\.md$/.exec(file)?.[1];
    if (page !== undefined) return `/docs/${page}${fragment}`;
    return /^\/openapi(?:-staff)?\.json$/.test(file) ? file : undefined;
  }
}

/** The address of the text with this name: `staff`, `admin` or that of a file in `operate`. */
export function helpAddress(name: string): string {
  return name === 'staff' ? HOME : `${HOME}/${name}`;
}

function addressOfFile(file: string): string {
  return helpAddress(file.replace(/^operate\//, '').replace(/\.md$/, ''));
}

function sourceOf(file: string): HelpSource {
  const text = readFileSync(new URL(file, docs), 'utf8');
  const [heading = '', title = file] = /^# (.+)\n/.exec(text) ?? [];
  const role = file === 'staff.md' ? 'agent' : 'admin';
  return { file, role, title, markdown: text.slice(heading.length) };
}

let loaded: HelpTexts | undefined;

export function helpTexts(): HelpTexts {
  return (loaded ??= new HelpTexts());
}
