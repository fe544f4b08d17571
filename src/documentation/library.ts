import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The root of the package, seen from the compiled file. It holds `docs/api` and `examples`. */
const root = new URL('../../../', import.meta.url);

interface Group {
  readonly title: string;
  /** Names of Markdown files, without their ending. */
  readonly pages: readonly string[];
}

/** Every page, in the order in which it is offered. `README` is the first one, at `/docs`. */
export const groups: readonly Group[] = [
  { title: 'Begin', pages: ['quick-start', 'authentication', 'sandbox', 'examples'] },
  { title: 'Do', pages: ['checks', 'orders', 'price-hold', 'retries', 'webhooks'] },
  { title: 'Look up', pages: ['fields', 'errors', 'limits', 'compatibility', 'changelog'] },
];

export const HOME = 'README';
export const pageNames: readonly string[] = groups.flatMap(({ pages }) => pages);

/** What the package brings to be read, as it was when the service started. */
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

/** @throws {Error} where a file is missing: the package is not whole */
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

/** Files with an ending, two levels deep at most; what a build leaves behind is none of ours. */
function filesUnder(folder: string): string[] {
  const path = fileURLToPath(new URL(folder, root));
  return readdirSync(path, { withFileTypes: true })
    .flatMap((entry) =>
      entry.isDirectory()
        ? readdirSync(`${path}/${entry.name}`, { withFileTypes: true })
            .filter((inner) => inner.isFile())
            .map((inner) => `${entry.name}/${inner.name}`)
        : [entry.name],
    )
    .filter((name) => /\.(?:md|sh|ts|py|php|cs|csproj|json)$/.test(name))
    .sort();
}
