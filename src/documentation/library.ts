import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';

/** The root of the package, relative to the compiled file. */
const root = new URL('../../../', import.meta.url);

interface PageGroup {
  readonly title: string;
  /** Names of Markdown files, without the extension. */
  readonly pages: readonly string[];
}

/** Every page in order, apart from `README`, which is at `/docs`. */
export const groups: readonly PageGroup[] = [
  {
    title: 'Get started',
    pages: ['quick-start', 'authentication', 'sandbox', 'packages', 'examples', 'agents'],
  },
  {
    title: 'Guides',
    pages: [
      'checks',
      'watches',
      'coverage',
      'prices',
      'orders',
      'quotes',
      'from-spreadsheet-to-orders',
      'enquiries',
      'from-enquiry-to-order',
      'charges',
      'delivery',
      'price-hold',
      'retries',
      'webhooks',
    ],
  },
  { title: 'Rules', pages: ['fields', 'errors', 'limits', 'compatibility', 'changelog'] },
];

export const HOME = 'README';
export const pageNames: readonly string[] = groups.flatMap(({ pages }) => pages);

/** The files of the documentation. */
interface Library {
  /** Markdown, by page. */
  readonly pages: ReadonlyMap<string, string>;
  /** More about a problem, as Markdown, by its code. */
  readonly problems: ReadonlyMap<string, string>;
  /** The examples' files, by their path below `examples`. */
  readonly examples: ReadonlyMap<string, string>;
  /** What `scripts/packages.mjs` has packed, by name of the file. */
  readonly packages: ReadonlyMap<string, Buffer>;
  /** The OpenAPI documents, as JSON. */
  readonly clientDocument: string;
  readonly staffDocument: string;
  readonly style: string;
  readonly script: string;
  readonly tryScript: string;
  readonly icon: string;
  /** The font of the staff pages. */
  readonly font: Buffer;
}

/** @throws {Error} where a file of the package is missing */
export function readLibrary(): Library {
  const text = (path: string) => readFileSync(new URL(path, root), 'utf8');
  const compiled = (name: string) =>
    readFileSync(new URL(`browser/${name}.js`, import.meta.url), 'utf8');
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
    packages: new Map(
      packed().map((name) => [name, readFileSync(new URL(name, packages))] as const),
    ),
    clientDocument: text('openapi.json'),
    staffDocument: text('openapi-staff.json'),
    script: compiled('page'),
    tryScript: compiled('try'),
    style: text('docs/api/style.css'),
    icon: text('docs/api/icon.svg'),
    font: readFileSync(new URL('../platform/ui/assets/inter.woff2', import.meta.url)),
  };
}

const packages = new URL('../../packages/', import.meta.url);

/** Packages in preparation start with a dot. */
function packed(): string[] {
  if (!existsSync(packages)) return [];
  return readdirSync(packages).filter((name) => !name.startsWith('.'));
}

/** At most two levels deep: deeper folders hold build output. */
function filesUnder(folder: string): string[] {
  return globSync('{*,*/*}.{md,sh,ts,py,php,cs,csproj,json,csv}', {
    cwd: new URL(folder, root),
  }).sort();
}
