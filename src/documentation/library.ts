import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { exampleOfProblem } from '../platform/problems/problem.js';
import { type ProblemCode, problemTypes } from '../platform/problems/problem-types.js';
import type { Audience } from './layout.js';

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
      'messages',
      'what-a-delivery-needs',
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
  return globSync('{*,*/*}.{md,sh,ts,py,json,csv}', {
    cwd: new URL(folder, root),
  }).sort();
}

const ofStaff: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'missing-session',
  'insufficient-role',
  'not-permitted',
  'charge-open',
  'client-changed',
  'client-name-taken',
  'version-state',
  'import-running',
  'guard-rail',
  'catalogue-rejected',
  'extra-charges-excluded',
  'unknown-person',
  'search-too-broad',
]);

export const problemCodes = Object.keys(problemTypes) as readonly ProblemCode[];

function codesFor(audience: Audience): ProblemCode[] {
  return problemCodes.filter((code) => ofStaff.has(code) === (audience === 'staff'));
}

/** An example of the problem, as it is written where the service runs on localhost. */
function exampleOf(code: ProblemCode): string {
  const { title, status } = problemTypes[code];
  const { detail, ...members } = exampleOfProblem(code);
  const type = `http://localhost:3000/problems/${code}`;
  const instance = 'urn:uuid:5b0a7c9e-2f64-4f5d-9a51-0d3c7e8b6a21';
  const body = { type, title, status, detail, instance, code, ...members };
  return `For example:\n\n\`\`\`json answer\n${JSON.stringify(body, null, 2)}\n\`\`\`\n`;
}

/**
 * The explanation of a problem as Markdown, for the list and its own page.
 *
 * @param more the example, if there is a file with a command and its answer
 */
export function problemText(code: ProblemCode, more = exampleOf(code)): string {
  const { status, cause, cure } = problemTypes[code];
  return `\`${code}\`, HTTP status ${status}

**Why it happens.** ${cause}

**What to do.** ${cure}

${more}`;
}

/** The problems as sections of a page. */
export function problemList(
  audience: Audience,
  more: (code: ProblemCode) => string | undefined,
): string {
  return codesFor(audience)
    .map(
      (code) => `### ${code}\n\n**${problemTypes[code].title}.** ${problemText(code, more(code))}`,
    )
    .join('\n');
}

/** The list of all problems, as Markdown. */
export function problemIndex(): string {
  const rows = (audience: Audience) =>
    codesFor(audience).map((code) => {
      const { status, title } = problemTypes[code];
      return `- [${code}](/problems/${code}) (${status}): ${title}\n`;
    });
  return `# Problems

Every error is \`application/problem+json\`; its \`type\` links to one of these pages. [Error format](errors.md).

## Problems for API clients

${rows('clients').join('')}
## Problems for the operator's staff only

${rows('staff').join('')}`;
}

export function asJson(code: ProblemCode) {
  const { status, title, cause, cure } = problemTypes[code];
  const explained = { code, status, title, cause, cure, example: exampleOfProblem(code) };
  return { type: 'application/json', text: JSON.stringify(explained) };
}
