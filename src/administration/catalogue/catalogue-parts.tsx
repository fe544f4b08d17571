import { FlashMessages } from '../../platform/ui/flash-messages.js';
import type { VersionView } from '../../catalogue/catalogue.dto.js';
import { catalogueFileNames, fileInfo } from '../../catalogue/content/catalogue-files.js';
import { whole } from '../../platform/kernel/counts.js';

/** The address of a version's page, or of one below it. */
export function versionPath(number: number, page = ''): string {
  return `/staff/catalogue/versions/${number}${page && `/${page}`}`;
}

export type VersionTab =
  'summary' | 'changes' | 'published-changes' | 'prices' | 'coverage' | 'premises';

/** The pages of one version. */
export function VersionTabs({ version, here }: { version: VersionView; here: VersionTab }) {
  const { number, state, premises } = version;
  const tabs: readonly (readonly [VersionTab, string] | false)[] = [
    ['summary', 'Summary'],
    state !== 'active' && ['changes', 'Changes'],
    state !== 'draft' && ['published-changes', 'Changes against the version before'],
    ['prices', 'Prices'],
    ['coverage', 'Coverage'],
    premises > 0 && ['premises', 'Premises'],
  ];
  return (
    <>
      <p class="crumb">
        <a href="/staff/catalogue">All versions</a>
      </p>
      <nav aria-label={`Version ${number}`}>
        <ul class="bare tabs">
          {tabs.map(
            (tab) =>
              tab && (
                <li>
                  <a
                    href={versionPath(number, tab[0] === 'summary' ? '' : tab[0])}
                    aria-current={tab[0] === here ? 'page' : undefined}
                  >
                    {tab[1]}
                  </a>
                </li>
              ),
          )}
        </ul>
      </nav>
    </>
  );
}

/** Links to the CSV files of a version, except cost books. */
export function FileLinks({ number }: { number: number }) {
  return (
    <>
      {catalogueFileNames.map((file, i) => (
        <>
          {i > 0 && ', '}
          <a href={versionPath(number, `files/${fileInfo(file).fileName}`)} download>
            {fileInfo(file).fileName}
          </a>
        </>
      ))}
    </>
  );
}

/** Rows on one page of a list. */
export const PAGE_ROWS = 100;

/** The page in an address, from 1. */
export function readPage(text: string, count: number): number {
  const last = Math.max(1, Math.ceil(count / PAGE_ROWS));
  return /^[1-9]\d{0,6}$/.test(text) ? Math.min(Number(text), last) : 1;
}

interface PagerProps {
  readonly page: number;
  readonly count: number;
  readonly to: (page: number) => string;
}

/** `1 to 100 of 218`, with links. */
export function Pager({ page, count, to }: PagerProps) {
  const last = Math.ceil(count / PAGE_ROWS);
  if (last <= 1) return null;
  const first = (page - 1) * PAGE_ROWS + 1;
  return (
    <nav class="pager" aria-label="Pages">
      <span>{`${whole(first)} to ${whole(Math.min(first + PAGE_ROWS - 1, count))} of ${whole(count)}`}</span>
      {page > 1 && <a href={to(1)}>First page</a>}
      {page > 1 && (
        <a href={to(page - 1)} rel="prev">
          Previous page
        </a>
      )}
      {page < last && (
        <a href={to(page + 1)} rel="next">
          Next page
        </a>
      )}
      {page < last && <a href={to(last)}>Last page</a>}
    </nav>
  );
}

/** A path with the parts of its query that are not empty. */
export function addressOf(path: string, query: Readonly<Record<string, string | number>>): string {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? path : `${path}?${text}`;
}

/** Per cent with its sign: `+3.0 %`. */
export function percentOrNone(percent: number | null | undefined): string {
  if (percent === null || percent === undefined) return '';
  const sign = percent > 0 ? '+' : percent < 0 ? '−' : '';
  return `${sign}${Math.abs(percent).toFixed(1)} %`;
}

/** A newer version is live, so that this draft cannot be published. */
export function isTooOld({ state, number }: VersionView, live: number | null): boolean {
  return state === 'draft' && (live ?? 0) > number;
}

export function TooOld({ live }: { live: number | null }) {
  return (
    <p class="hint">{`This draft cannot be published: version ${live} is newer. Make it again from version ${live}, or discard it.`}</p>
  );
}

export const catalogueMessages = new FlashMessages({
  'version-draft': 'Stored as a draft. Nothing has changed for clients yet.',
  'version-activated': 'Published.',
  'version-discarded': 'Draft discarded.',
  'version-adjusted-again': 'Adjusted again, from the live version. Check the changes again.',
  'version-restored': 'The earlier content is live again, as this new version.',
});
