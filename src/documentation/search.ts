import MiniSearch, { type SearchResult } from 'minisearch';
import { escapeHtml } from '../platform/kernel/text.js';

/** The part of a page below one heading. */
interface PageSection {
  /** With the anchor. */
  readonly href: string;
  readonly page: string;
  readonly heading: string;
  readonly text: string;
}

/** Longer queries are cut. */
export const LONGEST_QUERY = 100;
const MOST_RESULTS = 20;
/** Characters of the text in a result. */
const EXCERPT = 160;

/** Words of questions that no section is about. */
const small = new Set(
  'a an and are at by can do does for from how i if in is it my of on or the to what when where which with you your'.split(
    ' ',
  ),
);

/** An index of sections of pages. */
export class SearchIndex {
  private readonly index = new MiniSearch<PageSection>({
    idField: 'href',
    fields: ['heading', 'page', 'text'],
    tokenize: (text) => text.split(/[^\p{L}\p{N}]+/u),
    processTerm: (term) => (small.has(term.toLowerCase()) ? null : term.toLowerCase()),
    storeFields: ['href', 'page', 'heading', 'text'],
    searchOptions: {
      boost: { heading: 4, page: 2 },
      prefix: (term) => term.length > 2,
      fuzzy: (term) => (term.length > 4 ? 1 : false),
      weights: { prefix: 0.5, fuzzy: 0.2 },
    },
  });

  /** @param html a whole page */
  add(address: string, html: string): void {
    this.index.addAll(sectionsOf(address, html));
  }

  /** The results as HTML: sections with all words, or else with some of them. */
  results(query: string): string {
    const all = this.index.search(query, { combineWith: 'AND' });
    const found = all.length > 0 ? all : this.index.search(query);
    const items = found.slice(0, MOST_RESULTS).map(resultItem);
    const number =
      items.length === MOST_RESULTS ? `The first ${MOST_RESULTS}` : items.length || 'No';
    const count = `${number} ${items.length === 1 ? 'result' : 'results'}`;
    const list = items.length > 0 ? `<ol class="results">\n${items.join('')}</ol>\n` : '';
    return `<p class="count">${count} for “${escapeHtml(query)}”</p>\n${list}`;
  }
}

type FoundSection = SearchResult & PageSection;

function resultItem(result: SearchResult): string {
  const { href, page, heading, text, terms } = result as FoundSection;
  const where = page === heading ? '' : ` <span class="limits">${escapeHtml(page)}</span>`;
  return `<li><a href="${escapeHtml(href)}">${escapeHtml(heading)}</a>${where}<p>${excerpt(text, terms)}</p></li>\n`;
}

/** The text around the first of the words, which are marked. @param words letters and digits only */
function excerpt(text: string, words: readonly string[]): string {
  const pattern = new RegExp(`(${words.join('|')})`, 'giu');
  const at = Math.max(0, text.search(pattern) - EXCERPT / 4);
  const start = at === 0 ? 0 : text.indexOf(' ', at) + 1;
  const isCut = start + EXCERPT < text.length;
  const end = isCut ? text.lastIndexOf(' ', start + EXCERPT) : text.length;
  const shown = text.slice(start, end).split(pattern);
  const marked = shown.map((part, index) =>
    index % 2 === 1 ? `<mark>${escapeHtml(part)}</mark>` : escapeHtml(part),
  );
  return `${start > 0 ? '… ' : ''}${marked.join('')}${isCut ? ' …' : ''}`;
}

/** The sections of an article, without code. The first has no anchor. */
function sectionsOf(address: string, html: string): PageSection[] {
  const [, article = ''] = /<article>([^]*)<\/article>/.exec(html) ?? [];
  const parts = article
    .replaceAll(/<figure>[^]*?<\/figure>|<summary>.*?<\/summary>/g, ' ')
    .split(/(?=<h1|<h[2-4] id=)/);
  const page = textOf(/<h1[^>]*>(.*?)<\/h1>/.exec(article)?.[1] ?? '');
  return parts.flatMap((part) => {
    const [whole, id, heading] = /^<h\d(?: id="([^"]+)")?[^>]*>(.*?)<\/h\d>/.exec(part) ?? [];
    if (whole === undefined || heading === undefined) return [];
    const href = id === undefined ? address : `${address}#${id}`;
    return [{ href, page, heading: textOf(heading), text: textOf(part.slice(whole.length)) }];
  });
}

const characters: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  amp: '&',
  '#39': "'",
};

function textOf(html: string): string {
  return html
    .replaceAll(/<wbr>|<\/?(?:a|b|code|em|strong|span)\b[^>]*>/g, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/&(#?\w+);/g, (entity, name: string) => characters[name] ?? entity)
    .replaceAll(/\s+/g, ' ')
    .trim();
}
