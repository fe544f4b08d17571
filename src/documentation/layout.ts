import { escapeHtml } from '../platform/kernel/text.js';
import { serviceVersion } from '../platform/config/version.js';
import type { Heading } from './markdown.js';

interface PageLink {
  readonly href: string;
  readonly title: string;
}

/** Integrators of API clients, or the operator's own staff: each has contents and a search of their own. */
export type Audience = 'clients' | 'staff';

export interface LinkGroup {
  readonly title: string;
  readonly links: readonly PageLink[];
}

/** The parts that all pages share. */
interface PageFrame {
  readonly style: string;
  readonly script: string;
  readonly icon: string;
  /** The name in the top bar and the titles. */
  readonly site: string;
  readonly groups: readonly LinkGroup[];
  readonly audience: Audience;
}

export interface PageContent {
  readonly title: string;
  readonly href: string;
  readonly html: string;
  readonly headings: readonly Heading[];
  /** Uses the whole width: what is on this page is above the text. */
  readonly isWide?: boolean;
  /** The text in the search field. */
  readonly query?: string;
}

/** A whole page with navigation, without files of other hosts. */
export function layOut(
  content: PageContent,
  { style, script, icon, site, groups, audience }: PageFrame,
): string {
  const { title, href, html, headings, isWide = false, query = '' } = content;
  const way = (to: string, text: string) =>
    `<a href="${to}"${href === to ? ' aria-current="page"' : ''}>${text}</a>`;
  const tab = href === '/docs' ? `${site}: documentation` : `${title} · ${site}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(tab)}</title>
<link rel="stylesheet" href="${style}">
<link rel="icon" href="${icon}" type="image/svg+xml">
<script type="module" src="${script}"></script>
</head>
<body>
<a class="skip" href="#text">Skip to main content</a>
<header>
<p>${way('/docs', escapeHtml(site))}</p>
<p class="ways"><a class="narrow" href="#pages">All pages</a> ${way('/docs/reference', 'Reference')}</p>
<form role="search" action="/docs/search">
<label class="unseen" for="search">Search the documentation</label>
<input type="search" id="search" name="q" value="${escapeHtml(query)}" maxlength="100" autocomplete="off" placeholder="${audience === 'staff' ? 'Search the staff reference' : 'Search'}" required>
${audience === 'staff' ? '<input type="hidden" name="in" value="staff">\n' : ''}<button>Search</button>
</form>
</header>
<div class="columns">
<main id="text" tabindex="-1"${isWide ? ' class="wide"' : ''}>
${onThisPage(headings)}<article>
${html}</article>
${neighbours(href, groups)}</main>
<nav id="pages" class="pages" aria-label="All pages">
${groups.map((group) => section(group, href)).join('\n')}
</nav>
</div>
<footer>
<p>${way('/docs/reference/staff', 'Reference for the operator’s staff')}. Version ${serviceVersion} of the service.</p>
</footer>
</body>
</html>
`;
}

function section({ title, links }: LinkGroup, current: string): string {
  const items = links.map(
    ({ href, title }) =>
      `<li><a href="${href}"${href === current ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`,
  );
  return `<h2>${escapeHtml(title)}</h2>\n<ul>\n${items.join('\n')}\n</ul>`;
}

function onThisPage(headings: readonly Heading[]): string {
  const shown = headings.filter(({ depth }) => depth === 2);
  if (shown.length < 2) return '';
  const items = shown.map(({ id, text }) => `<li><a href="#${id}">${text}</a></li>`);
  return `<nav class="here" aria-label="On this page">
<h2>On this page</h2>
<ul>
${items.join('\n')}
</ul>
</nav>
`;
}

function neighbours(href: string, groups: readonly LinkGroup[]): string {
  const all = groups.flatMap(({ links }) => links);
  const at = all.findIndex((link) => link.href === href);
  if (at < 0) return '';
  const way = (link: PageLink | undefined, rel: 'prev' | 'next', word: string) =>
    link
      ? `<a rel="${rel}" href="${link.href}">${word}: ${escapeHtml(link.title)}</a>`
      : '<span></span>';
  return `<nav class="onward" aria-label="Previous and next page">${way(all[at - 1], 'prev', 'Previous')} ${way(all[at + 1], 'next', 'Next')}</nav>\n`;
}
