import { globSync, readFileSync } from 'node:fs';

/** The root of the package, seen from the compiled file. It holds `docs/api` and `examples`. */
const root = new URL('../../../', import.meta.url);

interface PageGroup {
  readonly title: string;
  /** Names of Markdown files, without their ending. */
  readonly pages: readonly string[];
}

/** Every page in order. `README` comes first, at `/docs`. */
export const groups: readonly PageGroup[] = [
  { title: 'Begin', pages: ['quick-start', 'authentication', 'sandbox', 'examples'] },
  { title: 'Do', pages: ['checks', 'orders', 'price-hold', 'retries', 'webhooks'] },
  { title: 'Look up', pages: ['fields', 'errors', 'limits', 'compatibility', 'changelog'] },
];

export const HOME = 'README';
export const pageNames: readonly string[] = groups.flatMap(({ pages }) => pages);

/** The files of the documentation, read when the service starts. */
export interface Library {
  /** Markdown, by page. */
  readonly pages: ReadonlyMap<string, string>;
  /** More about a problem, as Markdown, by its code. */
  readonly problems: ReadonlyMap<string, string>;
  /** The examples' files, by their path below `examples`. */
  readonly examples: ReadonlyMap<string, string>;
  readonly style: string;
  readonly icon: string;
}

/** @throws {Error} where a file of the package is missing */
export function readLibrary(): Library {
  const text = (path: string) => readFileSync(new URL(path, root), 'utf8');
  return {
    pages: new Map([HOME, ...pageNames].map((name) => [name, text(`docs/api/${name}.md`)])),
    problems: new Map(
      filesUnder('docs/api/problems').map((file) => [
        file.replace(/\.md$/, ''),
        text(`docs/api/problems/${file}`),
      ]),
    ),
    examples: new Map(
      filesUnder('examples').map((path) => [path, text(`examples/${path}`)] as const),
    ),
    style: text('docs/api/style.css'),
    icon: text('docs/api/icon.svg'),
  };
}

/** Two levels deep at most: deeper folders hold the output of builds. */
function filesUnder(folder: string): string[] {
  return globSync('{*,*/*}.{md,sh,ts,py,php,cs,csproj,json}', {
    cwd: new URL(folder, root),
  }).sort();
}
